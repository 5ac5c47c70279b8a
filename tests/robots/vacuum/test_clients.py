"""Clients of the daemon: acceptance, telemetry addresses, disconnects and bad input."""

import pytest

from rigless.host.api.control import describe_robot
from rigless.host.host import Host
from rigless.robots.vacuum.protobuf import schema
from rigless.scenario.load import open_target

from .client import CONFIGURE, ENABLE, control, framed, sensor_group
from .scene import BOTH_PORTS, EPOCH_US, Datagrams, Peer, events, vacuum

# Acceptance


def test_a_client_gets_the_version_at_once_and_then_telemetry_at_both_ports():
    sim = vacuum()
    datagrams = Datagrams(sim)
    sim.run(2.0)
    Peer(sim)
    (at_s, peers, message) = datagrams.seen[0]
    assert (at_s, peers, message.topic) == (2.0, BOTH_PORTS, "sensors/device_version")
    values = message.sensor_group.values
    assert values["version_string"].string_val == "MockDevice v1.0"
    assert (values["version_code"].WhichOneof("value"), values["version_code"].i32_val) == (
        "i32_val",
        100,
    )
    sim.run(1.0)
    assert datagrams.groups() == ["device_version"] + ["sensor_status"] * 110
    assert {peers for _, peers, _ in datagrams.seen} == {BOTH_PORTS}


def test_the_status_counts_a_client_with_two_telemetry_ports_once():
    host = Host(open_target("vacuum"), "fast")
    Peer(host.sim)
    ports = describe_robot(host, host.sim.robot("vacuum"))["ports"]
    assert {port["name"]: port["links"] for port in ports} == {"commands": 1, "telemetry": 1}


@pytest.mark.parametrize(
    ("settings", "peers"),
    [
        (("network.udp_ports=streaming",), ("10.0.0.9:5556",)),
        (("network.udp_ports=client",), ("10.0.0.9:5555",)),
        (("network.udp_streaming_port=7001",), ("10.0.0.9:7001", "10.0.0.9:5555")),
        (("network.udp_client_port=7002",), ("10.0.0.9:5556", "10.0.0.9:7002")),
        (("network.udp_client_port=5556",), ("10.0.0.9:5556",)),
    ],
)
def test_where_telemetry_goes(settings, peers):
    sim = vacuum(*settings)
    datagrams = Datagrams(sim)
    Peer(sim)
    sim.run(0.1)
    assert {found for _, found, _ in datagrams.seen} == {peers}


def test_every_client_gets_the_version():
    sim = vacuum()
    datagrams = Datagrams(sim)
    for link in (1, 2, 3):
        peer = Peer(sim, link)
        peer.hang_up()
    assert datagrams.groups() == ["device_version"] * 3


def test_a_second_client_is_closed_at_once_and_the_first_stays():
    sim = vacuum()
    first = Peer(sim)
    second = Peer(sim, 2, "10.0.0.10")
    assert (first.gone, second.gone) == (False, True)
    assert [event.severity for event in events(sim, "client-rejected")] == ["warning"]
    datagrams = Datagrams(sim)
    sim.run(0.1)
    assert {peers for _, peers, _ in datagrams.seen} == {BOTH_PORTS}
    first.hang_up()
    assert not Peer(sim, 3).gone


def test_with_takeover_the_newest_wins():
    sim = vacuum("client_policy=takeover")
    first = Peer(sim)
    second = Peer(sim, 2, "10.0.0.10")
    assert (first.gone, second.gone) == (True, False)
    datagrams = Datagrams(sim)
    sim.run(0.1)
    assert {peers for _, peers, _ in datagrams.seen} == {("10.0.0.10:5556", "10.0.0.10:5555")}


def test_telemetry_ends_with_the_connection_and_a_new_client_gets_nothing_stale():
    sim = vacuum("lidar.enabled=true")
    peer = Peer(sim)
    sim.run(1.0)
    datagrams = Datagrams(sim)
    peer.hang_up()
    sim.run(30.0)
    assert datagrams.seen == []
    Peer(sim, 2)
    assert datagrams.groups() == ["device_version"]
    sim.run(0.1)
    assert datagrams.groups() == ["device_version"] + ["sensor_status"] * 11
    stamps = [message.sensor_group.timestamp_us for _, _, message in datagrams.seen]
    assert min(stamps) == EPOCH_US + 31_000_000


# Input


def empty_command():
    message = schema.Message()
    message.command.SetInParent()
    return message


@pytest.mark.parametrize(
    ("message", "closes"),
    [
        (b"\xff\xff\xff", True),
        (empty_command(), True),
        (control("drive", 9), True),
        (b"", False),
        (sensor_group(), False),
        (control("teapot", ENABLE), False),
        (control("drive", CONFIGURE), False),
    ],
    ids=[
        "undecodable",
        "empty command",
        "unknown action",
        "empty",
        "sensor group",
        "unknown component",
        "no values",
    ],
)
def test_what_closes_a_connection_and_what_does_not(message, closes):
    sim = vacuum()
    peer = Peer(sim)
    peer.say(framed(message) + framed(control("lidar", ENABLE)))
    assert peer.gone == closes
    assert (
        sim.truth("vacuum").lidar_on != closes
    )  # later frames count only if the connection is still open
    sim.run(0.1)
    datagrams = Datagrams(sim)
    assert Peer(sim, 2).gone == (not closes)
    sim.run(0.1)
    assert datagrams.seen


def test_a_frame_over_1_mib_closes():
    sim = vacuum()
    peer = Peer(sim)
    peer.say((1 << 20).to_bytes(4, "big"))
    assert not peer.gone
    other = vacuum()
    peer = Peer(other)
    peer.say(((1 << 20) + 1).to_bytes(4, "big"))
    assert peer.gone


def test_a_command_in_any_pieces_with_any_delay():
    sim = vacuum()
    peer = Peer(sim)
    for byte in framed(control("drive", CONFIGURE, linear=("f32", 0.25), angular=("f32", 0.0))):
        peer.say(bytes([byte]))
        sim.run(0.05)
    sim.run(0.5)
    assert sim.truth("vacuum").velocity[0] == pytest.approx(0.25)
