"""A real `rigless run vacuum` and a client on plain sockets, well-behaved and not."""

import random
import socket
from collections import Counter
from contextlib import suppress
from itertools import pairwise

import pytest

from rigless.recordings.replay import verify
from robots.vacuum.client import CONFIGURE, ENABLE, control, framed, protocol_sync, read, shutdown

WAIT_S = 60


@pytest.fixture
def sensors():
    """Return a UDP socket for telemetry with a large buffer, for a busy test."""
    with socket.socket(type=socket.SOCK_DGRAM) as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        found.bind(("127.0.0.1", 0))
        found.settimeout(WAIT_S)
        yield found


@pytest.fixture
def process(rigless_process, sensors, tmp_path):
    """Run a vacuum at 4×. It always ends with 0, and its recording replays equal."""
    port = sensors.getsockname()[1]
    sets = ("ports.commands=0", f"network.udp_streaming_port={port}", "map_file=empty_room")
    words = [word for setting in sets for word in ("--set", setting)]
    file = tmp_path / "run.mcap"
    found = rigless_process(
        "run", "vacuum", *words, "--no-panel", "--seed", "3", "--speed", "4", "--record", file
    )
    yield found
    assert found.end() == 0
    assert "Traceback" not in found.errors
    again = verify(file)
    assert (again.difference, again.cut) == (None, False)


def connect(process):
    return socket.create_connection(process.address("vacuum/commands"), WAIT_S)


def group(sensors):
    return read(sensors.recv(65536)).sensor_group


def until(sensors, found):
    """Yield groups up to the first that satisfies a condition."""
    seen = []
    while not seen or not found(seen[-1]):
        seen.append(group(sensors))
    return seen


def check_rate(groups, hz):
    """Assert that stamps are multiples of the period, in order; datagrams may be lost."""
    steps = [
        (after.timestamp_us - before.timestamp_us) * hz / 1e6 for before, after in pairwise(groups)
    ]
    assert steps == pytest.approx(
        [round(step) for step in steps], abs=hz * 1.1e-6
    )  # stamps are whole microseconds
    assert Counter(map(round, steps)).most_common(1)[0][0] == min(map(round, steps)) == 1


def drained(sensors):
    """Empty the socket and return it."""
    sensors.setblocking(False)
    with suppress(BlockingIOError):
        while True:
            sensors.recv(65536)
    sensors.settimeout(WAIT_S)
    return sensors


def is_version(one):
    return one.group_id == "device_version"


def hung_up(client):
    try:
        return client.recv(100) == b""
    except ConnectionError:
        return True


def velocity(linear, angular):
    return framed(control("drive", CONFIGURE, linear=("f32", linear), angular=("f32", angular)))


def test_a_client_drives_and_receives_110_statuses_and_5_scans_a_simulated_second(process, sensors):
    with connect(process) as client:
        version = until(sensors, is_version)[-1]
        assert version.values["version_string"].string_val == "MockDevice v1.0"
        client.sendall(
            framed(protocol_sync()) + framed(control("lidar", ENABLE)) + velocity(0.2, 0.5)
        )
        until(sensors, lambda one: one.group_id == "lidar")
        begin = group(sensors)
        seen = until(sensors, lambda one: one.timestamp_us > begin.timestamp_us + 4_000_000)
        statuses = [one for one in seen if one.group_id == "sensor_status"]
        scans = [one for one in seen if one.group_id == "lidar"]
        check_rate(statuses, 110)
        check_rate(scans, 5)
        last = statuses[-1].values
        assert last["gyro_z"].i32_val == pytest.approx(500, abs=60)
        assert 0 < last["wheel_left"].u32_val < last["wheel_right"].u32_val
        assert all(len(one.values["scan"].pointcloud_val.points) > 300 for one in scans)


def test_a_second_client_is_closed_and_a_new_one_is_served_when_the_first_has_gone(
    process, sensors
):
    with connect(process) as first:
        until(sensors, is_version)
        with connect(process) as second:
            second.settimeout(WAIT_S)
            assert hung_up(second)
        first.sendall(framed(control("lidar", ENABLE)))
        until(sensors, lambda one: one.group_id == "lidar")
    process.until(
        lambda: "disconnected" in process.errors + "".join(process.lines),
        "the first client to be missed",
    )
    drained(sensors)  # room for messages that are sent only once
    with connect(process) as third:
        until(sensors, is_version)
        third.sendall(framed(control("lidar", ENABLE)))
        until(sensors, lambda one: one.group_id == "sensor_status")


def test_it_survives_garbage_and_still_serves(process, sensors):
    rng = random.Random(5)
    for _ in range(40):
        with connect(process) as client:
            client.settimeout(WAIT_S)
            try:
                client.sendall(
                    rng.choice([b"", framed(protocol_sync())])
                    + rng.randbytes(rng.randrange(1, 3000))
                )
                client.shutdown(socket.SHUT_WR)
                while client.recv(65536):
                    pass
            except OSError:
                pass  # the vacuum closed first
    process.until(lambda: served(process, sensors), "a client to be served after the garbage")


def served(process, sensors):
    """Return True if a client is accepted: the last one may still be registered."""
    with connect(process) as client:
        client.settimeout(WAIT_S)
        client.sendall(framed(control("telemetry", ENABLE)))
        return bool(client.recv(4))


def test_a_frame_in_single_bytes_and_telemetry_over_tcp(process):
    with connect(process) as client, client.makefile("rb") as stream:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in framed(control("telemetry", ENABLE)):
            client.sendall(bytes([byte]))
        groups = []
        for _ in range(50):
            size = stream.read(4)
            groups.append(
                read(size + stream.read(int.from_bytes(size, "big"))).sensor_group.group_id
            )
    assert groups == ["device_version"] + ["sensor_status"] * 49


def test_shutdown_stops_the_robot_and_the_process_goes_on(process, sensors):
    with connect(process) as client:
        client.sendall(framed(control("lidar", ENABLE)) + velocity(0.1, 1.0))
        until(
            sensors,
            lambda one: one.group_id == "sensor_status" and one.values["gyro_z"].i32_val > 900,
        )
        client.sendall(framed(shutdown()))
        stopped = until(
            sensors,
            lambda one: one.group_id == "sensor_status" and abs(one.values["gyro_z"].i32_val) < 60,
        )
        later = until(sensors, lambda one: one.timestamp_us > stopped[-1].timestamp_us + 1_000_000)
        assert {one.group_id for one in later} == {"sensor_status"}
        assert max(abs(one.values["gyro_z"].i32_val) for one in later) < 60
