"""The example command lines of robots' ports: a shell runs them and they send the right bytes."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from rigless.robots.agv import Robot as Agv
from rigless.robots.pacbot.robot import SPIN_LINE
from rigless.robots.pacbot.wire import Command
from rigless.robots.pacbot.wire import CommandCodec as MotorCodec
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.wire import circle_line
from rigless.robots.vacuum.robot import CIRCLE_LINE
from rigless.robots.vacuum.wire import CommandCodec, Control
from rigless.robots.welder.robot import JOG_LINE
from rigless.robots.welder.wire import GrblCodec, Line, RealTime


def output_of(line: str) -> bytes:
    """Return the bytes that a command line writes into its pipe."""
    words, pipe, reader = line.partition(" | ")
    assert (pipe, reader) == (" | ", "nc -w 1 {host} {port}")
    return subprocess.run(["sh", "-c", words], capture_output=True, check=True).stdout


def test_the_vacuum_drives_a_circle():
    assert list(CommandCodec().decode(output_of(CIRCLE_LINE))) == [
        Control("drive", "configure", {"linear": 0.125, "angular": 0.5})
    ]


def test_the_welder_jogs_its_first_axis():
    unlock, jog, ask = GrblCodec().decode(output_of(JOG_LINE))
    assert isinstance(unlock, Line)
    assert isinstance(jog, Line)
    assert (unlock.text, jog.text, ask) == ("$X", "$J=G91X20F1800", RealTime(ord("?")))


def test_the_pacbot_turns(monkeypatch):
    sent = []
    line = SimpleNamespace(
        connect=sent.append,
        send_json=lambda message: sent.append(json.dumps(message)),
        recv_json=dict,
    )
    fake = SimpleNamespace(REQ=3, Context=lambda: SimpleNamespace(socket=lambda kind: line))
    monkeypatch.setitem(sys.modules, "zmq", fake)
    words = subprocess.run(
        ["sh", "-c", SPIN_LINE.replace("python3 -c", "printf %s")],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    exec(words, {})
    address, *commands = sent
    assert address == "tcp://{host}:{port}"
    found = [message for command in commands for message in MotorCodec().decode(command.encode())]
    assert found == [Command("move", id=n, speed=0.3) for n in range(4)]


@pytest.mark.parametrize(
    ("config", "robot", "words"),
    [
        ({}, "rover", "/cmd_vel geometry_msgs/msg/Twist '{linear"),
        ({}, "second", "/second/cmd_vel geometry_msgs/msg/Twist '{linear"),
        (
            {"twist_stamped": True},
            "rover",
            "/cmd_vel geometry_msgs/msg/TwistStamped '{twist: {linear",
        ),
    ],
)
def test_the_rover_is_spoken_to_where_it_listens(config, robot, words):
    assert circle_line(RoverConfig(**config), robot).startswith(f"ros2 topic pub -r 10 {words}")


def test_the_agv_is_listened_to():
    (port,) = Agv("agv").ports
    words, _, reader = port.example.partition(" | ")
    spoken = subprocess.run(["sh", "-c", words], capture_output=True, check=True).stdout
    assert spoken == f"CONNECT {{}}\r\nSUB robot.{port.options['robot_id']}.> 1\r\n".encode()
    assert reader == "nc {host} {port}"
