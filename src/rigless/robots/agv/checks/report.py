"""The result of `rigless agv validate`, as text and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rigless.kernel.problems import Problem


@dataclass
class FileReport:
    """The problems of one file. Their `stage` is the pass that found them."""

    file: str
    robot: str = ""
    problems: list[Problem] = field(default_factory=list)

    @property
    def errors(self) -> int:
        return sum(problem.severity == "error" for problem in self.problems)

    @property
    def warnings(self) -> int:
        return len(self.problems) - self.errors

    def lines(self) -> list[str]:
        return [f"{problem.severity}: {problem}" for problem in self.problems]

    def summary(self) -> str:
        result = _count(self.errors, "error") if self.errors else "valid"
        robot = f" (robot {self.robot})" if self.robot else ""
        return f"{self.file}: {result}{robot}, {_count(self.warnings, 'warning')}"

    def data(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "robotId": self.robot,
            "valid": not self.errors,
            "problems": [_data(problem) for problem in self.problems],
        }


def as_json(reports: Sequence[FileReport]) -> str:
    data = {
        "valid": not any(report.errors for report in reports),
        "files": [report.data() for report in reports],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _data(problem: Problem) -> dict[str, Any]:
    return {
        "pass": problem.stage,
        "severity": problem.severity,
        "code": problem.code,
        "path": problem.where,
        "line": problem.line,
        "message": problem.what,
        "fix": problem.fix,
    }


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
