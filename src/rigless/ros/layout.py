"""The layout of a message type, read from its annotations."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

FORMATS = {
    "bool": "?",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}
_ARRAY = re.compile(r"(\w+)\[(\d*)\]\Z")


@dataclass(frozen=True)
class Number:
    name: str


@dataclass(frozen=True)
class Text:
    """UTF-8, without zeros."""


@dataclass(frozen=True)
class Struct:
    type: type


@dataclass(frozen=True)
class Array:
    """A fixed number of numbers."""

    item: Number
    length: int


@dataclass(frozen=True)
class Sequence:
    item: "Number | Text | Struct"


Shape = Number | Text | Struct | Array | Sequence


@cache
def shapes(kind: type) -> tuple[tuple[str, Shape], ...]:
    """Return the fields of a message type with their shapes."""
    hints = get_type_hints(kind, include_extras=True)
    names: tuple[str, ...] = kind.__struct_fields__  # type: ignore[attr-defined]
    return tuple((name, _shape(hints[name])) for name in names)


def _shape(hint: Any) -> Shape:
    if get_origin(hint) is Annotated:
        name = get_args(hint)[1]
        array = _ARRAY.match(name)
        if array is None:
            return Number(name)
        return Array(Number(array[1]), int(array[2])) if array[2] else Sequence(Number(array[1]))
    if hint is str:
        return Text()
    if hint is bool:
        return Number("bool")
    if get_origin(hint) is tuple:
        item = _shape(get_args(hint)[0])
        assert isinstance(item, Number | Text | Struct)
        return Sequence(item)
    return Struct(hint)
