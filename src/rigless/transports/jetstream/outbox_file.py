"""The outbox's SQLite file: opened, kept small, and begun anew with what can be saved of it when it is broken or was removed."""

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from rigless.transports.jetstream.errors import LinkError, Log

VERSION = 1  # of the tables; a file of a newer one is left alone
PATIENCE_S = (
    0.25  # with another process that writes to the same file; the loop stands still meanwhile
)
SPARE_PAGES = 1024  # free ones that the file may keep
STEP_PAGES, SMALL_STEP_PAGES = 128, 8  # given back at once; others wait for that
JOURNAL_BYTES = 4 << 20  # more than that the journal does not keep when it begins anew
SYNC = "RIGLESS_OUTBOX_SYNC"
FIX = "choose another folder with --state or RIGLESS_STATE"

SCHEMA = """
CREATE TABLE IF NOT EXISTS outbox (robot TEXT, number INTEGER, subject TEXT, id TEXT, data BLOB, PRIMARY KEY (robot, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (number INTEGER PRIMARY KEY AUTOINCREMENT, robot TEXT, subject TEXT, key TEXT, at REAL, data BLOB,
  UNIQUE (robot, subject, key));
CREATE TABLE IF NOT EXISTS sent (robot TEXT PRIMARY KEY, sequence INTEGER) WITHOUT ROWID;
"""
ORDER = {"outbox": "robot, number", "kept": "number", "sent": "robot"}


def open_file(path: Path, tell: Log) -> sqlite3.Connection:
    """The file; one that is broken is set aside and a new one begun. Raises LinkError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _connect(path)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            return begin_anew(
                path, sqlite3.connect(path, isolation_level=None), broken(error), tell
            )
    except (OSError, sqlite3.Error) as error:
        raise LinkError(f"the outbox {path} cannot be opened: {error}", FIX, True) from None


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE_S)
    try:
        _check_version(path, database)
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of a new file
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute(f"PRAGMA journal_size_limit = {JOURNAL_BYTES}")
        sync = "FULL" if os.environ.get(SYNC, "").lower() == "full" else "NORMAL"
        database.execute(f"PRAGMA synchronous = {sync}")
        (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise sqlite3.DatabaseError(found)
        database.executescript(SCHEMA)
        if _number(database, "user_version") != VERSION:
            database.execute(f"PRAGMA user_version = {VERSION}")
        if not _number(database, "auto_vacuum"):
            with contextlib.suppress(
                sqlite3.OperationalError
            ):  # another process has it open: another time
                database.execute("VACUUM")
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except BaseException:
        database.close()
        raise
    return database


def _check_version(path: Path, database: sqlite3.Connection) -> None:
    found = _number(database, "user_version")
    if found > VERSION:
        what = f"the outbox {path} is of a newer rigless (format {found}, this one knows {VERSION})"
        raise LinkError(what, f"use that one, or {FIX}", final=True)


def _number(database: sqlite3.Connection, pragma: str) -> int:
    return int(database.execute(f"PRAGMA {pragma}").fetchone()[0])


def tidy(path: Path, full: bool = False) -> bool:
    """Work the journal into the file and give back what both have too much of: in a thread, since that waits for the disk. False if
    others wrote meanwhile, so that there is more to do. `full`: of a disk that is full they have too much of everything that is free."""
    try:
        with contextlib.closing(
            sqlite3.connect(path, isolation_level=None, timeout=PATIENCE_S)
        ) as database:
            database.execute("PRAGMA synchronous = NORMAL")
            _work_in(database)
            give_back(database, full)
            done = _work_in(database)
            if done:  # nothing is left to be copied, so this holds up nobody
                empty_journal(database)
            return done
    except sqlite3.Error:
        return False


def _work_in(database: sqlite3.Connection) -> bool:
    _, pages, copied = database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return bool(pages == copied)


def empty_journal(database: sqlite3.Connection) -> bool:
    """Work it in, and give back its room; False while others use it."""
    busy, _, _ = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def give_back(database: sqlite3.Connection, full: bool = False) -> None:
    """Free pages, if there are many of them; all, and in small steps, if the disk is full."""
    free = _number(database, "freelist_count")
    spare = 0 if full else max(SPARE_PAGES, _number(database, "page_count") - free)
    while free > spare:
        database.execute(
            f"PRAGMA incremental_vacuum({SMALL_STEP_PAGES if full else STEP_PAGES})"
        ).fetchall()
        if full:
            _work_in(database)
        before, free = free, _number(database, "freelist_count")
        if free >= before:
            return


def identity(path: Path) -> tuple[int, int] | None:
    """By which it is known whether a file is still the one that was opened; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def broken(error: sqlite3.Error) -> str:
    return f"is broken ({' '.join(str(error).split())})"


def begin_anew(path: Path, old: sqlite3.Connection, why: str, tell: Log) -> sqlite3.Connection:
    """A new file in the place of one that is broken or gone, with all that can still be read; the old one is set aside and closed."""
    fresh, aside = (
        path.with_name(f"{path.name}.new"),
        path.with_name(f"{path.name}.broken-{time.time_ns()}"),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(fresh, isolation_level=None)) as new:
        new.executescript(SCHEMA)
        new.execute("BEGIN")
        saved = {table: _save(table, old, new) for table in ORDER}
        new.execute("COMMIT")
    with contextlib.suppress(sqlite3.Error):
        old.close()
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{path}{suffix}", f"{aside}{suffix}")
    os.replace(fresh, path)
    where = f"set aside as {aside.name} and " if aside.exists() else ""
    tell(
        f"the outbox {path} {why}: {where}begun anew with the {saved['outbox']} messages that could be read",
        "error",
    )
    return _connect(path)


def _save(table: str, old: sqlite3.Connection, new: sqlite3.Connection) -> int:
    """Copy rows from both ends, as far as they can be read."""
    for way in ("ASC", "DESC"):
        with contextlib.suppress(sqlite3.Error):
            columns = ORDER[table].replace(",", f" {way},")
            for row in old.execute(f"SELECT * FROM {table} ORDER BY {columns} {way}"):
                new.execute(
                    f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})", row
                )
            break
    return int(new.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
