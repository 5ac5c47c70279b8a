"""`rigless run`: its start-up lines, options, signals and exit codes."""

import signal
import socket
from contextlib import suppress

import httpx
import pytest

from rigless.recordings.replay import verify

ANY = ("--set", "ports.line=0", "--panel", "127.0.0.1:0")


def ask(process, line, port="thermostat/line"):
    with (
        socket.create_connection(process.address(port), 60) as client,
        client.makefile("rwb") as stream,
    ):
        stream.write(line + b"\n")
        stream.flush()
        return stream.readline().strip()


def test_it_prints_ports_then_panel_then_ready(rigless_process, thermostat):
    process = rigless_process("run", thermostat, *ANY, fresh=True)
    words = [line.split()[:2] for line in process.lines]
    assert [word[0] for word in words] == ["port", "port", "panel", "ready"]
    assert [word[1] for word in words[:2]] == ["thermostat/line", "thermostat/reports"]
    assert process.ports["thermostat/line"].startswith("tcp://127.0.0.1:")
    assert process.ports["thermostat/reports"].startswith("udp://127.0.0.1:")
    assert process.url.startswith("http://127.0.0.1:")
    assert len(process.token) >= 20


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_with_clients_connected(
    rigless_process, thermostat, tmp_path, signum
):
    file = tmp_path / "f.mcap"
    process = rigless_process("run", thermostat, *ANY, "--record", file, fresh=True)
    with socket.create_connection(process.address("thermostat/line"), 60) as client:
        client.sendall(b"SET 21\n")
        assert client.recv(100) == b"OK\r\n"
        assert process.end(signum) == 0
    assert "Traceback" not in process.errors
    assert not list((tmp_path / "runtime" / "rigless").glob("*.json"))
    found = verify(file)
    assert (found.difference, found.cut) == (None, False)


def test_a_signal_ends_it_while_it_runs_as_fast_as_it_can_and_while_it_waits(
    rigless_process, thermostat
):
    for pace in ("--fast", "--lockstep"):
        process = rigless_process("run", thermostat, *ANY, pace)
        assert process.end(signal.SIGINT) == 0
        assert "Traceback" not in process.errors


def test_no_panel_serves_no_panel(rigless_process, thermostat, tmp_path):
    process = rigless_process("run", thermostat, "--set", "ports.line=0", "--no-panel")
    assert [line.split()[0] for line in process.lines] == ["port", "port", "ready"]
    assert ask(process, b"SET 21") == b"OK"
    assert not (tmp_path / "runtime" / "rigless").exists()
    assert process.end() == 0


def test_no_auth_prints_a_url_without_a_token_and_needs_none(rigless_process, thermostat):
    process = rigless_process("run", thermostat, *ANY, "--no-auth")
    assert httpx.get(process.url + "/api/status", timeout=60).json()["state"] == "running"
    assert f"panel {process.url}/" in process.lines


def test_the_printed_url_opens_and_without_the_token_it_does_not(rigless_process, thermostat):
    process = rigless_process("run", thermostat, *ANY)
    with httpx.Client(base_url=process.url, timeout=60, follow_redirects=True) as browser:
        assert browser.get("/").status_code == 401
        assert browser.get(f"/?token={process.token}").status_code == 200
        assert browser.get("/api/status").status_code == 200


def test_another_panel_port_is_used_if_the_default_is_taken(rigless_process, thermostat):
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held, url = False, ":8080"
        while url.endswith(":8080") and not held:
            with suppress(OSError):  # another process holds it, unless it releases it now
                holder.bind(("127.0.0.1", 8080))
                holder.listen()
                held = True
            process = rigless_process("run", thermostat, "--set", "ports.line=0")
            url = process.url
        assert not url.endswith(":8080")
        assert httpx.get(process.url, timeout=60).status_code == 401


def test_a_port_in_use_is_an_error_that_names_the_fix_and_the_fix_works(
    rigless_command, rigless_process, thermostat
):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        words = (
            "run",
            thermostat,
            "--no-panel",
            "--duration",
            "0.1",
            "--set",
            f"ports.line={holder.getsockname()[1]}",
        )
        found = rigless_command(*words)
        assert (found.returncode, found.stdout) == (2, "")
        assert "--set thermostat.ports.line=0" in found.stderr
        assert rigless_process(*words, "--set", "thermostat.ports.line=0").wait() == 0


def test_two_fast_runs_give_the_same_file_byte_for_byte(rigless_command, thermostat, tmp_path):
    for name in ("a.mcap", "b.mcap"):
        words = ("--fast", "--duration", "300", "--record", tmp_path / name)
        assert rigless_command("run", thermostat, *ANY, *words, fresh=True).returncode == 0
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()
    other = ("--fast", "--duration", "300", "--seed", "8", "--record", tmp_path / "c.mcap")
    assert rigless_command("run", thermostat, *ANY, *other).returncode == 0
    assert (tmp_path / "c.mcap").read_bytes() != (tmp_path / "a.mcap").read_bytes()


def test_a_duration_ends_it_and_the_scenario_gives_one_too(rigless_command, thermostat):
    found = rigless_command("run", thermostat, *ANY, "--fast", "--duration", "1.5")
    assert (found.returncode, "simulated 1.500 s" in found.stderr) == (0, True)
    found = rigless_command(
        "run", thermostat / "winter.toml", "--set", "hall.ports.line=0", "--no-panel", "--fast"
    )
    assert (found.returncode, "simulated 3600.000 s" in found.stderr) == (0, True)


def test_settings_reach_the_robot(rigless_process, thermostat):
    process = rigless_process("run", thermostat, *ANY, "--lockstep", "--set", "setpoint_c=25.5")
    assert ask(process, b"GET") == b"TEMP - SET 25.5 HEAT 0"


def test_quiet_shows_warnings_only(run_cli, thermostat, tmp_path):
    words = ("run", thermostat, "--set", "ports.line=0", "--fast", "--duration", "10")
    words = (*words, "--panel", "127.0.0.1:0", "--record", tmp_path / "a.mcap")
    assert "heater on" in run_cli(*words).stderr
    assert run_cli(*words, "--quiet").stderr == ""


def test_a_robot_that_breaks_leaves_the_process_running_and_its_exit_code_says_so(
    rigless_process, thermostat
):
    brittle = thermostat.parents[1] / "tests" / "host" / "brittle"
    process = rigless_process("run", brittle, "--panel", "127.0.0.1:0")
    with socket.create_connection(process.address("brittle/line"), 60) as client:
        client.sendall(b"fail\n")
        status_url, bearer = (
            process.url + "/api/status",
            {"Authorization": f"Bearer {process.token}"},
        )
        while (status := httpx.get(status_url, headers=bearer, timeout=60).json())[
            "state"
        ] != "failed":
            assert process.popen.poll() is None
        assert "ZeroDivisionError: told to" in status["failure"]
    assert process.end() == 1
    assert "told to" in process.errors


def test_a_session_folder_that_cannot_be_used_does_not_stop_the_robot(
    rigless_process, thermostat, environment, tmp_path
):
    (tmp_path / "file").write_text("")
    environment["XDG_RUNTIME_DIR"] = str(tmp_path / "file")
    process = rigless_process("run", thermostat, *ANY)
    assert ask(process, b"SET 21") == b"OK"
    assert process.end() == 0
    assert "Traceback" not in process.errors
