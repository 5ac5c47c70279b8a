"""Write nested data as TOML, laid out as people write scenarios.

A table stands in one line if it fits there; otherwise it gets a header of its own.
"""

import json
import re
from typing import Any

WIDTH = 110
BARE = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(data: dict[str, Any]) -> str:
    """Return data as a TOML document. None is left out. Raises TypeError for other objects."""
    lines: list[str] = []
    _table(lines, (), data, tables=True)
    return "\n".join(lines).strip("\n") + "\n"


def inline(value: Any) -> str:
    """Return a value in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)  # inf and nan are spelled as in TOML
    if isinstance(value, list | tuple):
        return "[" + ", ".join(inline(each) for each in value) + "]"
    if isinstance(value, dict):
        pairs = [f"{_key(k)} = {inline(v)}" for k, v in value.items() if v is not None]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else inline(name)


def _table(lines: list[str], path: tuple[str, ...], data: dict[str, Any], tables: bool) -> None:
    """Write the keys of a table: values first, then tables. `tables`: with headers of their own."""
    below: list[tuple[str, Any]] = []
    for key, value in data.items():
        if value is None:
            continue
        text = f"{_key(key)} = "
        if _has_header(value, tables and bool(value), len(text)):
            below.append((key, value))
        else:
            lines.append(text + inline(value))
    for key, value in below:
        name = (*path, key)
        header = ".".join(map(_key, name))
        for entry in value if isinstance(value, list) else [value]:
            lines.extend(["", f"[[{header}]]" if isinstance(value, list) else f"[{header}]"])
            _table(lines, name, entry, tables=False)


def _has_header(value: Any, always: bool, used: int) -> bool:
    """Return True if a value is a list of tables, or a table that does not stand in one line."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, dict) for each in value)
    return isinstance(value, dict) and (always or used + len(inline(value)) > WIDTH)
