"""The parts that every checked run has: options, duration, recording, judging."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import Recorder
from rigless.kernel.simulation import Simulation
from rigless.runs.result import Result
from rigless.scenario.build import Built
from rigless.scenario.expectations import ExpectationMonitor

DEFAULT_DURATION_S = 10.0
SEVERE = ("warning", "error", "critical")
Progress = Callable[[float], None]


@dataclass
class Options:
    """The options of a run: `commands` replaces those of programs, `folder` is for files."""

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


def judge(result: Result, monitor: ExpectationMonitor, sim: Simulation) -> None:
    """Fill in the verdicts, faults, metrics and severe events of a run that has ended."""
    result.verdicts, result.faults = monitor.verdicts(), monitor.faults
    result.metrics = {
        name if len(sim.robots) == 1 else f"{robot.name}.{name}": value
        for robot in sim.robots.values()
        for name, value in robot.metrics.items()
    }
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
