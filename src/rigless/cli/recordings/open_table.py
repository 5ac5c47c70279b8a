"""`rigless open F.parquet`: the page of a sweep, whose failures open in the panel."""

from pathlib import Path

from rigless.console import print_line
from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.page import serve_table
from rigless.sweeps.table import read_table


def open_table(table: Path, at_s: float | None, panel: str | None, auth: bool) -> int:
    """Serve the page of a table until a signal. Raises InputError for a bad file."""
    if at_s is not None:
        what = "a table has no instants"
        raise InputError(Problem("--at", what, f"rigless sweep show {table} ROW --open"))
    for url in serve_table(read_table(table), table, panel, auth):
        print_line(f"panel {url}")
        print_line("ready")
    return 0
