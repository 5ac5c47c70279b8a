"""The output of programs and the events of a run, as lists that can be searched."""

import re
from bisect import bisect_left
from dataclasses import dataclass

from rigless.runs.reports.explanation import broke_at_s
from rigless.runs.reports.html.markup import text
from rigless.runs.result import Result
from rigless.runs.trace import OutputLine, Trace

MAX_LINES = 3000  # of a run
MAX_PASSED_LINES = 300  # of a run that passed, on a page with several
AROUND, FIRST = 700, 200  # lines before and after a failure, and at the start
LONGEST_LINE = 600
MAX_EVENTS = 400
FAULT = re.compile(r"(end of )?fault: ")  # a note of the supervisor
STREAMS = ("out", "err", "note")


@dataclass
class Line:
    """A line of a list, or a gap if `left_out` is not 0."""

    time_s: float
    program: str = ""
    stream: str = "out"
    text: str = ""
    left_out: int = 0


def render_output(result: Result, brief: bool = False) -> str:
    """Return the output of all programs in the order of time."""
    trace = result.trace
    if trace is None or not trace.programs:
        return ""
    lines = [(line, program.name) for program in trace.programs for line in program.lines]
    lines.sort(key=lambda pair: pair[0].time_s)
    total = len(lines)
    shown = choose_lines(lines, _moments(result), MAX_PASSED_LINES if brief else MAX_LINES)
    several = len(trace.programs) > 1
    rows = "".join(_row(line, several) for line in shown)
    kept = sum(not line.left_out for line in shown)
    count = f"{total:,} lines" if kept == total else f"{kept:,} of {total:,} lines are on this page"
    cut = [program.name for program in trace.programs if program.cut]
    if cut:
        count += f"; the output of {', '.join(cut)} was cut while it ran"
    names = "".join(f"<option>{text(program.name)}</option>" for program in trace.programs)
    choice = (
        f'<select class="who" aria-label="Program"><option value="">all programs</option>{names}'
        "</select>"
        if several
        else ""
    )
    streams = "".join(
        f'<label class="{key}"><input type="checkbox" value="{key}" checked>{label}</label>'
        for key, label in (("out", "stdout"), ("err", "stderr"), ("note", "rigless"))
    )
    return (
        '<section class="log output-log"><h3>Program output '
        f'<span class="count">{text(count)}</span></h3><div class="tools">'
        '<input type="search" class="filter" placeholder="Filter lines" '
        f'aria-label="Filter lines">{choice}<fieldset class="streams">'
        f'<legend class="sr">Streams</legend>{streams}</fieldset>'
        '<output class="found" aria-live="polite"></output></div>'
        f'<ol class="rows{" several" if several else ""}" tabindex="0" '
        f'aria-label="Program output">{rows}</ol></section>'
    )


def render_events(trace: Trace | None) -> str:
    """Return the events, the abnormal ones if there are too many."""
    if trace is None or not trace.events:
        return ""
    shown = trace.events
    if len(shown) > MAX_EVENTS:
        shown = [event for event in shown if event.severity not in ("debug", "info")] or shown
    left_out = len(trace.events) - len(shown[:MAX_EVENTS]) + trace.events_left_out
    rows = "".join(
        f'<li data-t="{event.time_ns / 1e9:.4f}" class="{text(event.severity)}">'
        f"<time>{event.time_ns / 1e9:.3f}</time><b>{text(event.robot)}</b>"
        f"<span><em>{text(event.code)}</em> {text(event.text[:LONGEST_LINE])}</span></li>"
        for event in shown[:MAX_EVENTS]
    )
    more = f'<li class="gap">{left_out:,} more events are left out</li>' if left_out else ""
    count = len(trace.events) + trace.events_left_out
    return (
        f'<details class="log event-log"><summary><h3>Events <span class="count">{count:,}</span>'
        f'</h3></summary><ol class="rows several" tabindex="0" aria-label="Events">{rows}{more}'
        "</ol></details>"
    )


def choose_lines(
    lines: list[tuple[OutputLine, str]], moments: list[float], most: int
) -> list[Line]:
    """Return the first and last lines and those around the moments of failure, with gaps."""
    if len(lines) <= most:
        return [_line(*pair) for pair in lines]
    first = min(FIRST, most // 4)
    wanted: set[int] = set(range(first))
    times = [line.time_s for line, _ in lines]
    around = min(AROUND, most // 4 // max(len(moments), 1))
    for moment in moments:
        middle = bisect_left(times, moment)
        wanted |= set(range(max(middle - around, 0), min(middle + around, len(lines))))
    last = len(lines) - 1
    while len(wanted) < most and last >= 0:
        wanted.add(last)
        last -= 1
    found: list[Line] = []
    before = -1
    for index in sorted(wanted):
        if index > before + 1:
            found.append(Line(lines[index][0].time_s, left_out=index - before - 1))
        found.append(_line(*lines[index]))
        before = index
    return found


def _moments(result: Result) -> list[float]:
    """Return the moments at which something broke, at most five."""
    times = {one.broke_at_s for one in result.verdicts if one.broke_at_s is not None}
    first = broke_at_s(result)
    return sorted(times | ({first} if first is not None else set()))[:5]


def _line(line: OutputLine, program: str) -> Line:
    stream = line.stream if line.stream in STREAMS else "out"
    return Line(line.time_s, program, stream, line.text)


def _row(line: Line, several: bool) -> str:
    if line.left_out:
        return (
            f'<li class="gap" data-t="{line.time_s:.4f}">{line.left_out:,} lines are left out</li>'
        )
    shown = line.text.rstrip("\r\n")
    more = len(shown) - LONGEST_LINE
    cut = f" … {more:,} more characters" if more > 0 else ""
    who = f"<b>{text(line.program)}</b>" if several else ""
    kind = f"{line.stream} fault" if line.stream == "note" and FAULT.match(shown) else line.stream
    return (
        f'<li data-t="{line.time_s:.4f}" class="{kind}"><time>{line.time_s:.3f}</time>{who}'
        f"<span>{text(shown[:LONGEST_LINE] + cut)}</span></li>"
    )
