"""An overview of a whole recording: how much happens when, its faults and its collisions.

It is made while the file is read for the player, so it costs no further pass and no simulation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rigless.kernel.events import Event
from rigless.kernel.robot import Robot
from rigless.scenario.verdict import FaultPeriod, note_fault

BINS = 400
FIRST_STEP_NS = 1_000_000  # of the bins; it doubles until the recording fits
MAX_FAULTS, MAX_COLLISIONS = 500, 1000
ROWS = ("received", "sent", "info", "warnings", "errors")
ROW_OF = {"debug": "info", "info": "info", "warning": "warnings"}


class Density:
    """Counts of things over time, in a fixed number of bins whose width follows the length."""

    def __init__(self, begin_ns: int):
        self.begin_ns, self.step_ns = begin_ns, FIRST_STEP_NS
        self.counts = {name: [0] * BINS for name in ROWS}

    def add(self, name: str, time_ns: int) -> None:
        """Count one thing. Times before the beginning count as the beginning."""
        place = max(time_ns - self.begin_ns, 0) // self.step_ns
        while place >= BINS:
            self._double()
            place //= 2
        self.counts[name][place] += 1

    def _double(self) -> None:
        self.step_ns *= 2
        for name, counts in self.counts.items():
            pairs = [counts[n] + counts[n + 1] for n in range(0, BINS, 2)]
            self.counts[name] = pairs + [0] * (BINS - len(pairs))


@dataclass
class Overview:
    """The density of messages and events, and the marks of a recording."""

    density: Density
    faults: list[FaultPeriod] = field(default_factory=list)
    collisions: list[Event] = field(default_factory=list)

    @classmethod
    def begin(cls, begin_ns: int, robots: Mapping[str, Robot]) -> "Overview":
        """Begin with the faults that are active at the first instant."""
        active = [
            FaultPeriod(name, fault.target, fault.kind, begin_ns / 1e9)
            for name, robot in robots.items()
            for fault in robot.faults
        ]
        return cls(Density(begin_ns), active)

    def note_event(self, event: Event, robots: Mapping[str, Robot]) -> None:
        """Count an event, and keep it if it is a collision or concerns a fault."""
        self.density.add(ROW_OF.get(event.severity, "errors"), event.time_ns)
        if len(self.faults) < MAX_FAULTS or event.code == "fault-cleared":
            note_fault(self.faults, event)
        robot = robots.get(event.robot)
        if robot is not None and event.code in robot.collision_codes:
            self.collisions.append(event)
            del self.collisions[MAX_COLLISIONS:]
