"""`rigless run` and ROS: its options and error messages."""

import sys

import pytest

from rigless.kernel.problems import InputError
from rigless.ros.codec import ros_port
from rigless.ros.topics import Node
from rigless.transports.transport import make


@pytest.mark.parametrize(
    ("words", "environ", "sentence"),
    [
        (("rover", "--backend", "ros1"), {}, "'ros1' is not a backend"),
        (("rover", "--backend", "rclpy"), {}, "source your ROS 2"),
        (("rover",), {"ROS_DOMAIN_ID": "233"}, "ROS_DOMAIN_ID: '233' is not a DDS domain"),
        (("rover", "--set", "ports.dds=300"), {}, "'300' is not a DDS domain"),
        (("welder", "--ros"), {}, "ros"),
        (("pacbot", "--ros", "--set", "ros.namespace=a b"), {}, "no ROS name"),
    ],
)
def test_bad_ros_arguments_get_a_sentence(rigless_command, words, environ, sentence):
    found = rigless_command("run", *words, "--no-panel", "--duration", "0.1", **environ)
    assert found.returncode == 2
    assert sentence in found.stderr
    assert "Traceback" not in found.stderr


def test_a_ros_node_next_to_the_robots_own_wire(rigless_command):
    words = (
        "run",
        "pacbot",
        "--ros",
        "--set",
        "ports.ros=232",
        "--set",
        "ros.namespace=p1",
        "--no-panel",
        "--duration",
        "0.1",
    )
    found = rigless_command(*words, "--set", "ports.commands=0", "--set", "ports.sensors=0")
    assert found.returncode == 0, found.stderr
    assert "port pacbot/ros dds://domain/232" in found.stdout


def test_without_cyclone_the_command_that_installs_it_is_named(monkeypatch):
    for name in [
        name
        for name in sys.modules
        if name.partition(".")[0] == "cyclonedds" or name == "rigless.transports.dds"
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cyclonedds", None)
    with pytest.raises(InputError, match=r"pip install 'rigless\[dds\]'"):
        make(ros_port(Node("robot", ())), None)
