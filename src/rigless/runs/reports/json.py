"""A report as JSON that compares run to run: two deterministic runs give the same text."""

from dataclasses import replace
from typing import Any

import msgspec

from rigless.kernel.plain import to_builtins
from rigless.runs.result import ProgramResult, Result
from rigless.scenario.verdict import Verdict

MEASURED = ("memory_mb", "cpu_s")  # of a program; they depend on the machine


def render_json(results: list[Result]) -> str:
    """Return JSON in a fixed order, without wall times and without series."""
    report = {
        "passed": all(result.passed for result in results),
        "scenarios": [_scenario(result) for result in results],
    }
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


def _scenario(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "target": result.target,
        "seed": result.seed,
        "duration_s": result.duration_s,
        "passed": result.passed,
        "failure": result.failure,
        "repeat": result.repeat,
        "recording": result.recording,
        "faults": [to_builtins(fault) for fault in result.faults],
        "expectations": [_expectation(verdict) for verdict in result.verdicts],
        "events": [to_builtins(event) for event in result.events],
        "status": result.status,
        "invalid": result.invalid,
        "folder": result.folder,
        "programs": [_program(program) for program in result.programs],
    }


def _expectation(verdict: Verdict) -> dict[str, Any]:
    fields: dict[str, Any] = to_builtins(replace(verdict, series=None))
    del fields["series"]
    return fields


def _program(program: ProgramResult) -> dict[str, Any]:
    fields: dict[str, Any] = to_builtins(program)
    return {key: value for key, value in fields.items() if key not in MEASURED}
