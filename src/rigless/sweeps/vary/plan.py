"""The points of the parameter space that a sweep runs: a grid, samples, or a covering array."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.sobol import MOST_DIMENSIONS, sobol
from rigless.sweeps.vary.axis import Axis, Uniform
from rigless.sweeps.vary.pairwise import pairwise

Sampling = Literal["sobol", "random"]


@dataclass(frozen=True)
class Sample:
    """The choice of points: all of the grid, `count` samples, or a covering array.

    `seed` is that of the samples, not of the runs.
    """

    count: int | None = None
    method: Sampling = "sobol"
    pairwise: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Point:
    """One run: the values of the axes, the seed, and its number among repetitions."""

    settings: dict[str, Any]
    seed: int
    repeat: int = 0


@dataclass(frozen=True)
class Plan:
    """All runs of a sweep: every setting with every seed and repetition."""

    settings: Sequence[dict[str, Any]]
    seeds: Sequence[int]
    repeats: int = 1

    def __len__(self) -> int:
        return len(self.settings) * len(self.seeds) * self.repeats

    def __iter__(self) -> Iterator[Point]:
        """Return the runs. All settings run with the first seed before the next seed begins."""
        for seed, repeat, settings in product(self.seeds, range(self.repeats), self.settings):
            yield Point(settings, seed, repeat)


def count_grid(axes: Sequence[Axis]) -> int:
    """Return the size of the full grid. Raises InputError if an axis is a continuum."""
    problems = [
        Problem(
            f"--vary {axis.key}",
            f"a grid needs single values; this is {axis.text}",
            "lo..hi:n for n values, or --samples N" if isinstance(axis, Uniform) else "--samples N",
        )
        for axis in axes
        if axis.values() is None
    ]
    if problems:
        raise InputError(problems)
    return math.prod(len(axis.values() or ()) for axis in axes)


def choose_settings(axes: Sequence[Axis], sample: Sample) -> list[dict[str, Any]]:
    """Return the settings to run. Raises InputError."""
    keys = [axis.key for axis in axes]
    if sample.count is not None:
        rows = _unit_points(len(axes), sample)
        return _distinct(
            [{axis.key: axis.at(u) for axis, u in zip(axes, row, strict=True)} for row in rows]
        )
    count_grid(axes)
    listed = [list(axis.values() or ()) for axis in axes]
    if sample.pairwise:
        numbers = pairwise([len(values) for values in listed])
        return [
            {key: values[n] for key, values, n in zip(keys, listed, row, strict=True)}
            for row in numbers
        ]
    return [dict(zip(keys, values, strict=True)) for values in product(*listed)]


def _unit_points(dimensions: int, sample: Sample) -> list[list[float]]:
    """Return points of the unit cube."""
    count = sample.count or 0
    if not dimensions:
        return [[]]
    if sample.method == "sobol" and dimensions <= MOST_DIMENSIONS:
        return [[float(u) for u in row] for row in sobol(dimensions, count, sample.seed)]
    return [
        [unit_number(sample.seed, index, axis) for axis in range(dimensions)]
        for index in range(count)
    ]


def unit_number(seed: int, index: int, axis: int) -> float:
    """Return a random number in [0, 1) that depends on its arguments only."""
    digest = hashlib.blake2b(f"{seed}\0{index}\0{axis}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "little") >> 11) * 2.0**-53


def _distinct(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return settings without repetitions, which few values on all axes can cause."""
    found: dict[str, dict[str, Any]] = {}
    for each in settings:
        found.setdefault(repr(each), each)
    return list(found.values())
