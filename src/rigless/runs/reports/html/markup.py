"""Small parts of the page: escaped text, numbers, positions, ticks of axes."""

import html
import math
from collections.abc import Iterable

import msgspec

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # they reorder the text around them
BROKEN = "\N{REPLACEMENT CHARACTER}"


def text(value: object) -> str:
    """Return a text that is safe in elements and attributes."""
    plain = str(value)
    if not plain.isprintable():
        plain = "".join(
            c if c in "\t\n" or ((c.isprintable() or c == "\u00a0") and c not in BIDI) else BROKEN
            for c in plain
        )
    return html.escape(plain)


def data(value: object) -> str:
    """Return data as JSON for a script element."""
    return msgspec.json.encode(value).decode().replace("<", "\\u003c")


def number(value: float) -> str:
    """Return a number for a path or a style, without needless digits."""
    if not math.isfinite(value):
        return "0"
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def figure(value: float) -> str:
    """Return a number for people, with four digits and a true minus sign."""
    if not math.isfinite(value):
        return "–"
    shown = f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    return shown.replace("-", "\N{MINUS SIGN}")


class Axis:
    """The time axis of a run, from 0 to its duration."""

    def __init__(self, duration_s: float):
        self.duration_s = duration_s if duration_s > 0 and math.isfinite(duration_s) else 1.0

    def share(self, time_s: float) -> float:
        """Return a time as a percentage of the axis."""
        if not math.isfinite(time_s):
            return 0.0
        return min(max(100 * time_s / self.duration_s, 0.0), 100.0)

    def left(self, time_s: float) -> str:
        """Return the style of an element at a time."""
        return f"left:{number(self.share(time_s))}%"

    def span(self, begin_s: float, end_s: float | None) -> str:
        """Return the style of an element over a period; without an end to the end of the run."""
        left = self.share(begin_s)
        right = 100.0 if end_s is None else self.share(end_s)
        return f"left:{number(left)}%;width:{number(max(right - left, 0.0))}%"

    def ticks(self, most: int = 8) -> list[float]:
        """Return round times, the first at 0."""
        step = nice_step(self.duration_s / most)
        return [step * n for n in range(int(self.duration_s / step * (1 + 1e-9)) + 1)]


def nice_step(least: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, … (or their tenths) that is not less."""
    if not (math.isfinite(least) and least > 0):
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= least * (1 - 1e-9))


def path(points: Iterable[tuple[float, float]]) -> str:
    """Return an SVG path through points."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
