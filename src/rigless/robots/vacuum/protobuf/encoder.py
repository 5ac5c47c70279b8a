"""Telemetry frames written byte by byte, many times faster than with protobuf's classes.

A frame is a u32 big-endian length and a protobuf Message; here that is always

    topic=1 "sensors/<group>"
    sensor_group=2 { group_id=1 "<group>"   timestamp_us=2   values=3 { key=1   value=2 } … }

The bytes are canonical, as protobuf writes them: shortest varints, fields in the order of their
numbers, plain zero fields left out, members of a oneof always present. Only the order of the values
is ours, since a map has none.
"""

import math
import struct
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint32]
Floats = NDArray[np.float32]

# Members of SensorValue: the tag on the wire, and the 4-byte word in which `status` takes a value.
_TAG = {
    "bool": b"\x08",
    "u32": b"\x10",
    "i32": b"\x20",
    "f32": b"\x35",
    "string": b"\x42",
    "bytes": b"\x4a",
    "cloud": b"\x5a",
}
_WORD = {"u32": "I", "i32": "i", "f32": "f", "bool": "?3x"}

# The values of sensor_status in the order of the wire, which is that of the fields of wire.Status.
STATUS_KEYS = {
    "u32": ("wheel_left", "wheel_right", "battery_level", "start_button", "dock_button"),
    "i32": (
        "gyro_x",
        "gyro_y",
        "gyro_z",
        "accel_x",
        "accel_y",
        "accel_z",
        "tilt_x",
        "tilt_y",
        "tilt_z",
    ),
    "f32": ("battery_voltage",),
    "bool": (
        "bumper_left",
        "bumper_right",
        "cliff_left_side",
        "cliff_left_front",
        "cliff_right_front",
        "cliff_right_side",
        "is_charging",
        "is_dock_connected",
        "dustbox_attached",
    ),
}
STATUS_WORDS = struct.Struct(
    "<Q" + "".join(_WORD[kind] * len(keys) for kind, keys in STATUS_KEYS.items())
)

BIN_STEP_M = 0.00025  # the lidar's own resolution, 0.25 mm
FARTHEST_BIN = 0xFFFF


def varint(value: int) -> bytes:
    """Encode an integer; a negative one as its 64-bit two's complement."""
    if 0 <= value <= 0x7F:
        return bytes((value,))
    value &= 0xFFFFFFFF_FFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(tag: bytes, content: bytes) -> bytes:
    return tag + varint(len(content)) + content


@cache
def _topic(group: str) -> bytes:
    return _field(b"\x0a", b"sensors/" + group.encode())


@cache
def _group_id(group: str) -> bytes:
    return _field(b"\x0a", group.encode())


def _value(key: str, value: bytes) -> bytes:
    """Encode an entry of the map; `value` begins with the tag of its member."""
    return _field(b"\x1a", _field(b"\x0a", key.encode()) + _field(b"\x12", value))


def _frame(group: str, timestamp_us: int, values: bytes) -> bytes:
    time = b"\x10" + varint(timestamp_us) if timestamp_us else b""
    message = _topic(group) + _field(b"\x12", _group_id(group) + time + values)
    return len(message).to_bytes(4) + message


def device_version(timestamp_us: int, version_string: str, version_code: int) -> bytes:
    values = _value("version_string", _field(_TAG["string"], version_string.encode()))
    values += _value("version_code", _TAG["i32"] + varint(version_code))
    return _frame("device_version", timestamp_us, values)


# sensor_status. Its bytes are prepared except the values and the lengths that depend on them: of
# the frame, of the group (two bytes, since it is always 128 to 16383 long), of each entry and of
# its value (one byte each).

_STATUS = b"\0\0\0\0" + _topic("sensor_status") + b"\x12\0\0" + _group_id("sensor_status")
_STATUS_ENTRIES = [
    b"\x1a\0" + _field(b"\x0a", key.encode()) + b"\x12\0" + _TAG[kind]
    for kind, keys in STATUS_KEYS.items()
    for key in keys
]
_HEAD = np.frombuffer(_STATUS, np.uint8)
_GROUP_AT = 4 + len(_topic("sensor_status")) + 3
_ROOM = 32  # for an entry without its value; copying it whole is faster than counting
_ENTRIES = np.frombuffer(
    b"".join(entry.ljust(_ROOM) for entry in _STATUS_ENTRIES), np.uint8
).reshape(-1, _ROOM)
_ENTRY_SIZES = np.array([len(entry) for entry in _STATUS_ENTRIES])
_SIGNED = np.array([kind == "i32" for kind, keys in STATUS_KEYS.items() for _ in keys])
_FLOAT = np.array([kind == "f32" for kind, keys in STATUS_KEYS.items() for _ in keys])
_WORDS_SIZE = STATUS_WORDS.size
_LONGEST_VARINT = 10
_LONGEST_STATUS = len(_HEAD) + 1 + _LONGEST_VARINT + (_ROOM + _LONGEST_VARINT) * len(_ENTRIES)


def status(values: tuple[Any, ...]) -> bytes:
    """Encode a sensor_status of this time and these values, in the order of the wire."""
    buffer = np.empty(_WORDS_SIZE + _LONGEST_STATUS, np.uint8)
    STATUS_WORDS.pack_into(buffer.data, 0, *values)
    return buffer[_WORDS_SIZE : _write_status(buffer)].tobytes()


@compiled
def _write_varint(out: Bytes, at: int, value: np.uint64) -> int:
    while value > np.uint64(0x7F):
        out[at] = value & np.uint64(0x7F) | np.uint64(0x80)
        value >>= np.uint64(7)
        at += 1
    out[at] = value
    return at + 1


@compiled
def _write_word(out: Bytes, at: int, word: np.uint32) -> int:
    for shift in range(0, 32, 8):
        out[at] = word >> np.uint32(shift) & np.uint32(0xFF)
        at += 1
    return at


@compiled
def _write_status(buffer: Bytes) -> int:
    """Encode the words at the beginning of the buffer behind them; return the end."""
    words, out = buffer[:_WORDS_SIZE].view(np.uint32), buffer[_WORDS_SIZE:]
    out[: len(_HEAD)] = _HEAD
    at = len(_HEAD)
    time = np.uint64(words[0]) | np.uint64(words[1]) << np.uint64(32)
    if time != 0:
        out[at] = 0x10
        at = _write_varint(out, at + 1, time)
    for n in range(len(_ENTRIES)):
        entry, word = at, words[n + 2]
        for i in range(_ROOM):
            out[at + i] = _ENTRIES[n, i]
        value = at = at + _ENTRY_SIZES[n]
        if _FLOAT[n]:
            at = _write_word(out, at, word)
        elif _SIGNED[n]:
            at = _write_varint(out, at, np.uint64(np.int64(np.int32(word))))
        else:
            at = _write_varint(out, at, np.uint64(word))
        out[entry + 1] = at - entry - 2
        out[value - 2] = at - value + 1
    group, message = at - _GROUP_AT, at - 4
    out[2], out[3] = message >> 8, message & 0xFF
    out[_GROUP_AT - 2], out[_GROUP_AT - 1] = group & 0x7F | 0x80, group >> 7
    return _WORDS_SIZE + at


# lidar

_LONGEST_POINT = 15  # tag and length, 2 × (tag and float), tag and two bytes of varint


def scan(
    timestamp_us: int,
    angles_rad: Floats,
    distances_m: Floats,
    qualities: Bytes,
    packed: bytes | None,
) -> bytes:
    """Encode a scan. `scan` is left out if there are only packed bins."""
    values = b""
    if len(angles_rad) or packed is None:
        values = _value("scan", _field(_TAG["cloud"], points(angles_rad, distances_m, qualities)))
    if packed is not None:
        values += _value("scan_packed", _field(_TAG["bytes"], packed))
    return _frame("lidar", timestamp_us, values)


def points(angles_rad: Floats, distances_m: Floats, qualities: Bytes) -> bytes:
    """Encode the content of a PointCloud2D."""
    _same_length(angles_rad, distances_m, qualities)
    angles = np.ascontiguousarray(angles_rad, np.float32).view(np.uint32)
    distances = np.ascontiguousarray(distances_m, np.float32).view(np.uint32)
    out = np.empty(_LONGEST_POINT * len(angles), np.uint8)
    return out[
        : _write_points(angles, distances, np.ascontiguousarray(qualities, np.uint8), out)
    ].tobytes()


def _same_length(angles_rad: Floats, distances_m: Floats, qualities: Bytes) -> None:
    if not len(angles_rad) == len(distances_m) == len(qualities):
        raise ValueError(
            f"{len(angles_rad)} angles, {len(distances_m)} distances and {len(qualities)} qualities"
        )


@compiled
def _write_points(angles: Words, distances: Words, qualities: Bytes, out: Bytes) -> int:
    at = 0
    for n in range(len(angles)):
        out[at] = 0x0A
        at += 2
        point = at
        if angles[n] != 0:
            out[at] = 0x0D
            at = _write_word(out, at + 1, angles[n])
        if distances[n] != 0:
            out[at] = 0x15
            at = _write_word(out, at + 1, distances[n])
        if qualities[n] != 0:
            out[at] = 0x18
            at = _write_varint(out, at + 1, np.uint64(qualities[n]))
        out[point - 1] = at - point
    return at


def pack_bins(angles_rad: Floats, distances_m: Floats, qualities: Bytes, bins: int) -> bytes:
    """Encode `scan_packed`: bin k holds the nearest point around the angle 2πk/bins, or 0.

    Distances are in steps of 0.25 mm; those that do not fit 16 bits (16.38 m) are left out.
    """
    _same_length(angles_rad, distances_m, qualities)
    steps, best = np.zeros(bins, np.uint16), np.zeros(bins, np.uint8)
    _fill_bins(np.asarray(angles_rad), np.asarray(distances_m), np.asarray(qualities), steps, best)
    table = np.empty(bins, [("distance", "<u2"), ("quality", "u1")])
    table["distance"], table["quality"] = steps, best
    return struct.pack("<H", bins) + table.tobytes()


@compiled
def _fill_bins(
    angles: Floats, distances: Floats, qualities: Bytes, steps: NDArray[np.uint16], best: Bytes
) -> None:
    bins = len(steps)
    for n in range(len(angles)):
        step = np.rint(distances[n] / BIN_STEP_M)
        if not 1 <= step <= FARTHEST_BIN or not np.isfinite(angles[n]):
            continue
        k = int(np.rint(angles[n] * (bins / math.tau))) % bins
        if steps[k] == 0 or step < steps[k]:
            steps[k], best[k] = step, qualities[n]
