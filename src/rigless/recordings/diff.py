"""Finds the first difference between two recordings: robot, port, time and field."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from rigless.kernel.problems import InputError, Problem
from rigless.recordings.reader import Record, Recording

NO_CUTS = (None, None)


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


def compare(
    left: Iterable[Record], right: Iterable[Record], ends: tuple[int | None, int | None] = NO_CUTS
) -> Difference | None:
    """Return the earliest difference between two recordings, compared topic by topic.

    `ends` has the time of the last record of a recording that was cut off, else None. Such a
    recording may lack the records of the other from that time on.
    """
    sides: tuple[dict[str, list[Record]], dict[str, list[Record]]] = ({}, {})
    for side, records in zip(sides, (left, right), strict=True):
        for record in records:
            side.setdefault(record.topic, []).append(record)
    topics = {**sides[0], **sides[1]}
    found = [
        _first_in_topic(topic, sides[0].get(topic, []), sides[1].get(topic, []), ends)
        for topic in topics
    ]
    return min(
        (difference for difference in found if difference),
        key=lambda difference: difference.time_ns,
        default=None,
    )


def compare_files(left: Recording, right: Recording) -> tuple[Difference | None, int]:
    """Return the first difference between two recordings, and the number of records compared.

    Recordings that were cut off are compared up to there. Raises InputError if nothing is left to
    compare.
    """
    cut = [one.last_ns if one.end_ns is None else None for one in (left, right)]
    empty = [one for one in (left, right) if not one.records]
    if len(empty) == 2 or any(one.end_ns is None for one in empty):
        raise nothing_to_compare(empty[0])
    return compare(left, right, (cut[0], cut[1])), min(left.records, right.records)


def nothing_to_compare(recording: Recording) -> InputError:
    """Return the error for a recording without a single record."""
    why = f": {recording.missing}" if recording.missing else ""
    what = f"it holds no records, so nothing was compared{why}"
    return InputError(Problem(str(recording.path), what, "record a longer run"))


def _first_in_topic(
    topic: str, left: list[Record], right: list[Record], ends: tuple[int | None, int | None]
) -> Difference | None:
    for a, b in zip(left, right, strict=False):
        if a.time_ns != b.time_ns:
            return Difference(topic, min(a.time_ns, b.time_ns), "time", a.time_ns, b.time_ns)
        if a.data != b.data:
            where = first_field(a.fields(), b.fields()) or ("", a.data, b.data)
            return Difference(topic, a.time_ns, *where)
    if len(left) != len(right):
        longer, end_ns = (left, ends[1]) if len(left) > len(right) else (right, ends[0])
        first = longer[min(len(left), len(right))]
        if end_ns is not None and first.time_ns >= end_ns:
            return None
        sides = (first.fields(), MISSING) if longer is left else (MISSING, first.fields())
        return Difference(topic, first.time_ns, "", *sides)
    return None
