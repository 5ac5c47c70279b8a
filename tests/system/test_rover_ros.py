"""A real ROS 2 (rclpy on Fast DDS, in its own process) and a real `rigless run`.

RIGLESS_ROS=kilted tests another distribution.
"""

import math
import os
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

import reserved
from conftest import Process
from rigless.recordings.replay import verify

from .ros import WAIT_S, RosPeer, ros_python, until

BEACON = Path(__file__).parents[1] / "transports" / "beacon"
KINDS = {
    "imu": "sensor_msgs/msg/Imu",
    "gps": "sensor_msgs/msg/NavSatFix",
    "ground_truth": "nav_msgs/msg/Odometry",
    "enc_vel": "geometry_msgs/msg/TwistWithCovarianceStamped",
}
IMU_HASH = "RIHS01_7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b"
RATES_NS = {
    "imu": 10_000_000,
    "enc_vel": 10_000_000,
    "ground_truth": 10_000_000,
    "gps": 100_000_000,
}


@pytest.fixture(scope="module")
def python():
    return ros_python()


@pytest.fixture
def ros(python):
    """Return a function that starts a peer in a domain."""
    started = []

    def start(domain, name="peer"):
        started.append(RosPeer(python, domain, name))
        return started[-1]

    yield start
    for peer in started:
        peer.kill()


def free_domain():
    return str(reserved.domain())


def stamp_ns(message):
    return message["header"]["stamp"]["sec"] * 10**9 + message["header"]["stamp"]["nanosec"]


def check_rate(peer, topic, period_ns):
    """Assert a dozen stamps in a row, each a period after the other.

    A busy peer may have missed some before.
    """
    subscribed = []

    def in_a_row():
        subscribed.extend(map(stamp_ns, peer.take(topic)))
        steps = [after - before for before, after in pairwise(subscribed)]
        assert all(step > 0 and step % period_ns == 0 for step in steps), steps
        return len(steps) >= 12 and steps[-12:] == [period_ns] * 12

    until(in_a_row, f"{topic}, every {period_ns} ns")


def test_late_joiners_get_transient_local_messages(rigless_process, environment, ros):
    domain = environment["ROS_DOMAIN_ID"] = free_domain()
    rigless_process("run", BEACON, "--no-panel")
    for name in ("early", "late"):
        peer = ros(domain, name)
        peer.subscribe("home", "home", "geometry_msgs/msg/Pose", True, True)
        until(lambda peer=peer: peer.count("home"), f"{name}: what is kept")
        assert [one["position"] for one in peer.take("home")] == [{"x": 1.0, "y": 2.0, "z": 0.0}]


def test_the_same_node_on_the_ros_that_is_installed(python, environment, ros):
    domain = environment["ROS_DOMAIN_ID"] = free_domain()
    words = [
        python,
        "-c",
        "from rigless.cli import main; main()",
        "run",
        str(BEACON),
        "--no-panel",
        "--backend",
        "rclpy",
    ]
    node = subprocess.Popen(
        words,
        env={**environment, "PYTHONPATH": str(BEACON.parents[2] / "src")},
        stdout=subprocess.DEVNULL,
    )
    try:
        peer = ros(domain)
        peer.subscribe("imu", "imu", KINDS["imu"])
        peer.subscribe("home", "home", "geometry_msgs/msg/Pose", True, True)
        peer.advertise("cmd_vel", "geometry_msgs/msg/Twist")
        until(lambda: peer.matched("cmd_vel") and peer.count("home"), "match")
        check_rate(peer, "imu", 10_000_000)

        def obeys():
            peer.drive("cmd_vel", 0.75, 0.0)
            return 0.75 in [one["angular_velocity"]["x"] for one in peer.take("imu")]

        until(obeys, "it obeys")
        until(lambda: ["beacon", "/"] in peer.nodes(), "the node")
        found, changed, reason = peer.parameters("beacon")
        own = {"gps.rate_hz": 10.0, "home": [1.0, 2.0], "level": 3, "on": True, "text": "a"}
        assert {name: found[name] for name in own} == {
            name: [value, True] for name, value in own.items()
        }
        assert not changed
        assert "read-only" in reason
        node.terminate()
        assert node.wait(WAIT_S) == 0
    finally:
        node.kill()
        node.wait()


def test_several_in_one_process_and_other_robots_too(rigless_process, environment, ros, tmp_path):
    domain = environment["ROS_DOMAIN_ID"] = free_domain()
    scenario = tmp_path / "fleet.toml"
    scenario.write_text(
        '[[robots]]\nkind = "rover"\ncount = 2\n'
        '[[robots]]\nkind = "pacbot"\n[robots.config]\nros = true\n'
    )
    rigless_process("run", scenario, "--no-panel")
    peer = ros(domain)
    for name in ("rover_1", "rover_2"):
        peer.subscribe(name, f"/{name}/imu", KINDS["imu"])
    peer.subscribe("north", "/range/north", "sensor_msgs/msg/Range")
    until(lambda: all(peer.count(key) > 5 for key in ("rover_1", "rover_2", "north")), "all three")
    nodes = [["pacbot", "/"], ["sensor_simulator", "/rover_1"], ["sensor_simulator", "/rover_2"]]
    until(lambda: [one for one in peer.nodes() if one[0] != "peer"] == nodes, "the nodes")


# One rover for all following tests


@pytest.fixture(scope="module")
def rover(tmp_path_factory):
    """Run one rover for all tests. It always ends with 0, and its recording replays equal."""
    folder, domain = tmp_path_factory.mktemp("rover"), free_domain()
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": domain,
        "XDG_RUNTIME_DIR": str(folder),
        "NO_COLOR": "1",
    }
    file = folder / "run.mcap"
    found = Process(
        ("run", "rover", "--no-panel", "--seed", "3", "--record", str(file)), folder, environment
    )
    try:
        found.wait_ready()
        assert found.ports == {"rover/dds": f"dds://domain/{domain}"}
        yield domain
        assert found.end() == 0
    finally:
        found.popen.kill()
        found.popen.wait()
    assert "Traceback" not in found.errors
    again = verify(file)
    assert (again.difference, again.cut) == (None, False)


def test_all_topics_at_their_rates_for_readers_of_either_kind(rover, ros):
    peer = ros(rover)
    for topic, kind in KINDS.items():
        peer.subscribe(topic, topic, kind)
        peer.subscribe(f"{topic}, best effort", topic, kind, False)
    for topic, period_ns in RATES_NS.items():
        until(lambda topic=topic: peer.count(f"{topic}, best effort") > 3, topic)
        check_rate(peer, topic, period_ns)
    until(lambda: peer.count("imu") and peer.count("gps"), "more")
    imu, fix = peer.take("imu")[-1], peer.take("gps")[-1]
    assert imu["header"]["frame_id"] == "imu_link"
    assert math.isclose(math.hypot(*imu["orientation"].values()), 1.0)
    assert imu["linear_acceleration_covariance"][0] == -1
    assert fix["header"]["frame_id"] == "gps_link"
    assert (round(fix["latitude"], 4), round(fix["longitude"], 4), fix["status"]["status"]) == (
        46.5191,
        6.5668,
        0,
    )


def test_it_is_a_node_among_nodes(rover, ros):
    peer = ros(rover)
    until(lambda: ["sensor_simulator", "/"] in peer.nodes(), "the node")

    def topics():
        published, subscribed = peer.topics_of("sensor_simulator", "/")
        return {"/imu", "/gps", "/enc_vel", "/ground_truth"} <= published.keys() and subscribed

    subscribed = until(lambda: (found := topics()) and "/cmd_vel" in found and found, "its topics")
    assert subscribed["/cmd_vel"] == ["geometry_msgs/msg/Twist"]
    assert peer.endpoints("/imu") == [["sensor_msgs/msg/Imu", IMU_HASH, "RELIABLE", "VOLATILE"]]


def test_transforms_and_the_log_of_a_real_ros(rover, ros):
    peer = ros(rover)
    peer.advertise("cmd_vel", "geometry_msgs/msg/Twist")
    peer.subscribe("static", "/tf_static", "tf2_msgs/msg/TFMessage", True, True)
    peer.subscribe("moving", "/tf", "tf2_msgs/msg/TFMessage")
    peer.subscribe("log", "/rosout", "rcl_interfaces/msg/Log", True, True)
    until(lambda: peer.count("static") and peer.count("moving"), "transforms")
    (static,), moving = peer.take("static"), peer.take("moving")[-1]
    assert [each["child_frame_id"] for each in static["transforms"]] == ["imu_link", "gps_link"]
    assert [
        (each["header"]["frame_id"], each["child_frame_id"]) for each in moving["transforms"]
    ] == [
        ("map", "base_link_ground_truth"),
        ("odom", "base_link"),
    ]
    until(lambda: peer.matched("cmd_vel"), "match")
    peer.drive("cmd_vel", math.nan, 0.0)
    logged = []

    def warned():
        logged.extend(one for one in peer.take("log") if one["name"] == "sensor_simulator")
        return [one for one in logged if one["function"] == "bad-command"]

    (warning, *_) = until(warned, "the warning")
    assert (warning["level"], warning["msg"][:23]) == (30, "cmd_vel is not a number")


def test_it_drives_until_commands_stop(rover, ros):
    peer = ros(rover)
    peer.subscribe("truth", "ground_truth", KINDS["ground_truth"])
    peer.advertise("cmd_vel", "geometry_msgs/msg/Twist")
    seen = []

    def speeds():
        seen.extend(peer.take("truth"))
        return [one["twist"]["twist"]["linear"]["x"] for one in seen]

    until(lambda: peer.matched("cmd_vel") and 0.0 in speeds(), "match")
    until(lambda: peer.drive("cmd_vel", 0.25, 0.0) or 0.25 in speeds(), "it hears the peer")
    until(lambda: speeds()[-1] == 0.0, "stopped without commands")
    del seen[:-1]
    peer.drive("cmd_vel", 0.5, 0.25)
    until(lambda: 0.5 in speeds() and speeds()[-1] == 0.0, "it drives and stops")
    first, *_, last = [place for place, speed in enumerate(speeds()) if speed == 0.5]
    assert {one["twist"]["twist"]["angular"]["z"] for one in seen[first : last + 1]} == {0.25}
    least_s, most_s = (
        (stamp_ns(seen[end]) - stamp_ns(seen[begin])) / 1e9
        for begin, end in ((first, last), (first - 1, last + 1))
    )
    assert (
        least_s - 0.0101 <= 0.5 <= most_s + 0.0101
    )  # a tick after the command; the peer may have missed ticks
    assert seen[-1]["pose"]["pose"]["position"]["x"] > 0.2


def test_a_peer_that_is_killed_is_followed_by_another(rover, ros):
    first = ros(rover, "first")
    first.subscribe("imu", "imu", KINDS["imu"])
    first.advertise("cmd_vel", "geometry_msgs/msg/Twist")
    until(lambda: first.count("imu") and first.matched("cmd_vel"), "match")
    first.drive("cmd_vel", 0.5, 0.0)
    first.process.kill()
    second = ros(rover, "second")
    second.subscribe("imu", "imu", KINDS["imu"])
    second.subscribe("truth", "ground_truth", KINDS["ground_truth"])
    until(lambda: second.count("imu") > 20 and second.count("truth"), "the second hears it")
    last = second.take("truth")[-1]["twist"]["twist"]["linear"]["x"]
    assert last in (0.0, 0.5)
