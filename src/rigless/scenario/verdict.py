"""Results of expectations, as plain data for reports and sweeps."""

from dataclasses import dataclass, field

from rigless.kernel.events import Event


@dataclass
class Series:
    """A value over simulated time, or `single` measurements with nothing between them."""

    times_s: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    single: bool = False


@dataclass
class Verdict:
    """The result of one expectation: its name, what was seen, what was expected, and its line.

    `margin` is how far it was from the other verdict, in the unit of the value: positive if it
    passed, negative if it failed, None if there is no number. `series` is the observed value,
    `low` and `high` are its limits.
    """

    text: str
    passed: bool
    detail: str
    expected: str = ""
    place: str = ""  # file:line of the scenario
    margin: float | None = None
    broke_at_s: float | None = None  # the first time at which it did not hold
    series: Series | None = None
    low: float | None = None
    high: float | None = None
    robot: str = ""  # the robot that failed it, or the only one


INSTANT = ("kill", "restart")  # faults on programs that have no duration


@dataclass
class FaultPeriod:
    """The time of a fault in a run; `end_s` is None if it lasted to the end.

    `robot` is empty for a fault of a program, whose name is then the target.
    """

    robot: str
    target: str
    kind: str
    begin_s: float
    end_s: float | None = None

    @property
    def instant(self) -> bool:
        return self.begin_s == self.end_s

    @property
    def name(self) -> str:
        """Robot, target and kind."""
        return f"{self.robot or 'program'} {self.target} {self.kind}"

    @property
    def when(self) -> str:
        """The period in words."""
        if self.instant:
            return f"at {self.begin_s:g} s"
        end = "the end" if self.end_s is None else f"{self.end_s:g} s"
        return f"from {self.begin_s:g} s to {end}"

    def __str__(self) -> str:
        return f"{self.name}: {self.when}"


def note_fault(faults: list[FaultPeriod], event: Event) -> None:
    """Add the fault that an event begins, or end the fault that it ends."""
    time_s, target, kind = event.time_ns / 1e9, event.data.get("target"), event.data.get("kind")
    if event.code == "fault-injected":
        end_s = time_s if "program" in event.data and kind in INSTANT else None
        faults.append(FaultPeriod(event.robot, str(target), str(kind), time_s, end_s))
    elif event.code == "fault-cleared":
        for fault in faults:
            same = (fault.robot, fault.target, fault.kind) == (event.robot, target, kind)
            if same and fault.end_s is None:
                fault.end_s = time_s
