"""What a person got wrong, as sentences they can act on: what, where, why and how to fix it, all of them at once."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """One mistake. `where` is a key path, a flag or a field; `file` and `line` are filled in by whoever knows them; `code` is for programs,
    where there is one."""

    where: str
    what: str
    fix: str = ""
    file: str = ""
    line: int = 0
    code: str = ""

    def __post_init__(self) -> None:
        for name in (
            "where",
            "what",
            "fix",
            "file",
        ):  # half characters from file names and arguments cannot be printed
            object.__setattr__(self, name, getattr(self, name).encode("utf-8", "replace").decode())

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line else "")
        head = ": ".join(part for part in (place, self.where, self.what) if part)
        return (
            head + (f" ({self.fix})" if self.fix else "") + (f" [{self.code}]" if self.code else "")
        )


class InputError(Exception):
    """Bad input from a person or a file. The command line prints it and exits with 2; the control API answers 422."""

    def __init__(self, problems: Problem | Iterable[Problem]):
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """A hint for an unknown word: the nearest option if one is near, else all of them."""
    names = sorted({str(option) for option in options})
    if not names:
        return "there are none to choose from"
    near = difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else "choose from: " + ", ".join(names)


def unknown(kind: str, word: str, options: Iterable[str], where: str = "") -> InputError:
    """The error for a name that is not there, with what could have been meant."""
    return InputError(Problem(where, f"unknown {kind} {word!r}", did_you_mean(word, options)))
