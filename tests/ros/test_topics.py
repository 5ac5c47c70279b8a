"""Topic names on the wire, and the codec between them and a robot's own names."""

import pytest

from rigless.kernel.ports import WireError
from rigless.kernel.problems import InputError
from rigless.ros import cdr
from rigless.ros import messages as m
from rigless.ros.codec import Published, codec_of
from rigless.ros.topics import Node, Topic, name_problem
from rigless.scenario.load import open_target

TOPICS = (
    Topic("imu", m.Imu, "out"),
    Topic("/tf", m.TFMessage, "out"),
    Topic("cmd_vel", m.Twist, "in"),
    Topic("~/state", m.Clock, "out"),
)


@pytest.mark.parametrize(
    ("namespace", "remaps", "name", "wanted"),
    [
        ("", {}, "imu", "/imu"),
        ("/", {}, "imu", "/imu"),
        ("a/b", {}, "imu", "/a/b/imu"),
        ("/a", {}, "/tf", "/tf"),
        ("/a", {}, "~/state", "/a/rover/state"),
        ("/a", {"imu": "imu/data"}, "imu", "/a/imu/data"),
        ("/a", {"/a/imu": "/x"}, "imu", "/x"),
        ("/a", {"/imu": "/x"}, "imu", "/a/imu"),
        ("/a", {"/tf": "tf"}, "/tf", "/a/tf"),
    ],
)
def test_names_on_the_wire(namespace, remaps, name, wanted):
    assert Node("rover", TOPICS, namespace, remaps).full_name(name) == wanted


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("imu", True),
        ("/a/b_1", True),
        ("~/x", True),
        ("/", True),
        ("1a", False),
        ("a//b", False),
        ("a b", False),
        ("", False),
        ("a/", False),
        ("ä", False),
        ("a" * 300, False),
    ],
)
def test_valid_and_invalid_ros_names(name, good):
    assert (name_problem(name) == "") is good


def test_a_robot_uses_its_own_names():
    codec = codec_of(Node("rover", TOPICS, "r1", {"cmd_vel": "/drive"}))()
    twist = m.Twist(m.Vector3(1.0))
    assert codec.decode(cdr.encode(twist), "/drive") == [Published("cmd_vel", twist)]
    assert codec.encode(Published("imu", m.Imu())) == ("/r1/imu", cdr.encode(m.Imu()))


@pytest.mark.parametrize(
    ("data", "subject"),
    [
        (b"", "/cmd_vel"),
        (b"\0\1\0\0abc", "/cmd_vel"),
        (cdr.encode(m.Imu()), "/imu"),
        (b"", "/other"),
    ],
)
def test_undecodable_messages_are_skipped(data, subject):
    with pytest.raises(WireError) as caught:
        codec_of(Node("rover", TOPICS))().decode(data, subject)
    assert not caught.value.hang_up


@pytest.mark.parametrize("robot", ["vacuum", "pacbot", "rover"])
def test_a_message_can_be_sent_in_process_on_every_ros_port(robot):
    port = "dds" if robot == "rover" else "ros"
    sim = open_target(robot, [] if robot == "rover" else ["ros=true"], 1).simulation
    speeds = {"linear": {"x": 0.1}}
    for message in (
        {"type": "Twist", **speeds},
        {"type": "Twist", "topic": "cmd_vel", **speeds},
        {"type": "Published", "topic": "cmd_vel", "message": speeds},
        m.Twist(m.Vector3(0.1)),
        Published("cmd_vel", m.Twist(m.Vector3(0.1))),
    ):
        sim.reset()
        sim.send(robot, port, message)
        sim.run(0.4)
        assert sim.truth(robot).distance_m > 0.01
    for bad, reason in (
        ({"type": "Twist", "linear": 0.1}, "linear"),
        ({"type": "Twist", "linear": {"X": 0.1}}, "unknown field 'X'"),
        ({"type": "Twist", "linear": {"x": "fast"}}, "x"),
        ({"type": "Twist", "topic": ["cmd_vel"]}, "unknown subscribed topic"),
        ({"type": "Published", "topic": "cmd_vel", "message": 3}, "needs a topic and a message"),
        ({"type": "Published", "topic": "imu", "message": {}}, "unknown subscribed topic 'imu'"),
        ({"type": "Imu"}, "unknown message type 'Imu'"),
    ):
        with pytest.raises(InputError, match=reason):
            sim.send(robot, port, bad)
    if robot != "rover":
        with pytest.raises(InputError, match="unknown message type 'Published'"):
            sim.send(robot, "commands", {"type": "Published", "topic": "x", "message": "x"})
