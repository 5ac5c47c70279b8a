"""JSON with lines. The parser is our own: json gives values without positions, and stops early.

After a mistake that leaves no doubt about the rest (a key given twice, a comma too many, NaN) the
parser goes on, so that all such mistakes are reported at once.
"""

import json
import math
import re
from bisect import bisect_right
from typing import Any

from rigless.kernel.documents.document import Document
from rigless.kernel.key_path import KeyPath, dotted
from rigless.kernel.problems import Problem

MAX_DEPTH = 64

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"[-+.0-9A-Za-z_$]+")
_WORDS = {"true": True, "false": False, "null": None}
_NO_NUMBERS = {"nan", "infinity", "inf", "-nan", "-infinity", "-inf", "+nan", "+infinity", "+inf"}


def parse_json(text: str, file: str = "") -> Document:
    """Parse a JSON text."""
    reader = _Reader(text, file)
    try:
        value = reader.value(())
        reader.space()
        if reader.at < len(text):
            reader.stop("there is text after the end of the value", "a file holds one object")
        reader.document.data = value
    except _StopError:
        reader.document.data = None
    return reader.document


class _StopError(Exception):
    """The rest of the text cannot be interpreted."""


class _Reader:
    """A position in the text. Its methods go past what they read."""

    def __init__(self, text: str, file: str):
        self.text = text
        self.at = 0
        self.document = Document(file=file)
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def line(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def report(self, what: str, fix: str = "", at: int | None = None, path: KeyPath = ()) -> None:
        at = self.at if at is None else at
        line = self.line(at)
        column = at - self._starts[line - 1] + 1
        file = self.document.file
        self.document.problems.append(
            Problem(dotted(path), what, fix, file, line, column=column, path=path)
        )

    def stop(self, what: str, fix: str = "", at: int | None = None, path: KeyPath = ()) -> None:
        self.report(what, fix, at, path)
        raise _StopError

    def space(self) -> str:
        """Skip white space; return the next character, "" at the end."""
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.text[self.at : self.at + 1]

    def value(self, path: KeyPath) -> Any:
        if len(path) > MAX_DEPTH:
            self.stop(f"is nested more than {MAX_DEPTH} deep")
        first = self.space()
        self.document.lines[path] = self.line(self.at)
        if first == "{":
            return self._object(path)
        if first == "[":
            return self._array(path)
        if first == '"':
            return self.string()
        return self._plain(path)

    def _object(self, path: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        opened = self.at
        self.at += 1
        while self.space() != "}":
            begin = self.at
            if self.text[begin : begin + 1] != '"':
                self._lost("a key in double quotes", opened, path)
            key = self.string()
            if self.space() != ":":
                self._lost(f"a colon after the key {key!r}", opened, path)
            self.at += 1
            inner = (*path, key)
            if key in found:
                first = self.document.lines[inner]
                self.report(
                    f"the key {key!r} is given twice",
                    f"the first one is on line {first}",
                    begin,
                    inner,
                )
            value = self.value(inner)
            self.document.lines[inner] = self.line(begin)
            found[key] = value
            self._comma("}", opened, path)
        self.at += 1
        return found

    def _array(self, path: KeyPath) -> list[Any]:
        found: list[Any] = []
        opened = self.at
        self.at += 1
        while self.space() != "]":
            found.append(self.value((*path, len(found))))
            self._comma("]", opened, path)
        self.at += 1
        return found

    def _comma(self, end: str, opened: int, path: KeyPath) -> None:
        """Go past the comma after an element, if it is not the last."""
        next_ = self.space()
        if next_ == end:
            return
        if next_ != ",":
            self._lost(f"a comma or {end!r}", opened, path)
        comma = self.at
        self.at += 1
        if self.space() == end:
            self.report(f"there is a comma before {end!r}", "remove it", comma, path)

    def string(self) -> str:
        begin = self.at
        found = _STRING.match(self.text, begin)
        if found is None:
            end = re.compile(r"[\x00-\x1f]|$").search(self.text, begin)
            self.stop(
                "a string does not end on its line",
                'close it with "',
                end.start() if end else begin,
            )
        assert found is not None
        self.at = found.end()
        try:
            value: str = json.loads(found.group())
        except ValueError:
            self.stop(
                "a string has an escape that JSON does not have",
                r"a backslash itself is written \\",
                begin,
            )
        try:
            value.encode()
        except UnicodeEncodeError:
            self.report(
                "a string has half of a character (a lone surrogate)",
                "write the whole character",
                begin,
            )
            value = value.encode("utf-8", "replace").decode()
        return value

    def _plain(self, path: KeyPath) -> Any:
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
            self.report(
                f"{text} is not a JSON number",
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
            fix = f"write {near}" if near else "write a number, or a string in double quotes"
            self.stop(f"{text[:40]!r} is not a value", fix, begin, path)
        return self._amount(
            text, number is not None and not number.group(1) and not number.group(2), begin, path
        )

    def _amount(self, text: str, whole: bool, begin: int, path: KeyPath) -> Any:
        if whole and len(text) < 25 and -(2**63) <= int(text) < 2**63:
            return int(text)
        if whole or not math.isfinite(float(text)):
            self.report(f"{text[:24]}… is too large", "use at most 64 bits", begin, path)
            return None
        return float(text)

    def _lost(self, wanted: str, opened: int, path: KeyPath) -> None:
        """Report something other than what is expected next."""
        rest = self.text[self.at : self.at + 2]
        if not rest:
            what = f"the text ends where {wanted} is expected"
            fix = (
                f"the bracket on line {self.line(opened)} is not closed"
                if opened < self.at
                else "it is empty"
            )
        elif rest.startswith(("//", "/*", "#")):
            what, fix = (
                f"there is a comment where {wanted} is expected",
                "JSON has no comments: remove it",
            )
        elif rest[0] == "'":
            what, fix = (
                f"there is ' where {wanted} is expected",
                'JSON strings need double quotes: "',
            )
        else:
            what, fix = f"there is {rest[0]!r} where {wanted} is expected", ""
        self.stop(what, fix, path=path)
