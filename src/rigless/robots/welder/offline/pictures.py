"""Plots of a validation as SVG: torch path from above and from the side, and curves over time."""

import math
from collections.abc import Sequence
from html import escape

from rigless.robots.welder.offline.findings import Report

WIDTH, HEIGHT, MARGIN = 560, 260, 44
LETTER, ROW = 6, 12  # size of a letter in a legend
MOST_POINTS = 1500
COLOURS = ("#4878a8", "#b8632f", "#5a8f4e", "#8a6bb1", "#a8803a", "#5c6b73")
TRAVEL, WELD, BAD = "#8a8f98", "#d08700", "#c0362c"
Point = tuple[float, float]


def pictures(report: Report) -> str:
    if len(report.samples) < 2:
        return "<p class=dim>No motion.</p>"
    samples, step = report.samples, max(1, len(report.samples) // MOST_POINTS)
    keep = range(0, len(samples), step)
    times = [samples.time_s[n] for n in keep]
    joints = [
        [(samples.time_s[n], samples.joints_deg[n][joint]) for n in keep] for joint in range(6)
    ]
    plots = [
        figure("Torch from above (x, y in mm)", path(report, keep, 0, 1)),
        figure("Torch from the side (x, z in mm)", path(report, keep, 0, 2)),
        figure("Joints in degrees", lines(joints, report.joints)),
        figure(
            "Torch speed in mm/s",
            lines(
                [list(zip(times, [samples.speed_mmps[n] for n in keep], strict=True))], ["speed"]
            ),
        ),
        figure(
            "Welding current in A",
            lines(
                [list(zip(times, [samples.current_a[n] for n in keep], strict=True))], ["current"]
            ),
        ),
    ]
    return f"<div class=plots>{''.join(plots)}</div>"


def figure(caption: str, drawing: str) -> str:
    label = escape(caption, True)
    box = f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' role=img aria-label='{label}'>{drawing}</svg>"
    return f"<figure><figcaption>{escape(caption)}</figcaption>{box}</figure>"


def lines(series: Sequence[Sequence[Point]], names: Sequence[str]) -> str:
    """Draw curves over time with axes."""
    frame = Frame([point for curve in series for point in curve])
    parts, at, row = [frame.axes(" s")], MARGIN + 8, 14
    for n, (curve, name) in enumerate(zip(series, names, strict=True)):
        colour = COLOURS[n % len(COLOURS)]
        parts.append(frame.polyline(curve, colour))
        if len(names) > 1:
            parts.append(
                f"<text x={at} y={row} style='fill:{colour};opacity:1'>{escape(name)}</text>"
            )
            at += max(36, LETTER * len(name) + 12)
            if at > WIDTH - LETTER * len(name):
                at, row = MARGIN + 8, row + ROW
    return "".join(parts)


def path(report: Report, keep: Sequence[int], across: int, up: int) -> str:
    """Draw the torch path, with seams in colour and findings as crosses."""
    samples = report.samples
    places = [(samples.torch_mm[n][across], samples.torch_mm[n][up]) for n in keep]
    marks = [
        (found.place_mm[across], found.place_mm[up]) for found in report.findings if found.place_mm
    ]
    frame = Frame([*places, *marks], square=True)
    parts = [frame.axes("")]
    begin = 0
    for n in range(1, len(places)):
        last = n == len(places) - 1
        burns = samples.current_a[keep[n]] > 0
        if last or burns != (samples.current_a[keep[begin]] > 0):
            colour = WELD if samples.current_a[keep[begin]] > 0 else TRAVEL
            parts.append(
                frame.polyline(places[begin : n + 1], colour, 2.5 if colour == WELD else 1.2)
            )
            begin = n
    for x, y in (frame.at(mark) for mark in marks):
        parts.append(
            f"<path d='M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10' stroke='{BAD}'"
            " stroke-width=2 />"
        )
    return "".join(parts)


class Frame:
    """Maps data to drawing coordinates; `square` gives both axes one scale."""

    def __init__(self, points: Sequence[Point], square: bool = False):
        (self.left, self.right), (self.low, self.high) = (
            _span([p[axis] for p in points]) for axis in (0, 1)
        )
        if square:
            scale = max(
                (self.right - self.left) / (WIDTH - 2 * MARGIN),
                (self.high - self.low) / (HEIGHT - 2 * MARGIN),
            )
            self.left, self.right = _around(self.left, self.right, scale * (WIDTH - 2 * MARGIN))
            self.low, self.high = _around(self.low, self.high, scale * (HEIGHT - 2 * MARGIN))

    def at(self, point: Point) -> Point:
        x = MARGIN + (point[0] - self.left) / (self.right - self.left) * (WIDTH - 2 * MARGIN)
        y = HEIGHT - MARGIN - (point[1] - self.low) / (self.high - self.low) * (HEIGHT - 2 * MARGIN)
        return x, y

    def polyline(self, points: Sequence[Point], colour: str, width: float = 1.5) -> str:
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(self.at, points))
        return f"<polyline points='{text}' fill=none stroke='{colour}' stroke-width={width} />"

    def axes(self, unit: str) -> str:
        bottom, right = HEIGHT - MARGIN, WIDTH - MARGIN
        parts = [
            f"<path d='M{MARGIN} {MARGIN}V{bottom}H{right}' fill=none stroke='currentColor'"
            " opacity=.3 />"
        ]
        for value in _ticks(self.left, self.right):
            x, _ = self.at((value, self.low))
            parts.append(
                f"<text x={x:.1f} y={bottom + 16} text-anchor=middle>{value:g}{unit}</text>"
            )
        for value in _ticks(self.low, self.high):
            _, y = self.at((self.left, value))
            parts.append(f"<text x={MARGIN - 6} y={y + 4:.1f} text-anchor=end>{value:g}</text>")
        return "".join(parts)


def _span(values: Sequence[float]) -> Point:
    low, high = min(values), max(values)
    spare = 0.03 * (high - low) or 1.0
    return low - spare, high + spare


def _around(low: float, high: float, width: float) -> Point:
    middle = 0.5 * (low + high)
    return middle - 0.5 * width, middle + 0.5 * width


def _ticks(low: float, high: float) -> list[float]:
    """Return four to eight round numbers in a range."""
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 8)
    first = math.ceil(low / step)
    return [round(n * step, 9) for n in range(first, math.floor(high / step) + 1)]
