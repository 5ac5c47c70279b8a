"""Mistakes in input, as sentences that a person can act on: what, where, why, and how to fix it.

All problems of an input are reported at once, in one InputError.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from rigless.kernel.key_path import KeyPath, dotted, line_of

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """One mistake, or one warning about input that is probably not intended.

    `where` names a key, an option or a field. `path` is the same as a key path, if the input is
    nested data. `file`, `line` and `column` (from 1; 0: unknown) are the position in a file.
    `code` is a stable identifier for programs. `stage` names the check that found the problem, if
    there are several.

        raise rigless.InputError(rigless.Problem("radius_m", "is negative", "use 0 or more"))
    """

    where: str
    what: str
    fix: str = ""
    file: str = ""
    line: int = 0
    code: str = ""
    severity: Severity = "error"
    column: int = 0
    path: KeyPath = field(default=(), compare=False)
    stage: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        # File names and arguments may contain lone surrogates, which cannot be printed.
        for name in ("where", "what", "fix", "file"):
            object.__setattr__(self, name, getattr(self, name).encode("utf-8", "replace").decode())

    @classmethod
    def at(
        cls,
        path: KeyPath,
        what: str,
        fix: str = "",
        code: str = "",
        severity: Severity = "error",
    ) -> "Problem":
        """Return a problem at a key path; `located` adds the file and the line."""
        return cls(dotted(path), what, fix, code=code, severity=severity, path=path)

    def located(
        self, file: str, lines: Mapping[KeyPath, int] | None = None, below: KeyPath = ()
    ) -> "Problem":
        """Return the problem with its file and line.

        `below` is the path of its data in the file.
        """
        path = (*below, *self.path)
        line = line_of(lines or {}, path)
        return replace(self, where=dotted(path), file=file, line=line, path=path)

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line else "")
        text = ": ".join(part for part in (place, self.where, self.what) if part)
        text += f" ({self.fix})" if self.fix else ""
        return text + (f" [{self.code}]" if self.code else "")


class InputError(Exception):
    """Wrong input from a person or a file.

    The command line prints the problems and exits with 2. The control API answers 422.

        try:
            rigless.load("vacum")
        except rigless.InputError as error:
            [problem.fix for problem in error.problems]
    """

    def __init__(self, problems: Problem | Iterable[Problem]):
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """Return a hint for an unknown word: the most similar option, or else all options."""
    names = sorted({str(option) for option in options})
    if not names:
        return "there are none to choose from"
    near = [name for name in names if _words(name) == _words(str(word))]
    near = near or difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else "choose from: " + ", ".join(names)


def _words(name: str) -> list[str]:
    """Return the words of a name; two names with the same words differ in order or case only."""
    return sorted(re.split(r"[-_. ]", name.lower()))


def unknown(kind: str, word: str, options: Iterable[str], where: str = "") -> InputError:
    """Return the error for an unknown name, with a hint."""
    return InputError(Problem(where, f"unknown {kind} {word!r}", did_you_mean(word, options)))
