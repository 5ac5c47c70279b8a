"""`rigless replay --serve --program`: bad input, programs that fail, reports and environments."""

import json
import shlex
import socket
import sys

import pytest

import rigless

CLIENT = """
import os, socket, sys
host, port = os.environ["RIGLESS_THERMOSTAT_LINE"].removeprefix("tcp://").split(":")
with socket.create_connection((host, int(port)), 60) as client, client.makefile("rwb") as stream:
    for line in sys.argv[1:]:
        stream.write(line.encode() + b"\\n")
        stream.flush()
        print(stream.readline().decode().strip(), flush=True)
"""


@pytest.fixture
def recording(thermostat, tmp_path):
    """Record a client that sets and asks."""
    file = tmp_path / "run.mcap"
    with rigless.serve(thermostat, collect=False) as host:
        host.start_recording(file)
        address = host.address("thermostat", "line").removeprefix("tcp://").split(":")
        with socket.create_connection((address[0], int(address[1])), 60) as client:
            stream = client.makefile("rwb")
            for line in (b"SET 25\n", b"GET\n"):
                stream.write(line)
                stream.flush()
                assert stream.readline()
            stream.close()
        host.stop_recording()
    return file


@pytest.fixture
def replay(run_cli, recording):
    """Return a function that plays the recording to a command."""

    def run(command, *options):
        words = ("--delay-tolerance", "20000", *options)
        return run_cli("replay", recording, "--serve", "--program", command, *words)

    return run


def client(*lines):
    return shlex.join([sys.executable, "-c", CLIENT, *lines])


def test_the_environment_has_the_addresses_and_the_report_has_everything(replay, tmp_path):
    report = tmp_path / "report.json"
    found = replay(client("SET 25", "GET"), "--compare", "--report", report)
    assert (found.returncode, found.stdout.splitlines()[0]) == (
        0,
        "the same: 2 messages within tolerance",
    ), found.stderr
    content = json.loads(report.read_text())
    assert (content["same"], content["open_loop"], content["differences"]) == (True, True, [])
    assert content["program"] == {"exit": 0, "stopped": False, "failure": ""}
    found = replay(client("SET 22", "GET"), "--compare", "--report", report)
    assert found.returncode == 1
    content = json.loads(report.read_text())
    one = content["differences"][0]
    assert (one["kind"], one["type"], one["recorded"], one["new"]) == ("field", "Set", 25.0, 22.0)
    assert one["text"] in found.stdout
    assert [row["type"] for row in content["table"]] == ["Get", "Set"]


def test_ignored_fields_and_tolerances(replay):
    for rule in (("--ignore", "celsius"), ("--tolerance", "celsius=3")):
        assert replay(client("SET 22", "GET"), "--compare", *rule).returncode == 0


def test_without_compare_it_only_runs_the_program(replay):
    found = replay(client("GET"))
    assert (found.returncode, found.stdout) == (0, "")
    assert "played " in found.stderr
    assert "program | " in found.stderr


def test_a_program_that_fails_is_named(replay):
    found = replay(f"{sys.executable} -c 'raise SystemExit(3)'", "--compare")
    assert found.returncode == 1
    assert "error: the program ended with code 3 before it connected" in found.stderr
    assert found.stdout.startswith("different: ")
    crash = CLIENT + "\nraise SystemExit(4)"
    found = replay(shlex.join([sys.executable, "-c", crash, "SET 25", "GET"]), "--compare")
    assert found.returncode == 1
    assert "error: the program ended with code 4" in found.stderr


def test_a_program_that_does_not_end_is_stopped_with_the_recording(replay):
    endless = CLIENT + "\n    import time\n    time.sleep(3600)"
    found = replay(
        shlex.join([sys.executable, "-c", endless, "SET 25", "GET"]),
        *("--compare", "--delay-tolerance", "3000", "--speed", "10"),
    )
    assert "ended with code" not in found.stderr
    assert "thermostat/line Set" in found.stdout


def test_bad_input_gives_a_sentence_and_code_2(replay, run_cli, recording, thermostat, tmp_path):
    for command, options, reason in (
        ("./no-such-program", (), "command not found"),
        ("nav {thermostat.lime.port}", (), "names no value of this run"),
        ("nav 'unfinished", (), "cannot be split into words"),
        ("", (), "is empty"),
        (client("GET"), ("--compare", "--tolerance", "celsius"), "is not FIELD=ABS or FIELD=REL%"),
        (client("GET"), ("--report", tmp_path / "r.json"), "--report needs --compare"),
    ):
        found = replay(command, *options)
        assert (found.returncode, found.stdout) == (2, ""), command
        assert reason in " ".join(found.stderr.split()), found.stderr
    for words, reason in (
        (("--program", "nav"), "--program needs --serve"),
        (("--serve", "--compare"), "--compare needs --program"),
        (("--serve", "--now", "--program", "nav"), "--program starts time with its connection"),
    ):
        found = run_cli("replay", recording, *words)
        assert found.returncode == 2
        assert reason in " ".join(found.stderr.split())
    quiet = tmp_path / "quiet.mcap"
    words = ("--fast", "--duration", "1", "--no-panel", "--set", "ports.line=0", "--record", quiet)
    assert run_cli("run", thermostat, *words).returncode == 0
    found = run_cli("replay", quiet, "--serve", "--program", "nav", "--compare")
    assert (found.returncode, found.stdout) == (2, "")
    assert "there is nothing to compare with" in found.stderr
