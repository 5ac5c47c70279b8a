"""The schema of sangamio.proto as protobuf classes, made at run time instead of generated code.

The classes are in a pool of their own: a client in the same process may load its own copy.
"""

from typing import Any, Literal, get_args

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FILE = "sangamio.proto"
PACKAGE = "sangamio"
Action = Literal["enable", "disable", "reset", "configure"]
ACTIONS: tuple[Action, ...] = get_args(Action)  # ComponentAction.Type 0 to 3

# Message → its fields as "type name" in the order of the .proto. A name before a colon is the
# field's oneof.
_MESSAGES: dict[str, list[tuple[int, str]]] = {
    "Message": [
        (1, "string topic"),
        (2, "payload: SensorGroup sensor_group"),
        (3, "payload: Command command"),
    ],
    "SensorGroup": [(1, "string group_id"), (2, "uint64 timestamp_us"), (3, "map values")],
    "SensorValue": [
        (1, "value: bool bool_val"),
        (2, "value: uint32 u32_val"),
        (3, "value: uint64 u64_val"),
        (4, "value: int32 i32_val"),
        (5, "value: int64 i64_val"),
        (6, "value: float f32_val"),
        (7, "value: double f64_val"),
        (8, "value: string string_val"),
        (9, "value: bytes bytes_val"),
        (10, "value: Vector3 vector3_val"),
        (11, "value: PointCloud2D pointcloud_val"),
    ],
    "Vector3": [(1, "float x"), (2, "float y"), (3, "float z")],
    "PointCloud2D": [(1, "repeated LidarPoint points")],
    "LidarPoint": [(1, "float angle_rad"), (2, "float distance_m"), (3, "uint32 quality")],
    "Command": [
        (1, "command: ComponentControl component_control"),
        (2, "command: ProtocolSync protocol_sync"),
        (3, "command: Shutdown shutdown"),
    ],
    "ComponentControl": [(1, "string id"), (2, "ComponentAction action")],
    "ComponentAction": [(1, "enum type"), (2, "map config")],
    "ProtocolSync": [],
    "Shutdown": [],
}
_ENUM = "ComponentAction.Type"
_MAP_VALUE = "SensorValue"
_Field = descriptor_pb2.FieldDescriptorProto


def file_descriptor() -> Any:
    """Return the descriptor that protoc makes of sangamio.proto, without JSON names."""
    file = descriptor_pb2.FileDescriptorProto(name=FILE, package=PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, declaration in fields:
            _declare(message, number, declaration)
    action = next(message for message in file.message_type if message.name == "ComponentAction")
    enum = action.enum_type.add(name="Type")
    for number, word in enumerate(ACTIONS):
        enum.value.add(name=word.upper(), number=number)
    return file


def _declare(message: Any, number: int, declaration: str) -> None:
    oneof, _, rest = declaration.rpartition(": ")
    *repeated, kind, name = rest.split()
    field = message.field.add(name=name, number=number)
    field.label = _Field.LABEL_REPEATED if repeated or kind == "map" else _Field.LABEL_OPTIONAL
    if kind == "map":  # a map is a repeated message of its entries
        entry = message.nested_type.add(name=f"{name.capitalize()}Entry")
        entry.options.map_entry = True
        _declare(entry, 1, "string key")
        _declare(entry, 2, f"{_MAP_VALUE} value")
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".{PACKAGE}.{message.name}.{entry.name}"
    elif kind == "enum":
        field.type, field.type_name = _Field.TYPE_ENUM, f".{PACKAGE}.{_ENUM}"
    elif kind in _MESSAGES:
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".{PACKAGE}.{kind}"
    else:
        field.type = _Field.Type.Value(f"TYPE_{kind.upper()}")
    if oneof:
        if not any(known.name == oneof for known in message.oneof_decl):
            message.oneof_decl.add(name=oneof)
        field.oneof_index = 0  # no message here has two


def _message_class() -> Any:
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file_descriptor())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.Message"))


Message: Any = _message_class()
