"""Names, hashes and definitions of message types, against an independent library."""

import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from rigless.ros import definitions, types
from rigless.ros import messages as m

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
