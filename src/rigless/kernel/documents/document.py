"""A parsed text: its data, the line of every key and element, and the problems with its syntax."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from rigless.kernel.documents.validation import validate
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
    model: type[BaseModel] | None = None  # of a robot's native file, if stricter than its Config

    def check(self, data: Any) -> list[Problem]:
        """Return the mistakes in the data of this document, after settings were applied to it."""
        problems: list[Problem] = []
        if self.model is not None:
            validate(self.model, data, problems, self.file, self.lines)
        return problems

    def problem(self, path: KeyPath, what: str, fix: str = "", code: str = "") -> Problem:
        """Return a problem at a key path of this document, with its file and line."""
        return Problem.at(path, what, fix, code).located(self.file, self.lines)

    def report(self, path: KeyPath, what: str, fix: str = "", code: str = "") -> None:
        """Add a problem at a key path of this document."""
        self.problems.append(self.problem(path, what, fix, code))
