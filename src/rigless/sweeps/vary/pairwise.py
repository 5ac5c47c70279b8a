"""Covering arrays: few rows in which every pair of values of two axes occurs.

Greedy construction one row at a time (after AETG, Cohen et al. 1997), deterministic: each row
begins with the value that has the most uncovered pairs, and every further axis takes the value that
covers the most new pairs.
"""

from collections.abc import Sequence
from itertools import combinations


def pairwise(sizes: Sequence[int]) -> list[list[int]]:
    """Return rows of value numbers, one for each axis of the given sizes."""
    if len(sizes) < 2:
        return [[value] for value in range(sizes[0])] if sizes else [[]]
    open_pairs: dict[tuple[int, int], set[tuple[int, int]]] = {
        (a, b): {(i, j) for i in range(sizes[a]) for j in range(sizes[b])}
        for a, b in combinations(range(len(sizes)), 2)
    }
    open_of = [[0] * size for size in sizes]  # uncovered pairs of each value
    for (a, b), pairs in open_pairs.items():
        for i, j in pairs:
            open_of[a][i] += 1
            open_of[b][j] += 1
    rows: list[list[int]] = []
    while any(open_pairs.values()):
        row = _row(sizes, open_pairs, open_of)
        for (a, b), pairs in open_pairs.items():
            if (row[a], row[b]) in pairs:
                pairs.remove((row[a], row[b]))
                open_of[a][row[a]] -= 1
                open_of[b][row[b]] -= 1
        rows.append(row)
    return rows


def _row(
    sizes: Sequence[int],
    open_pairs: dict[tuple[int, int], set[tuple[int, int]]],
    open_of: list[list[int]],
) -> list[int]:
    row = [-1] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda axis: (-max(open_of[axis]), axis))
    for axis in order:
        best = max(
            range(sizes[axis]),
            key=lambda value: (
                sum(
                    _pair(axis, value, other, row[other]) in open_pairs[_axes(axis, other)]
                    for other in range(len(sizes))
                    if row[other] >= 0
                ),
                open_of[axis][value],
                -value,
            ),
        )
        row[axis] = best
    return row


def _axes(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def _pair(axis: int, value: int, other: int, other_value: int) -> tuple[int, int]:
    return (value, other_value) if axis < other else (other_value, value)
