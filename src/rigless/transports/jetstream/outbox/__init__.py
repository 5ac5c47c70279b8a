"""A durable outbox on disk: one SQLite file for the robots of a process.

It holds the messages that are not yet stored by the backend, and the retained messages that a robot
gets back at its next start. Changes of one turn of the event loop are written in one transaction at
its end; actions that depend on them (`after_commit`: publish, acknowledge a command) follow. So if
the process is killed, everything that was acknowledged is on disk. After a power failure the last
moments may be missing: WAL with synchronous=NORMAL does not wait for the disk at each transaction
(RIGLESS_OUTBOX_SYNC=full makes it wait).
"""

import asyncio
import contextlib
import errno
import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from rigless.transports.jetstream.errors import LinkError, Log
from rigless.transports.jetstream.outbox import file as outbox_file
from rigless.transports.jetstream.outbox.disk_reserve import DiskReserve
from rigless.transports.jetstream.outbox.file import FIX

ROWS = 1_000_000  # at this many messages or bytes, new messages are dropped
BYTES = 1 << 30
KEPT = 10_000  # retained messages of a robot and subject
KEPT_S = 7 * 86_400.0
PRUNE_EVERY = 1000
CHECKPOINT, CHECKPOINT_BYTES = 5000, 4 << 20  # rows or bytes between two checkpoints
PORTION, PORTIONS = 10, 10  # rows a deletion and deletions a turn while the disk is full
MANY = 1000  # after this many messages were delivered, the file is compacted
RETRY_S, SOON_S = 1.0, 0.02
BUSY_S = 2.0  # a lock by another process is no failure for this long
LOOK_S = 1.0  # interval of the check that the file still exists


@dataclass(slots=True)
class DurableMessage:
    """A message that must be delivered."""

    robot: str
    number: int
    subject: str
    id: str
    data: bytes
    floor: int = -1  # last sequence of the stream when first sent; -1: never sent


@dataclass
class Batch:
    """Changes for the next transaction."""

    messages: list[DurableMessage] = field(default_factory=list)
    gone: list[tuple[str, int]] = field(default_factory=list)
    kept: list[tuple[str, str, str, float, bytes]] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)
    then: list[Callable[[], None]] = field(default_factory=list)

    def has_rows(self) -> bool:
        return bool(self.messages or self.gone or self.kept)


class Outbox:
    """The outbox. `failure` says why it cannot be written, and is empty otherwise."""

    def __init__(self, path: Path, log: Log):
        self.path = path
        self.failure = ""
        self.users = 0
        self._log = log
        self._batch = Batch()
        self._scheduled = False
        self._remembered = 0
        self._written = 0  # rows since the last checkpoint
        self._written_bytes = 0
        self._most = self.rows = 0  # most messages on disk since then
        self._compacting: asyncio.Future[bool] | None = None
        self._compact_lock = threading.Lock()
        self._closed = False
        self._database = outbox_file.open_file(path, log)
        self._identity = outbox_file.identity(path)
        self._reserve = DiskReserve(path)
        self._portion = PORTION
        self._looked_s = time.monotonic()
        self._replaced = False  # another process replaced the file
        self._busy_s: float | None = None  # when another process began to hold the lock
        self._count()

    def _count(self) -> None:
        found = self._read("SELECT count(*), coalesce(sum(length(data)), 0) FROM outbox")
        waiting = [len(message.data) for message in self._batch.messages]
        self.rows, self.bytes = int(found[0][0]) + len(waiting), int(found[0][1]) + sum(waiting)

    # Reading. These methods raise LinkError.

    def last_number(self, robot: str) -> int:
        return int(
            self._read("SELECT coalesce(max(number), 0) FROM outbox WHERE robot = ?", robot)[0][0]
        )

    def depth(self, robot: str) -> int:
        return int(self._read("SELECT count(*) FROM outbox WHERE robot = ?", robot)[0][0])

    def sequence(self, robot: str) -> int:
        """Return the stream sequence of the robot's last acknowledged message."""
        found = self._read("SELECT sequence FROM sent WHERE robot = ?", robot)
        return int(found[0][0]) if found else 0

    def load(self, robot: str, after: int, most: int) -> list[DurableMessage]:
        """Return the messages after a number, oldest first."""
        query = (
            "SELECT number, subject, id, data FROM outbox WHERE robot = ? AND number > ? ORDER "
            "BY number LIMIT ?"
        )
        return [DurableMessage(robot, *row) for row in self._read(query, robot, after, most)]

    def kept(self, robot: str) -> list[tuple[str, bytes]]:
        """Return the retained messages of a robot as (subject, data), oldest first."""
        self._prune(robot)
        return self._read("SELECT subject, data FROM kept WHERE robot = ? ORDER BY number", robot)

    def _read(self, query: str, *values: str | int) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise LinkError(f"the outbox {self.path} cannot be read: {error}") from None

    # Writing

    def full(self) -> bool:
        return self.rows >= ROWS or self.bytes >= BYTES

    def add(self, message: DurableMessage) -> None:
        self.rows += 1
        self.bytes += len(message.data)
        self._batch.messages.append(message)
        self._schedule()

    def remove(self, message: DurableMessage, sequence: int) -> None:
        """Remove a delivered message."""
        self.rows -= 1
        self.bytes -= len(message.data)
        self._batch.gone.append((message.robot, message.number))
        if sequence:
            self._batch.sent[message.robot] = sequence
        self._schedule()

    def keep(self, robot: str, subject: str, key: str, data: bytes) -> None:
        self._batch.kept.append((robot, subject, key, time.time(), data))
        self._remembered += 1
        self._schedule()

    def after_commit(self, act: Callable[[], None]) -> None:
        """Call this when all changes so far are on disk."""
        self._batch.then.append(act)
        self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        self._scheduled = False
        if self._closed or self.commit():
            return
        self._scheduled = True
        soon = not self.failure or (self._batch.gone and not self._reserve.bytes)
        asyncio.get_running_loop().call_later(SOON_S if soon else RETRY_S, self._turn)

    def commit(self) -> bool:
        """Write pending changes and call their actions; return False if writing fails."""
        batch = self._batch
        if batch.has_rows():
            try:
                self._check_file()
                if not self._reserve.bytes:
                    self._delete(batch)
                self._write(batch)
            except (sqlite3.Error, OSError) as error:
                self._fail(error)
                return False
        self._busy_s = None
        if self.failure:
            self.failure = ""
            self._log(f"the outbox {self.path} can be written again", "info")
        self._batch = Batch()
        for act in batch.then:
            act()
        if self._remembered >= PRUNE_EVERY:
            self._remembered = 0
            for robot in {row[0] for row in batch.kept}:
                self._prune(robot)
        return True

    def _fail(self, error: Exception) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._database.execute("ROLLBACK")
        now_s = time.monotonic()
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY:
            self._busy_s = self._busy_s or now_s
            if now_s - self._busy_s < BUSY_S:
                return
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
            self._portion = PORTION if self._reserve.bytes else max(1, self._portion // 2)
            self._reserve.release()
        self._failed(str(error))
        if type(error) is sqlite3.DatabaseError and not self._replaced:  # the file is damaged
            self._rebuild(outbox_file.broken(error))
        elif isinstance(error, sqlite3.ProgrammingError):  # closed by a rebuild that failed
            self._open_again()
        self._compact()  # this may free space

    def _open_again(self) -> None:
        with contextlib.suppress(LinkError):  # retried later
            self._database = outbox_file.open_file(self.path, self._log)
            self._identity = outbox_file.identity(self.path)

    def _check_file(self) -> None:
        """Rebuild the file if it was removed: writes to an unlinked file would be lost."""
        now_s = time.monotonic()
        if now_s - self._looked_s < LOOK_S:
            return
        self._looked_s = now_s
        self._reserve.restore_if_missing()
        found = outbox_file.identity(self.path)
        if found is None:
            self._rebuild("was removed")
        elif (
            found != self._identity and not self._replaced
        ):  # keep it open: closing would remove the journal of the other file
            self._replaced = True
            what = (
                "was removed while in use, and another process has made a new one: restart this one"
            )
            self._log(f"the outbox {self.path} {what}", "critical")

    def _rebuild(self, why: str) -> None:
        try:
            self._database = outbox_file.rebuild(self.path, self._database, why, self._log)
            self._identity = outbox_file.identity(self.path)
            self._reserve.take()
            self._count()
        except (sqlite3.Error, OSError, LinkError) as error:
            self._failed(str(error))

    def _delete(self, batch: Batch) -> None:
        """Delete delivered messages in small steps after the disk was full.

        Even a deletion needs space for the journal. Nothing new is written until the reserve could
        be allocated again.
        """
        for _ in range(PORTIONS):
            if not outbox_file.truncate_journal(self._database) or not batch.gone:
                break
            self._write(Batch(gone=batch.gone[: self._portion], sent=batch.sent))
            del batch.gone[: self._portion]
        if batch.gone or not self._reserve.take():
            raise OSError(errno.ENOSPC, "the disk is full")
        self._portion = PORTION

    def _write(self, batch: Batch) -> None:
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        if batch.messages:
            rows = [
                (message.robot, message.number, message.subject, message.id, message.data)
                for message in batch.messages
            ]
            database.executemany("INSERT INTO outbox VALUES (?, ?, ?, ?, ?)", rows)
        if batch.gone:
            delete = "DELETE FROM outbox WHERE robot = ? AND number BETWEEN ? AND ?"
            database.executemany(delete, _runs(batch.gone))
            database.executemany(
                "INSERT OR REPLACE INTO sent VALUES (?, ?)", list(batch.sent.items())
            )
        if batch.kept:
            insert = (
                "INSERT OR REPLACE INTO kept (robot, subject, key, at, data) VALUES (?, ?, ?, ?, ?)"
            )
            database.executemany(insert, batch.kept)
        database.execute("COMMIT")
        self._written += len(batch.messages) + len(batch.gone) + len(batch.kept)
        self._written_bytes += sum(len(message.data) for message in batch.messages)
        self._written_bytes += sum(len(data) for *_, data in batch.kept)
        self._most = max(self._most, self.rows)
        if self._needs_compacting():
            self._compact()

    def _needs_compacting(self) -> bool:
        drained = self.rows == 0 and self._most > MANY
        most_bytes = min(
            CHECKPOINT_BYTES, self._reserve.bytes // 2
        )  # so that the reserve is enough for a checkpoint
        return drained or self._written > CHECKPOINT or self._written_bytes > most_bytes

    def _compact(self) -> None:
        if self._compacting is None and not self._closed:
            self._written = self._written_bytes = 0
            self._most = self.rows
            loop = asyncio.get_running_loop()
            self._compacting = loop.run_in_executor(
                None, self._compact_file, not self._reserve.bytes
            )
            self._compacting.add_done_callback(self._compacted)

    def _compact_file(self, full: bool) -> bool:
        """Compact the file, in a worker thread."""
        with self._compact_lock:
            return self._closed or outbox_file.compact(self.path, full)

    def _compacted(self, done: "asyncio.Future[bool]") -> None:
        self._compacting = None
        if (
            not self._closed
            and not done.cancelled()
            and (self._needs_compacting() or not done.result())
        ):
            asyncio.get_running_loop().call_later(RETRY_S, self._compact)

    def _failed(self, error: str) -> None:
        if not self.failure:
            self._log(
                f"the outbox {self.path} cannot be written: {error}; no message is "
                "accepted until it can",
                "critical",
            )
        self.failure = f"the outbox cannot be written: {error}"

    def _prune(self, robot: str) -> None:
        """Delete retained messages that are too old or too many."""
        with contextlib.suppress(sqlite3.Error):  # retried later
            # Messages without a key (one a subject, such as settings) do not expire.
            old = "DELETE FROM kept WHERE robot = ? AND key != '' AND at < ?"
            self._database.execute(old, (robot, time.time() - KEPT_S))
            query = "SELECT subject FROM kept WHERE robot = ? GROUP BY subject HAVING count(*) > ?"
            for (subject,) in self._database.execute(query, (robot, KEPT)).fetchall():
                self._database.execute(
                    "DELETE FROM kept WHERE robot = ?1 AND subject = ?2 AND number <= "
                    "(SELECT number FROM kept "
                    "WHERE robot = ?1 AND subject = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)",
                    (robot, subject, KEPT),
                )

    def close(self) -> None:
        if not self.commit():
            lost = len(self._batch.messages)
            self._log(
                f"the outbox {self.path} is closed without {lost} messages that could not "
                "be written",
                "critical",
            )
        self._closed = True
        self._reserve.release()
        with (
            self._compact_lock,
            contextlib.suppress(sqlite3.Error),
        ):  # after close() the caller may reuse the file
            outbox_file.release_free_pages(self._database)
            self._database.close()


def _runs(gone: list[tuple[str, int]]) -> list[tuple[str, int, int]]:
    """Group rows into runs (robot, first, last), so that few statements delete them."""
    runs: list[tuple[str, int, int]] = []
    for robot, number in sorted(gone):
        if runs and runs[-1][0] == robot and runs[-1][2] == number - 1:
            runs[-1] = robot, runs[-1][1], number
        else:
            runs.append((robot, number, number))
    return runs


def saved_messages(folder: Path, robot: str) -> list[tuple[str, bytes]]:
    """Return retained messages without a key, such as settings, as (subject, data), oldest first.

    The outbox may be in use. Empty if it cannot be read.
    """
    path = _file(folder)
    if not path.is_file():
        return []
    query = "SELECT subject, data FROM kept WHERE robot = ? AND key = '' ORDER BY number"
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=outbox_file.PATIENCE_S)) as database:
            return database.execute(query, (robot,)).fetchall()
    except sqlite3.Error:
        return []  # logged when the outbox is opened


def _file(folder: Path) -> Path:
    return folder / "outbox.sqlite"


# Shared outboxes

_shared: dict[tuple[int, Path], Outbox] = {}


def acquire(folder: Path, log: Log) -> Outbox:
    """Return the shared outbox of a state folder. Pair with `release`."""
    key = id(asyncio.get_running_loop()), folder.absolute()
    found = _shared.get(key)
    if found is None:
        found = _shared[key] = Outbox(_file(folder), log)
    found.users += 1
    return found


def release(outbox: Outbox) -> None:
    outbox.users -= 1
    if outbox.users == 0:
        for key in [key for key, found in _shared.items() if found is outbox]:
            del _shared[key]
        outbox.close()


def lock_robot(folder: Path, robot: str, myself: str) -> IO[str]:
    """Lock a file while this process runs the robot, since two would mix their messages.

    `myself` is written into the file, for the error of a second process. Raises LinkError.
    """
    path = folder / f"{robot}.lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise LinkError(f"{path} cannot be written: {error.strerror}", FIX, True) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read(200).strip() or "another process"
        file.close()
        fix = "end that one, give this robot another identity.robotId, or use another RIGLESS_STATE"
        raise LinkError(f"robot {robot!r} already runs: {holder}", fix, True) from None
    except OSError as error:  # a file system without locks
        file.close()
        raise LinkError(f"{path} cannot be locked: {error.strerror}", FIX, True) from None
    with contextlib.suppress(OSError):  # on a full disk the lock still holds
        os.truncate(path, 0)
        os.pwrite(file.fileno(), myself.encode(), 0)
    return file
