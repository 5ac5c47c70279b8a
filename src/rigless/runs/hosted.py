"""Run a scenario with programs: the robots on real ports, in wall time, until it is decided."""

import asyncio
import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigless.host.environment import Environment
from rigless.host.host import Host
from rigless.kernel.compilation import observed
from rigless.kernel.problems import InputError
from rigless.kernel.timing.rate import to_ns
from rigless.programs.program import Program, signal_name
from rigless.programs.supervisor import Supervisor, check_programs
from rigless.runs.result import ProgramResult, Result
from rigless.runs.session import Options, duration_of, judge, recorded
from rigless.runs.targets import control_server
from rigless.runs.trace import OutputLine, ProgramTrace
from rigless.runs.tracer import Tracer
from rigless.scenario.build import Built
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.model.expectation import Expectation
from rigless.scenario.warm_up import warm_up_and_reset

POLL_S = 0.02
LAST_LINES = 20
SPARE_S = 60.0  # of wall time beyond the planned end of a run


def check_pace(built: Built) -> None:
    """Raise InputError if a scenario with programs cannot have its pace."""
    programs = built.scenario.programs
    if programs and built.speed == "fast":
        raise InputError(
            built.source.problem(
                ("speed",),
                "programs run in wall time: 'fast' would leave them behind",
                "a factor such as speed = 5, or lockstep = true for a program that steps",
            )
        )


@dataclass
class Pacing:
    """Watches whether the machine holds the pace of a run. It observes compilation too."""

    host: Host
    late_max_ms: float
    worst_ms: float = 0.0
    compiled: int = 0  # functions that were compiled while the run waited

    def begin(self, function: str) -> None:
        self.compiled += 1

    def end(self, done: int, total: int) -> None:
        return

    def watch(self) -> None:
        self.worst_ms = max(self.worst_ms, self.host.host_inputs.lateness.p99_ms)

    def why_invalid(self) -> str:
        """Return why the run says nothing about the programs; empty if it held the pace."""
        if self.host.worst_lag_ns > self.late_max_ms * 1e6:
            lost_s = self.host.lost_ns / 1e9
            fix = "; functions were compiled meanwhile: run rigless compile first"
            text = f"machine too slow: {lost_s:.2f} s of wall time lost at {self.host.pace}"
            return text + (fix if self.compiled else "")
        if self.worst_ms > self.late_max_ms:
            return (
                f"machine too slow: 1 % of the events were over {self.worst_ms:g} ms late "
                f"(late_max_ms = {self.late_max_ms:g})"
            )
        return ""


async def run_hosted(target: str, built: Built, options: Options) -> Result:
    """Run a scenario with its programs and return the result."""
    check_pace(built)
    check_programs(built)
    scenario, duration_s = built.scenario, duration_of(built)
    folder = options.folder or Path()
    lockstep = any(program.lockstep for program in scenario.programs)
    speed = "lockstep" if lockstep else built.speed
    warm_up_and_reset(built.simulation)
    host = Host(built, speed, duration_s, Environment(folder / "state"), folder)
    sim = host.sim
    result = Result(scenario.name, target, sim.seed, duration_s, folder=str(folder))
    begin = time.monotonic()
    with contextlib.ExitStack() as stack:
        failed = stack.enter_context(recorded(sim, options.record))
        await host.open()
        server = await _open_control(host) if lockstep else None
        control = (server.address, server.token or "") if server is not None else ("", "")
        supervisor = Supervisor(host, folder, options.commands, control, options.given_from)
        pacing = Pacing(host, scenario.late_max_ms)
        try:
            tracer = Tracer(host.built, duration_s) if options.trace else None
            monitor = ExpectationMonitor(host.built, duration_s, supervisor)
            await supervisor.begin()
            if not supervisor.failure:
                with observed(pacing):
                    await _run_until_decided(host, supervisor, monitor, pacing, options, result)
            result.failure = result.failure or supervisor.failure or host.failure
        finally:
            await supervisor.end()
            if server is not None:
                await server.close()
            await host.close()
        result.trace = tracer.finish() if tracer is not None else None  # while it is recorded
    result.duration_s = sim.now_s
    result.wall_s = time.monotonic() - begin
    judge(result, monitor, sim)
    result.invalid = "" if lockstep else pacing.why_invalid()
    result.notes += failed
    result.recording = str(options.record) if options.record is not None else ""
    for program in supervisor.programs.values():
        result.programs.append(program_result(program, scenario.expect))
    _explain(result, supervisor)
    if result.trace is not None:
        result.trace.programs = [program_trace(each) for each in supervisor.programs.values()]
    return result


async def _open_control(host: Host) -> Any:
    """Open the control API on a free port, for programs that step time themselves."""
    server = control_server()(host, "127.0.0.1:0")
    await server.open()
    return server


async def _run_until_decided(
    host: Host,
    supervisor: Supervisor,
    monitor: ExpectationMonitor,
    pacing: Pacing,
    options: Options,
    result: Result,
) -> None:
    """Run until the end, or until all verdicts are known and all programs have ended."""
    settle_s = host.built.scenario.settle_s
    speed = host.pace.speed if host.pace.mode == "real" else 1.0
    limit_s = result.duration_s / speed * 2 + SPARE_S
    limit = time.monotonic() + limit_s
    over_ns: int | None = None
    running = asyncio.create_task(host.run())
    try:
        while not running.done():
            await asyncio.wait([running], timeout=POLL_S)
            pacing.watch()
            options.progress(host.sim.now_s / result.duration_s)
            if time.monotonic() > limit:
                result.failure = f"the run was ended: it took over {limit_s:.0f} s of wall time"
            result.failure = result.failure or supervisor.not_started
            if host.failure or result.failure:
                host.stop()
            if not supervisor.all_over:
                over_ns = None
                continue
            over_ns = host.sim.now_ns if over_ns is None else over_ns
            if settle_s is not None:  # robots may come to rest before they are judged
                ended = host.sim.now_ns >= over_ns + to_ns(settle_s)
            else:
                ended = monitor.decided()
            if ended or host.pace.mode == "lockstep":
                host.stop()
    finally:
        host.stop()
        await running


def program_result(program: Program, expect: Sequence[Expectation] = ()) -> ProgramResult:
    """Return the end of a program for a result."""
    code = None if program.stopped else program.exit
    named = [e.exit for e in expect if e.program == program.name and e.exit is not None]
    exits = named or program.entry.exits
    return ProgramResult(
        program.name,
        program.words,
        started=program.starts > 0 and not program.failure,
        exit=code if code is None or code >= 0 else None,
        accepted=not program.failure and (code is None or exits is None or code in exits),
        signal=signal_name(-code) if code is not None and code < 0 else "",
        ended_by_fault=program.ended_by_fault,
        restarts=program.restarts,
        memory_mb=round(program.usage.memory_mb, 1),
        cpu_s=round(program.usage.cpu_s, 2),
        notes=[*program.notes, *program.output.findings],
        log=str(program.output.path),
        last_lines=[line.text for line in program.output.newest if line.stream != "note"][
            -LAST_LINES:
        ],
    )


def program_trace(program: Program) -> ProgramTrace:
    """Return the output of a program for a trace."""
    return ProgramTrace(
        program.name,
        [OutputLine(*line) for line in program.output.lines],
        program.output.cut,
        program.usage.cpu,
        program.usage.memory,
        list(program.periods),
    )


def _explain(result: Result, supervisor: Supervisor) -> None:
    """Add what a failed run shows about its programs: no connection, no output."""
    if result.passed or supervisor.connected or supervisor.not_started:
        return
    found: dict[str, list[str]] = {}
    for program in supervisor.programs.values():
        if not program.failure and program.starts:
            why = supervisor.explain_no_connection(program).removeprefix("; ")
            found.setdefault(why, []).append(program.name)
    result.notes += [f"{', '.join(names)}: {why}" for why, names in found.items()]
