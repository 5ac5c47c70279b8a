"""A SangamIO client made with protobuf's own classes, for tests.

As a script it rewrites the golden command streams.
"""

from pathlib import Path

from rigless.robots.vacuum.protobuf import schema
from rigless.robots.vacuum.wire import Control, Ignored, ProtocolSync

GOLDEN = Path(__file__).parent / "golden"
ENABLE, DISABLE, RESET, CONFIGURE = range(4)


def framed(message) -> bytes:
    payload = (
        message if isinstance(message, bytes) else message.SerializeToString(deterministic=True)
    )
    return len(payload).to_bytes(4, "big") + payload


def control(component, action, **config):
    """Encode a command; config as name=(member of SensorValue without _val, value)."""
    message = schema.Message(topic="command")
    part = message.command.component_control
    part.id = component
    part.action.type = action
    part.action.SetInParent()
    for name, (member, value) in config.items():
        setattr(part.action.config[name], f"{member}_val", value)
    return message


def protocol_sync():
    message = schema.Message(topic="command")
    message.command.protocol_sync.SetInParent()
    return message


def shutdown():
    message = schema.Message(topic="command")
    message.command.shutdown.SetInParent()
    return message


def sensor_group():
    message = schema.Message(topic="sensors/lidar")
    message.sensor_group.group_id = "lidar"
    return message


def read(frame: bytes):
    """Decode the Message in a datagram; its length must match, as for real clients."""
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
    return schema.Message.FromString(frame[4:])


# The samples as bytes and as messages. Values of f32 are exact in float32.
STREAMS = {
    "drive": [
        (protocol_sync(), ProtocolSync()),
        (control("drive", ENABLE, mode=("u32", 2)), Control("drive", "enable", {"mode": 2})),
        (
            control("drive", CONFIGURE, linear=("f32", 0.25), angular=("f32", -0.5)),
            Control("drive", "configure", {"linear": 0.25, "angular": -0.5}),
        ),
        (
            control("drive", CONFIGURE, linear=("f32", 0.0), angular=("f32", 0.0)),
            Control("drive", "configure", {"linear": 0.0, "angular": 0.0}),
        ),
        (
            control("drive", CONFIGURE, linear=("f32", 0.125), angular=("f32", 0.75)),
            Control("drive", "configure", {"linear": 0.125, "angular": 0.75}),
        ),
    ],
    "sensors": [
        (control("lidar", ENABLE, pwm=("u32", 100)), Control("lidar", "enable", {"pwm": 100})),
        (control("imu", RESET), Control("imu", "reset")),
        (control("compass", ENABLE), Control("compass", "enable")),
        (
            control("cliff_ir", CONFIGURE, direction=("u32", 1)),
            Control("cliff_ir", "configure", {"direction": 1}),
        ),
        (schema.Message(), Ignored("an empty message")),
        (sensor_group(), Ignored("a sensor group, which only the robot sends")),
        (control("teapot", ENABLE), Control("teapot", "enable")),
    ],
    "tank": [
        (
            control("vacuum", CONFIGURE, speed=("u32", 60)),
            Control("vacuum", "configure", {"speed": 60}),
        ),
        (control("main_brush", ENABLE), Control("main_brush", "enable")),
        (control("led", CONFIGURE, state=("u32", 18)), Control("led", "configure", {"state": 18})),
        (
            control("drive", CONFIGURE, left=("f32", 0.1875), right=("f32", 0.25)),
            Control("drive", "configure", {"left": 0.1875, "right": 0.25}),
        ),
        (control("main_brush", DISABLE), Control("main_brush", "disable")),
    ],
}


if __name__ == "__main__":
    for name, sent in STREAMS.items():
        (GOLDEN / f"commands-{name}.in").write_bytes(
            b"".join(framed(message) for message, _ in sent)
        )
