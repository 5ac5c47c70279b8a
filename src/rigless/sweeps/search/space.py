"""The space of parameters: its axes, its points, and the distance between two of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rigless.sweeps.row import Row

Point = tuple[float, ...]


class Axis(Protocol):
    """A parameter that varies."""

    @property
    def key(self) -> str:
        """The key of the setting."""
        ...

    def at(self, u: float) -> Any:
        """Return the value at a place from 0 to below 1."""
        ...


@dataclass
class Trial:
    """A run that was asked for. `row` is None until its result is known."""

    point: Point
    settings: dict[str, Any]
    row: Row | None = None
    score: float | None = None  # the scaled margin; negative for a failure


def settings_at(axes: Sequence[Axis], point: Point) -> dict[str, Any]:
    """Return the settings at a point."""
    return {axis.key: axis.at(u) for axis, u in zip(axes, point, strict=True)}


def distance(one: Trial, other: Trial) -> float:
    """Return the distance of two trials: 0 for the same settings, 1 for opposite corners.

    Values that are no numbers are either equal or as far apart as possible.
    """
    squares = 0.0
    for key, u, v in zip(one.settings, one.point, other.point, strict=True):
        here, there = one.settings[key], other.settings[key]
        if here == there:
            continue
        named = isinstance(here, str | bool) or isinstance(there, str | bool)
        squares += 1.0 if named else (u - v) ** 2
    return math.sqrt(squares / max(len(one.point), 1))
