"""Two recordings next to each other around their first difference, for people."""

from dataclasses import dataclass, field
from typing import Any

from rigless.recordings.diff import Difference, compare_files
from rigless.recordings.reader import Record, Recording

AROUND = 6  # records before and after the difference
LONGEST = 400  # characters of a value


@dataclass(frozen=True)
class Row:
    """One pair of records of a topic. A side without a record is None."""

    left_s: float | None
    right_s: float | None
    left: dict[str, str]
    right: dict[str, str]
    different: list[str]  # names of fields


@dataclass(frozen=True)
class SideBySide:
    """The comparison of two recordings. Without a difference there are no rows."""

    equal: bool
    records: int
    text: str
    topic: str = ""
    time_s: float = 0.0
    field_name: str = ""
    rows: list[Row] = field(default_factory=list)
    first: int = 0  # the row of the first difference


def side_by_side(left: Recording, right: Recording) -> SideBySide:
    """Compare two recordings and return the records around the first difference."""
    difference, records = compare_files(left, right)
    if difference is None:
        return SideBySide(True, records, f"equal: {records} records")
    a, b = _of_topic(left, difference), _of_topic(right, difference)
    place = next(
        (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x[:3] != y[:3]),
        min(len(a), len(b)),
    )
    low, high = max(0, place - AROUND), place + AROUND + 1
    rows = [
        _row(a[n] if n < len(a) else None, b[n] if n < len(b) else None)
        for n in range(low, min(high, max(len(a), len(b))))
    ]
    return SideBySide(
        False,
        records,
        str(difference),
        difference.topic,
        difference.time_ns / 1e9,
        difference.field,
        rows,
        place - low,
    )


def _of_topic(recording: Recording, difference: Difference) -> list[Record]:
    return [record for record in recording if record.topic == difference.topic]


def _row(left: Record | None, right: Record | None) -> Row:
    a, b = _fields(left), _fields(right)
    different = [name for name in dict.fromkeys((*a, *b)) if a.get(name) != b.get(name)]
    if left is not None and right is not None and left.time_ns != right.time_ns:
        different = ["time", *different]
    return Row(_time_s(left), _time_s(right), a, b, different)


def _time_s(record: Record | None) -> float | None:
    return None if record is None else record.time_ns / 1e9


def _fields(record: Record | None) -> dict[str, str]:
    """Return the fields of a record as short texts, by path."""
    found: dict[str, str] = {}
    if record is not None:
        _flatten("", record.fields(), found)
    return found


def _flatten(path: str, value: Any, found: dict[str, str]) -> None:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            _flatten(f"{path}.{key}" if path else str(key), inner, found)
    else:
        text = repr(value)
        found[path or "value"] = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
