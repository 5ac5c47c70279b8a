"""`rigless sweep show`: run a row again, record it, open it in the panel."""

import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rigless.cli.check import show
from rigless.console import print_note, write_text
from rigless.kernel.problems import InputError, Problem
from rigless.runs import reports
from rigless.sweeps.again import begin_s, run_again
from rigless.sweeps.pick import differences, pick, scenario_of
from rigless.sweeps.table import read_table


def show_row(
    table: Path, wanted: str, record: Path | None, html: Path | None, panel: bool, at: str | None
) -> int:
    """Run a row again. Return 0 if it passes, 1 if it fails, 2 if it is not the same run."""
    if record is not None and record.exists():
        what = f"{record} exists"
        raise InputError(Problem("--record", what, "choose another file, or remove it"))
    row = pick(read_table(table), wanted, str(table))
    row = replace(row, scenario=scenario_of(row, table))
    with ExitStack() as stack:
        if panel and record is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rigless-"))
            record = Path(folder) / f"{row.key}.mcap"
        result, now = run_again(row, record, html is not None)
        show(result)
        if html is not None:
            write_text(html, reports.render_html([result]))
        different = differences(row, now) if row.deterministic else []
        for text in different:
            print_note(f"not the same run: {text}", "bold red")
        if not row.deterministic:
            print_note("a run with programs is not deterministic: this is another run", "yellow")
        if panel and record is not None:
            from rigless.cli.recordings.open import open_recording

            open_recording(record, begin_s(row), at, auth=True)
    return 2 if different else 0 if result.passed else 1
