"""`rigless agv validate`: configs read, judged, and told to people and programs."""

import copy
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rigless.console import print_line, print_note, write_text
from rigless.kernel.problems import InputError, Problem
from rigless.robots.agv.checks.examine import examine_config
from rigless.robots.agv.config import OWN
from rigless.robots.agv.native import read_config
from rigless.scenario.load import apply_config_settings


@dataclass
class Told:
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
class Verdict:
    file: str
    robot: str = ""
    told: list[Told] = field(default_factory=list)

    @property
    def errors(self) -> int:
        return sum(one.severity == "error" for one in self.told)

    @property
    def warnings(self) -> int:
        return len(self.told) - self.errors

    def data(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "robotId": self.robot,
            "valid": not self.errors,
            "problems": [one.data() for one in self.told],
        }


def check(files: list[Path], settings: Iterable[str], environment: bool, out: Path | None) -> int:
    """Validate; gives the exit code."""
    settings = list(settings)
    verdicts = [judge(file, settings, environment) for file in files]
    if out is not None:
        data = {
            "valid": not any(one.errors for one in verdicts),
            "files": [one.data() for one in verdicts],
        }
        write_text(out, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    for verdict in verdicts:
        show(verdict)
    return 2 if any(verdict.errors for verdict in verdicts) else 0


def begin(out: Path, settings: Iterable[str]) -> None:
    """Write the robot that comes with rigless, with these settings, where no file is yet."""
    if out.exists():
        raise InputError(Problem(str(out), "is there already", "choose another file"))
    text = OWN.read_text("utf-8")
    given = json.loads(text)
    config, problems = copy.deepcopy(given), list[Problem]()
    apply_config_settings(config, settings, problems)
    problems += [
        one.at("")
        for one in examine_config(config, environment=False)[1]
        if one.severity == "error"
    ]
    if problems:
        raise InputError(problems)
    write_text(
        out, text if config == given else json.dumps(config, indent=2, ensure_ascii=False) + "\n"
    )
    print_note(f"wrote {out}; next: rigless agv validate {out}, rigless run {out}", "dim")


def judge(file: Path, settings: Iterable[str], environment: bool) -> Verdict:
    """All that can be said about a file."""
    verdict = Verdict(str(file))
    native, problems = read_config(file)
    verdict.told += [Told("syntax", "error", problem) for problem in problems]
    if native is not None:
        wrong: list[Problem] = []
        apply_config_settings(native.config, settings, wrong)
        if wrong:
            raise InputError(wrong)
        config, findings = examine_config(native.config, environment)
        verdict.robot = config.identity.robotId if config is not None else ""
        verdict.told += [
            Told(one.stage, one.severity, one.at(native.file, native.lines)) for one in findings
        ]
    return verdict


def show(verdict: Verdict) -> None:
    """The problems on stdout as compilers tell them, the verdict on stderr."""
    for one in verdict.told:
        print_line(str(one))
    mark, style = (
        ("valid", "bold green")
        if not verdict.errors
        else (_count(verdict.errors, "error"), "bold red")
    )
    robot = f" (robot {verdict.robot})" if verdict.robot else ""
    print_note(f"{verdict.file}: {mark}{robot}, {_count(verdict.warnings, 'warning')}", style)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
