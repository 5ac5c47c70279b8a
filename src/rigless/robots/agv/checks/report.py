"""The result of `rigless agv validate`, as text and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rigless.kernel.problems import Problem


@dataclass
class FileProblem:
    """A problem of a file, with the pass that found it."""

    stage: str
    severity: str
    problem: Problem

    def __str__(self) -> str:
        return f"{self.severity}: {self.problem}"

    def data(self) -> dict[str, Any]:
        problem = asdict(self.problem)
        keys = {"code": "code", "path": "where", "line": "line", "message": "what", "fix": "fix"}
        return {
            "pass": self.stage,
            "severity": self.severity,
            **{key: problem[name] for key, name in keys.items()},
        }


@dataclass
class FileReport:
    file: str
    robot: str = ""
    problems: list[FileProblem] = field(default_factory=list)

    @property
    def errors(self) -> int:
        return sum(problem.severity == "error" for problem in self.problems)

    @property
    def warnings(self) -> int:
        return len(self.problems) - self.errors

    def summary(self) -> str:
        result = _count(self.errors, "error") if self.errors else "valid"
        robot = f" (robot {self.robot})" if self.robot else ""
        return f"{self.file}: {result}{robot}, {_count(self.warnings, 'warning')}"

    def data(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "robotId": self.robot,
            "valid": not self.errors,
            "problems": [problem.data() for problem in self.problems],
        }


def as_json(reports: Sequence[FileReport]) -> str:
    data = {
        "valid": not any(report.errors for report in reports),
        "files": [report.data() for report in reports],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
