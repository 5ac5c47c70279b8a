"""Expectations on programs: exit, output, restarts, memory and CPU time.

The run hands over its programs as an object with `facts`. Nothing here starts a process.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rigless.scenario.expect.curve import Curve
from rigless.scenario.expect.margins import count_slack, counted, explain_count, least_count
from rigless.scenario.expect.names import check_names
from rigless.scenario.expect.watch import Watch
from rigless.scenario.model.program import ProgramEntry
from rigless.scenario.verdict import Series, Verdict

LINE = 200  # characters of the last line to show
NOT_STARTED = "the programs of this scenario were not started"


@dataclass
class ProgramFacts:
    """The observations of one program so far.

    `ended_at_s` is set if it ended by itself: then `exit` or `signal` says how. A program that is
    stopped at the end of the run has none, and stays `alive`. So does one that is about to be
    restarted.
    """

    exit: int | None = None
    signal: str = ""  # such as SIGSEGV
    alive: bool = False
    started: bool = False
    restarts: int = 0
    memory_mb: float = 0.0  # the largest
    cpu_s: float = 0.0
    memory: Series = field(default_factory=Series)
    cpu: Series = field(default_factory=Series)
    lines: Sequence[tuple[float, str, str]] = ()  # time, stream, text
    notes: list[str] = field(default_factory=list)  # such as: command not found
    ended_at_s: float | None = None
    over: bool = False  # it will not run again, whatever ended it
    cut: bool = False  # not all of its output is in `lines`

    @property
    def ended(self) -> bool:
        """True if it has ended by itself and is not restarted."""
        return self.ended_at_s is not None and not self.alive

    def happened(self) -> str:
        """Return the end of the program in words."""
        notes = "; ".join(self.notes)
        if not self.started:
            return notes or "was not started"
        if self.ended_at_s is None or self.alive:
            state = "was running" if self.alive else "was ended by a fault"
            again = f" after {counted(self.restarts, 'restart')}" if self.restarts else ""
            return f"{state}{again}{f'; {notes}' if notes else ''}"
        how = f"killed by {self.signal}" if self.signal else f"exited with {self.exit}"
        return f"{how} at {self.ended_at_s:.2f} s{f'; {notes}' if notes else ''}"

    def explained(self) -> str:
        """Return the end of the program with the last line of its output."""
        printed = (text for _, stream, text in reversed(self.lines) if stream != "note")
        last = next((text for text in printed if text.strip()), "")
        return self.happened() + (f"; last line: {last[:LINE]}" if last else "")


class Programs(Protocol):
    """The programs of a run."""

    def facts(self, name: str, /) -> ProgramFacts: ...


class ProgramWatch(Watch):
    """The base of expectations on one program."""

    def __init__(self, *args: Any, programs: Programs | None, entries: list[ProgramEntry]):
        super().__init__(*args)
        self._programs = programs
        self._names = [entry.name for entry in entries]

    @property
    def facts(self) -> ProgramFacts | None:
        """The facts so far; None in a run without its programs."""
        return None if self._programs is None else self._programs.facts(self.e.program or "")

    def begin(self) -> None:
        check_names(self.e, (), self._names)
        self.check_window()

    def decided(self) -> bool:
        facts = self.facts
        if facts is None or facts.ended or facts.over:
            return True
        return self.window_ended() or self.settled(facts)

    def settled(self, facts: ProgramFacts) -> bool:
        """Return True if a program that is running cannot change the verdict."""
        return False

    def verdict(self) -> Verdict:
        facts = self.facts
        if facts is None:
            return self.result(False, NOT_STARTED)
        return self.judge(facts)

    def judge(self, facts: ProgramFacts) -> Verdict:
        raise NotImplementedError


class ExitWatch(ProgramWatch):
    """A program that ends by itself with this code."""

    def judge(self, facts: ProgramFacts) -> Verdict:
        passed = facts.ended and not facts.signal and facts.exit == self.e.exit
        detail = facts.happened() if passed else facts.explained()
        return self.result(passed, detail, broke_at_s=facts.ended_at_s)


class AliveWatch(ProgramWatch):
    """A program that runs until the end."""

    def judge(self, facts: ProgramFacts) -> Verdict:
        passed = facts.started and facts.alive
        again = f", after {counted(facts.restarts, 'restart')}" if facts.restarts else ""
        detail = f"was running at the end{again}" if passed else facts.explained()
        return self.result(passed, detail, broke_at_s=facts.ended_at_s)


class AtMostWatch(ProgramWatch):
    """Restarts, memory or CPU time that stay below a limit."""

    def settled(self, facts: ProgramFacts) -> bool:
        return self._observed(facts)[0] > self._observed(facts)[1]

    def judge(self, facts: ProgramFacts) -> Verdict:
        value, limit, unit, series = self._observed(facts)
        passed = facts.started and value <= limit
        whole = self.e.restarts_max is not None
        detail = counted(int(value), "restart") if whole else f"{value:.4g} {unit}"
        if not passed:
            many = "many" if whole else "much"
            detail += f", {value - limit:.4g} too {many}" if value > limit else ""
            detail += f"; {facts.explained()}"
        curve = Curve()
        for time_s, one in zip(series.times_s, series.values, strict=True):
            curve.add(time_s, one)
        above = (t for t, one in zip(series.times_s, series.values, strict=True) if one > limit)
        margin = limit - value if facts.started else None
        return self.result(
            passed, detail, margin=margin, broke_at_s=next(above, None), curve=curve, high=limit
        )

    def _observed(self, facts: ProgramFacts) -> tuple[float, float, str, Series]:
        """Return the value, its limit, its unit (restarts have none) and its course."""
        if self.e.memory_max_mb is not None:
            return facts.memory_mb, self.e.memory_max_mb, "MB", facts.memory
        if self.e.cpu_max_s is not None:
            return facts.cpu_s, self.e.cpu_max_s, "s of CPU time", facts.cpu
        return facts.restarts, self.e.restarts_max or 0, "", Series()


class OutputWatch(ProgramWatch):
    """A number of output lines that match a regular expression, in a window."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        e = self.e
        self._pattern = re.compile(e.output or "")
        self._low = least_count(e)
        self._high = e.max_count if e.max_count is not None else None if e.seen else 0
        self._read = 0  # lines so far
        self._found: list[tuple[float, str]] = []

    def _count(self, facts: ProgramFacts) -> int:
        for time_s, stream, text in facts.lines[self._read :]:
            self._read += 1
            inside = (self.e.from_s or 0.0) <= time_s and (
                self.e.to_s is None or time_s <= self.e.to_s
            )
            if inside and stream != "note" and self._pattern.search(text):
                self._found.append((time_s, text))
                self.curve.add(time_s, len(self._found))
        return len(self._found)

    def settled(self, facts: ProgramFacts) -> bool:
        count = self._count(facts)
        return count >= self._low if self._high is None else count > self._high

    def judge(self, facts: ProgramFacts) -> Verdict:
        count = self._count(facts)
        many = self._high is not None and count > self._high
        unknown = facts.cut and self._high is not None  # a later line may have matched
        passed = facts.started and count >= self._low and not many and not unknown
        first = f"; first at {self._found[0][0]:.2f} s: {self._found[0][1][:LINE]}" if count else ""
        detail = counted(count, "line") + explain_count(count, self._low, self._high) + first
        detail += "; its output was cut, so later lines are unknown" if unknown else ""
        broke_at_s = self._found[self._high or 0][0] if many else self.closing_s()
        return self.result(
            passed,
            detail if passed else f"{detail}; {facts.explained()}",
            margin=count_slack(count, self._low, self._high) if facts.started else None,
            broke_at_s=broke_at_s,
            low=self._low or None,
            high=self._high,
        )


class ImpliedExit(ProgramWatch):
    """The end of each program, without an expectation: an exit code that its entry allows.

    A program that is stopped at the end of the run passes, unless its entry has `expect_exit`.
    """

    def __init__(self, *args: Any, entry: ProgramEntry, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._entry = entry
        self._must_end = entry.expect_exit not in (None, "any")

    def decided(self) -> bool:
        return super().decided() or not self._must_end

    def judge(self, facts: ProgramFacts) -> Verdict:
        exits = self._entry.exits
        if not facts.started:
            passed = False
        elif not facts.ended:
            passed = not self._must_end
        else:
            passed = exits is None or (not facts.signal and facts.exit in exits)
        detail = facts.happened() if passed else facts.explained()
        return self.result(passed, detail, broke_at_s=facts.ended_at_s)

    def result(self, passed: bool, detail: str, **rest: Any) -> Verdict:
        verdict = super().result(passed, detail, **rest)
        verdict.text, verdict.expected = f"{self._entry.name} ends well", self._sentence()
        return verdict

    def _sentence(self) -> str:
        name, exits = self._entry.name, self._entry.exits
        if exits is None:
            return f"{name} can be started"
        codes = " or ".join(map(str, exits))
        if self._must_end:
            return f"{name} exits with {codes}"
        return f"{name} runs to the end, or exits with {codes}"
