"""Markdown tables and the words of their cells."""

import types
import typing
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, Union

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen

WORDS = {str: "text", bool: "true or false", int: "integer", float: "number", Any: "anything"}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, or an empty text without rows."""
    lines = [" | ".join(cell(one) for one in row) for row in rows]
    if not lines:
        return ""
    ruler = "|".join("---" for _ in head)
    return "".join(f"| {line} |\n" for line in [" | ".join(head)]) + "".join(
        [f"|{ruler}|\n", *(f"| {line} |\n" for line in lines)]
    )


def cell(text: str) -> str:
    """Return a text on one line, without bars."""
    return " ".join(text.split()).replace("|", "\\|")


def code(value: Any) -> str:
    """Return a value as code, with the spelling of TOML and JSON."""
    return f"`{spelled(value)}`"


def spelled(value: Any) -> str:
    """Return a value as it is written in a file."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(spelled, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {spelled(one)}" for key, one in value.items()) + "}"
    if hasattr(value, "model_dump"):
        return spelled(value.model_dump(by_alias=True))
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def type_words(annotation: Any, metadata: Iterable[Any] = ()) -> str:
    """Return a type in words with its bounds: `number, 0 to 1`, `"stop" or "slide"`."""
    given = typing.get_origin(annotation)
    inner = typing.get_args(annotation)
    if given is Annotated:
        return type_words(inner[0], [*inner[1:], *metadata])
    if given is Literal:
        return " or ".join(spelled(one) for one in inner)
    if given in (Union, types.UnionType):
        kinds = [one for one in inner if one is not types.NoneType]
        return " or ".join(dict.fromkeys(type_words(one, metadata) for one in kinds))
    if given in (list, set, frozenset) or (given is tuple and inner[-1:] == (...,)):
        return f"list of {type_words(inner[0])}" + _bounds(metadata)
    if given is tuple:
        kinds = [type_words(one) for one in inner]
        if len(set(kinds)) == 1:
            return f"list of {len(kinds)}: {kinds[0]}"
        return "list: " + "; ".join(kinds)
    if given is dict or getattr(given, "__name__", "") == "Mapping":
        return f"table of {type_words(inner[1])}" if inner else "table"
    if hasattr(annotation, "model_fields"):
        return f"table ({annotation.__name__})"
    return WORDS.get(annotation, getattr(annotation, "__name__", str(annotation))) + _bounds(
        metadata
    )


def _bounds(metadata: Iterable[Any]) -> str:
    found: dict[str, Any] = {}
    for one in metadata:
        for inner in getattr(one, "metadata", [one]):
            for kind, name in ((Ge, "ge"), (Gt, "gt"), (Le, "le"), (Lt, "lt")):
                if isinstance(inner, kind):
                    found[name] = getattr(inner, name)
            if isinstance(inner, MinLen | MaxLen):
                found["least" if isinstance(inner, MinLen) else "most"] = (
                    inner.min_length if isinstance(inner, MinLen) else inner.max_length
                )
    low, high = found.get("ge", found.get("gt")), found.get("le", found.get("lt"))
    if low is not None and high is not None:
        open_ = "above " if "gt" in found else ""
        below = "below " if "lt" in found else ""
        return f", {open_}{low:g} to {below}{high:g}"
    if low is not None:
        return f", {'above' if 'gt' in found else 'at least'} {low:g}"
    if high is not None:
        return f", {'below' if 'lt' in found else 'at most'} {high:g}"
    return ""
