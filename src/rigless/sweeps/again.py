"""Make the run of a row again: every row of a deterministic scenario is a recording."""

import shlex
import tempfile
from dataclasses import replace
from pathlib import Path

from rigless.kernel.problems import InputError, Problem
from rigless.runs.children import run_in_child
from rigless.runs.request import Request, run_here
from rigless.runs.result import Result
from rigless.scenario.load import open_target
from rigless.sweeps.digests import Digests
from rigless.sweeps.row import Row
from rigless.sweeps.settings import command_words, to_commands, to_texts
from rigless.sweeps.task import rigless_version

BEFORE_S = 1.0  # a viewer begins this much before the failure


def run_again(
    row: Row, record: Path | None = None, trace: bool = False, child: bool = False
) -> tuple[Result, Row]:
    """Run a row again, in a process of its own if `child`. Return the result and the new row.

    Raises InputError if this version cannot make the run.
    """
    if row.version != rigless_version():
        what = f"this run was made by version {row.version}; this is {rigless_version()}"
        raise InputError(Problem("ROW", what, "install that version, or run the sweep again"))
    texts = to_texts(row.settings)
    built = open_target(row.scenario, texts, row.seed, collect=False)
    content, programs = Digests(built).of(row.settings)
    with tempfile.TemporaryDirectory(prefix="rigless-run-") as folder:
        request = Request(
            row.scenario,
            texts,
            row.seed,
            to_commands(row.settings),
            folder=folder if built.scenario.programs else "",
            record=str(record) if record is not None else "",
            given_from=str(Path.cwd()),
            trace=trace,
        )
        result = run_in_child(request) if child else run_here(request, built)
    result.repeat, result.folder = check_command(row), ""
    again = replace(row, content=content, programs=programs, margins={}, metrics={}, note="")
    again.failed, again.broke_at_s = "", None
    again.judge(result)
    return result, again


def check_command(row: Row) -> str:
    """Return the command that checks the scenario with the settings of a row."""
    words = ["rigless", "check", row.scenario, *command_words(row.settings, row.seed)]
    return shlex.join(words)


def begin_s(row: Row) -> float:
    """Return the time at which a viewer should begin."""
    return max(0.0, (row.broke_at_s or 0.0) - BEFORE_S)
