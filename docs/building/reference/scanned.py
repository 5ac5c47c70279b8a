"""Facts that are found in the source of a robot: its counters, and the texts of its events."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any


@cache
def calls(folder: Path, method: str) -> tuple[Any, ...]:
    """Return the calls of a method of this name, with a text as the first argument."""
    found: list[Any] = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8")
        if f".{method}(" not in text:
            continue
        found += [node for node in ast.walk(ast.parse(text)) if is_call(node, method)]
    return tuple(found)


def is_call(node: ast.AST, method: str) -> bool:
    """Return True for a call of the method with a constant as its first argument."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
    )


def counters(folder: Path) -> list[str]:
    """Return the names of all metrics that the modules of a robot count."""
    names = {str(node.args[0].value) for node in calls(folder, "count")}
    return sorted(name for name in names if name.isidentifier())


def event_texts(folder: Path) -> dict[str, str]:
    """Return the texts of events by code; values in a text are shown as `…`."""
    texts: dict[str, str] = {}
    for node in calls(folder, "event"):
        code = str(node.args[0].value)
        if len(node.args) > 1 and (text := "".join(parts(node.args[1]))):
            texts.setdefault(code, text)
    return texts


def parts(node: ast.expr) -> Iterator[str]:
    """Yield the constant parts of a text, and `…` for each value in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for one in node.values:
            yield str(one.value) if isinstance(one, ast.Constant) else "…"
