"""Messages for reading: the name of a type, one line of text, and all fields as plain data.

Messages are objects of robot authors. If one cannot be converted, the text says so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import Field, is_dataclass
from dataclasses import fields as dataclass_fields
from typing import Any

import msgspec
import numpy as np

from rigless.kernel.plain import to_builtins

LINE = 160  # characters of a summary
ITEMS = 8  # of a list in a summary
LIST_ITEMS = 2000  # of a list in the fields of one message
DEPTH = 24
LAST = ("header", "stamp", "frame_id", "covariance")  # words of fields that come last in a line


def content(message: Any) -> Any:
    """Return a message without its envelope (see `Output.content`)."""
    return getattr(message, getattr(type(message), "CARRIES", ""), message)


def refusal(message: Any) -> str:
    """Return why the robot rejects this message: the field that its class names in REFUSED."""
    name = getattr(type(message), "REFUSED", "")
    return str(getattr(message, name, "")) if name else ""


def summarise(message: Any, limit: int = LINE) -> str:
    """Return a message as one line of text; a message that is only text is that text."""
    try:
        pairs = _telling(content(message))
        if len(pairs) == 1 and isinstance(pairs[0][1], str | bytes):
            return _clip(_text(pairs[0][1], limit), limit)
        return _clip(_joined(pairs, limit), limit)
    except Exception as error:  # code of a robot's author
        return f"cannot be shown: {type(error).__name__}: {error}"[:limit]


def plain_fields(message: Any) -> Any:
    """Return the fields of a message as JSON has them; long lists are cut. Raises anything."""
    return _shortened(to_builtins(_as_plain(message)), DEPTH)


def _as_plain(message: Any) -> Any:
    """Return a message that msgspec can convert: fields one by one if it is no known type."""
    pairs = list(_pairs(message))
    return dict(pairs) if pairs else message


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield name, getattr(value, name)
    elif is_dataclass(value):
        for one in dataclass_fields(value):
            yield one.name, getattr(value, one.name)
    elif isinstance(value, Mapping):
        yield from ((str(name), one) for name, one in value.items())
    elif hasattr(value, "model_dump"):
        yield from value.model_dump().items()
    elif not isinstance(value, str | bytes | int | float | list | tuple | np.ndarray | None):
        yield from vars(value).items() if hasattr(value, "__dict__") else [("value", repr(value))]
    elif value is not None:
        yield "value", value


def _telling(value: Any) -> list[tuple[str, Any]]:
    """Return the fields of a message for one line.

    Headers, time stamps and what its type lists in ADDED come last. Empty fields, and those that a
    dataclass leaves out of its repr, are not in it.
    """
    hidden = (
        {one.name for one in dataclass_fields(value) if _is_hidden(value, one)}
        if (is_dataclass(value))
        else set()
    )
    pairs = [
        (name, one) for name, one in _pairs(value) if name not in hidden and not _is_empty(one)
    ]
    added = getattr(type(value), "ADDED", ())
    return sorted(
        pairs, key=lambda pair: pair[0] in added or any(word in pair[0].lower() for word in LAST)
    )


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | bytes | list | tuple | dict) and not value)


def _is_hidden(value: Any, one: Field[Any]) -> bool:
    """Return True for a flag that is off, and for a field that is left out of the repr."""
    return not one.repr or (one.default is False and getattr(value, one.name) is False)


def _joined(pairs: list[tuple[str, Any]], limit: int) -> str:
    parts: list[str] = []
    length = 0
    for name, value in pairs:
        if length > limit:
            break
        parts.append(f"{name} {_short(value, limit - length)}")
        length += len(parts[-1]) + 2
    return ", ".join(parts)


def _short(value: Any, limit: int) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower() if value is not None else "–"
    if isinstance(value, float | np.floating):
        return f"{float(value):.5g}"
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, str | bytes):
        return _text(value, limit)
    if isinstance(value, np.ndarray):
        return f"[{value.size}]"
    if isinstance(value, list | tuple | set | frozenset):
        if len(value) > ITEMS or limit < 0:
            return f"[{len(value)}]"
        return f"[{' '.join(_short(item, limit) for item in value)}]"
    if limit < 0:
        return "…"
    return f"{{{_joined(_telling(value), limit)}}}"


def _text(value: str | bytes, limit: int) -> str:
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return (
        " ⏎ ".join(value[: max(limit, 0) + 1].splitlines()) if "\n" in value else value[: 2 * LINE]
    )


def _clip(text: str, limit: int) -> str:
    text = "".join(c if c.isprintable() else "·" for c in text[: limit + 1])
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _shortened(value: Any, depth: int) -> Any:
    if depth == 0:
        return "…"
    if isinstance(value, dict):
        return {key: _shortened(one, depth - 1) for key, one in value.items()}
    if isinstance(value, list):
        kept = [_shortened(one, depth - 1) for one in value[:LIST_ITEMS]]
        return [*kept, f"… {len(value) - LIST_ITEMS} more"] if len(value) > LIST_ITEMS else kept
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value
