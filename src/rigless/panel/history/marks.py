"""Faults, severe events and the limits of expectations, as marks behind plots and timelines."""

from collections.abc import Iterable, Mapping

from rigless.kernel.events import Event
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.panel.history.models import EventMark, FaultBand, SignalLimit
from rigless.panel.history.names import Name
from rigless.recordings.seekable import SeekableRecording
from rigless.scenario.model.expectation import Expectation
from rigless.scenario.planned_inputs import matching_robots
from rigless.scenario.verdict import FaultPeriod, note_fault

MAX_FAULTS = 500
MAX_EVENTS = 2000
MAX_LIMITS = 200
SEVERE = ("warning", "error", "critical")
FAULT_CODES = ("fault-injected", "fault-cleared")
ROOTS = {"truth": "truth", "metrics": "metrics", "input": "input", "sent": "out", "received": "in"}


class Marks:
    """Collects the marks of a simulation from now on; events so far are included."""

    def __init__(self, sim: Simulation):
        self._sim = sim
        self._faults: list[FaultPeriod] = []
        self._events: list[tuple[Event, bool]] = []
        sim.core.observe_events(self._note)

    def start_over(self) -> None:
        """Collect again from the start, unless all is collected."""
        if self._note in self._sim.core.listeners.event:
            self.stop()
            self._faults, self._events = [], []
            self._sim.core.observe_events(self._note)

    def stop(self) -> None:
        """Stop collecting."""
        listeners = self._sim.core.listeners.event
        if self._note in listeners:
            listeners.remove(self._note)

    def _note(self, time_ns: int, event: Event) -> None:
        note_fault(self._faults, event)
        del self._faults[:-MAX_FAULTS]
        collision = _is_collision(event, self._sim.robots)
        if _has_mark(event, collision):
            self._events.append((event, collision))
            del self._events[:-MAX_EVENTS]

    def forget_from(self, time_s: float) -> bool:
        """Drop the marks from this time on; faults that ended later are active again."""
        self._faults = [fault for fault in self._faults if fault.begin_s < time_s]
        for fault in self._faults:
            if fault.end_s is not None and fault.end_s >= time_s:
                fault.end_s = None
        self._events = [pair for pair in self._events if pair[0].time_ns / 1e9 < time_s]
        return False

    def faults(self) -> list[FaultBand]:
        """Return the faults in the order of their beginning."""
        return [
            fault_band(fault)
            for fault in self._faults
            if fault.end_s is not None or self._is_active(fault)
        ]

    def _is_active(self, fault: FaultPeriod) -> bool:
        """Return False for a fault without an end that belongs to another past."""
        robot = self._sim.robots.get(fault.robot)
        return robot is None or any(
            (one.target, one.kind) == (fault.target, fault.kind) for one in robot.faults
        )

    def events(self) -> list[EventMark]:
        """Return collisions and severe events, oldest first."""
        return [event_mark(event, collision) for event, collision in self._events]


def recorded_events(recording: SeekableRecording) -> list[EventMark]:
    """Return collisions and severe events of a whole recording, oldest first."""
    robots = recording.simulation.robots
    found = [(event, _is_collision(event, robots)) for event in recording.events]
    return [event_mark(*pair) for pair in found if _has_mark(*pair)]


def fault_band(fault: FaultPeriod) -> FaultBand:
    """Return a fault for the API."""
    return {
        "robot": fault.robot,
        "target": fault.target,
        "kind": fault.kind,
        "begin_s": fault.begin_s,
        "end_s": fault.end_s,
    }


def event_mark(event: Event, collision: bool) -> EventMark:
    """Return an event for the API."""
    return {
        "time_s": event.time_ns / 1e9,
        "robot": event.robot,
        "severity": event.severity,
        "code": event.code,
        "text": event.text,
        "collision": collision,
    }


def _is_collision(event: Event, robots: Mapping[str, Robot]) -> bool:
    robot = robots.get(event.robot)
    return robot is not None and event.code in robot.collision_codes


def _has_mark(event: Event, collision: bool) -> bool:
    return event.code not in FAULT_CODES and (collision or event.severity in SEVERE)


def limits_of(expect: Iterable[Expectation], robots: Mapping[str, Robot]) -> list[SignalLimit]:
    """Return the limits of expectations on values that are signals."""
    found: list[SignalLimit] = []
    for e in expect:
        name = _signal(e.value or "")
        low, high = e.min, e.max
        if isinstance(e.equals, int | float) and not isinstance(e.equals, bool):
            low = high = float(e.equals)
        if name is None or (low is None and high is None):
            continue
        found += [
            {
                "signal": str(name._replace(robot=robot)),
                "label": e.name,
                "low": low,
                "high": high,
                "from_s": e.from_s if e.at_s is None else e.at_s,
                "to_s": e.to_s if e.at_s is None else e.at_s,
            }
            for robot in matching_robots("*" if e.robot is None else e.robot, robots)
        ]
    return found[:MAX_LIMITS]


def _signal(path: str) -> Name | None:
    """Return the signal of a value such as truth.pose.0, with an empty robot, or None."""
    root, _, rest = path.partition(".")
    section = ROOTS.get(root)
    if section is None or not rest:
        return None
    if section in ("out", "in"):
        rest = rest.replace(".", "/", 1)
    return Name("", section, rest)
