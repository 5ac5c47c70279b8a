"""One row of a sweep's table: the parameters of a run and what came out of it, as plain data.

A row can be run again: its scenario, settings, seed and version say everything about the run.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from rigless.runs.result import Result

Outcome = Literal["pass", "fail", "invalid", "error"]
OUTCOMES: dict[str, Outcome] = {"passed": "pass", "failed": "fail", "invalid": "invalid"}
MARGIN, METRIC = "margin:", "metric:"
COLUMNS = {  # the columns that every table has, with their types
    "key": str,
    "seed": int,
    "repeat": int,
    "verdict": str,
    "margin": float,
    "failed": str,
    "broke_at_s": float,
    "note": str,
    "simulated_s": float,
    "wall_s": float,
    "engine": str,
    "worker": str,
    "version": str,
    "deterministic": bool,
    "scenario": str,
    "content": str,
    "programs": str,
    "goal": str,
}
UNSTABLE = ("wall_s", "engine", "worker")  # may differ between two runs of one key


@dataclass
class Row:
    """The result of one run.

    `margins` has the signed margin of every expectation: negative if it failed. `margin` is the
    worst. `failed` names the first expectation that failed, `broke_at_s` is when. `content` is the
    digest of the scenario with its files, `programs` that of the folders of its programs. `goal` is
    that of the sweep, the same in all rows of a table.
    """

    key: str
    settings: dict[str, Any]
    seed: int
    repeat: int = 0
    verdict: Outcome = "error"
    margin: float | None = None
    failed: str = ""
    broke_at_s: float | None = None
    note: str = ""
    margins: dict[str, float | None] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    simulated_s: float = 0.0
    wall_s: float = 0.0
    engine: str = ""
    worker: str = ""
    version: str = ""
    deterministic: bool = True
    scenario: str = ""
    content: str = ""
    programs: str = ""
    goal: str = ""

    def judge(self, result: Result) -> None:
        """Fill in what came out of a run."""
        self.simulated_s, self.wall_s = result.duration_s, round(result.wall_s, 6)
        self.verdict = "error" if result.failure else OUTCOMES[result.status]
        self.note = result.failure or result.invalid
        for verdict in result.verdicts:
            name, margin = verdict.text, verdict.margin
            if margin is not None and not math.isfinite(margin):
                margin = None
            known = self.margins.get(name)
            if name in self.margins and known is not None and margin is not None:
                margin = min(margin, known)  # two expectations of one name
            self.margins[name] = margin
        failing = [verdict for verdict in result.verdicts if not verdict.passed]
        if failing:
            broken = [each for each in failing if each.broke_at_s is not None]
            first = min(broken, key=lambda each: each.broke_at_s or 0.0, default=failing[0])
            self.failed, self.broke_at_s = first.text, first.broke_at_s
            self.note = self.note or first.detail
        known_margins = [margin for margin in self.margins.values() if margin is not None]
        worst = min(known_margins, default=None)
        contradicts = worst is not None and bool(failing) and worst >= 0
        self.margin = None if contradicts else worst  # the one that failed has no number
        self.metrics = {name: float(value) for name, value in result.metrics.items()}

    def flat(self) -> dict[str, Any]:
        """Return the row as one flat record with the columns of the table."""
        fixed = {name: getattr(self, name) for name in COLUMNS}
        return {
            **fixed,
            **self.settings,
            **{MARGIN + name: value for name, value in self.margins.items()},
            **{METRIC + name: value for name, value in self.metrics.items()},
        }

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> "Row":
        """Return the row of a flat record."""
        known = {name: record[name] for name in COLUMNS if record.get(name) is not None}
        row = cls(settings={}, **known)
        for name, value in record.items():
            if name.startswith(MARGIN):
                row.margins[name.removeprefix(MARGIN)] = value
            elif name.startswith(METRIC):
                if value is not None:
                    row.metrics[name.removeprefix(METRIC)] = value
            elif name not in COLUMNS and value is not None:
                row.settings[name] = value
        return row


def fill_metrics(rows: Iterable[Row]) -> None:
    """Set metrics that other rows have to 0. A run without a collision does not count any."""
    judged = [row for row in rows if row.verdict in ("pass", "fail")]
    names = dict.fromkeys(name for row in judged for name in row.metrics)
    for row in judged:
        row.metrics = {name: row.metrics.get(name, 0.0) for name in names}
