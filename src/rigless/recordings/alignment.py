"""Aligns two sequences of messages by least cost, so that it resynchronises after a difference.

A pair costs as much as its fields and times differ; a message without a partner costs 1. A pair
that differs in everything and is far apart in time costs more than two such messages. Of equal
messages, those next to each other in time are paired.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence

ALONE = 1.0  # the cost of a message without a partner
SLOW_S, SLOWEST = 1.0, 1.5  # a delay of a second costs 1, a longer one at most this
SMALL = 250_000  # products of lengths up to this are searched completely
NEAR = 40  # else a message is compared with this many before and after it

Pair = tuple[int | None, int | None]
MISSING, ADDITIONAL, BOTH = 1, 2, 3


def delay_cost(delay_ns: int) -> float:
    """Return the part of a pair's cost that comes from the delay between its messages."""
    return min(abs(delay_ns) / (SLOW_S * 1e9), SLOWEST)


def align(
    left: Sequence[int], right: Sequence[int], cost: Callable[[int, int], float]
) -> list[Pair]:
    """Return the pairs of two sequences, given their times in ns and the cost of a pair.

    A pair with None on the right is missing there; one with None on the left is additional.
    """
    rows, ranges = _fill(left, right, cost)
    pairs: list[Pair] = []
    i, j = len(left), len(right)
    while i or j:
        match rows[i][j - ranges[i]]:
            case 1:
                i -= 1
                pairs.append((i, None))
            case 2:
                j -= 1
                pairs.append((None, j))
            case _:
                i, j = i - 1, j - 1
                pairs.append((i, j))
    return pairs[::-1]


def _fill(
    left: Sequence[int], right: Sequence[int], cost: Callable[[int, int], float]
) -> tuple[list[bytearray], list[int]]:
    """Return the last step to each cell, row by row, and the first column of each row."""
    spans = _spans(left, right)
    low, high = spans[0]
    before = [ALONE * column for column in range(low, high + 1)]
    rows, firsts = [bytearray([ADDITIONAL]) * len(before)], [low]
    for row in range(1, len(left) + 1):
        before_low, (low, high) = low, spans[row]
        costs: list[float] = []
        steps = bytearray()
        for column in range(low, high + 1):
            best, step = float("inf"), BOTH
            at = column - before_low
            if 0 < at <= len(before):
                best = before[at - 1] + cost(row - 1, column - 1)
            if at < len(before) and before[at] + ALONE < best:
                best, step = before[at] + ALONE, MISSING
            if costs and costs[-1] + ALONE < best:
                best, step = costs[-1] + ALONE, ADDITIONAL
            costs.append(best)
            steps.append(step)
        before = costs
        rows.append(steps)
        firsts.append(low)
    return rows, firsts


def _spans(left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
    """Return the columns of each row that are searched. They overlap from row to row."""
    if len(left) * len(right) <= SMALL:
        return [(0, len(right))] * (len(left) + 1)
    places = [bisect_left(right, time_ns) for time_ns in left]
    lows = [0, *(max(place - NEAR, 0) for place in places)]
    highs = [*(min(place + NEAR, len(right)) for place in places), len(right)]
    return list(zip(lows, highs, strict=True))
