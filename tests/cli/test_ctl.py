"""`rigless ctl` with a real instance: discovery, every command, and error messages."""

import json
import os
import signal
import socket
from pathlib import Path

import pytest

from conftest import Process
from rigless.cli.instance.control import show_status
from rigless.recordings.replay import verify

THERMOSTAT = Path(__file__).resolve().parents[2] / "examples" / "thermostat"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Yield the thermostat that the tests of this module share, and its runtime folder."""
    folder = tmp_path_factory.mktemp("room")
    environ = {
        **{name: text for name, text in os.environ.items() if not name.startswith("RIGLESS_")},
        "XDG_RUNTIME_DIR": str(folder),
        "RIGLESS_STATE": str(folder / "state"),
    }
    words = ("--set", "ports.line=0", "--panel", "127.0.0.1:0", "--lockstep")
    process = Process(("run", str(THERMOSTAT), *words), folder, environ)
    try:
        yield process.wait_ready(), folder
    finally:
        process.end(signal.SIGKILL)


@pytest.fixture
def room(running, environment, run_cli, monkeypatch):
    """Return the shared thermostat after a reset; this test's commands find it."""
    process, runtime = running
    environment["XDG_RUNTIME_DIR"] = str(runtime)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    for words in (("speed", "1"), ("speed", "lockstep"), ("reset",)):
        good(run_cli("ctl", *words))
    return process


@pytest.fixture
def ctl(run_cli):
    return lambda *words: run_cli("ctl", *words)


def good(found):
    assert found.returncode == 0, found.stderr
    return found.stdout


def refused(found, sentence):
    assert found.returncode == 2, found.stdout
    assert sentence in found.stderr
    assert "Traceback" not in found.stderr


def test_time_is_controlled(room, ctl):
    assert "lockstep at 0.000 s" in good(ctl("status"))
    assert "at 0.010 s" in good(ctl("step"))
    assert "at 1.010 s" in good(ctl("step", "1000"))
    assert "paused at 1.010 s, pace 5×" in good(ctl("pause")) + good(ctl("speed", "5x"))
    assert "running" in good(ctl("resume"))
    assert "pace fast" in good(ctl("speed", "fast"))
    assert "lockstep" in good(ctl("speed", "lockstep"))
    assert "at 0.000 s" in good(ctl("reset"))


def test_status_as_json_is_equal(room, ctl):
    status = json.loads(good(ctl("status", "--json")))
    assert status["robots"][0]["ports"][0]["url"] == room.ports["thermostat/line"]


def test_the_status_of_one_robot_lists_inputs_and_faults(room, ctl):
    status = good(ctl("status", "thermostat"))
    assert status.startswith("  thermostat: ")
    assert "    input window_open=false  (an open window loses heat)\n" in status
    assert "    can break: relay (welded" in status
    refused(ctl("status", "termostat"), "did you mean 'thermostat'?")


def test_the_status_of_many_robots_lists_those_that_differ(rigless_process, thermostat, ctl):
    rigless_process(
        "run",
        thermostat,
        "--count",
        "14",
        "--set",
        "ports.line=0",
        "--panel",
        "127.0.0.1:0",
        "--lockstep",
    )
    good(ctl("inject", "thermostat-9", "relay", "--for", "0.001"))
    assert good(ctl("inject", "thermostat-7", "relay")) == "fault thermostat-7 relay welded\n"
    good(ctl("step"))
    status = good(ctl("status"))
    assert "  14 robots: 13 ok, 1 fault; all of them: rigless ctl status --all\n" in status
    assert "  thermostat-7: " in status
    assert "    fault relay welded\n" in status
    assert "thermostat-8" not in status
    assert "  thermostat-8: " in good(ctl("status", "--all"))


def test_the_problem_of_a_port_is_shown_also_for_one_of_many(capsys):
    port = {"name": "nats", "url": "nats://127.0.0.1:4222", "links": 1, "dropped": 0, "problem": ""}
    robots = [
        {"name": f"AGV-{n}", "status": "RUNNING", "ports": [port], "faults": []} for n in range(20)
    ]
    robots[3]["ports"] = [{**port, "problem": "the stream ROBOT_OUT is full"}]
    run = {"name": "agv", "speed": 1.0, "pace": "real", "real_time_factor": 1.0, "time_s": 0.0}
    show_status({**run, "state": "running", "failure": "", "recording": "", "robots": robots})
    shown = capsys.readouterr().out
    assert "(1 connected): the stream ROBOT_OUT is full\n" in shown
    assert [f"AGV-{n}:" in shown for n in (2, 3, 4)] == [False, True, False]


def test_faults_and_inputs(room, ctl):
    assert good(ctl("inject", "thermostat", "temperature", "bias", "value=3")) == (
        "fault thermostat temperature bias value=3\n"
    )
    assert "fault thermostat relay welded" in good(
        ctl("inject", "thermostat", "relay", "--for", "2")
    )
    assert "temperature bias" in good(ctl("status"))
    good(ctl("step", "2000"))
    assert good(ctl("clear", "thermostat", "relay")) == "1 faults left\n"
    assert good(ctl("clear", "thermostat")) == "0 faults left\n"
    assert (
        good(ctl("set-input", "thermostat", "window_open=true", "outside_c=-3"))
        == "window_open=true outside_c=-3.0\n"
    )
    assert good(ctl("set-input", "thermostat", "window_open=false")) == "window_open=false\n"
    assert good(ctl("devices")) == "this world has no doors, lifts or conveyors\n"
    assert good(ctl("devices", "--json")) == "[]\n"


def test_a_message_is_sent_over_the_real_port_and_the_answer_printed(room, run_cli):
    line = ("send", "thermostat", "line")
    assert good(run_cli(*line, "GET", "SET 24")).splitlines() == [
        "TEMP - SET 20.0 HEAT 0",
        "OK",
    ]
    assert "SET 24.0" in good(run_cli(*line, "--hex", "47 45 54 0a"))
    assert "no answer within" in run_cli(*line, "--hex", "47", "--wait", "0.05").stderr
    for words, sentence in (
        ((*line, "GET", "--hex", "00"), "exclude each other"),
        ((*line, "--hex", "0"), "is not hexadecimal"),
        ((*line, "--json", "{"), "is not JSON"),
        (("send", "thermostat", "lin", "GET"), "did you mean 'line'?"),
        (("send", "nobody", "line", "GET"), "unknown robot 'nobody'"),
    ):
        refused(run_cli(*words), sentence)


def test_snapshots_by_name_and_by_file(room, ctl, tmp_path):
    good(ctl("step", "500"))
    name = good(ctl("snapshot")).split()[1]
    assert str(tmp_path / "s") in good(ctl("snapshot", tmp_path / "s"))
    good(ctl("step", "500"))
    assert "at 0.500 s" in good(ctl("restore", name))
    good(ctl("step", "500"))
    assert "at 0.500 s" in good(ctl("restore", tmp_path / "s"))


def test_a_recorded_session_under_control_replays_part_by_part(
    rigless_process, ctl, thermostat, tmp_path
):
    file = tmp_path / "f.mcap"
    words = ("--set", "ports.line=0", "--panel", "127.0.0.1:0", "--lockstep", "--record", file)
    process = rigless_process("run", thermostat, *words)
    with socket.create_connection(process.address("thermostat/line"), 60) as client:
        good(ctl("step", "1000"))
        client.sendall(b"SET 25\n")
        assert client.recv(100) == b"OK\r\n"
        good(ctl("inject", "thermostat", "temperature", "noise"))
        good(ctl("step", "1000"))
        assert str(tmp_path / "f.2.mcap") in good(ctl("reset"))
        client.sendall(b"SET 15\n")
        assert client.recv(100) == b"OK\r\n"
        good(ctl("step", "1000"))
    assert process.end() == 0
    for part in (file, tmp_path / "f.2.mcap"):
        assert verify(part).difference is None


BAD = [
    (("step", "0"), "ms"),
    (("step", "nan"), "ms"),
    (("speed", "warp"), "0.1 to 100"),
    (("inject", "nobody", "temperature"), "unknown robot 'nobody'"),
    (("inject", "thermostat", "temprature"), "did you mean 'temperature'"),
    (("inject", "thermostat", "temperature", "bias", "value"), "is not key=value"),
    (("inject", "thermostat", "temperature", "bias", "value=x"), "is not a number"),
    (("inject", "thermostat", "temperature", "--for", "-1"), "for_s"),
    (("clear", "thermostat", "nothing"), "unknown fault target"),
    (("set-input", "thermostat", "window_open"), "is not key=value"),
    (("set-device", "gate", "open"), "is not key=value"),
    (("set-device", "gate", "open=true"), "the world has no devices"),
    (("set-input", "thermostat", "window_open=ajar"), "window_open"),
    (("restore", "no-such"), "unknown snapshot"),
    (("snapshot", "/no/such/folder/s"), "cannot be written"),
    (("status", "--token", "wrong"), "no valid token"),
    (("status", "--url", "http://["), "--url"),
    (("status", "--url", "garbage"), "--url"),
    (("status", "--url", "http://127.0.0.1:1"), "cannot reach"),
]


def test_errors_are_sentences(room, run_cli):
    for words, sentence in BAD:
        refused(run_cli("ctl", *words), sentence)
    robot = room.ports["thermostat/line"].replace("tcp", "http")
    refused(run_cli("ctl", "status", "--url", robot), "--url")  # not an HTTP server


def test_url_and_token_come_from_flags_the_printed_url_or_the_environment(
    room, run_cli, monkeypatch
):
    def ctl(*words, **extra):
        with monkeypatch.context() as patch:
            for name, text in {"XDG_RUNTIME_DIR": "/nonexistent", **extra}.items():
                patch.setenv(name, text)
            return run_cli("ctl", *words)

    refused(ctl("status"), "no running rigless")
    good(ctl("status", "--url", room.url, "--token", room.token))
    good(ctl("status", "--url", f"{room.url}/?token={room.token}"))
    good(ctl("status", RIGLESS_URL=room.url, RIGLESS_TOKEN=room.token))
    refused(ctl("status", RIGLESS_URL=room.url, RIGLESS_TOKEN="wrong"), "no valid token")


def test_several_instances_need_a_selection(room, rigless_process, thermostat, ctl):
    other = rigless_process("run", thermostat, "--set", "ports.line=0", "--panel", "127.0.0.1:0")
    found = ctl("status")
    refused(found, "several instances are running")
    assert room.url in found.stderr
    assert other.url in found.stderr
    assert "lockstep" in good(ctl("status", "--url", room.url, "--token", room.token))
    refused(ctl("status", "thermostat"), "several instances have a robot 'thermostat'")
    assert other.end(signal.SIGKILL) == -signal.SIGKILL  # its session file stays
    assert "lockstep" in good(ctl("status"))


def test_a_robot_selects_its_instance(room, rigless_process, thermostat, run_cli, tmp_path):
    scenario = tmp_path / "hall.toml"
    robot = f'kind = "{thermostat}"\nname = "hall"\nports = {{ line = 0 }}'
    scenario.write_text(f"[[robots]]\n{robot}\n")
    rigless_process("run", scenario, "--panel", "127.0.0.1:0")
    assert good(run_cli("send", "hall", "line", "SET 23")) == "OK\n"
    assert good(run_cli("send", "thermostat", "line", "SET 24")) == "OK\n"
    assert good(run_cli("ctl", "status", "hall")).startswith("  hall: ")
    good(run_cli("ctl", "inject", "hall", "temperature", "bias", "value=3"))
    good(run_cli("ctl", "clear", "hall"))
    good(run_cli("ctl", "set-input", "hall", "window_open=true"))
    found = run_cli("send", "kitchen", "line", "GET")
    refused(found, "no running instance has a robot 'kitchen'")
    assert "hall, thermostat" in found.stderr


def test_without_an_instance_it_is_an_error(ctl):
    refused(ctl("pause"), "start one: rigless run TARGET")
