"""TOML with lines. tomllib gives the values but not their positions, so this finds the lines."""

import re
import tomllib
from typing import Any

from rigless.kernel.documents.document import Document
from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import Problem

MAX_DEPTH = 500  # tomllib does not read deeper arrays

_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_DOTTED = rf"{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*"
_HEADER = re.compile(rf"(\[\[?)[ \t]*({_DOTTED})[ \t]*\]\]?")
_KEY = re.compile(rf"({_DOTTED})[ \t]*=")
_PART = re.compile(_NAME)
_REST_OF_LINE = re.compile(r"[^\n]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE = re.compile(r"[^,\[\]{}#\n\"']*")
_STRINGS = {
    '"""': re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}', re.DOTALL),
    "'''": re.compile(r"'''(?:[^']|'(?!''))*'{3,5}"),
    '"': re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    "'": re.compile(r"'[^'\n]*'"),
}
_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")


def parse_toml(text: str, file: str = "") -> Document:
    """Parse a TOML text."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for an integer of 5000 digits
        reason, line, column = str(error), 0, 0
        if position := _POSITION.search(reason):
            end = text.count("\n") + 1, 0
            line, column = (int(position[1]), int(position[2])) if position[1] else end
        what = f"is not valid TOML: {reason}"
        return Document(None, file, {}, [Problem("", what, "", file, line, column=column)])
    document = Document(data, file, key_lines(text))
    _check_integers(document, data, ())
    return document


def _check_integers(document: Document, value: Any, path: KeyPath) -> None:
    """Report integers outside TOML's range, which Python's parser accepts."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_integers(document, inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _check_integers(document, inner, (*path, index))
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        document.report(path, "is not valid TOML: an integer needs more than 64 bits")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line of every table, key and array element. Stop where the text is not TOML."""
    scanner = _Scanner(text)
    while scanner.statement():
        pass
    return scanner.lines


class _Scanner:
    """A position in the text. Its methods go past what they read, or return False."""

    def __init__(self, text: str):
        self.text, self.at, self.line = text, 0, 1
        self.lines: dict[KeyPath, int] = {}
        self.table: KeyPath = ()
        self.counts: dict[KeyPath, int] = {}  # index of the newest element of each array of tables

    def skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go past a match, if there is one here."""
        found = pattern.match(self.text, self.at)
        if found:
            self.line += self.text.count("\n", self.at, found.end())
            self.at = found.end()
        return found

    def statement(self) -> bool:
        """Read a table header, or a key and its value; skip a line that is neither."""
        self.skip(_BLANK)
        line = self.line
        if header := self.skip(_HEADER):
            self.table = self._indexed(_parts(header[2]))
            if header[1] == "[[":
                self.counts[self.table] = self.counts.get(self.table, -1) + 1
                self.table = (*self.table, self.counts[self.table])
            self.lines.setdefault(self.table, line)
        elif (key := self.skip(_KEY)) and not self.value(self._note(self.table, key[1])):
            return False
        self.skip(_REST_OF_LINE)
        return self.at < len(self.text)

    def value(self, path: KeyPath) -> bool:
        """Read a value, with all that is inside it."""
        inside: list[tuple[str, KeyPath, int]] = []  # closing bracket, path, index of an element
        if not self._begin(path, inside):
            return False
        while inside:
            self.skip(_BLANK)
            character = self.text[self.at : self.at + 1]
            end, outer, index = inside[-1]
            if character == end:
                inside.pop()
                self.at += 1
            elif character == ",":
                inside[-1] = end, outer, index + 1
                self.at += 1
            elif end == "]":
                self.lines.setdefault((*outer, index), self.line)
                if not self._begin((*outer, index), inside):
                    return False
            else:
                key = self.skip(_KEY)
                if not key or not self._begin(self._note(outer, key[1]), inside):
                    return False
        return True

    def _begin(self, path: KeyPath, inside: list[tuple[str, KeyPath, int]]) -> bool:
        """Read a plain value whole; of an array or an inline table, only its bracket."""
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        quote = next((quote for quote in _STRINGS if self.text.startswith(quote, self.at)), "")
        if quote:
            return self.skip(_STRINGS[quote]) is not None
        bracket = self.text[self.at : self.at + 1]
        if bracket in ("[", "{"):
            inside.append(("]" if bracket == "[" else "}", path, 0))
            self.at += 1
            return len(inside) < MAX_DEPTH
        bare = self.skip(_BARE)
        return bare is not None and bool(bare.group())

    def _note(self, table: KeyPath, name: str) -> KeyPath:
        """Record the line of a key, and of the tables that its dots make; return its path."""
        path = table
        for part in _parts(name):
            path = (*path, part)
            self.lines.setdefault(path, self.line)
        return path

    def _indexed(self, parts: KeyPath) -> KeyPath:
        """Insert the index of the newest element after each array of tables: robots.0.config."""
        path: KeyPath = ()
        for i, part in enumerate(parts):
            path = (*path, part)
            if path in self.counts and i < len(parts) - 1:
                path = (*path, self.counts[path])
        return path


def _parts(text: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in _PART.findall(text))
