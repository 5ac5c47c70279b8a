"""A parsed text: its data, the line of every key and element, and the problems with its syntax."""

from dataclasses import dataclass, field
from typing import Any

from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import Problem


@dataclass
class Document:
    """The content of a JSON, TOML or YAML file.

    `data` is None if the text could not be read to its end. Some mistakes, such as a key that is
    given twice, are problems although there is data.
    """

    data: Any = None
    file: str = ""
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, path: KeyPath, what: str, fix: str = "", code: str = "") -> Problem:
        """Return a problem at a key path of this document, with its file and line."""
        return Problem.at(path, what, fix, code).located(self.file, self.lines)

    def report(self, path: KeyPath, what: str, fix: str = "", code: str = "") -> None:
        """Add a problem at a key path of this document."""
        self.problems.append(self.problem(path, what, fix, code))
