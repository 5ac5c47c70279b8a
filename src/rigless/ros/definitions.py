"""Message definitions as text (`ros2msg`), for the readers of recordings."""

from functools import cache

from rigless.ros.layout import Array, Number, Sequence, Shape, Struct, Text, shapes
from rigless.ros.types import type_name

LINE = "=" * 80


@cache
def definition(kind: type) -> str:
    """Return the type's fields, then those of every type inside it."""
    inside = _inside(kind)
    parts = [_fields(kind)] + [f"{LINE}\nMSG: {_short(part)}\n{_fields(part)}" for part in inside]
    return "\n".join(parts) + "\n"


def _fields(kind: type) -> str:
    return "\n".join(f"{_text(shape)} {name}" for name, shape in shapes(kind))


def _text(shape: Shape) -> str:
    match shape:
        case Number(name):
            return name
        case Text():
            return "string"
        case Struct(kind):
            return _short(kind)
        case Array(item, length):
            return f"{_text(item)}[{length}]"
        case Sequence(item):
            return f"{_text(item)}[]"


def _inside(kind: type) -> list[type]:
    found: list[type] = []
    for _, shape in shapes(kind):
        item = shape.item if isinstance(shape, Sequence) else shape
        if isinstance(item, Struct):
            for part in (item.type, *_inside(item.type)):
                if part not in found:
                    found.append(part)
    return found


def _short(kind: type) -> str:
    package, _, name = type_name(kind).split("/")
    return f"{package}/{name}"
