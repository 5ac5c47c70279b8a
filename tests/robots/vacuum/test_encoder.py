"""Telemetry bytes: protobuf's own classes decode the values, and golden bytes stay equal."""

import math
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rigless.kernel.plain import to_builtins
from rigless.robots.vacuum.protobuf.encoder import pack_bins, varint
from rigless.robots.vacuum.wire import (
    CommandCodec,
    Control,
    DeviceVersion,
    Scan,
    Status,
    TelemetryCodec,
)

from .client import GOLDEN, read

BUDGET = settings(max_examples=25, deadline=None, derandomize=True)

U32 = ["wheel_left", "wheel_right", "battery_level", "start_button", "dock_button"]
I32 = [f"{what}_{axis}" for what in ("gyro", "accel", "tilt") for axis in "xyz"]
F32 = ["battery_voltage"]
BOOL = [
    "bumper_left",
    "bumper_right",
    "cliff_left_side",
    "cliff_left_front",
    "cliff_right_front",
    "cliff_right_side",
    "is_charging",
    "is_dock_connected",
    "dustbox_attached",
]
MEMBERS = {
    **dict.fromkeys(U32, "u32_val"),
    **dict.fromkeys(I32, "i32_val"),
    **dict.fromkeys(F32, "f32_val"),
    **dict.fromkeys(BOOL, "bool_val"),
}


def encode(message):
    return TelemetryCodec().encode(message)


def bits(value):
    """Return the bits of a float32, so that NaN equals itself and −0 differs from 0."""
    return struct.pack("<f", value)


def edges(low, high):
    """Return numbers of a range, and those at which varints grow by a byte."""
    steps = [
        sign * 2**power + off for power in range(0, 64, 7) for off in (-1, 0) for sign in (1, -1)
    ]
    return st.integers(low, high) | st.sampled_from(
        [low, high, *(step for step in steps if low <= step <= high)]
    )


TIMES = edges(0, 2**64 - 1)
STATUSES = st.builds(
    Status,
    timestamp_us=TIMES,
    **dict.fromkeys(U32, edges(0, 2**32 - 1)),
    **dict.fromkeys(I32, edges(-(2**31), 2**31 - 1)),
    **dict.fromkeys(F32, st.floats(width=32)),
    **dict.fromkeys(BOOL, st.booleans()),
)
ZERO = Status(0, **dict.fromkeys(U32 + I32, 0), battery_voltage=0.0, **dict.fromkeys(BOOL, False))
LONGEST = Status(
    2**64 - 1,
    **dict.fromkeys(U32, 2**32 - 1),
    **dict.fromkeys(I32, -1),
    battery_voltage=math.nan,
    **dict.fromkeys(BOOL, True),
)


# sensor_status


def test_a_status_has_the_fields_of_the_daemon_in_their_order():
    assert Status.__struct_fields__ == ("timestamp_us", *MEMBERS)


@BUDGET
@given(status=STATUSES)
@example(status=ZERO)
@example(status=LONGEST)
def test_a_status_is_read_back(status):
    frame = encode(status)
    message = read(frame)
    group = message.sensor_group
    assert (message.topic, group.group_id) == ("sensors/sensor_status", "sensor_status")
    assert group.timestamp_us == status.timestamp_us
    assert {key: value.WhichOneof("value") for key, value in group.values.items()} == MEMBERS
    for key, member in MEMBERS.items():
        found, meant = getattr(group.values[key], member), getattr(status, key)
        assert (
            bits(found) == bits(meant)
            if member == "f32_val"
            else (found, type(found)) == (meant, type(meant))
        )
    assert len(frame) - 4 == message.ByteSize()  # nothing twice, and shortest varints


@BUDGET
@given(status=STATUSES)
def test_the_order_on_the_wire(status):
    """The topic is first, for clients that parse by hand; values are in the daemon's order."""
    frame = encode(status)
    assert frame[4:6] == b"\x0a\x15"
    assert frame[6:27] == b"sensors/sensor_status"
    places = [frame.index(b"\x0a" + bytes([len(key)]) + key.encode()) for key in MEMBERS]
    assert places == sorted(places)


def test_zero_and_false_are_there():
    values = read(encode(ZERO)).sensor_group.values
    assert len(values) == 24
    assert all(value.WhichOneof("value") for value in values.values())


def test_each_value_has_its_own_place():
    """One field at a time differs from zero, so that no two are swapped."""
    for key, member in MEMBERS.items():
        one = {"u32_val": 300, "i32_val": -300, "f32_val": 1.5, "bool_val": True}[member]
        status = Status(
            **{**{name: getattr(ZERO, name) for name in Status.__struct_fields__}, key: one}
        )
        values = read(encode(status)).sensor_group.values
        set_ones = {
            name: getattr(value, MEMBERS[name])
            for name, value in values.items()
            if getattr(value, MEMBERS[name])
        }
        assert set_ones == {key: one}


def test_numpy_numbers_are_taken():
    given_ = {name: np.int32(-7) for name in I32} | {name: np.bool_(True) for name in BOOL}
    plain = dict.fromkeys(I32, -7) | dict.fromkeys(BOOL, True)
    rest = dict.fromkeys(U32, 5)
    ours = encode(Status(9, **rest, **given_, battery_voltage=np.float32(14.4)))
    assert ours == encode(Status(9, **rest, **plain, battery_voltage=14.4))


@pytest.mark.parametrize(
    ("key", "value"),
    [("wheel_left", -1), ("wheel_left", 2**32), ("gyro_x", 2**31), ("tilt_z", 0.5)],
)
def test_a_number_that_does_not_fit_is_an_error(key, value):
    fields = {name: getattr(ZERO, name) for name in Status.__struct_fields__}
    with pytest.raises(struct.error):
        encode(Status(**{**fields, key: value}))


# lidar

RAW_FLOATS = st.integers(0, 2**32 - 1) | st.sampled_from(
    [0, 0x80000000, 0x7F800000, 0x7FC00000, 0x00000001]
)
POINTS = st.lists(st.tuples(RAW_FLOATS, RAW_FLOATS, st.integers(0, 255)), max_size=40)


def scan_of(points, timestamp_us=1, packed=None):
    """Return a scan of points whose floats are given by their bits."""
    angles, distances, qualities = zip(*points, strict=True) if points else ((), (), ())
    return Scan(
        timestamp_us,
        np.array(angles, np.uint32).view(np.float32),
        np.array(distances, np.uint32).view(np.float32),
        np.array(qualities, np.uint8),
        packed,
    )


@BUDGET
@given(points=POINTS, timestamp_us=TIMES)
def test_a_scan_is_read_back(points, timestamp_us):
    scan = scan_of(points, timestamp_us)
    frame = encode(scan)
    message = read(frame)
    group = message.sensor_group
    assert (message.topic, group.group_id, group.timestamp_us) == (
        "sensors/lidar",
        "lidar",
        timestamp_us,
    )
    assert list(group.values) == ["scan"]
    assert group.values["scan"].WhichOneof("value") == "pointcloud_val"
    found = group.values["scan"].pointcloud_val.points
    assert [point.quality for point in found] == scan.qualities.tolist()
    for name, meant in (("angle_rad", scan.angles), ("distance_m", scan.distances)):
        np.testing.assert_array_equal(
            np.array([getattr(point, name) for point in found], np.float32), meant
        )
    assert (
        frame[4:] == message.SerializeToString()
    )  # one key, so that protobuf's order is fixed and all bytes are equal


@pytest.mark.parametrize("count", [0, 1, 8, 9, 1091, 1092, 4000])
def test_scans_of_any_length(count):
    """The inner lengths grow by a byte at 128 and at 16384."""
    scan = scan_of([(0x3F800000 + n, 0x40000000 + n, 150) for n in range(count)])
    message = read(encode(scan))
    assert len(message.sensor_group.values["scan"].pointcloud_val.points) == count
    assert encode(scan)[4:] == message.SerializeToString()


def test_a_scan_of_360_points_is_as_long_as_the_daemon_s():
    scan = scan_of([(0x3F800000, 0x40000000, 180)] * 360)
    assert 5400 <= len(encode(scan)) <= 5500


def test_other_arrays_are_taken():
    angles, distances, qualities = np.arange(6) * 0.5, np.arange(6) + 1.0, np.arange(6) * 40
    plain = Scan(
        5, angles.astype(np.float32), distances.astype(np.float32), qualities.astype(np.uint8)
    )
    frozen = plain.angles.copy()
    frozen.flags.writeable = False
    assert encode(Scan(5, angles, distances, qualities)) == encode(plain)
    assert encode(Scan(5, frozen, plain.distances, plain.qualities)) == encode(plain)
    assert encode(Scan(5, angles[::2], distances[::2], qualities[::2])) == encode(
        Scan(5, angles[::2].copy(), distances[::2].copy(), qualities[::2].copy())
    )


def test_arrays_of_different_length_are_an_error():
    with pytest.raises(ValueError, match="2 angles, 2 distances and 1 qualities"):
        encode(Scan(5, np.ones(2, np.float32), np.ones(2, np.float32), np.ones(1, np.uint8)))


def test_a_packed_scan_comes_with_the_points_or_alone():
    both = read(encode(scan_of([(1, 2, 3)], packed=b"\x01\x00abc"))).sensor_group.values
    assert set(both) == {"scan", "scan_packed"}
    assert both["scan_packed"].bytes_val == b"\x01\x00abc"
    assert len(both["scan"].pointcloud_val.points) == 1
    alone = read(encode(scan_of([], packed=b""))).sensor_group.values
    assert list(alone) == ["scan_packed"]
    assert (alone["scan_packed"].WhichOneof("value"), alone["scan_packed"].bytes_val) == (
        "bytes_val",
        b"",
    )


def bins_one_by_one(angles, distances, qualities, bins):
    """Reference of pack_bins in plain Python."""
    table = {}
    for angle, distance, quality in zip(angles, distances, qualities, strict=True):
        if (
            math.isfinite(angle)
            and math.isfinite(distance)
            and 1 <= (step := round(distance / 0.00025)) <= 65535
        ):
            where = round(angle * (bins / math.tau)) % bins
            table[where] = min(
                table.get(where, (65536, 0)), (step, quality), key=lambda entry: entry[0]
            )
    return struct.pack("<H", bins) + b"".join(
        struct.pack("<HB", *table.get(k, (0, 0))) for k in range(bins)
    )


@BUDGET
@given(
    points=st.lists(
        st.tuples(
            st.floats(-10, 10, width=32) | st.just(math.nan),
            st.floats(-1, 20, width=32)
            | st.sampled_from([math.inf, math.nan, 0.0, 16.38375, 16.384]),
            st.integers(0, 255),
        ),
        max_size=30,
    ),
    bins=st.integers(1, 400),
)
def test_bins(points, bins):
    angles, distances, qualities = zip(*points, strict=True) if points else ((), (), ())
    angles, distances = np.array(angles, np.float32), np.array(distances, np.float32)
    ours = pack_bins(angles, distances, np.array(qualities, np.uint8), bins)
    assert ours == bins_one_by_one(angles.tolist(), distances.tolist(), qualities, bins)


def test_bins_by_hand():
    angles = np.array([0.0, math.pi / 2, -math.pi / 2, 0.1], np.float32)
    packed = pack_bins(
        angles, np.array([1.0, 0.25, 20.0, 2.0], np.float32), np.array([7, 8, 9, 10], np.uint8), 4
    )
    assert packed == bytes.fromhex("0400 a00f07 e80308 000000 000000")


# device_version and the rest


@BUDGET
@given(timestamp_us=TIMES, text=st.text(max_size=200), code=edges(-(2**31), 2**31 - 1))
def test_a_device_version_is_read_back(timestamp_us, text, code):
    frame = encode(DeviceVersion(timestamp_us, text, code))
    message = read(frame)
    group = message.sensor_group
    assert (message.topic, group.group_id, group.timestamp_us) == (
        "sensors/device_version",
        "device_version",
        timestamp_us,
    )
    found = {
        key: (value.WhichOneof("value"), getattr(value, value.WhichOneof("value")))
        for key, value in group.values.items()
    }
    assert found == {"version_string": ("string_val", text), "version_code": ("i32_val", code)}
    assert len(frame) - 4 == message.ByteSize()


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (0, "00"),
        (127, "7f"),
        (128, "8001"),
        (300, "ac02"),
        (2**64 - 1, "ff" * 9 + "01"),
        (-1, "ff" * 9 + "01"),
    ],
)
def test_varints(value, wire):
    assert varint(value).hex() == wire


def test_tcp_carries_the_same_frames():
    for message in (LONGEST, scan_of([(1, 2, 3)]), DeviceVersion(1, "v", 2)):
        assert CommandCodec().encode(message) == encode(message)


def test_only_telemetry_goes_out():
    with pytest.raises(TypeError, match="Control is not telemetry"):
        encode(Control("drive", "enable"))


def test_telemetry_is_plain_data():
    assert to_builtins(ZERO)["bumper_left"] is False
    assert to_builtins(scan_of([(0x3F800000, 0x40000000, 3)])) == {
        "timestamp_us": 1,
        "angles": [1.0],
        "distances": [2.0],
        "qualities": [3],
        "packed": None,
    }


# Golden bytes

GOLDEN_MESSAGES = {
    "status": Status(
        timestamp_us=1_700_000_000_123_456,
        wheel_left=65535,
        wheel_right=4464,
        battery_level=87,
        start_button=0,
        dock_button=1,
        gyro_x=-12,
        gyro_y=0,
        gyro_z=1500,
        accel_x=-230,
        accel_y=64,
        accel_z=16384,
        tilt_x=-32768,
        tilt_y=5,
        tilt_z=32767,
        battery_voltage=15.24,
        bumper_left=True,
        bumper_right=False,
        cliff_left_side=False,
        cliff_left_front=True,
        cliff_right_front=False,
        cliff_right_side=True,
        is_charging=False,
        is_dock_connected=False,
        dustbox_attached=True,
    ),
    "scan": Scan(
        1_700_000_000_200_000,
        np.array([0.0, 1.5707964, 3.1415927, -1.5707964], np.float32),
        np.array([0.25, 1.00025, 7.9995, 3.5], np.float32),
        np.array([200, 190, 127, 0], np.uint8),
        bytes.fromhex("0400 e803c8 a10fbe fb7c7f b03600"),
    ),
    "device_version": DeviceVersion(1_700_000_000_000_000, "MockDevice v1.0", 100),
}


@pytest.mark.parametrize("name", GOLDEN_MESSAGES)
def test_golden_bytes(name):
    wanted = bytes.fromhex((GOLDEN / f"telemetry-{name}.hex").read_text("ascii"))
    assert encode(GOLDEN_MESSAGES[name]) == wanted
