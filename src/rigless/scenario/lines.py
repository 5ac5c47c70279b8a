"""Where each key of a TOML text stands, so that errors can name the line. tomllib tells values, not places."""

import re

Path = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")


def key_lines(text: str) -> dict[Path, int]:
    """Key path → line number, for tables, array tables and keys that start a line."""
    lines: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    quote = ""
    for number, line in enumerate(text.splitlines(), 1):
        if quote:
            quote = "" if quote in line else quote
            continue
        if header := _HEADER.match(line):
            parts = _indexed(_parts(header.group(2)), counts)
            if header.group(1) == "[[":
                counts[parts] = counts.get(parts, -1) + 1
                parts = (*parts, counts[parts])
            table = parts
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            path = table
            for part in _parts(key.group(1)):
                path = (*path, part)
                lines.setdefault(path, number)
            rest = line[key.end() :]
            quote = next((mark for mark in ('"""', "'''") if rest.count(mark) % 2), "")
    return lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """The line of a key, or of the nearest thing around it; 0 if unknown."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 0


def _parts(text: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(text))


def _indexed(parts: Path, counts: dict[Path, int]) -> Path:
    """Put the index of the newest element after each array table on the way: robots.config → robots.0.config."""
    path: Path = ()
    for i, part in enumerate(parts):
        path = (*path, part)
        if path in counts and i < len(parts) - 1:
            path = (*path, counts[path])
    return path
