"""Delta debugging: drop as many items as possible while something stays true.

After Zeller and Hildebrandt (2002), in the variant that tries chunks from large to small. The
result is minimal: no single item of it can be dropped.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
First = Callable[[list[list[Item]]], int | None]


def minimize(items: Sequence[Item], first: First[Item]) -> list[Item]:
    """Return a minimal part of the items.

    `first` gets parts in order and returns the index of the first that is still good, or None. The
    whole is known to be good.
    """
    left = list(items)
    if left and first([[]]) is not None:
        return []
    size = max(1, len(left) // 2)
    while len(left) > 1:
        reduced = _sweep(left, size, first)
        if size == 1 and len(reduced) == len(left):
            break
        left, size = reduced, max(1, min(size, len(reduced)) // 2)
    return left


def _sweep(left: list[Item], size: int, first: First[Item]) -> list[Item]:
    """Try to drop each chunk of this size once, from the beginning to the end."""
    begin = 0
    while begin < len(left) and size < len(left):
        starts = range(begin, len(left), size)
        parts = [left[:at] + left[at + size :] for at in starts]
        found = first(parts)
        if found is None:
            break
        begin, left = starts[found], parts[found]
    return left
