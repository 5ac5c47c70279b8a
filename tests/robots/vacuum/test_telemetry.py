"""Telemetry as a client receives it: rates, fields, packed scans, TCP instead of UDP."""

import numpy as np

from rigless.robots.vacuum.wire import Scan, Status

from .client import DISABLE, ENABLE, RESET, control, framed, protocol_sync, read, shutdown
from .scene import BOTH_PORTS, EPOCH_US, Datagrams, Peer, heard, switch, vacuum
from .test_encoder import MEMBERS


def frames(stream: bytes):
    """Decode the messages of a TCP stream; an incomplete frame at its end fails."""
    found = []
    while stream:
        size = 4 + int.from_bytes(stream[:4], "big")
        found.append(read(stream[:size]))
        stream = stream[size:]
    return found


def groups(found):
    return [message.sensor_group.group_id for message in found]


def test_110_statuses_and_5_scans_in_a_simulated_second():
    sim = vacuum("lidar.enabled=true")
    datagrams = Datagrams(sim)
    Peer(sim)
    sim.run(10.0)
    assert (datagrams.groups().count("sensor_status"), datagrams.groups().count("lidar")) == (
        1100,
        50,
    )
    stamps = [
        m.sensor_group.timestamp_us
        for _, _, m in datagrams.seen
        if m.topic == "sensors/sensor_status"
    ]
    assert stamps == [EPOCH_US + n * 1_000_000 // 110 for n in range(1, 1101)]  # no drift


def test_every_field_is_there_in_its_type():
    sim = vacuum("lidar.enabled=true")
    datagrams = Datagrams(sim)
    Peer(sim)
    sim.run(0.2)
    named = {message.sensor_group.group_id: message for _, _, message in datagrams.seen}
    assert {group: message.topic for group, message in named.items()} == {
        group: f"sensors/{group}" for group in ("device_version", "sensor_status", "lidar")
    }
    values = named["sensor_status"].sensor_group.values
    assert {key: value.WhichOneof("value") for key, value in values.items()} == MEMBERS
    scan = named["lidar"].sensor_group.values
    assert list(scan) == ["scan"]
    points = scan["scan"].pointcloud_val.points
    assert 300 < len(points) <= 360
    assert all(0.15 <= point.distance_m <= 8.2 and 1 <= point.quality <= 255 for point in points)


def test_scan_packed_comes_with_the_points():
    sim = vacuum("lidar.enabled=true", "scan_packed=true")
    datagrams = Datagrams(sim)
    Peer(sim)
    sim.run(0.2)
    values = datagrams.seen[-1][2].sensor_group.values
    packed, points = values["scan_packed"].bytes_val, values["scan"].pointcloud_val.points
    count = int.from_bytes(packed[:2], "little")
    bins = np.frombuffer(packed[2:], [("distance", "<u2"), ("quality", "u1")])
    assert (count, len(bins)) == (360, 360)
    for point in points:
        steps, quality = bins[round(point.angle_rad / (2 * np.pi) * 360) % 360]
        assert steps <= round(point.distance_m / 0.00025) + 1
        assert quality > 0


def test_telemetry_over_tcp_instead_of_udp_and_back():
    sim = vacuum("lidar.enabled=true")
    datagrams = Datagrams(sim)
    peer = Peer(sim)
    sim.run(0.5)
    assert peer.over_tcp == b""
    peer.say(framed(control("telemetry", ENABLE)))
    del datagrams.seen[:]
    sim.run(1.0)
    found = groups(frames(peer.over_tcp))
    assert found[0] == "device_version"
    assert (found.count("sensor_status"), found.count("lidar")) == (110, 5)
    assert all(peers == () for _, peers, _ in datagrams.seen)
    peer.say(framed(control("telemetry", DISABLE)))
    peer.over_tcp = b""
    del datagrams.seen[:]
    sim.run(1.0)
    assert peer.over_tcp == b""
    assert datagrams.groups().count("sensor_status") == 110
    assert {peers for _, peers, _ in datagrams.seen} == {BOTH_PORTS}


def test_telemetry_over_tcp_ends_with_its_connection():
    sim = vacuum()
    peer = Peer(sim)
    peer.say(framed(control("telemetry", ENABLE)))
    peer.hang_up()
    datagrams = Datagrams(sim)
    sim.run(0.1)
    assert datagrams.seen == []
    Peer(sim, 2)
    sim.run(0.1)
    assert {peers for _, peers, _ in datagrams.seen} == {BOTH_PORTS}


def test_the_robot_writes_nothing_to_tcp_unasked():
    sim = vacuum("lidar.enabled=true")
    peer = Peer(sim)
    peer.say(
        framed(protocol_sync()) + framed(control("drive", RESET)) + framed(control("imu", ENABLE))
    )
    peer.say(framed(shutdown()))
    sim.run(1.0)
    assert (peer.over_tcp, peer.gone) == (b"", False)


def test_listening_changes_nothing():
    """The same run with and without a client gives the same readings."""
    runs = []
    for clients in (0, 1):
        sim = vacuum("lidar.enabled=true", "lidar.speed_jitter=0.05", seed=5)
        peers = [Peer(sim, link + 1) for link in range(clients)]
        switch(sim, "drive", "configure", linear=0.2, angular=0.4)
        found = heard(sim, 2.0, Status | Scan)
        runs.append([m if isinstance(m, Status) else m.distances.tobytes() for m in found])
        assert len(peers) == clients
    assert runs[0] == runs[1]
