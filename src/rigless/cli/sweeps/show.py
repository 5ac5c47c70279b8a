"""`rigless sweep show`: run a row again, record it, open it in the panel."""

import shlex
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rigless.cli.check import show
from rigless.console import print_note, write_text
from rigless.kernel.problems import InputError, Problem
from rigless.runs import reports
from rigless.runs.request import Request, run_here
from rigless.runs.result import Result
from rigless.scenario.load import open_target
from rigless.sweeps.pick import differences, pick
from rigless.sweeps.preparation import digests
from rigless.sweeps.row import Row
from rigless.sweeps.settings import command_words, to_commands, to_texts
from rigless.sweeps.table import read_table
from rigless.sweeps.task import rigless_version

BEFORE_S = 1.0  # the panel opens so long before the failure


def show_row(
    table: Path, wanted: str, record: Path | None, html: Path | None, panel: bool, at: str | None
) -> int:
    """Run a row again. Return 0 if it passes, 1 if it fails, 2 if it is not the same run."""
    if record is not None and record.exists():
        what = f"{record} exists"
        raise InputError(Problem("--record", what, "choose another file, or remove it"))
    row = pick(read_table(table), wanted, str(table))
    if row.version != rigless_version():
        what = f"this run was made by version {row.version}; this is {rigless_version()}"
        raise InputError(Problem("ROW", what, "install that version, or run the sweep again"))
    with ExitStack() as stack:
        if panel and record is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rigless-"))
            record = Path(folder) / f"{row.key}.mcap"
        result, now = _run(row, record, html is not None)
        show(result)
        if html is not None:
            write_text(html, reports.render_html([result]))
        different = differences(row, now) if row.deterministic else []
        for text in different:
            print_note(f"not the same run: {text}", "bold red")
        if not row.deterministic:
            print_note("a run with programs is not deterministic: this is another run", "yellow")
        if panel:
            _open(record, row, at)
    return 2 if different else 0 if result.passed else 1


def _run(row: Row, record: Path | None, trace: bool) -> tuple[Result, Row]:
    built = open_target(row.scenario, to_texts(row.settings), row.seed, collect=False)
    content, programs = digests(built)
    with tempfile.TemporaryDirectory(prefix="rigless-run-") as folder:
        request = Request(
            row.scenario,
            to_texts(row.settings),
            row.seed,
            to_commands(row.settings),
            folder=folder if built.scenario.programs else "",
            record=str(record) if record is not None else "",
            given_from=str(Path.cwd()),
            trace=trace,
        )
        result = run_here(request, built)
    words = ["rigless", "check", row.scenario, *command_words(row.settings, row.seed)]
    result.repeat, result.folder = shlex.join(words), ""
    again = replace(row, content=content, programs=programs, margins={}, metrics={}, note="")
    again.failed, again.broke_at_s = "", None
    again.judge(result)
    return result, again


def _open(record: Path | None, row: Row, at: str | None) -> None:
    from rigless.cli.recordings.open import open_recording

    assert record is not None
    begin_s = max(0.0, (row.broke_at_s or 0.0) - BEFORE_S)
    open_recording(record, begin_s, at, auth=True)
