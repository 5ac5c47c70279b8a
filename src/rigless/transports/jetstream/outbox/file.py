"""The SQLite file of the outbox: open, compact, and rebuild it if it is damaged or was removed."""

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from rigless.transports.jetstream.errors import LinkError, Log

VERSION = 1  # of the schema; a file with a newer one is not opened
PATIENCE_S = 0.25  # wait for the lock of another process; this blocks the event loop
SPARE_PAGES = 1024  # free pages that the file may keep
STEP_PAGES, SMALL_STEP_PAGES = 128, 8  # pages freed in one step, during which writers wait
JOURNAL_BYTES = 4 << 20  # size to which the journal is truncated
SYNC = "RIGLESS_OUTBOX_SYNC"
FIX = "choose another folder with --state or RIGLESS_STATE"

SCHEMA = """
CREATE TABLE IF NOT EXISTS outbox (robot TEXT, number INTEGER, subject TEXT, id TEXT, data BLOB,
  PRIMARY KEY (robot, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (number INTEGER PRIMARY KEY AUTOINCREMENT, robot TEXT, subject TEXT,
  key TEXT, at REAL, data BLOB, UNIQUE (robot, subject, key));
CREATE TABLE IF NOT EXISTS sent (robot TEXT PRIMARY KEY, sequence INTEGER) WITHOUT ROWID;
"""
ORDER = {"outbox": "robot, number", "kept": "number", "sent": "robot"}


def open_file(path: Path, log: Log) -> sqlite3.Connection:
    """Open the file; rename a damaged one and rebuild it. Raises LinkError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _connect(path)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            return rebuild(path, sqlite3.connect(path, isolation_level=None), broken(error), log)
    except (OSError, sqlite3.Error) as error:
        raise LinkError(f"the outbox {path} cannot be opened: {error}", FIX, True) from None


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE_S)
    try:
        _check_version(path, database)
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")  # takes effect in a new file
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
            with contextlib.suppress(sqlite3.OperationalError):  # another process has it open
                database.execute("VACUUM")
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except BaseException:
        database.close()
        raise
    return database


def _check_version(path: Path, database: sqlite3.Connection) -> None:
    found = _number(database, "user_version")
    if found > VERSION:
        what = f"the outbox {path} is of a newer rigless (format {found}, this one reads {VERSION})"
        raise LinkError(what, f"use that one, or {FIX}", final=True)


def _number(database: sqlite3.Connection, pragma: str) -> int:
    return int(database.execute(f"PRAGMA {pragma}").fetchone()[0])


def compact(path: Path, full: bool = False) -> bool:
    """Checkpoint the journal and free unused pages. Blocks on the disk, so call it in a thread.

    Return False if others wrote meanwhile, so that more is to do. If the disk is `full`, free all
    unused pages.
    """
    try:
        with contextlib.closing(
            sqlite3.connect(path, isolation_level=None, timeout=PATIENCE_S)
        ) as database:
            database.execute("PRAGMA synchronous = NORMAL")
            _checkpoint(database)
            release_free_pages(database, full)
            done = _checkpoint(database)
            if done:  # nothing left to copy, so this does not block
                truncate_journal(database)
            return done
    except sqlite3.Error:
        return False


def _checkpoint(database: sqlite3.Connection) -> bool:
    _, pages, copied = database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return bool(pages == copied)


def truncate_journal(database: sqlite3.Connection) -> bool:
    """Checkpoint the journal and truncate it; return False while others use it."""
    busy, _, _ = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def release_free_pages(database: sqlite3.Connection, full: bool = False) -> None:
    """Free unused pages if there are many; all, in small steps, if the disk is full."""
    free = _number(database, "freelist_count")
    spare = 0 if full else max(SPARE_PAGES, _number(database, "page_count") - free)
    while free > spare:
        database.execute(
            f"PRAGMA incremental_vacuum({SMALL_STEP_PAGES if full else STEP_PAGES})"
        ).fetchall()
        if full:
            _checkpoint(database)
        before, free = free, _number(database, "freelist_count")
        if free >= before:
            return


def identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file, or None if it does not exist."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def broken(error: sqlite3.Error) -> str:
    return f"is broken ({' '.join(str(error).split())})"


def rebuild(path: Path, old: sqlite3.Connection, why: str, log: Log) -> sqlite3.Connection:
    """Replace a damaged or removed file by a new one with all rows that can be read.

    The old file is closed and renamed.
    """
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
    log(
        f"the outbox {path} {why}: {where}rebuilt with the {saved['outbox']} messages "
        "that could be read",
        "error",
    )
    return _connect(path)


def _save(table: str, old: sqlite3.Connection, new: sqlite3.Connection) -> int:
    """Copy the readable rows, from both ends; return how many."""
    for way in ("ASC", "DESC"):
        with contextlib.suppress(sqlite3.Error):
            columns = ORDER[table].replace(",", f" {way},")
            for row in old.execute(f"SELECT * FROM {table} ORDER BY {columns} {way}"):
                new.execute(
                    f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})", row
                )
            break
    return int(new.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
