"""What robots have promised to say and have not got rid of yet, and the last of what they must remember: one SQLite file for all robots.

What happened in one turn of the event loop is written in one transaction at its end; whoever waits for it (messages to be sent, commands to
be acknowledged) goes on after that. So when the process is killed, what was acknowledged to others is on file. When power fails, the last
moments may be lost: WAL with synchronous=NORMAL does not wait for the disk at each transaction (RIGLESS_OUTBOX_SYNC=full makes it wait).
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

from rigless.transports.jetstream import outbox_file
from rigless.transports.jetstream.disk_reserve import DiskReserve
from rigless.transports.jetstream.errors import LinkError, Log
from rigless.transports.jetstream.outbox_file import FIX

ROWS = 1_000_000  # more than that many messages, or bytes, are not taken: nothing that was promised goes for it
BYTES = 1 << 30
KEPT = 10_000  # remembered a robot and subject
KEPT_S = 7 * 86_400.0
PRUNE_EVERY = 1000
CHECKPOINT, CHECKPOINT_BYTES = (
    5000,
    4 << 20,
)  # rows or bytes after which the journal is worked into the file
PORTION, PORTIONS = (
    10,
    10,
)  # of what got there, so much at most is deleted at a time, and in a turn, while the disk is full
MANY = 1000  # messages on file: when they have gone, it is made smaller
RETRY_S, SOON_S = 1.0, 0.02
BUSY_S = 2.0  # with another process that writes, so long: that is no trouble yet
LOOK_S = 1.0  # how often it is looked whether the file is still there


@dataclass(slots=True)
class DurableMessage:
    """A message that must get there."""

    robot: str
    number: int
    subject: str
    id: str
    data: bytes
    floor: int = -1  # the stream was at least here when it was first sent; -1: never sent


@dataclass
class Batch:
    """What is to be written next."""

    letters: list[DurableMessage] = field(default_factory=list)
    gone: list[tuple[str, int]] = field(default_factory=list)
    kept: list[tuple[str, str, str, float, bytes]] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)
    then: list[Callable[[], None]] = field(default_factory=list)

    def has_rows(self) -> bool:
        return bool(self.letters or self.gone or self.kept)


class Outbox:
    """`trouble` says why nothing can be written at present; while it does, nothing is promised either."""

    def __init__(self, path: Path, tell: Log):
        self.path = path
        self.trouble = ""
        self.users = 0
        self._tell = tell
        self._batch = Batch()
        self._scheduled = False
        self._remembered = 0
        self._written = 0  # rows since the journal was last worked in
        self._written_bytes = 0
        self._most = self.rows = 0  # messages on file since then
        self._tidying: asyncio.Future[bool] | None = None
        self._tidy_lock = threading.Lock()
        self._closed = False
        self._database = outbox_file.open_file(path, tell)
        self._identity = outbox_file.identity(path)
        self._reserve = DiskReserve(path)
        self._portion = PORTION
        self._looked_s = time.monotonic()
        self._replaced = False  # by the file of another process
        self._busy_s: float | None = None  # since when another process writes
        self._count()

    def _count(self) -> None:
        found = self._read("SELECT count(*), coalesce(sum(length(data)), 0) FROM outbox")
        waiting = [len(letter.data) for letter in self._batch.letters]
        self.rows, self.bytes = int(found[0][0]) + len(waiting), int(found[0][1]) + sum(waiting)

    # What is on file. All of these raise LinkError.

    def last_number(self, robot: str) -> int:
        return int(
            self._read("SELECT coalesce(max(number), 0) FROM outbox WHERE robot = ?", robot)[0][0]
        )

    def depth(self, robot: str) -> int:
        return int(self._read("SELECT count(*) FROM outbox WHERE robot = ?", robot)[0][0])

    def sequence(self, robot: str) -> int:
        """Where in the stream the robot's last acknowledged message is."""
        found = self._read("SELECT sequence FROM sent WHERE robot = ?", robot)
        return int(found[0][0]) if found else 0

    def load(self, robot: str, after: int, most: int) -> list[DurableMessage]:
        """Messages from the oldest on."""
        query = "SELECT number, subject, id, data FROM outbox WHERE robot = ? AND number > ? ORDER BY number LIMIT ?"
        return [DurableMessage(robot, *row) for row in self._read(query, robot, after, most)]

    def kept(self, robot: str) -> list[tuple[str, bytes]]:
        """What the robot is to remember, subject and message, oldest first."""
        self._prune(robot)
        return self._read("SELECT subject, data FROM kept WHERE robot = ? ORDER BY number", robot)

    def _read(self, query: str, *values: str | int) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise LinkError(f"the outbox {self.path} cannot be read: {error}") from None

    # What is to be written

    def full(self) -> bool:
        return self.rows >= ROWS or self.bytes >= BYTES

    def add(self, letter: DurableMessage) -> None:
        self.rows += 1
        self.bytes += len(letter.data)
        self._batch.letters.append(letter)
        self._schedule()

    def remove(self, letter: DurableMessage, sequence: int) -> None:
        """It got there."""
        self.rows -= 1
        self.bytes -= len(letter.data)
        self._batch.gone.append((letter.robot, letter.number))
        if sequence:
            self._batch.sent[letter.robot] = sequence
        self._schedule()

    def keep(self, robot: str, subject: str, key: str, data: bytes) -> None:
        self._batch.kept.append((robot, subject, key, time.time(), data))
        self._remembered += 1
        self._schedule()

    def then(self, act: Callable[[], None]) -> None:
        """Do this when all that was given so far is on file."""
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
        soon = not self.trouble or (self._batch.gone and not self._reserve.bytes)
        asyncio.get_running_loop().call_later(SOON_S if soon else RETRY_S, self._turn)

    def commit(self) -> bool:
        """Write what waits and do what waits for it; False if it cannot be written now."""
        batch = self._batch
        if batch.has_rows():
            try:
                self._see_to_file()
                if not self._reserve.bytes:
                    self._delete(batch)
                self._write(batch)
            except (sqlite3.Error, OSError) as error:
                self._fail(error)
                return False
        self._busy_s = None
        if self.trouble:
            self.trouble = ""
            self._tell(f"the outbox {self.path} can be written again", "info")
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
            self._reserve.give_up()
        self._failed(str(error))
        if (
            type(error) is sqlite3.DatabaseError and not self._replaced
        ):  # not one that goes by itself
            self._begin_anew(outbox_file.broken(error))
        elif isinstance(
            error, sqlite3.ProgrammingError
        ):  # it was closed, and could not be begun anew
            self._open_again()
        self._tidy()  # that may make room

    def _open_again(self) -> None:
        with contextlib.suppress(LinkError):  # another time
            self._database = outbox_file.open_file(self.path, self._tell)
            self._identity = outbox_file.identity(self.path)

    def _see_to_file(self) -> None:
        """Somebody may have removed it: what goes on into a file without a name is lost with the process."""
        now_s = time.monotonic()
        if now_s - self._looked_s < LOOK_S:
            return
        self._looked_s = now_s
        self._reserve.see_to_it()
        found = outbox_file.identity(self.path)
        if found is None:
            self._begin_anew("was removed")
        elif (
            found != self._identity and not self._replaced
        ):  # not to be closed: SQLite would remove the other's journal
            self._replaced = True
            what = (
                "was removed while in use, and another process has made a new one: restart this one"
            )
            self._tell(f"the outbox {self.path} {what}", "critical")

    def _begin_anew(self, why: str) -> None:
        try:
            self._database = outbox_file.begin_anew(self.path, self._database, why, self._tell)
            self._identity = outbox_file.identity(self.path)
            self._reserve.take()
            self._count()
        except (sqlite3.Error, OSError, LinkError) as error:
            self._failed(str(error))

    def _delete(self, batch: Batch) -> None:
        """The disk was full: what got there goes, a little at a time and after the journal, as there is little room to write even that; and nothing new is
        taken until there is a reserve again."""
        for _ in range(PORTIONS):
            if not outbox_file.empty_journal(self._database) or not batch.gone:
                break
            self._write(Batch(gone=batch.gone[: self._portion], sent=batch.sent))
            del batch.gone[: self._portion]
        if batch.gone or not self._reserve.take():
            raise OSError(errno.ENOSPC, "the disk is full")
        self._portion = PORTION

    def _write(self, batch: Batch) -> None:
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        if batch.letters:
            rows = [
                (letter.robot, letter.number, letter.subject, letter.id, letter.data)
                for letter in batch.letters
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
        self._written += len(batch.letters) + len(batch.gone) + len(batch.kept)
        self._written_bytes += sum(len(letter.data) for letter in batch.letters)
        self._written_bytes += sum(len(data) for *_, data in batch.kept)
        self._most = max(self._most, self.rows)
        if self._untidy():
            self._tidy()

    def _untidy(self) -> bool:
        drained = self.rows == 0 and self._most > MANY
        most_bytes = min(
            CHECKPOINT_BYTES, self._reserve.bytes // 2
        )  # for the reserve to be enough to work them in
        return drained or self._written > CHECKPOINT or self._written_bytes > most_bytes

    def _tidy(self) -> None:
        if self._tidying is None and not self._closed:
            self._written = self._written_bytes = 0
            self._most = self.rows
            loop = asyncio.get_running_loop()
            self._tidying = loop.run_in_executor(None, self._tidy_up, not self._reserve.bytes)
            self._tidying.add_done_callback(self._tidied)

    def _tidy_up(self, full: bool) -> bool:
        """In a thread of its own."""
        with self._tidy_lock:
            return self._closed or outbox_file.tidy(self.path, full)

    def _tidied(self, done: "asyncio.Future[bool]") -> None:
        self._tidying = None
        if not self._closed and not done.cancelled() and (self._untidy() or not done.result()):
            asyncio.get_running_loop().call_later(RETRY_S, self._tidy)

    def _failed(self, error: str) -> None:
        if not self.trouble:
            self._tell(
                f"the outbox {self.path} cannot be written: {error}; nothing is taken until it can",
                "critical",
            )
        self.trouble = f"the outbox cannot be written: {error}"

    def _prune(self, robot: str) -> None:
        """Forget what is too old or too much."""
        with contextlib.suppress(sqlite3.Error):  # another time
            old = "DELETE FROM kept WHERE robot = ? AND key != '' AND at < ?"  # what there is but one of is not history
            self._database.execute(old, (robot, time.time() - KEPT_S))
            query = "SELECT subject FROM kept WHERE robot = ? GROUP BY subject HAVING count(*) > ?"
            for (subject,) in self._database.execute(query, (robot, KEPT)).fetchall():
                self._database.execute(
                    "DELETE FROM kept WHERE robot = ?1 AND subject = ?2 AND number <= (SELECT number FROM kept "
                    "WHERE robot = ?1 AND subject = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)",
                    (robot, subject, KEPT),
                )

    def close(self) -> None:
        if not self.commit():
            lost = len(self._batch.letters)
            self._tell(
                f"the outbox {self.path} is closed without {lost} messages that could not be written",
                "critical",
            )
        self._closed = True
        self._reserve.give_up()
        with (
            self._tidy_lock,
            contextlib.suppress(sqlite3.Error),
        ):  # who closes it can have the file at once
            outbox_file.give_back(self._database)
            self._database.close()


def _runs(gone: list[tuple[str, int]]) -> list[tuple[str, int, int]]:
    """Rows as runs from a number to a number: what was acknowledged together was mostly said together."""
    runs: list[tuple[str, int, int]] = []
    for robot, number in sorted(gone):
        if runs and runs[-1][0] == robot and runs[-1][2] == number - 1:
            runs[-1] = robot, runs[-1][1], number
        else:
            runs.append((robot, number, number))
    return runs


def saved_messages(folder: Path, robot: str) -> list[tuple[str, bytes]]:
    """What a robot is to remember and there is but one of, such as its settings: subjects and messages, oldest first. The outbox may be in use; of
    one that cannot be read, nothing."""
    path = _file(folder)
    if not path.is_file():
        return []
    query = "SELECT subject, data FROM kept WHERE robot = ? AND key = '' ORDER BY number"
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=outbox_file.PATIENCE_S)) as database:
            return database.execute(query, (robot,)).fetchall()
    except sqlite3.Error:
        return []  # told when it is opened to be used


def _file(folder: Path) -> Path:
    return folder / "outbox.sqlite"


# Sharing

_shared: dict[tuple[int, Path], Outbox] = {}


def join(folder: Path, tell: Log) -> Outbox:
    """The outbox of a state folder, the one that is open if there is one."""
    key = id(asyncio.get_running_loop()), folder.absolute()
    found = _shared.get(key)
    if found is None:
        found = _shared[key] = Outbox(_file(folder), tell)
    found.users += 1
    return found


def leave(outbox: Outbox) -> None:
    outbox.users -= 1
    if outbox.users == 0:
        for key in [key for key, found in _shared.items() if found is outbox]:
            del _shared[key]
        outbox.close()


def claim(folder: Path, robot: str, myself: str) -> IO[str]:
    """A file that is locked while this process runs the robot: two would mix up what is on file. `myself` is told to the second.
    Raises LinkError."""
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
    except OSError as error:  # a file system that knows no locks
        file.close()
        raise LinkError(f"{path} cannot be locked: {error.strerror}", FIX, True) from None
    with contextlib.suppress(OSError):  # a full disk: the lock counts, not the name
        os.truncate(path, 0)
        os.pwrite(file.fileno(), myself.encode(), 0)
    return file
