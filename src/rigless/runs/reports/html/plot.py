"""The plot of an expectation: its value over time, its limits, and the moment it broke."""

import math
from itertools import groupby, pairwise

from rigless.runs.reports.html.markup import Axis, figure, number, path, text
from rigless.scenario.verdict import FaultPeriod, Series, Verdict

MAX_POINTS = 600
WIDTH, HEIGHT = 1000.0, 100.0  # of the drawing; the page stretches it
MOST_SINGLE = 60  # measurements with a dot
NEAR = 0.16  # labels closer than this part of the height overlap

Points = list[tuple[float, float]]


def thinned(series: Series, most: int = MAX_POINTS) -> Points:
    """Return at most this many points: of each bin the lowest and the highest value."""
    pairs = zip(series.times_s, series.values, strict=False)
    points = [(float(t), float(v)) for t, v in pairs if math.isfinite(t) and math.isfinite(v)]
    if len(points) <= most:
        return points
    size = math.ceil(2 * len(points) / most)
    kept: Points = []
    for begin in range(0, len(points), size):
        part = points[begin : begin + size]
        ends = {min(part, key=lambda point: point[1]), max(part, key=lambda point: point[1])}
        kept += sorted(ends)
    return kept


def stepped(points: Points) -> Points:
    """Return the corners of stairs if all values are whole numbers: counts and states jump."""
    if not all(value.is_integer() for _, value in points):
        return points
    corners = points[:1]
    for (_, before), (time_s, value) in pairwise(points):
        corners += [(time_s, before), (time_s, value)] if value != before else [(time_s, value)]
    return corners


class Scale:
    """The value axis of a plot, with room around the values and the limits."""

    def __init__(self, points: Points, limits: list[float]):
        values = [value for _, value in points] + limits
        low, high = min(values), max(values)
        room = (high - low) * 0.12 or abs(high) * 0.1 or 1.0
        self.low, self.high = low - room, high + room
        if low >= 0 > self.low or 0 <= low < 0.3 * high:
            self.low = 0.0  # no negative values, and lengths that compare

    def part(self, value: float) -> float:
        """Return the place of a value, 0 at the top and 1 at the bottom."""
        return min(max((self.high - value) / (self.high - self.low), 0.0), 1.0)

    def y(self, value: float) -> float:
        return HEIGHT * self.part(value)


def limits(verdict: Verdict) -> list[float]:
    """Return the limits of the value."""
    both = (verdict.low, verdict.high)
    return [limit for limit in both if limit is not None and math.isfinite(limit)]


def render_plot(verdict: Verdict, axis: Axis, faults: list[FaultPeriod]) -> str:
    """Return the plot, or an empty text if there is no series."""
    points = thinned(verdict.series) if verdict.series is not None else []
    if not points:
        return ""
    scale, samples = Scale(points, limits(verdict)), points
    body = [_forbidden(verdict, scale), *(_limit_line(scale, one) for one in limits(verdict))]
    if _is_single(verdict):
        body += _stems(verdict, points, axis, scale)
    else:
        points = stepped(points)
        body.append(f'<path class="line" d="{path(_placed(points, axis, scale))}"/>')
        body += [
            f'<path class="line bad" d="{one}"/>'
            for one in _violations(verdict, points, axis, scale)
        ]
    spans = "".join(
        f'<i class="during" style="{axis.span(f.begin_s, f.end_s)}"></i>' for f in faults
    )
    label = f"{verdict.text}: value over time"
    labels = _labels(verdict, scale, samples)
    return (
        f'<div class="plot"><div class="scale" aria-hidden="true">{labels}</div>'
        f'<div class="chart" data-chart>{spans}'
        f'<svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{text(label)}">{"".join(body)}</svg>'
        f"{_dots(verdict, samples, axis, scale)}{broke_mark(verdict, axis)}"
        '<i class="cursor"></i></div></div>'
    )


def render_spark(verdict: Verdict, axis: Axis) -> str:
    """Return a small plot for a line of a list."""
    points = thinned(verdict.series, 120) if verdict.series is not None else []
    if len(points) < 2:
        return '<span class="spark"></span>'
    scale = Scale(points, limits(verdict))
    lines = "".join(_limit_line(scale, one) for one in limits(verdict))
    drawn = f'<path class="line" d="{path(_placed(stepped(points), axis, scale))}"/>'
    if _is_single(verdict):
        drawn = "".join(_stems(verdict, points, axis, scale))
    return (
        '<svg class="spark" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">'
        f"{lines}{drawn}</svg>"
    )


def broke_mark(verdict: Verdict, axis: Axis) -> str:
    """Return the mark of the moment at which an expectation broke."""
    if verdict.passed or verdict.broke_at_s is None:
        return ""
    return f'<i class="broke" style="{axis.left(verdict.broke_at_s)}"></i>'


def _placed(points: Points, axis: Axis, scale: Scale) -> Points:
    return [(axis.share(time_s) * WIDTH / 100, scale.y(value)) for time_s, value in points]


def _outside(verdict: Verdict, value: float) -> bool:
    low, high = verdict.low, verdict.high
    return (low is not None and value < low) or (high is not None and value > high)


def _is_single(verdict: Verdict) -> bool:
    return verdict.series is not None and verdict.series.single


def _stems(verdict: Verdict, points: Points, axis: Axis, scale: Scale) -> list[str]:
    """Return an upright line for each measurement, those outside the limits in red."""
    found = []
    for (_, value), (x, y) in zip(points, _placed(points, axis, scale), strict=True):
        bad = " bad" if _outside(verdict, value) else ""
        found.append(f'<path class="line{bad}" d="M{number(x)} 100V{number(y)}"/>')
    return found


def _violations(verdict: Verdict, points: Points, axis: Axis, scale: Scale) -> list[str]:
    """Return the parts of the line outside the limits, as paths."""
    placed = _placed(points, axis, scale)
    flagged = enumerate(_outside(verdict, value) for _, value in points)
    found = []
    for outside, group in groupby(flagged, key=lambda pair: pair[1]):
        numbers = [index for index, _ in group]
        if outside and len(numbers) > 1:
            found.append(path(placed[numbers[0] : numbers[-1] + 1]))
    return found


def _forbidden(verdict: Verdict, scale: Scale) -> str:
    """Return the areas outside the limits."""
    areas = []
    if verdict.high is not None and math.isfinite(verdict.high):
        areas.append((0.0, scale.y(verdict.high)))
    if verdict.low is not None and math.isfinite(verdict.low):
        areas.append((scale.y(verdict.low), HEIGHT))
    return "".join(
        f'<rect class="forbidden" x="0" width="1000" y="{number(top)}" '
        f'height="{number(bottom - top)}"/>'
        for top, bottom in areas
    )


def _limit_line(scale: Scale, limit: float) -> str:
    y = number(scale.y(limit))
    return f'<path class="limit" d="M0 {y}H1000"/>'


def _dots(verdict: Verdict, points: Points, axis: Axis, scale: Scale) -> str:
    """Return dots for the values of a short series."""
    if len(points) > (MOST_SINGLE if _is_single(verdict) else 12):
        return ""
    return "".join(
        f'<i class="dot{" bad" if _outside(verdict, value) else ""}" '
        f'style="{axis.left(time_s)};top:{number(100 * scale.part(value))}%"></i>'
        for time_s, value in points
    )


def _labels(verdict: Verdict, scale: Scale, points: Points) -> str:
    """Return the labels of the value axis: the limits, then the ends if there is room."""
    known = [(scale.part(one), figure(one)) for one in limits(verdict)]
    if len(known) == 2 and abs(known[0][0] - known[1][0]) < NEAR:
        known = [((known[0][0] + known[1][0]) / 2, f"{known[0][1]} – {known[1][1]}")]
    marks = [(part, f'<b style="top:%s%%">{shown}</b>') for part, shown in known]
    span = scale.high - scale.low
    whole = all(value.is_integer() for _, value in points)
    values = [value for _, value in points]
    for end in (max(values), scale.low if scale.low == 0 else min(values)):
        value = float(round(end)) if whole and span > 1 else end
        if all(abs(scale.part(value) - part) > NEAR for part, _ in marks):
            marks.append(
                (
                    scale.part(value),
                    f'<span style="top:%s%%">{figure(_rounded(value, span))}</span>',
                )
            )
    return "".join(shown % number(100 * part) for part, shown in marks)


def _rounded(value: float, span: float) -> float:
    """Return a value with two digits of the span."""
    digits = 1 - math.floor(math.log10(span)) if span > 0 else 2
    return round(value, min(max(digits, 0), 9))
