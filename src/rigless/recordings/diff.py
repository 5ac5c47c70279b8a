"""Finds the first difference between two recordings: robot, port, time and field."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from rigless.recordings.reader import Record


class Difference(NamedTuple):
    """A difference between two recordings."""

    topic: str
    time_ns: int
    field: str
    left: Any
    right: Any

    def __str__(self) -> str:
        parts = self.topic.strip("/").split("/")
        place = f"robot {parts[0]}, " + (
            f"port {parts[1]} ({parts[2]})" if len(parts) >= 3 else parts[-1]
        )
        place += f", topic /{'/'.join(parts[3:])}" if len(parts) > 3 else ""
        return (
            f"{place}, at {self.time_ns / 1e9:.6f} s, field {self.field or '(all)'}: "
            f"{_short(self.left)} against {_short(self.right)}"
        )


MISSING = "(nothing)"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."


def first_field(left: Any, right: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Return the first field in which two JSON values differ, decoded fields before raw bytes."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}, key=lambda key: (key in ("wire", "data"), key)):
            found = first_field(
                left.get(key, MISSING),
                right.get(key, MISSING),
                f"{path}.{key}" if path else str(key),
            )
            if found:
                return found
        return None
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = zip(left, right, strict=True)
        return next(
            (
                found
                for i, (a, b) in enumerate(pairs)
                if (found := first_field(a, b, f"{path}[{i}]"))
            ),
            None,
        )
    return None if left == right and type(left) is type(right) else (path, left, right)


def compare(left: Iterable[Record], right: Iterable[Record]) -> Difference | None:
    """Return the earliest difference between two recordings, compared topic by topic."""
    sides: tuple[dict[str, list[Record]], dict[str, list[Record]]] = ({}, {})
    for side, records in zip(sides, (left, right), strict=True):
        for record in records:
            side.setdefault(record.topic, []).append(record)
    topics = {**sides[0], **sides[1]}
    found = [
        _first_in_topic(topic, sides[0].get(topic, []), sides[1].get(topic, [])) for topic in topics
    ]
    return min(
        (difference for difference in found if difference),
        key=lambda difference: difference.time_ns,
        default=None,
    )


def _first_in_topic(topic: str, left: list[Record], right: list[Record]) -> Difference | None:
    for a, b in zip(left, right, strict=False):
        if a.time_ns != b.time_ns:
            return Difference(topic, min(a.time_ns, b.time_ns), "time", a.time_ns, b.time_ns)
        if a.data != b.data:
            where = first_field(a.fields(), b.fields()) or ("", a.data, b.data)
            return Difference(topic, a.time_ns, *where)
    if len(left) != len(right):
        longer = left if len(left) > len(right) else right
        first = longer[min(len(left), len(right))]
        sides = (first.fields(), MISSING) if longer is left else (MISSING, first.fields())
        return Difference(topic, first.time_ns, "", *sides)
    return None
