"""The file of the outbox: it is compacted, and disk errors are logged and survived."""

import asyncio
import os
import resource
import shutil
import sqlite3
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import pytest

from nats_servers import Server
from rigless.kernel.problems import InputError
from rigless.transports.jetstream import outbox as outboxes
from rigless.transports.jetstream.outbox import DurableMessage, Outbox
from rigless.transports.jetstream.outbox import file as outbox_file

from .inboxes import until
from .nats_robots import OUT, Robot, backend, on_loop, port, running

NOWHERE = "nats://127.0.0.1:1"


def box(folder, logged=None):
    return Outbox(
        folder / "outbox.sqlite",
        lambda text, _: (logged if logged is not None else []).append(text),
    )


def messages(count, size=10, first=1):
    return [
        DurableMessage("a", number, "s", f"id-{number}", b"x" * size)
        for number in range(first, first + count)
    ]


def fill(outbox, count, size=10):
    given = messages(count, size)
    for message in given:
        outbox.add(message)
    assert outbox.commit()
    return given


@contextmanager
def no_file_beyond(size):
    """Simulate a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class Disk:
    """A disk that is full while the reserve exists, with this much other free space."""

    def __init__(self, folder, monkeypatch):
        self.reserve, self.free, self.full = folder / "outbox.sqlite.reserve", 1 << 30, False
        disk = self

        class Connection(sqlite3.Connection):
            def execute(self, query, *values):
                if query == "COMMIT" and disk.full and disk.reserve.exists():
                    error = sqlite3.OperationalError("database or disk is full")
                    error.sqlite_errorcode = sqlite3.SQLITE_FULL
                    raise error
                return super().execute(query, *values)

        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Connection))
        monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=self.free))
        monkeypatch.setattr(outboxes, "RETRY_S", 0.01)


def size_of(outbox):
    """Return the size of the file and its journal."""
    return sum(
        path.stat().st_size
        for path in outbox.path.parent.glob("outbox.sqlite*")
        if path.suffix != ".reserve"
    )


@on_loop
async def test_when_it_has_drained_the_file_and_its_journal_are_small_again(tmp_path, monkeypatch):
    monkeypatch.setattr(outbox_file, "SPARE_PAGES", 50)
    outbox = box(tmp_path)
    given = fill(outbox, 2000, 4000)
    await until(lambda: outbox.path.stat().st_size > 2000 * 4000, "worked in")
    for message in given:
        outbox.remove(message, 0)
    outbox.commit()
    await until(lambda: size_of(outbox) < 1_000_000)
    fill(outbox, 10)
    assert len(outbox.load("a", 0, 100)) == 10
    outbox.close()


@on_loop
async def test_a_file_of_before_can_shrink_as_well(tmp_path):
    old = sqlite3.connect(tmp_path / "outbox.sqlite", isolation_level=None)
    old.execute("PRAGMA journal_mode = WAL")
    old.executescript(outbox_file.SCHEMA)
    old.execute("BEGIN")
    old.executemany(
        "INSERT INTO outbox VALUES ('a', ?, 's', 'i', ?)",
        [(number, b"x" * 4000) for number in range(2000)],
    )
    old.execute("DELETE FROM outbox WHERE number > 0")
    old.execute("COMMIT")
    old.close()
    outbox = box(tmp_path)
    assert outbox.rows == 1
    assert size_of(outbox) < 1_000_000
    assert outbox._database.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    outbox.close()


@on_loop
async def test_a_file_of_a_newer_version_is_left_alone(tmp_path):
    box(tmp_path / "agv").close()
    path = tmp_path / "agv" / "outbox.sqlite"
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 7")
    newer.close()
    before = path.read_bytes()
    with pytest.raises(
        InputError, match=r"newer rigless \(format 7, this one reads 1\).*--state"
    ) as caught:
        await Robot(port(NOWHERE, tmp_path)).transport.open("127.0.0.1:1")
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


@on_loop
async def test_of_a_broken_file_all_that_can_be_read_is_saved(tmp_path):
    fill_and_close(tmp_path, 3000, 150)  # not so much that it is tidied meanwhile
    path = tmp_path / "outbox.sqlite"
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xa5" * 9000)
    logged = []
    outbox = box(tmp_path, logged)
    found = [message.number for message in outbox.load("a", 0, 5000)]
    assert 2900 < len(found) < 3000
    assert found[0] == 1
    assert found[-1] == 3000
    assert len(logged) == 1
    assert "is broken" in logged[0]
    assert f"the {len(found)} messages that could be read" in logged[0]
    assert "\n" not in logged[0]
    assert len(list(tmp_path.glob("*.broken-*"))) == 1
    outbox.close()


def fill_and_close(folder, count, size):
    outbox = box(folder)
    fill(outbox, count, size)
    outbox.close()


@on_loop
async def test_a_file_that_breaks_while_it_is_in_use_is_begun_anew(tmp_path):
    logged = []
    outbox = box(tmp_path, logged)
    fill(outbox, 100)
    outbox._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with outbox.path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xa5" * (outbox.path.stat().st_size - 8192))
    outbox._database.execute("PRAGMA shrink_memory")
    for message in messages(10, first=101):
        outbox.add(message)
    assert not outbox.commit()
    assert outbox.failure
    assert outbox.commit()
    assert not outbox.failure
    assert {message.number for message in outbox.load("a", 100, 100)} == set(range(101, 111))
    assert [
        "cannot be written" in logged[0],
        "rebuilt" in logged[1],
        "written again" in logged[2],
    ] == [True] * 3
    outbox.close()


@on_loop
async def test_a_state_folder_that_is_removed_under_a_robot_costs_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(outboxes, "LOOK_S", 0.0)
    server = Server(tmp_path)
    async with running(port(server.url, tmp_path / "state"), wait=False) as robot:
        for _ in range(700):
            robot.say("events")
        await until(lambda: robot.depth == 700)
        shutil.rmtree(tmp_path / "state")
        robot.say("events")
        await until(lambda: "was removed" in robot.texts)
        await until(lambda: robot.depth == 701)
        beside = sqlite3.connect(tmp_path / "state" / "agv" / "outbox.sqlite")
        assert beside.execute("SELECT count(*) FROM outbox").fetchone() == (701,)
        beside.close()
        with server:
            await robot.until_sent()
            async with backend(server.url) as other:
                assert await other.stored() == [f"boot-{number}" for number in range(1, 702)]


@on_loop
async def test_a_file_in_its_place_that_is_anothers_is_not_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(outboxes, "LOOK_S", 0.0)
    logged = []
    outbox = box(tmp_path, logged)
    fill(outbox, 5)
    for path in tmp_path.glob("outbox.sqlite*"):
        path.rename(tmp_path / f"away-{path.name}")
    outbox.path.write_bytes(b"another's")
    outbox.add(messages(1, first=6)[0])
    assert outbox.commit()
    assert "restart this one" in logged[0]
    assert outbox.path.read_bytes() == b"another's"
    assert len(outbox.load("a", 0, 10)) == 6
    outbox.close()


@on_loop
async def test_a_full_disk_is_told_and_all_that_was_said_goes_when_there_is_room(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            with no_file_beyond(200_000):
                for _ in range(200):
                    robot.say("events", text="x" * 2000)
                await until(lambda: not robot.is_up)
                assert "cannot be written" in robot.report["why"]
            await robot.until_connected()
            await robot.until_sent()
            assert (await other.js.stream_info(OUT)).state.messages == 200
            assert robot.texts.count("cannot be written") == 1
            assert "can be written again" in robot.texts


@on_loop
async def test_what_got_there_makes_room_on_a_disk_that_is_full(tmp_path, monkeypatch):
    disk, logged = Disk(tmp_path, monkeypatch), []
    outbox = box(tmp_path, logged)
    given = fill(outbox, 240)
    assert disk.reserve.stat().st_size == 8 << 20
    disk.full, disk.free = True, 100_000
    outbox.add(*messages(1, first=241))
    for message in given[:230]:
        outbox.remove(message, message.number)
    assert not outbox.commit()
    assert not disk.reserve.exists()
    await until(lambda: outbox.depth("a") == 10)  # what got there goes
    assert not outbox.commit()  # but nothing comes
    assert [message.number for message in outbox.load("a", 0, 100)] == list(range(231, 241))
    disk.full, disk.free = False, 400_000
    await until(lambda: not outbox.failure)
    assert (outbox.depth("a"), disk.reserve.stat().st_size) == (11, 100_000)
    assert ["again" in text for text in logged] == [False, True]
    outbox.close()
    assert not disk.reserve.exists()


@on_loop
async def test_a_file_with_much_that_is_free_gives_it_back_while_the_disk_is_full(
    tmp_path, monkeypatch
):
    disk = Disk(tmp_path, monkeypatch)
    outbox = box(tmp_path)
    given = fill(outbox, 20, 20_000)
    disk.full, disk.free = True, 0
    for message in given[:19]:
        outbox.remove(message, message.number)
    outbox.add(*messages(1, first=21))
    await until(lambda: size_of(outbox) < 100_000)  # of 400,000: less than is given back else
    disk.full, disk.free = False, 400_000
    await until(lambda: not outbox.failure)
    outbox.close()


@on_loop
async def test_a_reserve_that_another_process_took_away_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(outboxes, "LOOK_S", 0.0)
    outbox = box(tmp_path)
    (tmp_path / "outbox.sqlite.reserve").unlink()
    fill(outbox, 1)
    assert (tmp_path / "outbox.sqlite.reserve").stat().st_size == 8 << 20
    outbox.close()


@on_loop
async def test_a_disk_that_is_full_at_the_start_is_told_in_a_sentence(tmp_path):
    (tmp_path / "agv").mkdir()
    with (
        no_file_beyond(0),
        pytest.raises(InputError, match=r"outbox.sqlite cannot be opened: .*--state"),
    ):
        await Robot(port(NOWHERE, tmp_path)).transport.open("127.0.0.1:1")


@on_loop
async def test_a_folder_that_cannot_be_is_told_in_a_sentence(tmp_path):
    (tmp_path / "agv").write_text("a file")
    with pytest.raises(InputError, match=r"r1.lock cannot be written: .*--state"):
        await Robot(port(NOWHERE, tmp_path)).transport.open("127.0.0.1:1")
    os.remove(tmp_path / "agv")
    (tmp_path / "agv" / "outbox.sqlite").mkdir(parents=True)
    with pytest.raises(InputError, match=r"outbox.sqlite cannot be opened: .*--state"):
        await Robot(port(NOWHERE, tmp_path)).transport.open("127.0.0.1:1")


@on_loop
async def test_another_process_that_writes_for_a_moment_is_no_trouble(tmp_path, monkeypatch):
    monkeypatch.setattr(outboxes, "BUSY_S", 60.0)
    logged, done = [], []
    outbox = box(tmp_path, logged)
    outbox._database.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(outbox.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    outbox.add(messages(1)[0])
    outbox.after_commit(lambda: done.append(True))
    await asyncio.sleep(0.05)
    assert not done
    assert not outbox.failure
    other.execute("ROLLBACK")
    other.close()
    await until(lambda: done)
    assert logged == []
    outbox.close()


@on_loop
async def test_one_that_could_not_be_begun_anew_at_once_is_later(tmp_path):
    logged = []
    outbox = box(tmp_path, logged)
    fill(outbox, 5)
    outbox._database.close()  # as it is then
    outbox.add(messages(1, first=6)[0])
    assert not outbox.commit()
    assert outbox.commit()
    assert len(outbox.load("a", 0, 10)) == 6
    outbox.close()


@on_loop
async def test_what_could_not_be_written_at_the_end_is_told(tmp_path):
    logged = []
    outbox = box(tmp_path, logged)
    with no_file_beyond(0):
        outbox.add(messages(1)[0])
        outbox.close()
    await asyncio.sleep(0)
    assert "closed without 1 messages" in logged[-1]
