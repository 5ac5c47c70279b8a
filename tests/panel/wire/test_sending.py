"""Every robot: requests are encoded as clients send them, and its messages can be read."""

import dataclasses
import socket
import threading
import types
import typing

import msgspec
import pytest

from rigless.kernel import inputs as inp
from rigless.panel.wire import display
from rigless.panel.wire.copy_lines import lines_for
from rigless.panel.wire.forms import schema_of
from rigless.panel.wire.log import WireLog
from rigless.panel.wire.rows import row_of, searchable
from rigless.robots.agv.messages import CommandRequest, TaskCancel
from rigless.robots.pacbot.wire import Command, Query, Speeds, Word
from rigless.robots.vacuum.wire import Control, ProtocolSync, Shutdown
from rigless.robots.welder.wire import Line, RealTime
from rigless.ros.codec import Published
from rigless.ros.messages import Twist, Vector3
from rigless.scenario.load import open_target

STAMP = "2026-01-01T00:00:00.000Z"
REQUESTS = {
    ("vacuum", "commands"): [
        Control("drive", "configure", {"linear": 0.25, "n": 3, "on": True, "v": [1.0, 2.0, 3.0]}),
        ProtocolSync(),
        Shutdown(),
    ],
    ("pacbot", "commands"): [Command("move", 0, speed=0.5), Command("stop", None, 1, 2), Query()],
    ("pacbot", "uart"): [Speeds(1.0, -1.0, 0.0, 1.0)],
    ("pacbot", "strings"): [Word("forward")],
    ("welder", "grbl"): [Line("G1 X10", 7), RealTime(0x3F), RealTime(0x90)],
    ("agv", "nats"): [
        CommandRequest(commandId="c1", commandType="PAUSE", issuedAt=STAMP, expiresAt=STAMP),
        TaskCancel(taskId="t1"),
    ],
    ("rover", "dds"): [Published("cmd_vel", Twist(Vector3(0.5), Vector3(z=0.1)))],
}
SETTINGS = {"pacbot": ["pacbot.uart=true", "pacbot.strings=true"]}


@pytest.fixture(scope="module")
def simulations():
    cache = {}

    def of(name):
        if name not in cache:
            cache[name] = open_target(name, SETTINGS.get(name, ()), collect=False).simulation
        return cache[name]

    return of


def added(message):
    names = getattr(type(message), "ADDED", ())
    return {k: v for k, v in display.plain_fields(message).items() if k not in names}


@pytest.mark.parametrize("place", REQUESTS, ids="/".join)
def test_a_request_is_encoded_as_the_codec_decodes_it(simulations, place):
    codec = simulations(place[0]).core.links.encoders[place]
    accepted = getattr(codec, "REQUESTS", ()) or codec.accepted_types().values()
    for message in REQUESTS[place]:
        wire = codec.encode_request(message)
        wire = (wire[1], wire[0]) if isinstance(wire, tuple) else (wire,)
        [decoded] = codec.decode(*wire)
        assert type(decoded) is type(message)
        assert added(decoded) == added(message)
        assert type(display.content(message)) in accepted


@pytest.mark.parametrize("name", ["vacuum", "pacbot", "welder", "agv", "rover"])
def test_messages_of_every_robot_are_readable(simulations, name):
    """A peer on every port; every message has a type, a text and fields."""
    sim, log = simulations(name), WireLog()
    log.attach(sim)
    robot = next(iter(sim.robots))
    for link, port in enumerate(sim.robots[robot].ports, 1):
        sim.apply(inp.Connect(robot, port.name, link, "127.0.0.1:9", "127.0.0.1:1"))
        codec = sim.core.links.encoders[robot, port.name]
        for message in REQUESTS.get((robot, port.name), ()):
            if isinstance(message, Shutdown):
                continue
            wire = codec.encode_request(message)
            subject, data = wire if isinstance(wire, tuple) else ("", wire)
            sim.apply(inp.Arrive(robot, port.name, link, data, subject))
    sim.run(1.5)
    log.update()
    directions = set()
    for entry in log.entries:
        row = row_of(entry)
        if row["what"] != "data":
            continue
        directions.add(row["direction"])
        assert row["kind"], row
        message = entry.packet.messages[entry.part]
        fields = display.plain_fields(message)
        empty = not dataclasses.is_dataclass(message) or not dataclasses.fields(message)
        assert fields or empty, row
        assert row["text"] or not fields, row
        assert "cannot be shown" not in row["text"], row
        assert row["kind"].lower() in searchable(entry)
        assert lines_for(robot, row["port"], "tcp", "tcp://h:1", entry.packet.data, row["subject"])
    assert directions == {"in", "out"}
    log.detach()


def test_commands_to_copy_send_the_same_bytes(tmp_path):
    import subprocess

    data = bytes(range(256)) + b"it's 100 %\\n\n"
    path = tmp_path / "port"
    line = lines_for("v", "p", "pty", f"pty://{path}", data, "")["shell"]
    subprocess.run(["bash", "-c", line], check=True)
    assert path.read_bytes() == data
    found = lines_for("my robot", "grbl", "tcp", "tcp://127.0.0.1:5555", b"$J=G91 X1\n", "")
    assert found["rigless send"] == "rigless send 'my robot' grbl '$J=G91 X1'"
    assert found["nc"] == "printf '$J=G91 X1\\n' | nc -w 1 127.0.0.1 5555"
    assert lines_for("v", "p", "tcp", "tcp://h:1", b"\x00?", "")["rigless send"].endswith("'00 3f'")
    for transport in ("udp", "zmq", "nats", "websocket", "tcp"):
        compile(lines_for("v", "p", transport, "x://h:1", data, "a.b")["Python"], "line", "exec")


def test_schemas_of_messages_leave_out_fields_that_the_codec_adds():
    schema = schema_of(CommandRequest)
    assert "commandId" in schema["properties"]
    assert "ageS" not in schema["properties"]
    assert set(schema_of(Twist)["properties"]) == {"linear", "angular"}
    odd = types.new_class(
        "Odd",
        (msgspec.Struct,),
        exec_body=lambda body: body.update(__annotations__={"value": typing.Callable}),
    )
    assert schema_of(odd) == {"type": "object"}


def test_a_copied_line_of_python_ends_if_there_is_no_answer(capsys):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        line = lines_for("vacuum", "commands", "tcp", url, b"x", "")["Python"]
        names = {}
        thread = threading.Thread(target=exec, args=(line, names), daemon=True)
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
        names["s"].close()
    assert capsys.readouterr().out == "no answer\n"
