"""The base of all kinds of expectations, and the observations of a run that they share."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rigless.kernel.events import Event
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.timing.rate import to_ns
from rigless.scenario.expect.curve import Curve
from rigless.scenario.expect.sentences import describe
from rigless.scenario.model.expectation import Expectation
from rigless.scenario.verdict import Verdict


class Message(NamedTuple):
    """A message that a robot sent or received, without its envelope."""

    robot: str
    port: str
    kind: str
    content: Any
    kinds: tuple[str, ...]  # the name of its type and those of its bases


@dataclass
class Run:
    """The run that is watched.

    `sent` and `received` hold the last message of each robot, port and type.
    """

    simulation: Simulation
    duration_s: float
    sent: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    received: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    codes: set[str] = field(default_factory=set)  # of all events so far
    programs: tuple[str, ...] = ()  # their names

    @property
    def now_ns(self) -> int:
        return self.simulation.core.now_ns

    def messages(self, direction: str) -> dict[tuple[str, str, str], Any]:
        """Return the last messages in one direction."""
        return self.received if direction == "in" else self.sent


class Watch:
    """One expectation in a run.

    `begin` checks it and schedules its samples. Subclasses that need events or messages set
    `wants_events` or `wants_messages` and get each through `event` or `message`.
    """

    wants_events = False
    wants_messages = False

    def __init__(self, expectation: Expectation, run: Run, robots: dict[str, Robot]):
        e = self.e = expectation
        self.run, self.robots = run, robots
        self.start_ns = to_ns(e.from_s or 0.0)
        self.end_ns = None if e.to_s is None else to_ns(e.to_s)
        self.curve = Curve()

    def begin(self) -> None:
        """Begin to observe. Raises InputError."""
        raise NotImplementedError

    def event(self, time_ns: int, event: Event) -> None:
        """Observe an event."""

    def message(self, time_ns: int, message: Message) -> None:
        """Observe a message on the port and in the direction of the expectation."""

    def decided(self) -> bool:
        """Return True if no later observation can change the verdict."""
        raise NotImplementedError

    def verdict(self) -> Verdict:
        """Return the verdict as of now."""
        raise NotImplementedError

    # For subclasses

    @property
    def only_robot(self) -> str:
        """The name of the robot if there is only one."""
        return next(iter(self.robots)) if len(self.robots) == 1 else ""

    def in_window(self, time_ns: int) -> bool:
        return self.start_ns <= time_ns and (self.end_ns is None or time_ns <= self.end_ns)

    def window_ended(self) -> bool:
        return self.end_ns is not None and self.run.now_ns > self.end_ns

    def closing_s(self) -> float:
        """Return the end of the window, or the time now if that is earlier."""
        now_ns = self.run.now_ns
        return (now_ns if self.end_ns is None else min(self.end_ns, now_ns)) / 1e9

    def call_every(self, step_ns: int, call: Callable[[], None]) -> None:
        """Call in the window at a fixed period, after everything else of the instant."""
        core = self.run.simulation.core
        end_ns = to_ns(self.run.duration_s) if self.end_ns is None else self.end_ns

        def due(due_ns: int) -> None:
            call()
            if due_ns + step_ns <= end_ns:
                core.call_at(due_ns + step_ns, lambda: due(due_ns + step_ns))

        core.call_at(self.start_ns, lambda: due(self.start_ns))

    def check_window(self) -> None:
        """Raise InputError if the window begins after the end of the run."""
        if self.start_ns > to_ns(self.run.duration_s):
            what = f"{self.e.from_s:g} s is after the end of the run, {self.run.duration_s:g} s"
            raise InputError(Problem("from_s", what, "a longer duration_s, or an earlier time"))

    def is_cut_off(self) -> bool:
        """Return True if the run ends before the window, so that a part of it is not observed."""
        return self.end_ns is not None and self.end_ns > to_ns(self.run.duration_s)

    def check_one_robot(self) -> None:
        """Raise InputError if the robot is not named and there are several."""
        if self.e.robot is None and len(self.robots) > 1:
            what = "this expectation names no robot and there are several"
            raise InputError(Problem("", what, "add robot = …, or * for all"))

    def result(
        self,
        passed: bool,
        detail: str,
        *,
        margin: float | None = None,
        broke_at_s: float | None = None,
        curve: Curve | None = None,
        end: tuple[float, float] | None = None,
        low: float | None = None,
        high: float | None = None,
        robot: str = "",
    ) -> Verdict:
        """Return a verdict. A margin whose sign contradicts it says nothing and is left out.

        An expectation whose window is not observed to its end passes only if it is decided.
        """
        if passed and self.is_cut_off() and not self.decided():
            passed = False
            detail += f"; not checked to {self.e.to_s:g} s: the run ends at "
            detail += f"{self.run.duration_s:g} s (set duration_s)"
        if margin is not None and (not math.isfinite(margin) or (margin >= 0) != passed):
            margin = None
        sentence = describe(self.e)
        return Verdict(
            self.e.name or sentence,
            passed,
            detail,
            expected=sentence,
            margin=margin,
            broke_at_s=None if passed else broke_at_s,
            series=(self.curve if curve is None else curve).series(end),
            low=low,
            high=high,
            robot=robot or self.only_robot,
        )
