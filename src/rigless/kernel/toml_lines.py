"""Where each key of a TOML text stands, so that errors can name the line. tomllib tells values, not places."""

import re

Path = tuple[str | int, ...]

_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_DOTTED = rf"{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*"
_HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_DOTTED})[ \t]*\]")
_KEY = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=")
_PART = re.compile(_NAME)
_TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|[#\[\]{}]')


def key_lines(text: str) -> dict[Path, int]:
    """Key path → line number, for tables, array tables and keys that start a line."""
    lines: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    value = _Value()
    for number, line in enumerate(text.split("\n"), 1):
        start = 0
        if not value.open:
            if header := _HEADER.match(line):
                table = _indexed(_parts(header.group(2)), counts)
                if header.group(1) == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                lines.setdefault(table, number)
                continue
            key = _KEY.match(line)
            if not key:
                continue
            path = table
            for part in _parts(key.group(1)):
                path = (*path, part)
                lines.setdefault(path, number)
            start = key.end()
        value.read(line, start)
    return lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """The line of a key, or of the nearest thing around it; 0 if unknown."""
    for end in range(len(path), -1, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 0


class _Value:
    """A value that may go on over several lines: an array, or a string in triple quotes."""

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""

    @property
    def open(self) -> bool:
        return bool(self._depth or self._quote)

    def read(self, line: str, at: int) -> None:
        while at < len(line):
            if self._quote:
                end = line.find(self._quote, at)
                if end < 0:
                    return
                at, self._quote = end + 3, ""
                continue
            token = _TOKEN.search(line, at)
            if token is None or token.group() == "#":
                return
            at = token.end()
            if token.group() in ('"""', "'''"):
                self._quote = token.group()
            elif token.group() in "[{":
                self._depth += 1
            elif token.group() in "]}":
                self._depth = max(0, self._depth - 1)


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
