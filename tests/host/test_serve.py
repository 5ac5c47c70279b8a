"""`rigless.serve` and the pytest fixtures: a host in a thread, for code that is not asyncio."""

import json
import os
import socket
from urllib.parse import urlsplit

import pytest

import rigless
from rigless.host.serve import ServedHost
from rigless.kernel.problems import InputError
from rigless.recordings.replay import verify

from .driving import BRITTLE, QUIET, THERMOSTAT


def ask(url, line):
    parts = urlsplit(url)
    with (
        socket.create_connection((parts.hostname, parts.port), 60) as client,
        client.makefile("rwb") as stream,
    ):
        stream.write(line + b"\n")
        stream.flush()
        return stream.readline().strip()


def test_serve_gives_free_ports_and_a_robot_that_answers():
    with rigless.serve(THERMOSTAT, speed=2.0) as host:
        assert host.address("thermostat", "line").startswith("tcp://127.0.0.1:")
        assert ask(host.address("thermostat", "line"), b"SET 22") == b"OK"
        assert host.truth("thermostat").setpoint_c == 22.0


def test_two_hosts_live_side_by_side():
    with rigless.serve(THERMOSTAT) as one, rigless.serve(THERMOSTAT) as other:
        ask(one.address("thermostat", "line"), b"SET 22")
        ask(other.address("thermostat", "line"), b"SET 23")
        assert (one.truth("thermostat").setpoint_c, other.truth("thermostat").setpoint_c) == (
            22.0,
            23.0,
        )


def test_ports_can_be_given():
    with socket.socket() as probe:
        probe.bind((QUIET, 0))
        address = "{}:{}".format(*probe.getsockname())
    with rigless.serve(THERMOSTAT, ports={"line": address}) as host:
        assert host.address("thermostat", "line") == f"tcp://{address}"


def test_time_faults_snapshots_and_recordings_are_at_hand(tmp_path):
    with rigless.serve(THERMOSTAT, speed="lockstep", seed=3) as host:
        host.start_recording(tmp_path / "f.mcap")
        host.inject("thermostat", "temperature", "wrong", value=99.0)
        host.step(200)
        assert host.truth("thermostat").measured_c == 99.0
        host.clear("thermostat")
        saved = host.snapshot()
        host.set_input("thermostat", "window_open", True)
        host.step(1000)
        first = host.truth("thermostat")
        host.restore(saved)
        assert host.now_s == 0.2
        host.set_input("thermostat", "window_open", True)
        host.step(1000)
        assert host.truth("thermostat") == first
        host.reset()
        assert (host.now_s, host.state) == (0.0, "lockstep")
        host.set_speed(50)
        host.pause()
        assert host.state == "paused"
        host.resume()
        host.run(seconds=1)
        host.stop_recording()
    for part in ("f.mcap", "f.2.mcap", "f.3.mcap"):
        assert verify(tmp_path / part).difference is None


@pytest.mark.parametrize("speed", [0, -1, 1000, "soon"])
def test_an_impossible_speed_is_an_error_at_once(speed):
    with pytest.raises(InputError, match="is not a pace"), rigless.serve(THERMOSTAT, speed=speed):
        pass


def test_a_port_in_use_is_raised_to_the_caller():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        ports = {"line": holder.getsockname()[1]}
        with pytest.raises(InputError, match="in use"), rigless.serve(THERMOSTAT, ports=ports):
            pass


def test_a_port_in_use_names_the_instance_that_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    note = {"pid": os.getppid(), "url": "http://127.0.0.1:1", "token": "secret", "name": "winter"}
    (tmp_path / "rigless").mkdir()
    (tmp_path / "rigless" / "1.json").write_text(json.dumps(note))
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        ports = {"line": holder.getsockname()[1]}
        named = "winter at http://127.0.0.1:1: open that"
        with (
            pytest.raises(InputError, match=named) as caught,
            rigless.serve(THERMOSTAT, ports=ports),
        ):
            pass
        assert "secret" not in str(caught.value), "errors are kept in logs of CI jobs"


def test_errors_of_a_call_reach_the_caller():
    with rigless.serve(THERMOSTAT) as host:
        with pytest.raises(InputError, match="unknown robot"):
            host.truth("nobody")
        with pytest.raises(InputError, match="unknown port"):
            host.address("thermostat", "nowhere")
        assert host.state == "running"


def test_the_fixtures_serve_and_load(rigless_sim, rigless_host):
    sim = rigless_sim(str(THERMOSTAT), seed=1)
    sim.run(seconds=60)
    assert sim.now_s == 60.0
    host = rigless_host(str(BRITTLE), speed=10)
    assert ask(host.address("brittle", "line"), b"hello") == b"hello"


def test_a_served_host_has_the_verbs_of_a_simulation():
    verbs = (
        "send",
        "take",
        "events",
        "truth",
        "run",
        "inject",
        "clear",
        "set_input",
        "snapshot",
        "restore",
        "ports",
        "reset",
        "now_s",
        "now_ns",
        "seed",
    )
    with rigless.serve(THERMOSTAT, speed="lockstep", seed=3) as host:
        sim = rigless.load(THERMOSTAT, seed=3)
        for one in (host, sim):
            for verb in verbs:
                assert hasattr(one, verb), verb
            one.send("thermostat", "line", {"type": "Set", "celsius": 23})
            one.send("thermostat", "line", b"GET\n")
            one.run(seconds=2.0)
        assert host.truth("thermostat") == sim.truth("thermostat")
        assert host.take("thermostat", "line") == sim.take("thermostat", "line") != []
        assert host.take("thermostat", "line") == [], "they were taken already"
        assert host.events == list(sim.events) != []
        assert host.ports("thermostat") == sim.ports("thermostat")
        assert (host.now_ns, host.now_s, host.seed) == (sim.now_ns, sim.now_s, 3)
        for one in (host, sim):
            one.inject("thermostat", "temperature", "wrong", until_s=2.5, value=99.0)
            one.run(seconds=1.0)
        assert host.truth("thermostat") == sim.truth("thermostat")


@pytest.mark.parametrize("name", [name for name in dir(ServedHost) if not name.startswith("_")])
def test_every_method_has_a_docstring(name):
    assert getattr(ServedHost, name).__doc__, name


def test_a_run_waits_at_the_pace_of_the_host():
    with rigless.serve(THERMOSTAT, speed=50) as host:
        host.run(seconds=1.0)
        assert host.now_s >= 1.0
        host.pause()
        before_s = host.now_s
        host.run(seconds=1.0)
        assert (host.now_s, host.state) == (pytest.approx(before_s + 1.0), "paused")


def test_a_host_without_collected_messages_says_so():
    with (
        rigless.serve(THERMOSTAT, collect=False) as host,
        pytest.raises(RuntimeError, match="collect=True"),
    ):
        host.take("thermostat", "line")


def test_the_representation_names_the_target_the_time_and_the_pace():
    host = rigless.serve(THERMOSTAT, speed="lockstep")
    assert repr(host) == "<ServedHost thermostat, not started>"
    with pytest.raises(RuntimeError, match="not running"):
        host.truth("thermostat")
    with host:
        host.step(500)
        assert repr(host) == "<ServedHost thermostat at 0.5 s, lockstep, pace lockstep>"
    with pytest.raises(RuntimeError, match="not running"):
        host.truth("thermostat")
