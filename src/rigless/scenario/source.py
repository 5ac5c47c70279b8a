"""The origin of a scenario: its file, the lines of its keys, and the files that it names."""

from dataclasses import dataclass, field
from pathlib import Path

from rigless.kernel.documents import Document
from rigless.kernel.key_path import KeyPath, dotted, line_of
from rigless.kernel.problems import InputError, Problem


@dataclass
class Source:
    """The origin of a scenario, to locate errors and to resolve the files it names."""

    file: str = ""
    folder: Path = Path()
    lines: dict[KeyPath, int] | None = None
    natives: dict[KeyPath, Document] = field(
        default_factory=dict
    )  # configs that stand in files of their own

    def problem(self, path: KeyPath, what: str, fix: str = "") -> Problem:
        return self.found(path, Problem.at((), what, fix))

    def found(self, path: KeyPath, problem: Problem) -> Problem:
        """Return a finding as a problem, located in the part of the scenario at that path."""
        native = self.natives.get(path)
        return (
            problem.located(native.file, native.lines)
            if native
            else problem.located(self.file, self.lines, path)
        )

    def place(self, path: KeyPath, error: InputError) -> list[Problem]:
        """Return the problems of an error, located in this file."""
        placed = []
        for problem in error.problems:
            where = f"{dotted(path)}: {problem.where}" if problem.where else dotted(path)
            line = problem.line or line_of(self.lines or {}, path)
            placed.append(
                Problem(
                    where, problem.what, problem.fix, problem.file or self.file, line, problem.code
                )
            )
        return placed
