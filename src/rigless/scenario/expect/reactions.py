"""Expectations on the time or the distance after an event or a fault."""

from dataclasses import dataclass
from typing import Any

from rigless.kernel.events import Event
from rigless.kernel.problems import InputError
from rigless.kernel.robot import Robot
from rigless.scenario.expect.curve import Curve
from rigless.scenario.expect.margins import counted, moment
from rigless.scenario.expect.names import check_names
from rigless.scenario.expect.paths import matches
from rigless.scenario.expect.watch import Message, Watch
from rigless.scenario.model.expectation import Expectation
from rigless.scenario.verdict import Verdict


def robots_after(e: Expectation, event: Event, robots: dict[str, Robot]) -> list[str]:
    """Return the robots that must react to an event: `after`, or the begin of `after_fault`.

    A fault on a program concerns every selected robot that has the port of the expectation.
    """
    if e.after is not None:
        trigger = event.code == e.after
    else:
        trigger = event.code == "fault-injected" and event.data.get("target") == e.after_fault
    if trigger and e.after_fault is not None and event.data.get("program") == e.after_fault:
        return [
            name
            for name, robot in robots.items()
            if e.port is None or any(port.name == e.port for port in robot.ports)
        ]
    return [event.robot] if trigger and event.robot in robots else []


def none_occurred(e: Expectation) -> str:
    """Return the sentence for a run without an occurrence."""
    what = f"the event {e.after}" if e.after is not None else f"a fault of {e.after_fault}"
    return f"{what} did not occur, so that nothing was measured"


@dataclass
class Reaction:
    """An occurrence, and the time until the message that followed; None without one."""

    robot: str
    begin_ns: int
    ms: float | None = None


class ReactionWatch(Watch):
    """The first message after each occurrence, within a time.

    An occurrence less than that time before the end is left out if no message followed.
    """

    wants_events = True
    wants_messages = True

    def __init__(self, *args: Any):
        super().__init__(*args)
        assert self.e.reacts_within_ms is not None
        self.limit_ms = self.e.reacts_within_ms
        self.curve = Curve(single=True)
        self.least = 1 if self.e.min_count is None else self.e.min_count
        self._reactions: list[Reaction] = []
        self._open: list[Reaction] = []
        self._worst_ms = 0.0
        self._failure = ""

    def begin(self) -> None:
        check_names(self.e, self.robots.values(), self.run.programs)
        self.check_window()

    def event(self, time_ns: int, event: Event) -> None:
        if self.in_window(time_ns):
            for robot in robots_after(self.e, event, self.robots):
                reaction = Reaction(robot, time_ns)
                self._reactions.append(reaction)
                self._open.append(reaction)

    def message(self, time_ns: int, message: Message) -> None:
        if not self._open or self.e.message not in (None, *message.kinds):
            return
        try:
            if not matches(message.content, self.e.where):
                return
        except InputError as error:
            if not self.decided():
                self._failure = f"{message.kind}: {error.problems[0]}"
            return
        for reaction in [one for one in self._open if one.robot == message.robot]:
            reaction.ms = (time_ns - reaction.begin_ns) / 1e6
            self._worst_ms = max(self._worst_ms, reaction.ms)
            self.curve.add(reaction.begin_ns / 1e9, reaction.ms)
            self._open.remove(reaction)

    def decided(self) -> bool:
        if self._failure or self._worst_ms > self.limit_ms or self._overdue():
            return True
        return self.window_ended() and not self._open

    def _overdue(self) -> list[Reaction]:
        """Return the occurrences whose time is over without a message."""
        now_ns = self.run.now_ns
        return [one for one in self._open if (now_ns - one.begin_ns) / 1e6 > self.limit_ms]

    def verdict(self) -> Verdict:
        overdue = self._overdue()
        measured = [one for one in self._reactions if one.ms is not None] + overdue
        if self._failure or not measured:
            passed = not self._failure and self.least == 0
            return self.result(passed, self._failure or self._unmeasured(), high=self.limit_ms)
        late = [one for one in measured if one.ms is None or one.ms > self.limit_ms]
        worst = max(measured, key=self._ms)
        enough = len(self._reactions) >= self.least
        begin = f"after {moment(worst.begin_ns / 1e9)}"
        what = f"no reaction {begin}" if worst.ms is None else f"worst {worst.ms:.6g} ms {begin}"
        number = f"{len(measured)} measured" + (f", {len(late)} too late" if late else "")
        occurred = counted(len(self._reactions), "occurrence")
        few = "" if enough else f"; {occurred}, at least {self.least} needed"
        return self.result(
            not late and enough,
            f"{what}; {number}{few}",
            margin=self.limit_ms - self._ms(worst) if late or enough else None,
            broke_at_s=late[0].begin_ns / 1e9 + self.limit_ms / 1e3 if late else None,
            high=self.limit_ms,
            robot=late[0].robot if late else "",
        )

    def _ms(self, reaction: Reaction) -> float:
        """Return the time of a reaction; without one the time since the occurrence."""
        return (
            reaction.ms if reaction.ms is not None else (self.run.now_ns - reaction.begin_ns) / 1e6
        )

    def _unmeasured(self) -> str:
        if not self._reactions:
            return none_occurred(self.e)
        first_s = self._reactions[0].begin_ns / 1e9
        return f"nothing was measured: it occurred at {moment(first_s)}, too short before the end"
