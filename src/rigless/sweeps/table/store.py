"""The table of a sweep while it runs.

Every row is appended to a journal next to the table as soon as its run ends, so that a killed sweep
loses only the runs in flight. At the end the table is written whole and the journal removed. A
sweep that continues reads both.
"""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.row import Row, fill_metrics
from rigless.sweeps.table.formats import damaged, json_line, read_rows, suffix_of, write_rows

DigestsOf = Callable[[Mapping[str, Any]], tuple[str, str]]
SYNC_S = 1.0  # how often the journal is forced to the disk


def journal_of(path: Path) -> Path:
    """Return the journal of a table."""
    return path.with_name(path.name + ".journal")


def read_table(path: Path) -> list[Row]:
    """Return the rows of a table, those of an unfinished sweep included. Raises InputError."""
    journal = journal_of(path)
    rows = (
        {row.key: row for row in read_rows(path)} if path.exists() or not journal.exists() else {}
    )
    if journal.exists():
        rows |= {row.key: row for row in _read_journal(journal)[0]}
    return list(rows.values())


class Store:
    """The rows of a sweep, on disk as they come. One process at a time has it open.

    `digests` returns the digests `content` and `programs` that a row with some settings must have.
    `goal` is that of this sweep; it replaces that of an earlier one.
    """

    def __init__(self, path: Path, digests: DigestsOf, version: str, goal: str = ""):
        suffix_of(path)
        self.path, self.goal = path, goal
        self.rows: dict[str, Row] = {}
        self._journal: IO[bytes] | None = None
        self._synced = time.monotonic()
        if not path.parent.is_dir():
            what = f"there is no folder {str(path.parent)!r}"
            raise InputError(Problem("--out", what, "make it, or choose another"))
        if path.exists():
            self.rows = {row.key: row for row in read_rows(path)}
        self._open_journal()
        try:
            self._check_same(digests, version)
        except InputError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def append(self, row: Row) -> None:
        """Add the row of a run that has ended."""
        assert self._journal is not None
        row.goal = self.goal
        self.rows[row.key] = row
        self._journal.write(json_line(row.flat()).encode())
        self._journal.flush()
        if time.monotonic() - self._synced > SYNC_S:
            os.fsync(self._journal.fileno())
            self._synced = time.monotonic()

    def finish(self, order: Iterable[str] = ()) -> None:
        """Write the table, rows of `order` first, and remove the journal.

        Without rows there is no file: a sweep that was stopped at once leaves nothing.
        """
        place = {key: index for index, key in enumerate(order)}
        rows = sorted(self.rows.values(), key=lambda row: place.get(row.key, len(place)))
        fill_metrics(rows)
        for row in rows:
            row.goal = self.goal
        if rows or self.path.exists():
            write_rows(self.path, rows)
        self.close()
        journal_of(self.path).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the journal; it stays on disk."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
            journal = journal_of(self.path)
            if journal.exists() and journal.stat().st_size == 0:
                journal.unlink()

    def _open_journal(self) -> None:
        path = journal_of(self.path)
        try:
            self._journal = journal = path.open("ab+")
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            journal.close()
            what = f"another sweep writes to {self.path}"
            raise InputError(Problem("--out", what, "wait for it, or choose another")) from None
        except OSError as error:
            what = f"cannot write {path}: {error.strerror}"
            raise InputError(Problem("--out", what, "choose another file")) from None
        rows, good = _read_journal(path)
        self._journal.truncate(good)  # the torn line of a killed sweep
        self.rows |= {row.key: row for row in rows}

    def _check_same(self, digests: DigestsOf, version: str) -> None:
        for row in self.rows.values():
            content, programs = digests(row.settings)
            if row.version != version:
                what = f"{self.path} holds runs of version {row.version}; this is {version}"
                raise InputError(Problem("--out", what, "choose another file"))
            if row.content != content:
                what = f"{self.path} holds runs of another scenario, or of an earlier text of it"
                raise InputError(Problem("--out", what, "choose another file"))
            if row.programs != programs:
                what = f"{self.path} holds runs of other builds of the programs"
                fix = (
                    "choose another file; rigless sweep compare shows the difference. "
                    "If a program writes files to its folder, have it write them elsewhere"
                )
                raise InputError(Problem("--out", what, fix))


def _read_journal(path: Path) -> tuple[list[Row], int]:
    """Return the rows of a journal and the size of its whole lines."""
    data = path.read_bytes()
    good = data.rfind(b"\n") + 1
    try:
        return [Row.of_record(json.loads(line)) for line in data[:good].splitlines()], good
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(damaged(path, error)) from None
