"""Expectations on the number of events or messages in a window."""

from typing import Any

from rigless.kernel.events import Event
from rigless.kernel.problems import InputError
from rigless.scenario.expect.margins import (
    count_slack,
    counted,
    explain_count,
    least_count,
    moment,
)
from rigless.scenario.expect.names import check_names, other_names
from rigless.scenario.expect.paths import matches
from rigless.scenario.expect.watch import Message, Watch
from rigless.scenario.verdict import Verdict

SHOWN = 3  # times to show of what was counted


class CountWatch(Watch):
    """A number of occurrences between two limits. The upper limit may be None."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        e = self.e
        self.low = least_count(e)
        self.high = e.max_count if e.max_count is not None else None if e.seen else 0
        self.count = 0
        self.failure = ""  # the reason for which nothing can be counted
        self.broke_at_s: float | None = None
        self.broke_robot = ""
        self._times: list[str] = []

    def begin(self) -> None:
        check_names(self.e, self.robots.values())
        self.check_window()
        self.curve.add(self.start_ns / 1e9, 0.0)

    def see(self, time_ns: int, robot: str) -> None:
        """Count an occurrence."""
        self.count += 1
        time_s = time_ns / 1e9
        if len(self._times) < SHOWN:
            self._times.append(moment(time_s))
        if self.high is not None and self.count == self.high + 1:
            self.broke_at_s, self.broke_robot = time_s, robot
        self.curve.add(time_s, self.count)

    def times(self) -> str:
        """Return the times of the first occurrences."""
        more = ", …" if self.count > SHOWN else ""
        return f" ({', '.join(self._times)}{more})" if self._times else ""

    def decided(self) -> bool:
        if self.failure or self.window_ended():
            return True
        return self.count >= self.low if self.high is None else self.count > self.high

    def verdict(self) -> Verdict:
        few, passed = self.count < self.low, self._holds()
        closing_s = self.closing_s()
        return self.result(
            passed,
            self.failure or self.detail(passed),
            margin=None if self.failure else count_slack(self.count, self.low, self.high),
            broke_at_s=closing_s if few else self.broke_at_s,
            end=(closing_s, float(self.count)) if closing_s * 1e9 >= self.start_ns else None,
            low=self.low or None,
            high=self.high,
            robot=self.broke_robot,
        )

    def detail(self, passed: bool) -> str:
        """Return the number and the times in words."""
        raise NotImplementedError

    def _holds(self) -> bool:
        few, many = self.count < self.low, self.high is not None and self.count > self.high
        return not (few or many or self.failure)


class EventWatch(CountWatch):
    """A number of events with one code."""

    wants_events = True

    def event(self, time_ns: int, event: Event) -> None:
        mine = self.e.robot is None or event.robot in self.robots
        if mine and event.code == self.e.event and self.in_window(time_ns):
            self.see(time_ns, event.robot)

    def detail(self, passed: bool) -> str:
        seen = f"seen {counted(self.count, 'time')}"
        seen += explain_count(self.count, self.low, self.high)
        others = ""
        if not passed and not self.count and self.e.event not in self.run.codes:
            others = f"; events of this run: {', '.join(sorted(self.run.codes)) or 'none'}"
        return f"{seen}{self.times()}{others}"


class MessageWatch(CountWatch):
    """A number of messages on a port, of one type and with some field values if these are given."""

    wants_messages = True

    def message(self, time_ns: int, message: Message) -> None:
        if self.e.message not in (None, *message.kinds) or message.robot not in self.robots:
            return
        if self.in_window(time_ns) and self._matches(message):
            self.see(time_ns, message.robot)

    def detail(self, passed: bool) -> str:
        seen = counted(self.count, "message") + explain_count(self.count, self.low, self.high)
        times = self.times() if self.e.message else ""
        if passed or self.count:
            return seen + times
        found = self.run.messages(self.e.message_direction)
        return seen + other_names(found, self.e.port or "", self.e.message)

    def _matches(self, message: Message) -> bool:
        """Return True if a message matches `where`; a missing field fails the expectation."""
        try:
            return matches(message.content, self.e.where)
        except InputError as error:
            if not self.decided():
                self.failure = f"{message.kind}: {error.problems[0]}"
                self.broke_at_s = self.run.now_ns / 1e9
            return False
