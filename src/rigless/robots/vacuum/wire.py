"""The SangamIO wire: commands in on TCP, telemetry out as datagrams (or, on request, on TCP).

Both carry the same frame: a u32 big-endian length and a protobuf Message (sangamio.proto), at most
1 MiB. The robot never answers a command. It closes the connection on bytes that it cannot decode,
on an empty command and on a missing or unknown action. It ignores an empty Message, telemetry from
a client and unknown components.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
from google.protobuf.message import DecodeError
from msgspec import Meta
from numpy.typing import NDArray

from rigless.kernel.ports import WireError
from rigless.robots.vacuum.protobuf import encoder, schema

LONGEST_FRAME = 1 << 20
_LENGTH = 4

COMPONENTS = (
    *("drive", "lidar", "telemetry", "vacuum", "main_brush", "side_brush", "water_pump", "led"),
    *("cliff_ir", "main_board", "mcu", "charger", "imu", "compass"),
)
Value = bool | int | float | str | list[float]


# In


@dataclass(frozen=True)
class Control:
    """An action on a component, known or not. Numbers in `config` may be NaN or infinite."""

    id: Annotated[str, Meta(examples=list(COMPONENTS))]
    action: schema.Action
    config: Annotated[dict[str, Value], Meta(examples=[{"linear": 0.2, "angular": 0.5}])] = field(
        default_factory=dict
    )


@dataclass(frozen=True)
class ProtocolSync:
    pass


@dataclass(frozen=True)
class Shutdown:
    pass


@dataclass(frozen=True)
class Ignored:
    """A frame that the daemon ignores."""

    REFUSED: ClassVar = "what"
    what: str


Inbound = Control | ProtocolSync | Shutdown | Ignored


# Out


class Status(msgspec.Struct, frozen=True, gc=False):
    """sensor_status. A struct is made in an eighth of the time of a frozen dataclass."""

    timestamp_us: int
    wheel_left: int
    wheel_right: int
    battery_level: int
    start_button: int
    dock_button: int
    gyro_x: int
    gyro_y: int
    gyro_z: int
    accel_x: int
    accel_y: int
    accel_z: int
    tilt_x: int
    tilt_y: int
    tilt_z: int
    battery_voltage: float
    bumper_left: bool
    bumper_right: bool
    cliff_left_side: bool
    cliff_left_front: bool
    cliff_right_front: bool
    cliff_right_side: bool
    is_charging: bool
    is_dock_connected: bool
    dustbox_attached: bool


@dataclass(frozen=True, eq=False)
class Scan:
    """A turn of the lidar, valid points only.

    `packed` adds `scan_packed` (see encoder.pack_bins); it is sent alone if there are no points.
    """

    timestamp_us: int
    angles: NDArray[np.float32]
    distances: NDArray[np.float32]
    qualities: NDArray[np.uint8]
    packed: bytes | None = None


@dataclass(frozen=True)
class DeviceVersion:
    timestamp_us: int
    version_string: str
    version_code: int


Outbound = Status | Scan | DeviceVersion


def as_u16(value: int) -> int:
    """Return the value of a button, within the firmware's 16 bits."""
    return min(max(value, 0), 0xFFFF)


def frame(message: Outbound) -> bytes:
    """A telemetry message as it goes on the wire."""
    match message:
        case Status():
            return encoder.status(msgspec.structs.astuple(message))
        case Scan():
            return encoder.scan(
                message.timestamp_us,
                message.angles,
                message.distances,
                message.qualities,
                message.packed,
            )
        case DeviceVersion():
            return encoder.device_version(
                message.timestamp_us, message.version_string, message.version_code
            )
    raise TypeError(f"{type(message).__name__} is not telemetry of the vacuum")


# Codecs


@dataclass
class CommandCodec:
    """One per connection; `pending` is the frame that is still coming in."""

    REQUESTS: ClassVar = (Control, ProtocolSync, Shutdown)
    pending: bytearray = field(default_factory=bytearray)

    def decode(self, data: bytes) -> Iterator[Inbound]:
        self.pending += data
        while len(self.pending) >= _LENGTH:
            length = int.from_bytes(self.pending[:_LENGTH])
            if length > LONGEST_FRAME:
                self.pending.clear()
                raise WireError(f"a frame of {length} bytes; the longest is {LONGEST_FRAME}")
            end = _LENGTH + length
            if len(self.pending) < end:
                return
            payload = bytes(self.pending[_LENGTH:end])
            del self.pending[:end]
            yield parse(payload)

    def encode_request(self, message: Control | ProtocolSync | Shutdown) -> bytes:
        return request(message)

    def encode(self, message: Outbound) -> bytes:
        return frame(message)


@dataclass
class TelemetryCodec:
    """One frame a datagram; nothing comes in on this port."""

    def decode(self, data: bytes) -> Iterator[Inbound]:
        raise WireError("the telemetry port only sends; commands go to the TCP port")

    def encode(self, message: Outbound) -> bytes:
        return frame(message)


def parse(payload: bytes) -> Inbound:
    """Decode a client's Message. Raises WireError where the daemon closes the connection."""
    try:
        message = schema.Message.FromString(payload)
    except DecodeError:
        raise WireError(f"{len(payload)} bytes that are not a Message") from None
    match message.WhichOneof("payload"):
        case "command":
            return _command(message.command)
        case "sensor_group":
            return Ignored("a sensor group, which only the robot sends")
    return Ignored("an empty message")


def request(message: Control | ProtocolSync | Shutdown) -> bytes:
    """Return the frame that a client sends for a command."""
    whole = schema.Message(topic="command")
    match message:
        case Control():
            control = whole.command.component_control
            control.id = message.id
            control.action.type = schema.ACTIONS.index(message.action)
            control.action.SetInParent()  # protobuf omits an empty part
            for key, value in message.config.items():
                _set_value(control.action.config[key], value)
        case ProtocolSync():
            whole.command.protocol_sync.SetInParent()
        case Shutdown():
            whole.command.shutdown.SetInParent()
    payload = whole.SerializeToString(deterministic=True)
    return len(payload).to_bytes(_LENGTH) + payload


def _set_value(entry: Any, value: Value) -> None:
    match value:
        case bool():
            entry.bool_val = value
        case int():
            entry.i64_val = value
        case float():
            entry.f32_val = value
        case str():
            entry.string_val = value
        case _:
            entry.vector3_val.x, entry.vector3_val.y, entry.vector3_val.z = value


def _command(command: Any) -> Control | ProtocolSync | Shutdown:
    match command.WhichOneof("command"):
        case "component_control":
            return _control(command.component_control)
        case "protocol_sync":
            return ProtocolSync()
        case "shutdown":
            return Shutdown()
    raise WireError("an empty command")


def _control(control: Any) -> Control:
    if not control.HasField("action"):
        raise WireError(f"no action for component {control.id!r}")
    number = control.action.type
    if not 0 <= number < len(schema.ACTIONS):
        raise WireError(f"unknown action {number} for component {control.id!r}")
    config = {
        key: value
        for key, entry in sorted(control.action.config.items())
        if (value := _plain(entry)) is not None
    }
    return Control(control.id, schema.ACTIONS[number], config)


def _plain(value: Any) -> Value | None:
    """Return a SensorValue as plain data: vectors as [x, y, z], bytes as base64 text.

    Return None for a value that no component uses.
    """
    match value.WhichOneof("value"):
        case None | "pointcloud_val":
            return None
        case "vector3_val":
            return [value.vector3_val.x, value.vector3_val.y, value.vector3_val.z]
        case "bytes_val":
            return base64.b64encode(value.bytes_val).decode("ascii")
        case member:
            plain: Value = getattr(value, member)
            return plain
