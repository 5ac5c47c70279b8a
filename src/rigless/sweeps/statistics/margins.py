"""Margins on one scale, so that those of different expectations and units can be compared.

The margin of an expectation is divided by the typical size that it has in the table. An expectation
that only counts, such as one on events, has whole numbers and 0 for any pass: its margin says
nothing about the distance to a failure.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from rigless.sweeps.row import Row

FAILED = -1.0  # of a failure without a graded margin
PASSED = 1.0


@dataclass
class Scales:
    """The typical size of each graded margin."""

    sizes: dict[str, float]

    def score(self, row: Row) -> float | None:
        """Return the worst scaled margin, negative if the run failed. None without a verdict."""
        if row.verdict not in ("pass", "fail"):
            return None
        worst = min(
            (
                margin / self.sizes[name]
                for name, margin in row.margins.items()
                if margin is not None and name in self.sizes
            ),
            default=None,
        )
        if row.verdict == "fail":
            return min(worst, -1e-9) if worst is not None and worst < 0 else FAILED
        return PASSED if worst is None else max(worst, 0.0)


def scales_of(rows: Iterable[Row]) -> Scales:
    """Return the scales of a table."""
    seen: dict[str, list[float]] = {}
    graded: set[str] = set()
    for row in rows:
        for name, margin in row.margins.items():
            if margin is not None:
                seen.setdefault(name, []).append(abs(margin))
                if not float(margin).is_integer():
                    graded.add(name)
    sizes = {name: median([size for size in seen[name] if size] or [1.0]) for name in graded}
    return Scales(sizes)
