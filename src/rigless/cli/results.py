"""The result of a checked scenario."""

from dataclasses import dataclass, field

from rigless.kernel.events import Event
from rigless.scenario.expectations import FaultPeriod, Verdict


@dataclass
class Result:
    """The result of one scenario.

    Wall time is for people; the JSON report leaves it out, so that reports compare run to run.
    """

    name: str
    target: str
    seed: int
    duration_s: float
    verdicts: list[Verdict] = field(default_factory=list)
    failure: str = ""
    events: list[Event] = field(default_factory=list)
    wall_s: float = 0.0
    faults: list[FaultPeriod] = field(default_factory=list)
    repeat: str = ""  # the command that runs it again
    recording: str = ""  # the file of a failed run

    @property
    def passed(self) -> bool:
        return not self.failure and all(verdict.passed for verdict in self.verdicts)
