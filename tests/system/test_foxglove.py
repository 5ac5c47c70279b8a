"""`--foxglove`: a client of the Foxglove WebSocket protocol, written from its specification.

https://github.com/foxglove/ws-protocol: JSON messages from the server (serverInfo, advertise),
subscriptions by channel, and binary messages with the subscription, the log time and the payload.
"""

import json
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from rosbags.typesys import Stores, get_typestore
from tests.conftest import Process
from tests.kernel.test_foxglove import parse
from tests.system.test_demo import free_ports
from websockets.exceptions import InvalidHandshake, InvalidStatus
from websockets.sync.client import ClientConnection, connect

import reserved

SUBPROTOCOL = "foxglove.sdk.v1"
DATA, TIME = 1, 2
DEADLINE_S = 60.0


class Client:
    """A client that knows the advertised channels and collects messages by topic."""

    def __init__(self, process: Process, open_until_end: ExitStack):
        line = next(line for line in process.lines if line.startswith("foxglove "))
        self.url = line.split()[1]
        self.socket: ClientConnection = open_until_end.enter_context(
            connect(self.url, subprotocols=[SUBPROTOCOL], max_size=None)
        )
        self.channels: dict[str, Any] = {}
        self.messages: dict[str, list[tuple[int, bytes]]] = {}
        self.times: list[int] = []
        self.sessions: list[str] = []
        self.topics: dict[int, str] = {}

    def until(self, true: Callable[[], object]) -> None:
        end = time.monotonic() + DEADLINE_S
        while not true():
            assert time.monotonic() < end
            self.take(self.socket.recv(timeout=DEADLINE_S))

    def take(self, message: str | bytes) -> None:
        if isinstance(message, str):
            fields = json.loads(message)
            if fields["op"] == "serverInfo":
                self.info = fields
                self.sessions.append(fields["sessionId"])
            elif fields["op"] == "advertise":
                self.channels |= {channel["topic"]: channel for channel in fields["channels"]}
        elif message[0] == DATA:
            number, log_time = struct.unpack_from("<IQ", message, 1)
            self.messages.setdefault(self.topics[number], []).append((log_time, message[13:]))
        elif message[0] == TIME:
            self.times.append(struct.unpack_from("<Q", message, 1)[0])

    def subscribe(self, *topics: str) -> None:
        wanted = []
        for topic in topics:
            number = len(self.topics) + 1
            self.topics[number] = topic
            wanted.append({"id": number, "channelId": self.channels[topic]["id"]})
        self.socket.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))

    def unsubscribe_all(self) -> None:
        numbers = list(self.topics)
        self.socket.send(json.dumps({"op": "unsubscribe", "subscriptionIds": numbers}))

    def newest(self, topic: str) -> Any:
        """Return the newest message of a topic, checked against its time and Foxglove's schema."""
        log_time, data = self.messages[topic][-1]
        fields = json.loads(data)
        schema = self.channels[topic]["schemaName"]
        assert json.loads(self.channels[topic]["schema"])["title"] == schema
        if "timestamp" in fields:
            stamp = fields["timestamp"]
            assert stamp["sec"] * 10**9 + stamp["nsec"] == log_time
        if schema.startswith("foxglove.") and schema != "foxglove.Log":
            parse(schema, fields)
        return fields


@pytest.fixture
def open_until_end() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_foxglove_reads_a_live_vacuum(
    rigless_process: Callable[..., Process], open_until_end: ExitStack
) -> None:
    process = rigless_process(
        "run", "vacuum", "--foxglove", 0, "--panel", "127.0.0.1:0", "--no-auth",
        "--set", "ports.commands=0", "--set", "ports.telemetry=0",
    )  # fmt: skip
    client = Client(process, open_until_end)
    assert client.url.startswith("ws://127.0.0.1:")
    with pytest.raises((InvalidHandshake, InvalidStatus)):
        open_until_end.enter_context(connect(client.url, subprotocols=["another"]))
    client.until(lambda: "/vacuum/commands/in" in client.channels)
    assert client.info["capabilities"] == ["time"]
    topics = ("tf", "map", "vacuum/pose", "vacuum/scene", "vacuum/scan")
    client.subscribe(*(f"/rigless/{topic}" for topic in topics))
    client.until(lambda: all(f"/rigless/{topic}" in client.messages for topic in topics))
    assert client.newest("/rigless/map")["column_count"] > 10
    scene = client.newest("/rigless/vacuum/scene")
    assert "vacuum/body" in [entity["id"] for entity in scene["entities"]]
    assert client.newest("/rigless/tf")["transforms"][0]["child_frame_id"] == "vacuum"
    assert client.newest("/rigless/vacuum/scan")["ranges"]
    client.until(lambda: len(client.times) > 3)
    assert client.times == sorted(client.times)

    client.subscribe("/vacuum/telemetry/out", "/vacuum/truth", "/vacuum/events")
    client.until(lambda: len(client.messages.get("/vacuum/telemetry/out", ())) > 20)
    wire = client.newest("/vacuum/telemetry/out")
    assert wire["wire"]
    assert wire["message"]
    assert len(client.newest("/vacuum/truth")["pose"]) == 3

    late = Client(process, open_until_end)  # what does not change is sent to a new subscriber too
    late.until(lambda: "/rigless/map" in late.channels)
    late.subscribe("/rigless/map")
    late.until(lambda: "/rigless/map" in late.messages)
    late.socket.socket.shutdown(socket.SHUT_RDWR)  # it leaves without a handshake

    client.socket.send("{not json")  # a client's mistakes end nothing
    client.socket.send(b"\xff\x00")
    sessions = len(client.sessions)
    assert httpx.post(f"{process.url}/api/reset", headers={"origin": process.url}).is_success
    client.until(lambda: len(client.sessions) > sessions)
    assert "Error" not in process.errors
    client.unsubscribe_all()
    client.socket.close()
    assert process.end() == 0


def test_foxglove_reads_ros_topics_as_they_are(
    rigless_process: Callable[..., Process], open_until_end: ExitStack
) -> None:
    process = rigless_process(
        "run", "rover", "--foxglove", 0, "--no-panel", "--set", "ports.dds=0",
        "--set", "use_sim_time=true",
    )  # fmt: skip
    client = Client(process, open_until_end)
    client.until(lambda: "/rover/dds/in" in client.channels)
    topic = next(
        name
        for name, channel in client.channels.items()
        if channel["schemaName"] == "sensor_msgs/msg/NavSatFix"
    )
    channel = client.channels[topic]
    assert (channel["encoding"], channel["schemaEncoding"]) == ("cdr", "ros2msg")
    client.subscribe(topic, "/rigless/rover/fix")
    client.until(lambda: topic in client.messages and "/rigless/rover/fix" in client.messages)
    store = get_typestore(Stores.ROS2_JAZZY)
    client.subscribe("/tf_static")  # the rover published it once, before anybody subscribed
    client.until(lambda: "/tf_static" in client.messages)
    static = store.deserialize_cdr(client.messages["/tf_static"][-1][1], "tf2_msgs/msg/TFMessage")
    assert {one.child_frame_id for one in static.transforms} >= {"imu_link", "gps_link"}
    log_time, data = client.messages[topic][-1]
    ros = store.deserialize_cdr(data, "sensor_msgs/msg/NavSatFix")
    assert ros.header.stamp.sec * 10**9 + ros.header.stamp.nanosec == log_time
    fix = client.newest("/rigless/rover/fix")
    assert fix["latitude"] == pytest.approx(ros.latitude, abs=1e-4)
    assert fix["longitude"] == pytest.approx(ros.longitude, abs=1e-4)
    client.socket.close()
    assert process.end() == 0


SHOWN = {  # well-known schemas of each robot of the demo, by topic
    "/rigless/tf": "FrameTransforms",
    "/rigless/map": "Grid",
    "/rigless/vacuum/scan": "LaserScan",
    "/rigless/vacuum/pose": "PoseInFrame",
    "/rigless/map/pacbot": "Grid",
    "/rigless/pacbot/scene": "SceneUpdate",
    "/rigless/rover/fix": "LocationFix",
    "/rigless/rover/drawing": "SceneUpdate",
    "/rigless/welder/scene": "SceneUpdate",
    "/rigless/welder/pose": "PoseInFrame",
    "/rigless/agv-1/scene": "SceneUpdate",
    "/rigless/agv-6/pose": "PoseInFrame",
    "/agv-1/events": "Log",
}
WIRE = ("/vacuum/telemetry/out", "/pacbot/sensors/out", "/welder/grbl/out", "/agv-1/nats/out")


def test_foxglove_reads_all_robots_of_the_demo(
    rigless_process: Callable[..., Process],
    open_until_end: ExitStack,
    environment: dict[str, str],
) -> None:
    environment["ROS_DOMAIN_ID"] = str(reserved.domain())
    panel = ("--panel", "127.0.0.1:0")
    process = rigless_process("demo", *panel, "--foxglove", 0, *free_ports())
    client = Client(process, open_until_end)
    client.until(lambda: client.channels.keys() >= {*SHOWN, *WIRE, "/imu"})
    schemas = {topic: client.channels[topic]["schemaName"] for topic in SHOWN}
    assert schemas == {topic: f"foxglove.{name}" for topic, name in SHOWN.items()}
    client.subscribe(*SHOWN, *WIRE, "/imu")
    client.until(lambda: client.messages.keys() >= {*SHOWN, *WIRE, "/imu"})
    for topic in SHOWN:
        client.newest(topic)
    for topic in WIRE:
        times = [log_time for log_time, _ in client.messages[topic]]
        assert times == sorted(times)
        assert client.newest(topic)["wire"]
    client.socket.close()
    assert process.end() == 0


def test_a_port_in_use_and_a_bad_port_are_mistakes(
    rigless_process: Callable[..., Process],
    rigless_command: Callable[..., Any],
    open_until_end: ExitStack,
) -> None:
    process = rigless_process("run", "examples/thermostat", "--foxglove", 0, "--no-panel",
                              "--set", "ports.line=0")  # fmt: skip
    used = Client(process, open_until_end).url.rpartition(":")[2]
    again = ("--no-panel", "--set", "ports.line=0")
    found = rigless_command("run", "examples/thermostat", "--foxglove", used, *again)
    assert found.returncode == 2
    assert f"cannot serve Foxglove on 127.0.0.1:{used}" in found.stderr
    assert rigless_command("run", "vacuum", "--foxglove", "70000").returncode == 2
