"""The fixture `rigless_program`, used as its users do, also in a test that fails."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import rigless
from rigless.kernel.problems import InputError
from rigless.testing.program import ProgramError
from runs.scenes import CLIENT, THERMOSTAT

Start = Callable[..., Any]
COMMAND = [sys.executable, "-S", str(CLIENT), "--url", "{thermostat.line}"]


def test_a_program_runs_against_a_host(rigless_host: Start, rigless_program: Start) -> None:
    host = rigless_host(THERMOSTAT)
    program = rigless_program([*COMMAND, "SET 24", "--exit", "5"], host)
    assert program.wait_for_output("SET 24 -> (.*)")[1] == "OK"
    assert program.wait() == 5
    assert program.lines == ["SET 24 -> OK"]
    assert host.truth("thermostat").setpoint_c == 24
    assert program.output == "SET 24 -> OK"
    assert "exited with 5" in repr(program)


def test_waiting_in_vain_shows_the_last_lines(rigless_host: Start, rigless_program: Start) -> None:
    host = rigless_host(THERMOSTAT)
    program = rigless_program([*COMMAND, "GET"], host)
    with pytest.raises(ProgramError, match=r"exited with 0 before a line matches 'nothing'\n  \| "):
        program.wait_for_output("nothing")
    slow = rigless_program(["sleep", "100"], host)
    with pytest.raises(ProgramError, match=r"waited 0.05 s in vain until it ends\n  \(no output\)"):
        slow.wait(timeout_s=0.05)
    slow.send_signal(signal.SIGSEGV)
    assert slow.wait() is None
    assert slow.signal == "SIGSEGV"
    with pytest.raises(ProgramError, match="command not found"):
        rigless_program("./nothing", host).wait()


def test_arguments_in_the_wrong_order_are_named(
    rigless_host: Start, rigless_program: Start
) -> None:
    with pytest.raises(InputError, match=r"rigless_program\(command, host\)"):
        rigless_program(rigless_host(THERMOSTAT), "true")


def test_programs_end_with_the_test_also_without_their_host(rigless_program: Start) -> None:
    with rigless.serve(THERMOSTAT) as host:
        program = rigless_program(["sleep", "100"], host)
        program.wait_until(lambda: program.program.process.pid)
        pid = program.program.process.pid
    program.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_failing_test_names_its_files_also_in_a_private_network(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "def test_it(rigless_host, rigless_program):\n"
        f"    host = rigless_host({THERMOSTAT!r}, ports='real')\n"
        f"    program = rigless_program({[*COMMAND, 'GET']!r}, host)\n"
        "    assert program.wait() == 1\n"
    )
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    words.append("--rigless-isolate")
    with socket.socket() as other:
        with suppress(OSError):  # the real port is taken in any case
            other.bind(("127.0.0.1", 7777))
            other.listen()
        done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert "assert 0 == 1" in done.stdout
    line = next(line for line in done.stdout.splitlines() if line.startswith("recording: "))
    recording = Path(line.rpartition(" ")[2])
    assert rigless.Recording.open(recording).end_ns is not None
    assert "output: " in done.stdout
    page = next(line for line in done.stdout.splitlines() if line.startswith("report: "))
    assert "test_it" in Path(page.removeprefix("report: ")).read_text()
