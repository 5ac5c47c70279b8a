"""The explanation of a result in words: why it failed, when, during which faults, what to do."""

import math
import re
import shlex

from rigless.kernel.events import Event
from rigless.runs.result import ProgramResult, Result
from rigless.scenario.expect.margins import counted, moment
from rigless.scenario.verdict import FaultPeriod, Verdict

INJECTED = ("fault-injected", "fault-cleared")  # faults have lines of their own
LONGEST = 300  # characters of a detail in a headline
LAST_LINES = 20  # of a program, in reports that are read in a terminal


def failed_verdicts(result: Result) -> list[Verdict]:
    """Return the failed expectations, the one that broke first before the others."""
    failed = [verdict for verdict in result.verdicts if not verdict.passed]
    return sorted(failed, key=lambda one: math.inf if one.broke_at_s is None else one.broke_at_s)


def broke_at_s(result: Result) -> float | None:
    """Return the moment of failure, or None if the run passed or the moment is unknown."""
    if result.failure:
        return result.trace.duration_s if result.trace is not None else None
    times = [one.broke_at_s for one in failed_verdicts(result) if one.broke_at_s is not None]
    return min(times, default=None)


def headline(result: Result) -> str:
    """Return one sentence that says why the run has its status."""
    if result.invalid:
        return f"The run says nothing about the software: {shortened(result.invalid)}"
    if result.failure:
        return f"The run stopped: {shortened(result.failure)}"
    failed = failed_verdicts(result)
    if not failed:
        if not result.verdicts:
            return "It ran to the end. There are no expectations."
        return f"{_counted(len(result.verdicts), 'expectation')} held."
    first = failed[0]
    when = f" at {seconds(first.broke_at_s)}" if first.broke_at_s is not None else ""
    return f"“{first.text}” failed{when}: {_reason(first)}"


def _reason(verdict: Verdict) -> str:
    """Return the first part of a detail, without the time of failure, and a last line of output."""
    seen, *more = verdict.detail.split("; ")
    if verdict.broke_at_s is not None:
        at_s = verdict.broke_at_s
        for time in (seconds(at_s), f"{at_s:.2f} s", moment(at_s)):
            seen = re.sub(rf" (at {re.escape(time)}(?=,|$)|\({re.escape(time)}\)$)", "", seen)
    last = [part for part in more if part.startswith("last line: ")]
    return shortened("; ".join([seen, *last]))


def more_failures(result: Result) -> str:
    """Return the number of further failures as a sentence, or an empty text."""
    failed = len(failed_verdicts(result)) - (0 if result.failure or result.invalid else 1)
    if failed < 1 or (result.passed and not result.invalid):
        return ""
    also = "" if result.failure or result.invalid else "more "
    return f"{counted(failed, f'{also}expectation')} failed."


def faults_before(result: Result, time_s: float | None) -> list[FaultPeriod]:
    """Return the faults that had begun by a time: active ones first, then the latest."""
    if time_s is None:
        return []
    begun = [fault for fault in result.faults if fault.begin_s <= time_s]
    return sorted(begun, key=lambda fault: (not _is_active(fault, time_s), -fault.begin_s))


def _is_active(fault: FaultPeriod, time_s: float) -> bool:
    return fault.end_s is None or fault.end_s >= time_s


def described(fault: FaultPeriod, time_s: float) -> tuple[str, str]:
    """Return the name of a fault that had begun by a time, and its period in words."""
    if fault.instant:
        return fault.name, f"was at {seconds(fault.begin_s)}"
    if _is_active(fault, time_s):
        return fault.name, f"was active since {seconds(fault.begin_s)}"
    period = f"from {seconds(fault.begin_s)} to {seconds(fault.end_s or 0.0)}"
    return fault.name, f"was active {period}"


def explained(verdict: Verdict) -> str:
    """Return what was seen and what was expected, with the place in the scenario."""
    expected = f" (expected: {verdict.expected})" if verdict.text != verdict.expected else ""
    return verdict.detail + expected + (f" [{verdict.place}]" if verdict.place else "")


def circumstances(result: Result) -> list[str]:
    """Return faults and warnings of a failed run, the command that repeats it, its recording."""
    lines = [f"fault {fault}" for fault in result.faults] + warnings(result)
    lines += [f"repeat it: {result.repeat}"] if result.repeat else []
    return lines + ([f"recording: {result.recording}"] if result.recording else [])


def warnings(result: Result, most: int = 5) -> list[str]:
    """Return the warnings and errors that robots logged: the first of each code, with the count.

    A message that a robot rejects is often the reason why a program fails.
    """
    found: dict[tuple[str, str], list[Event]] = {}
    for event in result.events:
        if event.robot and event.code not in INJECTED:
            found.setdefault((event.robot, event.code), []).append(event)
    lines = []
    for (robot, code), events in [*found.items()][:most]:
        first, again = events[0], f"; {len(events)} of them" if len(events) > 1 else ""
        when = seconds(first.time_ns / 1e9)
        lines.append(f"{robot} logged {code} at {when}: {shortened(first.text, 160)}{again}")
    more = len(found) - len(lines)
    return lines + ([f"{counted(more, 'more code')} in the recording"] if more > 0 else [])


def commands(result: Result) -> list[tuple[str, str]]:
    """Return the commands that help to find the reason, each with its purpose."""
    found = [("Repeat", result.repeat)] if result.repeat else []
    if result.recording:
        file = shlex.quote(result.recording)
        found.append(("Replay", f"rigless replay {file} --verify"))
        moment = broke_at_s(result)
        at = f" --at {math.floor(moment * 100) / 100:g}" if moment is not None else ""
        found.append(("Open at the failure" if at else "Open", f"rigless open {file}{at}"))
    return found


def ended(program: ProgramResult) -> str:
    """Return the end of a program in words."""
    if not program.started:
        return "not started"
    if program.signal:
        return f"ended by {program.signal}"
    if program.ended_by_fault:
        return "ended by a fault"
    return "running at the end" if program.exit is None else f"exit code {program.exit}"


def last_output(result: Result) -> list[str]:
    """Return the last lines of each program, under its name and its end."""
    lines: list[str] = []
    for program in result.programs:
        lines.append(f"program {program.name}: {ended(program)}")
        lines += [f"  note: {note}" for note in program.notes]
        lines += [f"  | {line}" for line in program.last_lines[-LAST_LINES:]]
    return lines


def seconds(time_s: float) -> str:
    """Return a time for people, such as 12.4 s."""
    return f"{time_s:.2f}".rstrip("0").rstrip(".") + " s"


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return a text in one line, cut if it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _counted(count: int, noun: str) -> str:
    return f"The {noun}" if count == 1 else f"All {count} {noun}s"
