"""Run a scenario and judge its expectations: in virtual time, or on real ports with programs."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.rate import to_ns
from rigless.kernel.recording import Recorder
from rigless.kernel.simulation import RobotError, Simulation
from rigless.runs.result import Result
from rigless.scenario.build import Built
from rigless.scenario.expectations import ExpectationMonitor

DEFAULT_DURATION_S = 10.0
STEPS = 200
SEVERE = ("warning", "error", "critical")
Progress = Callable[[float], None]


@dataclass
class Options:
    """How to run. `commands` replaces the commands of programs; `folder` is for their files."""

    commands: Mapping[str, list[str]] = field(default_factory=dict)
    folder: Path | None = None
    record: Path | None = None
    given_from: Path | None = None
    trace: bool = False
    progress: Progress = lambda part: None
    monitor: ExpectationMonitor | None = None  # one that watches this simulation already


def duration_of(built: Built) -> float:
    """Return the simulated time that a scenario is checked for."""
    return built.scenario.duration_s or DEFAULT_DURATION_S


def run(target: str, built: Built, options: Options) -> Result:
    """Run a scenario to its end, or until it is decided, and return the result."""
    if built.scenario.programs:
        from rigless.runs.hosted import run_hosted

        return asyncio.run(run_hosted(target, built, options))
    return _run_in_virtual_time(target, built, options)


def _run_in_virtual_time(target: str, built: Built, options: Options) -> Result:
    sim, duration_s = built.simulation, duration_of(built)
    monitor = options.monitor or ExpectationMonitor(built, duration_s)
    result = Result(built.scenario.name, target, sim.seed, duration_s)
    begin, end_ns = time.monotonic(), to_ns(duration_s)
    with recorded(sim, options.record) as failed:
        try:
            for step in range(1, STEPS + 1):
                sim.run_until(end_ns * step // STEPS)
                options.progress(step / STEPS)
        except RobotError as error:
            result.failure = str(error)
    result.wall_s = time.monotonic() - begin
    judge(result, monitor, sim)
    result.recording = str(options.record) if options.record is not None else ""
    if failed:
        result.notes += failed
    return result


def judge(result: Result, monitor: ExpectationMonitor, sim: Simulation) -> None:
    """Fill in the verdicts, faults and severe events of a run that has ended."""
    result.verdicts, result.faults = monitor.verdicts(), monitor.faults
    result.events = [event for event in sim.events if event.severity in SEVERE]


@contextmanager
def recorded(sim: Simulation, file: Path | None) -> Iterator[list[str]]:
    """Record to a file inside the block, if there is one. The list gets what went wrong."""
    failed: list[str] = []
    if file is None:
        yield failed
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("wb")
    except OSError as error:
        what = f"cannot write {file}: {error.strerror}"
        raise InputError(Problem("--record-failures", what, "choose another folder")) from None
    with stream:
        recorder = Recorder(sim, stream)
        try:
            yield failed
        finally:
            recorder.close()
            if recorder.failed:
                failed.append(f"the recording to {file} is incomplete: {recorder.failed}")
