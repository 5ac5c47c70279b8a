"""The failure that a shrink must keep: which expectation failed, and in which phase of the run.

An expectation fails in the phase `within` if something happened that should not, such as a
collision. It fails in the phase `end` if something did not happen, or was not so at an instant, and
in the phase `begin` if it never held in a window that begins later than the run. The last two would
also fail if the robots did nothing at all. The phase is therefore a part of the failure, and the
commands of a run are dropped only for the first.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.runs.result import Result
from rigless.scenario.verdict import Verdict

Phase = Literal["within", "begin", "end", "crash"]
TIME = re.compile(r"\d+\.\d+ s\b")
SAMPLE_S = 0.05  # the default period of samples
CLOSE_S = 1e-6
FIX = "give a seed or a row that fails"


@dataclass(frozen=True)
class Failure:
    """A failed expectation by its name, or the text of a robot's crash without its time."""

    text: str
    phase: Phase
    entry: dict[str, Any] | None = None  # of the expectation in the scenario; None: implied

    @property
    def keeps_commands(self) -> bool:
        """True if commands and configs are kept, since without them it would fail anyway."""
        return self.phase in ("begin", "end")

    def of(self, result: Result) -> Verdict | None:
        """Return the verdict that shows this failure in a run; for a crash, one made up of it."""
        if result.invalid:
            return None
        if self.phase == "crash":
            same = bool(result.failure) and TIME.sub("", result.failure) == self.text
            return _of_crash(self, result) if same else None
        if result.failure:
            return None
        for verdict in result.verdicts:
            if verdict.text == self.text and not verdict.passed:
                phase = phase_of(verdict, self.entry, result.duration_s)
                if phase == self.phase:
                    return verdict
        return None

    def __str__(self) -> str:
        return "the robot's code fails" if self.phase == "crash" else f"{self.text!r} fails"


def phase_of(verdict: Verdict, entry: dict[str, Any] | None, duration_s: float) -> Phase:
    """Return the phase in which an expectation failed."""
    broke_at_s = verdict.broke_at_s
    if entry is None or ("program" in entry and "output" not in entry):  # of a program's end
        return "end" if broke_at_s is None else "within"
    closing_s = min(float(entry.get("to_s", duration_s)), duration_s)
    if broke_at_s is None or entry.get("at_s") is not None or broke_at_s >= closing_s - CLOSE_S:
        return "end"
    from_s = float(entry.get("from_s", 0.0))
    if from_s > 0.0 and broke_at_s <= from_s + float(entry.get("every_s", SAMPLE_S)) + CLOSE_S:
        return "begin"
    return "within"


def find_failure(
    result: Result, expect: list[dict[str, Any]], wanted: str, file: str, changed: str = ""
) -> tuple[Failure, Verdict]:
    """Return the failure of a run and its verdict: the wanted one, else the first in time.

    Raises InputError if the run passed, or the wanted expectation did not fail. `changed` is a hint
    for a run that failed before.
    """
    if result.invalid:
        raise InputError(Problem("", f"the run is invalid: {result.invalid}", file=file))
    if result.failure and not wanted:
        failure = Failure(TIME.sub("", result.failure), "crash")
        return failure, _of_crash(failure, result)
    if not expect and not result.verdicts:
        what = "the scenario expects nothing, so no run of it can fail"
        fix = "add [[expect]] entries; see docs/reference/scenarios.md"
        raise InputError(Problem("expect", what, fix, file))
    verdicts = [verdict for verdict in result.verdicts if wanted in ("", verdict.text)]
    if not verdicts:
        what = f"there is no expectation {wanted!r}"
        raise InputError(
            Problem("--expect", what, did_you_mean(wanted, _texts(result.verdicts)), file)
        )
    failed = [verdict for verdict in verdicts if not verdict.passed]
    if not failed:
        name = f"the expectation {wanted!r}" if wanted else "the run"
        others = _texts(verdict for verdict in result.verdicts if not verdict.passed)
        fix = f"these fail: {', '.join(others)}" if others else changed or FIX
        raise InputError(Problem("", f"{name} passes with seed {result.seed}", fix, file))
    first = min(failed, key=lambda each: math.inf if each.broke_at_s is None else each.broke_at_s)
    index = next(n for n, verdict in enumerate(result.verdicts) if verdict is first)
    entry = expect[index] if index < len(expect) else None
    return Failure(first.text, phase_of(first, entry, result.duration_s), entry), first


def _of_crash(failure: Failure, result: Result) -> Verdict:
    found = TIME.search(result.failure)
    time_s = float(found[0].removesuffix(" s")) if found else None
    return Verdict(failure.text, False, result.failure, broke_at_s=time_s)


def _texts(verdicts: Iterable[Verdict]) -> list[str]:
    return list(dict.fromkeys(verdict.text for verdict in verdicts))
