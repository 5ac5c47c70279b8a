"""The pseudo terminal: raw bytes both ways, one link from the first byte to the last close."""

import asyncio
import os
import stat
from contextlib import asynccontextmanager

import pytest

from rigless.kernel.ports import Port
from rigless.transports.pty import ANY, Transport
from rigless.transports.transport import ALL, PENDING_BYTES

from .inboxes import Diary, until

EVERY_BYTE = bytes(range(256))


@asynccontextmanager
async def serving(address=ANY):
    inbox = Diary()
    transport = Transport(Port("uart", object, "pty", address), inbox)
    url = await transport.open(str(address))
    assert url.startswith("pty:///")
    try:
        yield transport, inbox, url.removeprefix("pty://")
    finally:
        await transport.close()


def opened(path):
    return os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)


async def read(terminal, count):
    data = b""

    def enough():
        nonlocal data
        try:
            data += os.read(terminal, 65536)
        except BlockingIOError:
            return False
        return len(data) >= count

    await until(enough)
    return data


def test_every_byte_goes_both_ways_untouched():
    async def scene():
        async with serving() as (transport, inbox, path):
            assert stat.S_ISCHR(os.stat(path).st_mode)
            terminal = opened(path)
            os.write(terminal, EVERY_BYTE)
            await until(lambda: len(inbox.data(1)) == 256)
            assert inbox.data(1) == EVERY_BYTE
            assert inbox.reports[0] == ("connected", 1, path, path)
            transport.send(1, EVERY_BYTE, "")
            transport.send(ALL, b"!", "")
            assert await read(terminal, 257) == EVERY_BYTE + b"!"
            os.close(terminal)

    asyncio.run(scene())


def test_the_next_program_is_a_new_link_and_raw_too():
    async def scene():
        async with serving() as (_, inbox, path):
            for turn in range(1, 4):
                terminal = opened(path)
                os.write(terminal, b"\n\r\x03half")
                await until(lambda turn=turn: inbox.data(turn) == b"\n\r\x03half")
                os.close(terminal)
                await until(lambda turn=turn: inbox.reports[-1] == ("disconnected", turn))
            assert inbox.kinds() == ["connected", "received", "disconnected"] * 3

    asyncio.run(scene())


def test_what_was_written_before_a_close_still_comes():
    async def scene():
        async with serving() as (_, inbox, path):
            terminal = opened(path)
            os.write(terminal, b"last words")
            os.close(terminal)
            await until(lambda: "disconnected" in inbox.kinds())
            assert inbox.data(1) == b"last words"

    asyncio.run(scene())


def test_a_program_that_does_not_read_loses_messages_and_holds_nobody_up():
    async def scene():
        async with serving() as (transport, inbox, path):
            terminal = opened(path)
            os.write(terminal, b"x")
            await until(lambda: inbox.kinds() == ["connected", "received"])
            for _ in range(40):
                transport.send(1, b"y" * (PENDING_BYTES // 16), "")
            assert 0 < len(inbox.drops) < 40
            first = await read(terminal, 100_000)
            assert set(first) == {ord("y")}
            os.close(terminal)

    asyncio.run(scene())


def test_a_link_by_name_is_made_and_taken_away(tmp_path):
    async def scene():
        name = tmp_path / "ttyPACBOT"
        async with serving(name) as (_, inbox, path):
            assert path == str(name)
            terminal = opened(name)
            os.write(terminal, b"hello")
            await until(lambda: inbox.data(1) == b"hello")
            os.close(terminal)
        assert not os.path.lexists(name)

    asyncio.run(scene())


def test_a_name_that_is_taken_is_an_os_error_and_stays(tmp_path):
    name = tmp_path / "taken"
    name.write_text("mine")

    async def scene():
        transport = Transport(Port("uart", object, "pty", ANY), Diary())
        with pytest.raises(FileExistsError):
            await transport.open(str(name))
        await transport.close()

    asyncio.run(scene())
    assert name.read_text() == "mine"


def test_forgotten_and_closed():
    async def scene():
        async with serving() as (transport, inbox, path):
            terminal = opened(path)
            os.write(terminal, b"a")
            await until(lambda: inbox.data(1) == b"a")
            transport.close_link(1)
            transport.send(1, b"gone", "")
            os.write(terminal, b"b")
            await until(lambda: inbox.data(2) == b"b")
            await transport.close()
            await transport.close()
            assert os.read(terminal, 10) == b""  # hung up
            os.close(terminal)

    asyncio.run(scene())
