"""Runs with programs: addresses, waiting, faults, restarts, early ends and bad programs."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from rigless.host.host import Host
from rigless.kernel.compilation import observed, observers
from rigless.kernel.problems import InputError
from rigless.recordings.replay import verify
from rigless.runs.hosted import Pacing
from rigless.runs.reports.explanation import ended
from runs.scenes import run, scenario, verdict

FAULT = 'command = "nav"\n[[faults]]\nprogram = "nav"\n'
WARM = """
[[expect]]
name = "warm"
value = "truth.setpoint_c"
equals = 24
"""


def test_a_program_gets_addresses_and_ends_the_run_early(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        """
        settle_s = 0.5
        [[programs]]
        name = "nav"
        command = "{client} --url {thermostat.line} 'SET 24'"
        env = { SEED = "{scenario.seed}", PORT = "{thermostat.line.port}" }
        [[programs]]
        name = "shell"
        command = ["sh", "-c", "echo $SEED-$PORT $RIGLESS_THERMOSTAT_REPORTS; pwd; echo $PORT; ! :"]
        env = { SEED = "{scenario.seed}", PORT = "{thermostat.line.port}" }
        [[expect]]
        program = "shell"
        exit = 1
        """.replace("settle_s = 0.5", "")
        + WARM,
        seed=77,
        settle_s=1.5,  # a report a second
        duration_s=1000,
    )
    assert result.passed, (result.failure, result.verdicts)
    assert result.duration_s < 500
    nav, shell = result.programs
    assert (nav.exit, nav.accepted, shell.exit, shell.accepted) == (0, True, 1, True)
    assert nav.last_lines == ["SET 24 -> OK"]
    first, folder, port = shell.last_lines
    assert first.startswith(f"77-{port} udp://127.0.0.1:")
    assert folder == str(tmp_path)
    assert verify(Path(result.recording)).difference is None
    assert (Path(result.folder) / "nav.stdout").read_text() == "SET 24 -> OK\n"
    assert result.trace is not None
    lanes = {(lane.port, lane.direction): sum(lane.counts) for lane in result.trace.lanes}
    assert lanes["line", "in"] == lanes["line", "out"] == 1
    assert lanes["reports", "out"] > 0


def test_a_run_settles_before_expectations_at_its_end_are_judged(tmp_path: Path) -> None:
    text = '[[programs]]\nname = "short"\ncommand = "true"\n' + WARM
    result = run(tmp_path, text, settle_s=3.0, duration_s=1000)
    assert result.trace is not None
    ((_, ended_at_s),) = result.trace.programs[0].periods
    assert ended_at_s + 2.9 <= result.duration_s < 1000


def test_a_run_that_compiled_functions_says_so_if_it_lost_time() -> None:
    pacing = Pacing(
        cast(Host, SimpleNamespace(lost_ns=2_000_000_000, worst_lag_ns=600_000_000, pace="4×")),
        late_max_ms=100,
    )
    with observed(pacing):
        assert pacing.why_invalid() == "machine too slow: 2.00 s of wall time lost at 4×"
        observers[-1].begin("planner")
        assert pacing.why_invalid().endswith("compiled meanwhile: run rigless compile first")


def test_time_waits_until_programs_are_ready(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        """
        [[programs]]
        name = "slow"
        command = ["sh", "-c", "sleep 0.3; echo up; until test -f done; do sleep 0.02; done"]
        wait_for = { output = "^up$" }
        [[programs]]
        name = "nav"
        command = "{client} 'SET 24'"
        wait_for = { port = "thermostat.line" }
        [[programs]]
        name = "late"
        command = "true"
        start_at_s = 2.0
        [[programs]]
        name = "after"
        command = "touch done"
        wait_for = { program = "late2", output = "go" }
        [[programs]]
        name = "late2"
        command = "echo go"
        start_at_s = 3.0
        """,
        duration_s=1000,
    )
    assert result.passed, (result.failure, result.verdicts)
    assert result.trace is not None
    programs = {program.name: program for program in result.trace.programs}
    up = next(line for line in programs["slow"].lines if line.text == "up")
    assert up.time_s == 0.0  # time was held
    assert programs["late"].periods[0][0] == 2.0
    assert programs["after"].periods[0][0] >= 3.0
    assert programs["slow"].periods[0][1] >= programs["after"].periods[0][0]
    assert [program.exit for program in result.programs] == [0] * 5
    assert result.duration_s < 1000


def test_faults_on_programs(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        """
        [[programs]]
        name = "killed"
        command = "sleep 1000"
        [[programs]]
        name = "restarted"
        command = "{client} 'SET 24' --wait 1000"
        restart = "on-failure"
        wait_for = { output = "OK" }
        [[programs]]
        name = "paused"
        command = ["sh", "-c", "while true; do echo tick; sleep 0.02; done"]
        wait_for = { output = "tick" }
        [[programs]]
        name = "again"
        command = ["sh", "-c", "echo boot; sleep 1000"]
        wait_for = { output = "boot" }
        [[programs]]
        name = "starved"
        command = ["python3", "-S", "-c", "while True: pass"]
        [[faults]]
        at_s = 3
        until_s = 8
        program = "starved"
        kind = "starve"
        share = 0.05
        [[faults]]
        at_s = 2
        program = "killed"
        kind = "kill"
        [[faults]]
        at_s = 2
        program = "restarted"
        kind = "kill"
        signal = "SEGV"
        [[faults]]
        at_s = 3
        until_s = 8
        program = "paused"
        kind = "pause"
        [[faults]]
        at_s = 3
        program = "again"
        kind = "restart"
        [[expect]]
        name = "it comes back"
        after_fault = "restarted"
        reacts_within_ms = 9000
        port = "line"
        message = "Set"
        """,
        duration_s=12,
        speed=4,
    )
    assert result.passed, (result.failure, result.verdicts)
    killed, restarted, _, again, _ = result.programs
    assert [each.ended_by_fault for each in result.programs] == [True, *[False] * 4]
    assert (ended(killed), ended(again)) == ("ended by a fault", "running at the end")
    assert killed.restarts == 0
    assert restarted.restarts == 1
    assert restarted.last_lines == ["SET 24 -> OK", "SET 24 -> OK"]
    assert verdict(result, "it comes back").detail.endswith(" ms after 2 s; 1 measured")
    assert again.last_lines == ["boot", "boot"]
    assert {(fault.target, fault.kind) for fault in result.faults} == {
        ("killed", "kill"),
        ("restarted", "kill"),
        ("paused", "pause"),
        ("again", "restart"),
        ("starved", "starve"),
    }
    assert result.trace is not None
    ticks = [line.time_s for line in result.trace.programs[2].lines if line.text == "tick"]
    assert any(time_s < 3 for time_s in ticks)
    assert any(time_s > 8 for time_s in ticks)
    assert not any(4 < time_s < 7.9 for time_s in ticks)
    cpu = result.trace.programs[4].cpu
    samples = list(zip(cpu.times_s, cpu.values, strict=True))
    during = [cores for time_s, cores in samples if 4.2 < time_s < 8]
    after = [cores for time_s, cores in samples if time_s > 9.2]
    assert max(during) < 0.15
    assert sum(after) / len(after) > 1.5 * sum(during) / len(during)


def test_limits_of_memory_and_cpu_time(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        """
        [[programs]]
        name = "hungry"
        command = ["python3", "-S", "-c", "x = bytearray(200_000_000); import time; time.sleep(99)"]
        limits = { memory_mb = 100 }
        [[programs]]
        name = "busy"
        command = ["python3", "-S", "-c", "while True: pass"]
        limits = { cpu_s = 0.3 }
        """,
        duration_s=1000,
    )
    assert not result.passed
    hungry, busy = result.programs
    assert "over limits.memory_mb" in hungry.notes[0]
    assert "over limits.cpu_s" in busy.notes[0]
    assert hungry.signal == busy.signal == "SIGKILL"
    assert not hungry.accepted
    assert result.trace is not None
    over = [event.text for event in result.trace.events if event.code == "program-over-limit"]
    assert sorted(text.split(" used")[0] for text in over) == [
        "busy is killed: it",
        "hungry is killed: it",
    ]
    assert result.duration_s < 1000  # both ended, so the run was decided


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ('command = "./nothing"', "nav: command not found: there is no './nothing'"),
        ('command = "false"', "nav: exited with 1 before a client connects to thermostat.line"),
        (
            'command = "sleep 100"\nstop = { grace_s = 1 }',
            "nav: waited 0.5 s in vain until a client connects to thermostat.line",
        ),
    ],
)
def test_a_program_that_never_connects(tmp_path: Path, program: str, reason: str) -> None:
    timeout_s = 0.5 if "in vain" in reason else 60
    wait = f'wait_for = {{ port = "thermostat.line", timeout_s = {timeout_s} }}'
    result = run(tmp_path, f'[[programs]]\nname = "nav"\n{program}\n{wait}\n')
    assert not result.passed
    assert result.failure.startswith(reason)
    assert result.duration_s == 0.0


def test_a_run_ends_at_once_if_a_program_cannot_be_started(tmp_path: Path) -> None:
    text = """
    [[programs]]
    name = "other"
    command = "sleep 1000"
    [[programs]]
    name = "nav"
    command = "./nothing"
    start_at_s = 1
    """
    result = run(tmp_path, text + WARM, duration_s=1000)
    assert result.failure.startswith("nav: command not found: there is no './nothing'")
    assert 1.0 <= result.duration_s < 500
    assert result.notes == []  # the start explains the failure, not the missing connection


def test_a_run_is_decided_when_a_fault_has_ended_its_program(tmp_path: Path) -> None:
    text = """
    [[programs]]
    name = "nav"
    command = "sleep 1000"
    [[programs]]
    name = "again"
    command = "echo done"
    [[faults]]
    at_s = 0.5
    program = "nav"
    kind = "kill"
    [[faults]]
    at_s = 4
    program = "again"
    kind = "restart"
    [[expect]]
    program = "nav"
    output = "ready"
    """
    result = run(tmp_path, text, duration_s=1000)
    nav, again = result.programs
    assert nav.ended_by_fault
    assert again.last_lines == ["done", "done"]  # not before the planned restart
    assert 4.0 <= result.duration_s < 500


def test_a_program_on_the_wrong_port_is_explained(tmp_path: Path) -> None:
    text = """
    [[programs]]
    name = "nav"
    command = ["python3", "-c", '''
    import socket, time
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    print(server.getsockname()[1], flush=True)
    time.sleep(100)''']
    wait_for = { output = "[0-9]" }
    [[programs]]
    name = "idle"
    command = "sleep 100"
    [[programs]]
    name = "lazy"
    command = "sleep 100"
    [[expect]]
    value = "truth.setpoint_c"
    equals = 99
    """
    result = run(tmp_path, text.replace("\n    ", "\n"), duration_s=15)
    assert not result.passed
    (note,) = [note for note in result.notes if note.startswith("nav: ")]
    port = result.programs[0].last_lines[0]
    assert "no client ever connected to a robot (thermostat.line is tcp://127.0.0.1:" in note
    assert f"it is connected to 127.0.0.1:{port}" in note
    assert [note.split(": ")[0] for note in result.notes] == ["nav", "idle, lazy"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('command = "nav {thermostat.lines}"', "did you mean 'thermostat.line'?"),
        ('command = ""', "is empty: name the program to start"),
        ('command = "nav \'"', "cannot be split into words"),
        ('command = "nav"\nwait_for = { port = "thermostat.x" }', "unknown port 'thermostat.x'"),
        ('command = "nav"\nwait_for = { output = "(" }', "is not a regular expression"),
        ('command = "nav"\nwait_for = { }', "exactly one of: port, output, file, event"),
        ('command = "nav"\nwait_for = { program = "x", output = "y" }', "unknown program 'x'"),
        ('command = "nav"\n[[faults]]\nprogram = "nav"\nkind = "melt"', "one of: kill, pause"),
        (FAULT + 'kind = "kill"\nsignal = "BANG"', "'BANG' is not a signal"),
        (FAULT + 'kind = "kill"\nshare = 0.5', "is not a parameter of kill (it has: signal)"),
        (FAULT + 'kind = "starve"\nshare = 2', "2 is not a share of the CPU time"),
        (FAULT + 'kind = "pause"\nat_s = 3\nuntil_s = 2', "2 is not after at_s (3)"),
        (FAULT + 'kind = "restart"\nuntil_s = 2', "restart happens at one instant"),
        ('command = "nav"\n[[faults]]\nprogram = "vav"\nkind = "kill"', "did you mean 'nav'?"),
        ('command = "nav"\n[[faults]]\nkind = "kill"', "needs the target of a robot, or a program"),
    ],
)
def test_mistakes_are_reported_before_anything_starts(
    tmp_path: Path, text: str, reason: str
) -> None:
    with pytest.raises(InputError) as caught:
        run(tmp_path, f'[[programs]]\nname = "nav"\n{text}\n')
    assert reason in str(caught.value)


def test_programs_cannot_run_as_fast_as_possible(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="programs run in wall time"):
        run(tmp_path, '[[programs]]\nname = "nav"\ncommand = "true"\n', speed="fast")


def test_lockstep_by_the_helper(tmp_path: Path) -> None:
    (tmp_path / "step.py").write_text(
        "from rigless.clients.lockstep import Lockstep\n"
        "clock = Lockstep()\n"
        "for _ in range(50):\n"
        "    clock.step(ms=100)\n"
        "print(clock.time_s)\n"
    )
    program = f'command = ["{__import__("sys").executable}", "step.py"]\nlockstep = true\n'
    result = run(tmp_path, f'[[programs]]\nname = "nav"\n{program}', duration_s=100)
    assert result.passed, result
    assert result.duration_s == 5.0
    assert result.programs[0].last_lines == ["5.0"]


def test_the_scenario_file_is_valid_toml(tmp_path: Path) -> None:
    assert Path(scenario(tmp_path, "")).read_text().startswith("name = 'room'")


def test_verdicts_can_be_found_by_their_text(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        '[[programs]]\nname = "nav"\ncommand = "{client} \'SET 24\'"\n' + WARM,
        duration_s=1000,
    )
    assert verdict(result, "warm").passed
