"""The example command lines of robots' ports: they send the right bytes."""

import shlex

import pytest
import typer

from rigless.cli.instance import send as sending
from rigless.cli.instance import send_command
from rigless.clients.port_client import as_message, as_stream
from rigless.robots.agv import Robot as Agv
from rigless.robots.pacbot.robot import SPIN_LINE
from rigless.robots.pacbot.wire import Command
from rigless.robots.pacbot.wire import CommandCodec as MotorCodec
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.wire import drive_line
from rigless.robots.vacuum.robot import CIRCLE_LINE
from rigless.robots.vacuum.wire import CommandCodec, Control
from rigless.robots.welder.robot import JOG_LINE
from rigless.robots.welder.wire import GrblCodec, Line, RealTime


@pytest.fixture
def given(monkeypatch):
    """Return a function that gives a line to the command: the arguments of `send`."""
    app, calls = typer.Typer(), []
    app.callback()(lambda: None)
    send_command.register(app)
    monkeypatch.setattr(sending, "send", lambda api, *words: calls.append(words))

    def run(line: str):
        program, *words = shlex.split(line)
        assert program == "rigless"
        app([*words, "--url", "http://127.0.0.1:1"], standalone_mode=False)
        return calls[-1]

    return run


def test_the_vacuum_drives_a_circle(given):
    robot, port, messages, *_ = given(CIRCLE_LINE)
    assert (robot, port) == ("{robot}", "commands")
    assert list(CommandCodec().decode(as_stream(messages))) == [
        Control("drive", "configure", {"linear": 0.125, "angular": 0.5})
    ]


def test_the_welder_jogs_its_first_axis(given):
    robot, port, messages, *_ = given(JOG_LINE)
    assert (robot, port) == ("{robot}", "grbl")
    unlock, jog, ask, *end = GrblCodec().decode(as_stream(messages))
    assert isinstance(unlock, Line)
    assert isinstance(jog, Line)
    assert (unlock.text, jog.text, ask) == ("$X", "$J=G91X20F1800", RealTime(ord("?")))
    assert [line.text for line in end] == [""]


def test_the_pacbot_turns(given):
    robot, port, messages, *_ = given(SPIN_LINE)
    assert (robot, port) == ("{robot}", "commands")
    found = [command for one in messages for command in MotorCodec().decode(as_message(one))]
    assert found == [Command("move", id=n, speed=0.3) for n in range(4)]


@pytest.mark.parametrize(
    ("config", "robot", "topic", "message"),
    [
        ({}, "rover", "/cmd_vel", '{"linear":'),
        ({}, "second", "/second/cmd_vel", '{"linear":'),
        ({"twist_stamped": True}, "rover", "/cmd_vel", '{"twist":{"linear":'),
    ],
)
def test_the_rover_gets_its_command_on_its_own_topic(given, config, robot, topic, message):
    robot, port, messages, subject, *_ = given(drive_line(RoverConfig(**config), robot))
    assert (robot, port, subject) == ("{robot}", "dds", topic)
    assert messages[0].startswith(message)


def test_the_agv_is_listened_to(given):
    (port,) = Agv("agv").ports
    robot_id = port.options["robot_id"]
    assert given(port.example)[:5] == ("{robot}", "nats", [], f"robot.{robot_id}.>", 5.0)
