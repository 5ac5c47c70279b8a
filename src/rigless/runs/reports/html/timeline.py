"""The timeline of a run: lanes for faults, events, messages and programs on one time axis."""

import math
from dataclasses import replace
from typing import Any

from rigless.kernel.events import Event
from rigless.runs.reports.explanation import broke_at_s, seconds, shortened
from rigless.runs.reports.html.markup import Axis, figure, number, text
from rigless.runs.reports.html.plot import thinned
from rigless.runs.result import Result
from rigless.runs.trace import MessageLane, OutputLine, ProgramTrace, Trace
from rigless.scenario.expect.margins import counted
from rigless.scenario.verdict import Series

MAX_LANES = 14  # of ports; the others are added up
MAX_FAULTS = 12
DOTS = 250  # events closer than this part of the axis share a dot
BARS = 200
SPARSE = 100  # a port with fewer messages has no rate
STEADY, LEAST_BINS = 20, 40  # messages in a bin if possible, and bins that a lane has at least
RANKS = {"debug": 0, "info": 0, "warning": 1, "error": 2, "critical": 2}
ROWS = ("info", "warning", "error")


def render_timeline(result: Result, axis: Axis) -> str:
    """Return the section with all lanes."""
    trace = result.trace or Trace()
    lanes = [_axis_lane(result, axis), *_fault_lanes(result, axis)]
    lanes += _event_lane(trace, axis)
    lanes += [_message_lane(lane, n, trace, axis) for n, lane in enumerate(lanes_shown(trace))]
    for n, program in enumerate(trace.programs):
        lanes += _program_lanes(program, n, result, axis)
    moment = broke_at_s(result)
    begin = moment if moment is not None else axis.duration_s
    return (
        '<section class="timeline"><h3>Timeline <span class="count">simulated time; move with the '
        "pointer or the arrow keys, click to find the output</span></h3>"
        f'<div class="lanes" tabindex="0" role="slider" aria-label="Time cursor" '
        f'aria-valuemin="0" aria-valuemax="{axis.duration_s:g}" aria-valuenow="{begin:g}" '
        f'aria-valuetext="{seconds(begin)}">{"".join(lanes)}</div></section>'
    )


def timeline_data(trace: Trace) -> dict[str, Any]:
    """Return the numbers that the cursor shows: messages a second, CPU use and memory."""
    return {
        "rates": [
            {"bin": one.bin_s, "values": [round(rate, 2) for rate in rates(lane, one)]}
            for lane, one in (merged(lane, trace) for lane in lanes_shown(trace))
        ],
        "programs": [
            {"cpu": thinned(program.cpu), "memory": thinned(program.memory)}
            for program in trace.programs
        ],
    }


def merged(lane: MessageLane, trace: Trace) -> tuple[MessageLane, Trace]:
    """Return a lane with enough messages in each bin, and the trace with the length of its bins.

    A bin with few messages holds one more or less at a steady rate, which would look like a change.
    """
    used = [count for count in lane.counts if count]
    mean = sum(used) / max(len(used), 1)
    number = min(math.ceil(STEADY / max(mean, 1.0)), max(len(lane.counts) // LEAST_BINS, 1))
    counts = [sum(lane.counts[n : n + number]) for n in range(0, len(lane.counts), number)]
    return replace(lane, counts=counts), replace(trace, bin_s=trace.bin_s * number)


def rates(lane: MessageLane, trace: Trace) -> list[float]:
    """Return the messages a second in each bin. A run may end within its last bin."""
    bin_s = trace.bin_s or 1.0
    rest_s = trace.duration_s - bin_s * (len(lane.counts) - 1)
    found = [count / bin_s for count in lane.counts]
    if found and 0 < rest_s < bin_s:
        if rest_s < bin_s / 2 and len(found) > 1:  # too short for a rate of its own
            found[-2:] = [sum(lane.counts[-2:]) / (bin_s + rest_s)] * 2
        else:
            found[-1] = lane.counts[-1] / rest_s
    return found


def lanes_shown(trace: Trace) -> list[MessageLane]:
    """Return the lanes with messages; the least busy of too many are added up."""
    lanes = [lane for lane in trace.lanes if any(lane.counts)]
    if len(lanes) <= MAX_LANES:
        return lanes
    ranked = sorted(lanes, key=lambda lane: -sum(lane.counts))
    kept = ranked[: MAX_LANES - 2]
    for direction in ("in", "out"):
        rest = [lane for lane in ranked[MAX_LANES - 2 :] if lane.direction == direction]
        if rest:
            counts = [sum(column) for column in zip(*(lane.counts for lane in rest), strict=False)]
            kept.append(MessageLane(f"{len(rest)} others", "", direction, counts))
    return sorted(kept, key=lambda lane: lanes.index(lane) if lane in lanes else len(lanes))


def _lane(kind: str, label: str, chart: str, value: str = "", height: str = "") -> str:
    style = f' style="height:{height}"' if height else ""
    return (
        f'<div class="lane {kind}"><div class="label">{label}</div>'
        f'<div class="chart" data-chart{style}>{chart}<i class="cursor"></i></div>'
        f'<div class="value">{value}</div></div>'
    )


def _axis_lane(result: Result, axis: Axis) -> str:
    ticks = axis.ticks()
    labels = "".join(
        f'<span style="{axis.left(tick)}"{" class=last" if axis.share(tick) > 96 else ""}>'
        f"{figure(tick)}{' s' if tick == ticks[-1] else ''}</span>"
        for tick in ticks
    )
    moment = broke_at_s(result)
    broke = ""
    if moment is not None:
        side = " flip" if axis.share(moment) > 70 else ""
        broke = f'<b class="flag{side}" style="{axis.left(moment)}">failed {seconds(moment)}</b>'
    value = '<output class="now"></output>'
    return _lane("axis", "Time", f"{labels}{broke}", value)


def _backdrop(axis: Axis) -> str:
    return "".join(f'<i class="tick" style="{axis.left(tick)}"></i>' for tick in axis.ticks()[1:])


def _fault_lanes(result: Result, axis: Axis) -> list[str]:
    if not result.faults:
        return []
    shown = result.faults[:MAX_FAULTS]
    bars = []
    for row, fault in enumerate(shown):
        begin, end = axis.share(fault.begin_s), axis.share(fault.end_s or axis.duration_s)
        name = text(fault.name)
        # the name goes where there is room: in the bar, after it, or before it
        wide = end - begin > 1.1 * len(name)
        side = "" if wide else " outside" if end < 60 else " before"
        bars.append(
            f'<span class="bar{side}" style="{axis.span(fault.begin_s, fault.end_s)};'
            f'top:{row * 22 + 3}px" title="{text(fault)}"><b>{name}</b></span>'
        )
    more = len(result.faults) - len(shown)
    label = "Faults" + (f" <small>{more} more</small>" if more else "")
    return [_lane("faults", label, _backdrop(axis) + "".join(bars), "", f"{len(shown) * 22 + 4}px")]


def _event_lane(trace: Trace, axis: Axis) -> list[str]:
    if not trace.events:
        return []
    dots: dict[tuple[int, int], list[Event]] = {}
    for event in trace.events:
        place = int(axis.share(event.time_ns / 1e9) * DOTS / 100)
        dots.setdefault((place, _rank(event)), []).append(event)
    marks = []
    for (_, rank), events in sorted(dots.items()):
        first = events[0]
        lines = [
            f"{seconds(one.time_ns / 1e9)} {one.robot} {one.code}: {shortened(one.text, 160)}"
            for one in events[:6]
        ]
        lines += [f"and {len(events) - 6} more"] if len(events) > 6 else []
        many = " many" if len(events) > 3 else ""
        marks.append(
            f'<i class="event {ROWS[rank]}{many}" style="{axis.left(first.time_ns / 1e9)}" '
            f'data-tip="{text(chr(10).join(lines))}"></i>'
        )
    severe = sum(_rank(event) > 0 for event in trace.events)
    label = f"Events <small>{len(trace.events) + trace.events_left_out}</small>"
    value = f"<small>{severe} abnormal</small>" if severe else ""
    return [_lane("events", label, _backdrop(axis) + "".join(marks), value)]


def _rank(event: Event) -> int:
    """Return the row of an event. Some robots report collisions as information."""
    return 2 if "collision" in event.code else RANKS.get(event.severity, 0)


def _message_lane(lane: MessageLane, index: int, trace: Trace, axis: Axis) -> str:
    total = sum(lane.counts)
    coarse, of_bins = merged(lane, trace)
    shown = rates(coarse, of_bins)
    peak = max(shown, default=0.0)
    chart = _area(shown, axis.share(of_bins.bin_s) * 10, peak)
    port = f"{text(lane.robot)} {text(lane.port)}".strip()
    arrow = "→" if lane.direction == "in" else "←"
    label = f'{port} <small title="messages to or from the robot">{arrow} {lane.direction}</small>'
    value = f'<output data-rate="{index}"></output><small>peak {figure(peak)}/s</small>'
    if total < SPARSE:  # a rate over a short bin says nothing about single messages
        value = f"<small>{counted(total, 'message')}</small>"
        chart = _ticks(lane, trace, axis)
    return _lane(f"messages {lane.direction}", label, _backdrop(axis) + chart, value)


def _ticks(lane: MessageLane, trace: Trace, axis: Axis) -> str:
    """Return an upright line for each bin with messages."""
    places = [axis.share((n + 0.5) * trace.bin_s) * 10 for n, one in enumerate(lane.counts) if one]
    drawn = "".join(f"M{number(place)} 92V30" for place in places)
    return (
        '<svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="single" d="{drawn}"/></svg>'
    )


def _area(values: list[float], width: float, peak: float) -> str:
    """Return an area of steps, each `width` of 1000 wide."""
    if peak <= 0:
        return ""
    steps = "".join(
        f"V{number(100 - 92 * value / peak)}H{number(min((n + 1) * width, 1000.0))}"
        for n, value in enumerate(values)
    )
    return (
        '<svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="area" d="M0 100{steps}V100Z"/></svg>'
    )


def _program_lanes(program: ProgramTrace, n: int, result: Result, axis: Axis) -> list[str]:
    """Return lanes for the output of a program, its CPU use and its memory."""
    name = text(program.name)
    spans = "".join(
        f'<i class="alive" style="{axis.span(begin, end)}"></i>' for begin, end in program.periods
    )
    errors = sum(line.stream == "err" for line in program.lines)
    value = f"<small>{len(program.lines):,}{'+' if program.cut else ''} lines</small>"
    value += f'<small class="bad">{errors:,} stderr</small>' if errors else ""
    output = _lane(
        "output",
        f"{name} <small>output</small>",
        _backdrop(axis) + spans + _density(program.lines, axis),
        value,
    )
    found = [output]
    for key, series, unit in (("cpu", program.cpu, "cores"), ("memory", program.memory, "MB")):
        points = thinned(series, 400)
        if points:
            peak = max(value for _, value in points)
            value = f'<output data-{key}="{n}"></output><small>peak {figure(peak)} {unit}</small>'
            label = f"{name} <small>{'CPU' if key == 'cpu' else 'memory'}</small>"
            found.append(_lane(key, label, _backdrop(axis) + _curve(series, axis, peak), value))
    return found


def _curve(series: Series, axis: Axis, peak: float) -> str:
    scale = 88 / (peak or 1.0)
    points = [
        (axis.share(time_s) * 10, 100 - scale * value) for time_s, value in thinned(series, 400)
    ]
    line = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    begin, end = number(points[0][0]), number(points[-1][0])
    return (
        '<svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="area" d="M{begin} 100L{line}L{end} 100Z"/></svg>'
    )


def _density(lines: list[OutputLine], axis: Axis) -> str:
    """Return bars of the number of lines, those of stderr coloured. The height is logarithmic."""
    counts = [[0, 0, 0] for _ in range(BARS)]
    streams = {"out": 0, "err": 1, "note": 2}
    for line in lines:
        place = min(int(axis.share(line.time_s) * BARS / 100), BARS - 1)
        counts[place][streams.get(line.stream, 0)] += 1
    most = max((sum(one) for one in counts), default=0)
    if not most:
        return ""
    bars = {"out": "", "err": "", "note": ""}
    for place, one in enumerate(counts):
        total = sum(one)
        if not total:
            continue
        height, top = 90 * (0.15 + 0.85 * math.log1p(total) / math.log1p(most)), 100.0
        for stream, count in (("out", one[0]), ("err", one[1]), ("note", one[2])):
            part = height * count / total
            if count:
                left, top = number(place * 1000 / BARS), top - part
                bars[stream] += f"M{left} {number(top)}h4.2v{number(part)}h-4.2Z"
    drawn = "".join(f'<path class="{key}" d="{d}"/>' for key, d in bars.items() if d)
    return (
        f'<svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">{drawn}</svg>'
    )
