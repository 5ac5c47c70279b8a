"""Tolerances for the comparison of messages: by field, absolute or relative, and of the delay."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

from rigless.kernel.problems import InputError, Problem

DELAY_MS = 250.0
ABSENT = "(absent)"
INDEX = re.compile(r"\[\d+\]")

Leaf = bool | int | float | str | bytes | None


@dataclass(frozen=True)
class FieldTolerance:
    """The largest difference of a number that counts as equal."""

    field: str
    absolute: float = 0.0
    relative: float = 0.0  # of the recorded value


@dataclass(frozen=True)
class Tolerances:
    """Rules of a comparison. A field is named by its path or by the end of it."""

    fields: tuple[FieldTolerance, ...] = ()
    ignored: tuple[str, ...] = ()
    delay_ns: int = int(DELAY_MS * 1e6)

    @classmethod
    def parse(
        cls, fields: Iterable[str], ignored: Iterable[str] = (), delay_ns: int | None = None
    ) -> "Tolerances":
        """Read tolerances as FIELD=ABS or FIELD=REL%. Raises InputError with all problems."""
        problems: list[Problem] = []
        found = [one for text in fields if (one := _parse(text, problems)) is not None]
        if problems:
            raise InputError(problems)
        return cls(tuple(found), tuple(ignored), cls.delay_ns if delay_ns is None else delay_ns)

    def is_ignored(self, path: str) -> bool:
        return any(names(name, path) for name in self.ignored)

    def is_equal(self, path: str, recorded: Leaf, new: Leaf) -> bool:
        """Return whether two values of a field count as equal."""
        if is_number(recorded) and is_number(new):
            if recorded == new or (recorded != recorded and new != new):  # both are not a number
                return True
            limit = max(
                (
                    max(one.absolute, one.relative * abs(recorded))
                    for one in self.fields
                    if names(one.field, path)
                ),
                default=0.0,
            )
            return abs(recorded - new) <= limit * (1 + 1e-12)
        return type(recorded) is type(new) and recorded == new


def names(name: str, path: str) -> bool:
    """Return whether a name is that of a field: its path, the end of it, or a part above it."""
    plain = INDEX.sub("", path)
    return any(
        one == name or one.endswith(f".{name}") or one.startswith((f"{name}.", f"{name}["))
        for one in {path, plain}
    )


def is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def flatten(value: Any, path: str = "") -> dict[str, Leaf]:
    """Return the values of nested plain data by path: `config.linear`, `ranges[3]`."""
    if isinstance(value, dict) and value:
        return {
            place: leaf
            for key, inner in value.items()
            for place, leaf in flatten(inner, f"{path}.{key}" if path else str(key)).items()
        }
    if isinstance(value, list | tuple) and value:
        return {
            place: leaf
            for index, inner in enumerate(value)
            for place, leaf in flatten(inner, f"{path}[{index}]").items()
        }
    return {path: str(value) if isinstance(value, dict | list | tuple) else value}


def _parse(text: str, problems: list[Problem]) -> FieldTolerance | None:
    field, equals, amount = text.rpartition("=")
    share = amount.endswith("%")
    try:
        number = float(amount.removesuffix("%"))
    except ValueError:
        number = math.nan
    if not equals or not field.strip() or not 0 <= number < math.inf:
        problems.append(
            Problem(
                f"--tolerance {text}",
                "is not FIELD=ABS or FIELD=REL%",
                "for example: --tolerance config.linear=0.01, or --tolerance linear=5%",
            )
        )
        return None
    field = field.strip()
    return FieldTolerance(field, relative=number / 100) if share else FieldTolerance(field, number)
