"""JSON as data with the line of every key and element, and with sentences about what is not JSON: json tells values, not places.

A mistake after which it is clear how to go on (a key given twice, a comma too many, NaN) does not hide the next one.
"""

import json
import math
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from rigless.kernel.toml_lines import Path

DEEPEST = 64

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"[-+.0-9A-Za-z_$]+")
_WORDS = {"true": True, "false": False, "null": None}
_NO_NUMBERS = {"nan", "infinity", "inf", "-nan", "-infinity", "-inf", "+nan", "+infinity", "+inf"}


@dataclass(frozen=True)
class Flaw:
    """What is not JSON, and where: line and column count from 1."""

    what: str
    fix: str
    line: int
    column: int
    path: Path = ()


@dataclass
class Parsed:
    """`value` is None, too, where the text could not be read to its end."""

    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    flaws: list[Flaw] = field(default_factory=list)


def parse(text: str) -> Parsed:
    """Never raises: what is wrong is in `flaws`."""
    reader = _Reader(text)
    try:
        value = reader.value(())
        reader.space()
        if reader.at < len(text):
            reader.stop("something stands behind the end", "a file holds one object")
        reader.parsed.value = value
    except _Stop:
        reader.parsed.value = None
    return reader.parsed


class _Stop(Exception):  # noqa: N818  # where reading ends
    """There is no telling how it goes on."""


class _Reader:
    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.parsed = Parsed()
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def line(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def flaw(self, what: str, fix: str = "", at: int | None = None, path: Path = ()) -> None:
        at = self.at if at is None else at
        line = self.line(at)
        self.parsed.flaws.append(Flaw(what, fix, line, at - self._starts[line - 1] + 1, path))

    def stop(self, what: str, fix: str = "", at: int | None = None, path: Path = ()) -> None:
        self.flaw(what, fix, at, path)
        raise _Stop

    def space(self) -> str:
        """Skip white space; gives the next character, "" at the end."""
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.text[self.at : self.at + 1]

    def value(self, path: Path) -> Any:
        if len(path) > DEEPEST:
            self.stop(f"is nested more than {DEEPEST} deep")
        first = self.space()
        self.parsed.lines[path] = self.line(self.at)
        if first == "{":
            return self._object(path)
        if first == "[":
            return self._array(path)
        if first == '"':
            return self.string()
        return self._plain(path)

    def _object(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        opened = self.at
        self.at += 1
        while self.space() != "}":
            begin = self.at
            if self.text[begin : begin + 1] != '"':
                self._lost("a key in double quotes", opened, path)
            key = self.string()
            if self.space() != ":":
                self._lost(f"a colon behind the key {key!r}", opened, path)
            self.at += 1
            inner = (*path, key)
            if key in found:
                first = self.parsed.lines[inner]
                self.flaw(
                    f"the key {key!r} is here for the second time",
                    f"the first is in line {first}",
                    begin,
                    inner,
                )
            value = self.value(inner)
            self.parsed.lines[inner] = self.line(begin)
            found[key] = value
            self._comma("}", opened, path)
        self.at += 1
        return found

    def _array(self, path: Path) -> list[Any]:
        found: list[Any] = []
        opened = self.at
        self.at += 1
        while self.space() != "]":
            found.append(self.value((*path, len(found))))
            self._comma("]", opened, path)
        self.at += 1
        return found

    def _comma(self, end: str, opened: int, path: Path) -> None:
        """Go past the comma behind an element; nothing, if it was the last."""
        next_ = self.space()
        if next_ == end:
            return
        if next_ != ",":
            self._lost(f"a comma or {end!r}", opened, path)
        comma = self.at
        self.at += 1
        if self.space() == end:
            self.flaw(f"there is a comma before {end!r}", "remove it", comma, path)

    def string(self) -> str:
        begin = self.at
        found = _STRING.match(self.text, begin)
        if found is None:
            end = re.compile(r"[\x00-\x1f]|$").search(self.text, begin)
            self.stop(
                "a text does not end in its line", 'close it with "', end.start() if end else begin
            )
        assert found is not None
        self.at = found.end()
        try:
            value: str = json.loads(found.group())
        except ValueError:
            self.stop(
                "a text has an escape that JSON does not have",
                r"a backslash itself is written \\",
                begin,
            )
        try:
            value.encode()
        except UnicodeEncodeError:
            self.flaw(
                "a text has half of a character (a lone surrogate)",
                "write the whole character",
                begin,
            )
            value = value.encode("utf-8", "replace").decode()
        return value

    def _plain(self, path: Path) -> Any:
        begin = self.at
        word = _WORD.match(self.text, begin)
        if word is None:
            self._lost("a value", begin, path)
        assert word is not None
        text = word.group()
        self.at = word.end()
        if text in _WORDS:
            return _WORDS[text]
        if text.lower() in _NO_NUMBERS:
            self.flaw(
                f"{text} is not a number of JSON",
                "write a finite number, or leave the key out",
                begin,
                path,
            )
            return None
        number = _NUMBER.match(self.text, begin)
        if number is None:
            near = {word.lower(): word for word in _WORDS}.get(
                {"none": "null"}.get(text.lower(), text.lower())
            )
            fix = f"write {near}" if near else "write a number, or a text in double quotes"
            self.stop(f"{text[:40]!r} is not a value", fix, begin, path)
        return self._amount(
            text, number is not None and not number.group(1) and not number.group(2), begin, path
        )

    def _amount(self, text: str, whole: bool, begin: int, path: Path) -> Any:
        if whole and len(text) < 25 and -(2**63) <= int(text) < 2**63:
            return int(text)
        if whole or not math.isfinite(float(text)):
            self.flaw(f"{text[:24]}… is too large a number", "64 bits must do", begin, path)
            return None
        return float(text)

    def _lost(self, wanted: str, opened: int, path: Path) -> None:
        """Something else than what must come next."""
        rest = self.text[self.at : self.at + 2]
        if not rest:
            what = f"the text ends, but {wanted} must come"
            fix = (
                f"what begins in line {self.line(opened)} is not closed"
                if opened < self.at
                else "it is empty"
            )
        elif rest.startswith(("//", "/*", "#")):
            what, fix = (
                f"there is a comment where {wanted} must come",
                "JSON has no comments: remove it",
            )
        elif rest[0] == "'":
            what, fix = f"there is ' where {wanted} must come", 'JSON has double quotes only: "'
        else:
            what, fix = f"there is {rest[0]!r} where {wanted} must come", ""
        self.stop(what, fix, path=path)
