"""Names, hashes and definitions of message types, against an independent library."""

import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from rigless.ros import cdr, definitions, types
from rigless.ros import messages as m
from rigless.ros import parameter_services as ps

JAZZY, KILTED = get_typestore(Stores.ROS2_JAZZY), get_typestore(Stores.ROS2_KILTED)


@pytest.mark.parametrize("kind", types.known())
def test_hashes_are_those_of_jazzy_and_kilted(kind):
    for store in (JAZZY, KILTED):
        assert types.type_hash(kind) == store.hash_rihs01(types.type_name(kind))


@pytest.mark.parametrize("kind", [kind for kind in types.known() if kind.__module__ == m.__name__])
def test_definitions_agree_with_ros(kind):
    found = get_types_from_msg(definitions.definition(kind), types.type_name(kind))
    assert {part: fields for part, (_, fields) in found.items()} == {
        part: JAZZY.fielddefs[part][1] for part in found
    }


def test_names():
    assert types.type_name(m.Imu) == "sensor_msgs/msg/Imu"
    assert types.dds_type_name(m.Imu) == "sensor_msgs::msg::dds_::Imu_"
    assert types.type_of("sensor_msgs/msg/Imu") is m.Imu


@pytest.mark.parametrize("value", [True, -3, 2.5, "text", ("a", "bc"), (1.5, -2.0)])
def test_parameters_have_the_bytes_of_ros(value):
    name = "rcl_interfaces/msg/Parameter"
    data = cdr.encode(ps.Parameter("name", ps.value_message(value)))
    decoded = JAZZY.deserialize_cdr(data, name)
    assert bytes(JAZZY.serialize_cdr(decoded, name)) == data
    fields = {bool: "bool", int: "integer", float: "double", str: "string"}
    if isinstance(value, tuple):
        found = getattr(decoded.value, f"{fields[type(value[0])]}_array_value")
        assert list(found) == list(value)
    else:
        assert getattr(decoded.value, f"{fields[type(value)]}_value") == value
    descriptor = cdr.encode(ps.ParameterDescriptor("gps.noise_std_m", ps.DOUBLE))
    found = JAZZY.deserialize_cdr(descriptor, "rcl_interfaces/msg/ParameterDescriptor")
    assert (found.name, found.type, found.read_only) == ("gps.noise_std_m", ps.DOUBLE, True)
