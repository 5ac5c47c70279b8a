"""`rigless run pacbot --window` as a user starts it, with SDL drawing into memory."""

import os
import signal
import sys
from pathlib import Path

import pytest

from rigless.cli import main
from rigless.recordings.replay import verify

FREE = ("--set", "ports.commands=0", "--set", "ports.sensors=0", "--no-panel")


@pytest.fixture
def environment(environment):
    return {**environment, "SDL_VIDEODRIVER": "dummy"}


def children(pid):
    """Return the child processes of a process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_closing_the_window_ends_it_cleanly(rigless_process, tmp_path):
    file = tmp_path / "w.mcap"
    process = rigless_process("run", "pacbot", *FREE, "--window", "--record", file)
    assert [line.split()[0] for line in process.lines] == ["port", "port", "ready"]
    (window,) = children(process.popen.pid)
    os.kill(window, signal.SIGTERM)  # SDL turns it into the event of the close button
    assert process.wait() == 0
    assert "Traceback" not in process.errors
    found = verify(file)
    assert (found.difference, found.cut) == (None, False)


def test_ctrl_c_ends_it_and_the_window(rigless_process):
    process = rigless_process("run", "pacbot", *FREE, "--window")
    (window,) = children(process.popen.pid)
    assert process.end(signal.SIGINT) == 0
    assert "Traceback" not in process.errors
    process.until(lambda: not alive(window), "that the window goes")


def test_a_window_that_is_killed_is_an_error(rigless_process):
    process = rigless_process("run", "pacbot", *FREE, "--window")
    (window,) = children(process.popen.pid)
    os.kill(window, signal.SIGKILL)
    assert process.wait() == 1
    assert "the window crashed" in process.errors


def test_without_a_display_it_is_an_error(rigless_command, environment):
    environment.update(SDL_VIDEODRIVER="x11", DISPLAY=":4711")
    found = rigless_command("run", "pacbot", *FREE, "--window")
    assert found.returncode == 2
    assert "ready" not in found.stdout
    assert "the window cannot open" in found.stderr
    assert "DISPLAY" in found.stderr
    assert "Traceback" not in found.stderr


def test_without_pygame_it_names_the_command_that_installs_it(monkeypatch, capfd):
    monkeypatch.setattr(
        "importlib.util.find_spec",
        lambda name, *rest: None if name == "pygame" else sys.modules[name],
    )
    monkeypatch.setattr(sys, "argv", ["rigless", "run", "pacbot", *FREE, "--window"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = [line for line in capfd.readouterr().err.splitlines() if line.startswith("error")]
    assert said == ["error: --window: pygame-ce is not installed (pip install 'rigless[window]')"]


def test_a_target_without_pacbots_is_an_error(rigless_command, thermostat):
    found = rigless_command("run", thermostat, "--set", "ports.line=0", "--no-panel", "--window")
    assert found.returncode == 2
    assert "this run has none" in found.stderr
