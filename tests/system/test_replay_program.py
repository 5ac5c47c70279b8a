"""Regression by replay: a recorded robot for the same program, and for changed ones."""

import subprocess
import sys
from pathlib import Path

import pytest

import reserved
import rigless

from .ros import ros_python

PROGRAMS = Path(__file__).parent / "programs"
SPARE_S = 3.0  # recorded after the program
PATIENT = ("--delay-tolerance", "20000")  # for a busy machine; other tests are about delays


@pytest.fixture
def record(tmp_path):
    """Return a function that records a program against a robot and returns the file."""

    def run(robot, program, argument=None, settings=(), python=sys.executable, speed=1.0):
        file = tmp_path / "run.mcap"
        with rigless.serve(robot, seed=3, speed=speed, settings=settings, collect=False) as host:
            host.start_recording(file)
            words = [python, PROGRAMS / program, *([argument(host)] if argument else [])]
            subprocess.run(list(map(str, words)), check=True, timeout=100)
            if speed == 1.0:  # on a busy machine the replayed program is slower; later is ignored
                host.run(SPARE_S)
            host.stop_recording()
        return file

    return run


@pytest.fixture
def compare(run_cli):
    """Return a function that plays a recording to a program and compares."""

    def run(file, program, argument, *options, rules=PATIENT, python=sys.executable):
        command = f"{python} {PROGRAMS / program} {argument} {' '.join(options)}"
        return run_cli("replay", file, "--serve", "--program", command, "--compare", *rules)

    return run


def port_of(robot, port):
    return lambda host: host.address(robot, port).rpartition(":")[2]


def test_a_vacuum_client_and_its_changed_builds(record, compare):
    client = "vacuum_client.py", "{vacuum.commands.port}"
    file = record("vacuum", client[0], port_of("vacuum", "commands"), ["map_file=empty_room"])
    found = compare(file, *client)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.startswith("the same: 3 messages within tolerance\n")
    assert "open loop: the robot was played from the recording" in found.stdout
    assert "program | telemetry of 112 bytes" in found.stderr  # the version, sent at the connection
    found = compare(file, *client, "--speed", "0.25")
    assert found.returncode == 1
    first = found.stdout.splitlines()[0]
    assert "vacuum/commands, Control, field config.linear: 0.2" in first
    assert first.endswith("recorded, 0.25 now")
    tolerant = (*PATIENT, "--tolerance", "config.linear=30%")
    assert compare(file, *client, "--speed", "0.25", rules=tolerant).returncode == 0
    found = compare(file, *client, "--skip-turn")
    assert found.returncode == 1
    assert "vacuum/commands, Control: missing; recorded id='drive'" in found.stdout
    assert "config.angular=0.5" in found.stdout.splitlines()[0]
    found = compare(file, *client, "--late", "6", rules=("--delay-tolerance", "4000"))
    assert found.returncode == 1
    assert found.stdout.splitlines()[0].endswith(" ms late")


def test_a_pacbot_client_gets_an_answer_to_every_request(record, compare):
    client = "pacbot_client.py", "{pacbot.commands}"
    file = record("pacbot", client[0], lambda host: host.address("pacbot", "commands"))
    found = compare(file, *client)
    assert (found.returncode, "the same: 9 messages" in found.stdout) == (0, True), found.stdout
    found = compare(file, *client, "--speed", "0.4")
    assert found.returncode == 1
    assert "pacbot/commands, Command, field speed: 0.5 recorded, 0.4 now" in found.stdout
    found = compare(file, *client, "--more")
    assert found.returncode == 1, found.stdout + found.stderr
    assert "Command: additional, not in the recording: command='stop'" in found.stdout
    assert found.stderr.count("'north stopped'") == 2
    found = compare(file, *client, "--less")
    assert found.returncode == 1
    assert "pacbot/commands, Query: missing" in found.stdout


def test_a_gcode_sender_gets_the_ok_of_every_line(record, compare):
    client = "grbl_sender.py", "{welder.grbl.port}"
    file = record("welder", client[0], port_of("welder", "grbl"))
    found = compare(file, *client)
    assert (found.returncode, "the same: 6 messages" in found.stdout) == (0, True), found.stdout
    found = compare(file, *client, "--feed", "500")
    assert found.returncode == 1
    assert "field text: 'G1 X2 F600' recorded, 'G1 X2 F500' now" in found.stdout
    found = compare(file, *client, "--less")
    assert found.returncode == 1
    assert "welder/grbl, Line: missing; recorded text='G21'" in found.stdout
    assert found.stderr.count("ok") >= 5


def test_a_backend_on_a_nats_server(record, compare):
    file = record("agv", "agv_backend.py", lambda host: host.address("agv", "nats"))
    client = "agv_backend.py", "{agv.nats}"
    rules = (*PATIENT, "--set", f"ports.nats=127.0.0.1:{reserved.port()}")
    for name in ("issuedAt", "expiresAt"):
        rules += ("--ignore", name)
    found = compare(file, *client, rules=rules)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "the same: 2 messages" in found.stdout
    assert "program | halt " in found.stderr  # it got both recorded acks
    found = compare(file, *client, "--x", "1.5", rules=rules)
    assert found.returncode == 1
    assert "CommandRequest, field params.x: 2.0 recorded, 1.5 now" in found.stdout
    found = compare(file, *client, "--no-stop", rules=rules)
    assert found.returncode == 1
    assert "missing" in found.stdout.splitlines()[0]


def test_answers_at_the_instant_of_the_request_follow_it(record, compare):
    address = "agv", "nats"
    file = record(
        "agv", "agv_backend.py", lambda host: host.address(*address), speed="lockstep"
    )  # time stands at zero: requests and acks have the same time
    rules = (*PATIENT, "--set", f"ports.nats=127.0.0.1:{reserved.port()}")
    rules += ("--ignore", "issuedAt", "--ignore", "expiresAt")
    found = compare(file, "agv_backend.py", "{agv.nats}", rules=rules)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "program | go ACCEPTED" in found.stderr


def test_a_node_on_a_dds_domain(record, compare):
    python, client = ros_python(), ("rover_node.py", "{rover.dds}")
    settings = [f"ports.dds={reserved.domain()}"]  # no other rover must publish there
    rules = (*PATIENT, "--set", *settings)
    address = lambda host: host.address("rover", "dds")  # noqa: E731
    file = record("rover", "rover_node.py", address, settings=settings, python=python)
    found = compare(file, *client, rules=rules, python=python)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "the same: 3 messages" in found.stdout
    found = compare(file, *client, "--speed", "0.25", rules=rules, python=python)
    assert found.returncode == 1
    assert "rover/dds, Twist, field message.linear.x: 0.5 recorded, 0.25 now" in found.stdout
    found = compare(file, *client, "--no-turn", rules=rules, python=python)
    assert found.returncode == 1
    assert "rover/dds, Twist: missing" in found.stdout.splitlines()[0]
