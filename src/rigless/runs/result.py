"""The result of a checked run, with the trace that reports draw.

All of it is plain data, so that a run in a process of its own can hand it over as JSON.
"""

from dataclasses import dataclass, field
from typing import Literal

from rigless.kernel.events import Event
from rigless.runs.trace import Trace
from rigless.scenario.verdict import FaultPeriod, Verdict

Status = Literal["passed", "failed", "invalid"]


@dataclass
class ProgramResult:
    """The end of one program. `exit` is None if it ran to the end and was stopped."""

    name: str
    command: list[str]
    exit: int | None = None
    accepted: bool = True  # False if the scenario does not accept that end
    started: bool = True
    signal: str = ""  # of a process that a signal ended, such as SIGSEGV
    ended_by_fault: bool = False  # and not started again
    restarts: int = 0
    memory_mb: float = 0.0  # the largest sum over its processes
    cpu_s: float = 0.0
    notes: list[str] = field(default_factory=list)  # cut output, killed processes, limits
    log: str = ""  # the file with its output
    last_lines: list[str] = field(default_factory=list)


@dataclass
class Result:
    """The result of one scenario.

    Wall time is for people; the JSON report leaves it out, so that reports compare run to run.
    """

    name: str
    target: str
    seed: int
    duration_s: float  # simulated; shorter than planned if the run was decided early
    verdicts: list[Verdict] = field(default_factory=list)
    failure: str = ""
    invalid: str = ""  # why the run says nothing about the software, such as a slow machine
    events: list[Event] = field(default_factory=list)
    wall_s: float = 0.0
    faults: list[FaultPeriod] = field(default_factory=list)
    programs: list[ProgramResult] = field(default_factory=list)
    repeat: str = ""  # the command that runs it again
    recording: str = ""  # the file of a failed run
    folder: str = ""  # of the run: logs, state, recording, report
    notes: list[str] = field(default_factory=list)  # further sentences for people
    trace: Trace | None = None
    metrics: dict[str, float] = field(default_factory=dict)  # ROBOT.NAME, of one robot NAME

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    @property
    def status(self) -> Status:
        if self.invalid:
            return "invalid"
        good = not self.failure and all(verdict.passed for verdict in self.verdicts)
        return "passed" if good else "failed"
