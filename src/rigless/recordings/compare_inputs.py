"""Compares what two programs sent to a robot: by type, count, fields and delay.

The messages of one type on one port are aligned in sequence. Each message then has a partner, is
missing, or is additional. This module is pure: messages in, differences and a table out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rigless.recordings.alignment import align, delay_cost
from rigless.recordings.inputs import Message
from rigless.recordings.tolerances import ABSENT, Leaf, Tolerances, flatten, is_number

CHANGED, PER_FIELD = 0.6, 0.6  # cost of a pair with a different field, and of all fields different
SHOWN = 100  # characters of a value

Kind = Literal["missing", "additional", "field", "delay"]
Group = tuple[str, str, str]  # robot, port, type


@dataclass(frozen=True)
class InputDifference:
    """A difference, at the time of the recorded message (or of the additional one)."""

    time_ns: int
    robot: str
    port: str
    type: str
    kind: Kind
    field: str = ""
    recorded: Any = None
    new: Any = None

    def __str__(self) -> str:
        place = f"at {self.time_ns / 1e9:.3f} s, {self.robot}/{self.port}, {self.type}"
        match self.kind:
            case "missing":
                return f"{place}: missing; recorded {_shown(self.recorded)}"
            case "additional":
                return f"{place}: additional, not in the recording: {_shown(self.new)}"
            case "delay":
                way = "late" if self.new > 0 else "early"
                return f"{place}: {abs(self.new) / 1e6:.0f} ms {way}"
        shown = [_short(value) for value in (self.recorded, self.new)]
        if shown[0] == shown[1]:  # they differ only in further digits
            shown = [_shown(value) for value in (self.recorded, self.new)]
        return f"{place}, field {self.field}: {shown[0]} recorded, {shown[1]} now"


@dataclass
class Row:
    """A line of the table: one type on one port."""

    robot: str
    port: str
    type: str
    recorded: int = 0
    new: int = 0
    worst_delay_ns: int = 0
    worst_field: str = ""  # with the largest difference of a number, else one that differs
    worst_difference: float | None = None


@dataclass
class InputComparison:
    """All differences by time, and the table."""

    differences: list[InputDifference] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    @property
    def first(self) -> InputDifference | None:
        return self.differences[0] if self.differences else None


def compare_inputs(
    recorded: Sequence[Message],
    new: Sequence[Message],
    tolerances: Tolerances | None = None,
    end_ns: int | None = None,
) -> InputComparison:
    """Compare the messages of two runs. Times must have the same origin.

    New messages after `end_ns`, the end of the recording, are late ones or not compared.
    """
    rules = tolerances or Tolerances()
    groups: dict[Group, tuple[list[Message], list[Message]]] = {}
    for side, messages in enumerate((recorded, new)):
        for message in messages:
            key = (message.robot, message.port, message.type)
            groups.setdefault(key, ([], []))[side].append(message)
    found = InputComparison()
    for group in sorted(groups):
        found.rows.append(_compare_group(group, *groups[group], rules, found.differences, end_ns))
    found.differences.sort(key=lambda one: one.time_ns)
    return found


def _compare_group(
    group: Group,
    recorded: list[Message],
    new: list[Message],
    rules: Tolerances,
    differences: list[InputDifference],
    end_ns: int | None,
) -> Row:
    row = Row(*group, len(recorded), len(new))
    left = [_leaves(message, rules) for message in recorded]
    right = [_leaves(message, rules) for message in new]
    texts = [repr(leaves) for leaves in left], [repr(leaves) for leaves in right]

    def cost(i: int, j: int) -> float:
        delay = delay_cost(new[j].time_ns - recorded[i].time_ns)
        if texts[0][i] == texts[1][j]:
            return delay
        unequal = len(_unequal(left[i], right[j], rules))
        share = unequal / max(len(left[i]), len(right[j]), 1)
        return delay + (CHANGED + PER_FIELD * share if unequal else 0.0)

    pairs = align([one.time_ns for one in recorded], [one.time_ns for one in new], cost)
    for i, j in pairs:
        if i is None and j is not None:
            if end_ns is not None and new[j].time_ns > end_ns:
                row.new -= 1
                continue
            fields = new[j].fields
            differences.append(InputDifference(new[j].time_ns, *group, "additional", new=fields))
        elif j is None and i is not None:
            fields = recorded[i].fields
            differences.append(
                InputDifference(recorded[i].time_ns, *group, "missing", recorded=fields)
            )
        elif i is not None and j is not None:
            time_ns = recorded[i].time_ns
            delay_ns = new[j].time_ns - time_ns
            for path in _unequal(left[i], right[j], rules):
                values = left[i].get(path, ABSENT), right[j].get(path, ABSENT)
                differences.append(InputDifference(time_ns, *group, "field", path, *values))
            if abs(delay_ns) > rules.delay_ns:
                differences.append(InputDifference(time_ns, *group, "delay", new=delay_ns))
            _note(row, delay_ns, left[i], right[j])
    return row


def _leaves(message: Message, rules: Tolerances) -> dict[str, Leaf]:
    return {
        path: value
        for path, value in flatten(message.fields).items()
        if not rules.ignored or not rules.is_ignored(path)
    }


def _unequal(left: dict[str, Leaf], right: dict[str, Leaf], rules: Tolerances) -> list[str]:
    """Return the paths of the fields that differ."""
    return [
        path
        for path in dict.fromkeys((*left, *right))
        if path not in left
        or path not in right
        or not rules.is_equal(path, left[path], right[path])
    ]


def _note(row: Row, delay_ns: int, left: dict[str, Leaf], right: dict[str, Leaf]) -> None:
    """Update the worst delay and the worst difference of a field, within tolerance or not."""
    if abs(delay_ns) > abs(row.worst_delay_ns):
        row.worst_delay_ns = delay_ns
    for path in dict.fromkeys((*left, *right)):
        a, b = left.get(path, ABSENT), right.get(path, ABSENT)
        if a == b or (a != a and b != b):
            continue
        if is_number(a) and is_number(b):
            gap = abs(a - b)
            if row.worst_difference is None or gap > row.worst_difference:
                row.worst_field, row.worst_difference = path, gap
        elif not row.worst_field:
            row.worst_field = path


def _short(value: Any) -> str:
    """Return a value without the digits beyond single precision: 0.2, not 0.20000000298023224."""
    return repr(float(f"{value:.7g}")) if isinstance(value, float) else _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        value = ", ".join(f"{path}={leaf!r}" for path, leaf in flatten(value).items() if path)
        text = value or "a message without fields"
    else:
        text = value if value == ABSENT else repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
