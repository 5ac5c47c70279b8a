"""The schema in Python equals sangamio.proto and the schema on the wire."""

from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc

from rigless.robots.vacuum.protobuf import schema

FOLDER = Path(schema.__file__).parent


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Return the descriptor that protoc makes of the .proto."""
    out = tmp_path_factory.mktemp("schema") / "set.bin"
    assert protoc.main(["protoc", f"-I{FOLDER}", f"--descriptor_set_out={out}", schema.FILE]) == 0
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file
    return file


def without_json_names(message):
    for field in message.field:
        field.ClearField("json_name")
    for nested in message.nested_type:
        without_json_names(nested)


def test_the_proto_file_and_the_python_schema_are_the_same(compiled):
    plain = descriptor_pb2.FileDescriptorProto.FromString(compiled.SerializeToString())
    for message in plain.message_type:
        without_json_names(message)
    assert str(schema.file_descriptor()) == str(plain)
    assert schema.file_descriptor() == plain


def test_what_one_writes_the_other_reads(compiled):
    pool = descriptor_pool.DescriptorPool()
    pool.Add(compiled)
    theirs = message_factory.GetMessageClass(pool.FindMessageTypeByName("sangamio.Message"))
    message = schema.Message(topic="sensors/x")
    value = message.sensor_group.values["v"]
    value.vector3_val.y = 2.5
    again = theirs.FromString(message.SerializeToString())
    assert again.sensor_group.values["v"].vector3_val.y == 2.5
    assert again.DESCRIPTOR.full_name == message.DESCRIPTOR.full_name == "sangamio.Message"


# The numbers of the real daemon, repeated here: this catches a mistake made in both schemas.
NUMBERS = {
    "Message": "topic=1 sensor_group=2 command=3",
    "SensorGroup": "group_id=1 timestamp_us=2 values=3",
    "SensorValue": "bool_val=1 u32_val=2 u64_val=3 i32_val=4 i64_val=5 f32_val=6 f64_val=7 "
    "string_val=8 bytes_val=9 vector3_val=10 pointcloud_val=11",
    "Vector3": "x=1 y=2 z=3",
    "PointCloud2D": "points=1",
    "LidarPoint": "angle_rad=1 distance_m=2 quality=3",
    "Command": "component_control=1 protocol_sync=2 shutdown=3",
    "ComponentControl": "id=1 action=2",
    "ComponentAction": "type=1 config=2",
    "ProtocolSync": "",
    "Shutdown": "",
}


def test_the_numbers_are_those_of_the_daemon():
    messages = schema.Message.DESCRIPTOR.file.message_types_by_name
    found = {
        name: " ".join(f"{field.name}={field.number}" for field in message.fields)
        for name, message in messages.items()
    }
    assert found == NUMBERS
    actions = messages["ComponentAction"].enum_types_by_name["Type"].values_by_name
    assert {name: value.number for name, value in actions.items()} == {
        "ENABLE": 0,
        "DISABLE": 1,
        "RESET": 2,
        "CONFIGURE": 3,
    }


def test_a_client_may_load_its_own_schema_in_the_same_process(compiled):
    pool = descriptor_pool.Default()
    pool.Add(compiled)
    assert pool.FindMessageTypeByName("sangamio.Message") is not schema.Message.DESCRIPTOR
