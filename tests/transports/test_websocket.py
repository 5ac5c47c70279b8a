"""WebSocket: one link for each connection, text and binary frames, slow, many and wrong peers."""

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, PENDING_BYTES
from rigless.transports.websocket import FRAME_BYTES, Transport

from .inboxes import Diary, until


@asynccontextmanager
async def serving():
    inbox = Diary()
    transport = Transport(Port("game", object, "websocket", "127.0.0.1:0", "message"), inbox)
    url = await transport.open("127.0.0.1:0")
    assert url.startswith("ws://127.0.0.1:")
    try:
        yield transport, inbox, url
    finally:
        await transport.close()
        await asyncio.sleep(0)


def test_messages_come_whole_with_their_kind():
    async def scene():
        async with serving() as (_, inbox, url):
            async with connect(url) as client:
                await client.send(b"x\x17\x0d")
                await client.send("p")
                await client.send([b"in ", b"parts"])
                await until(lambda: len(inbox.reports) == 4)
                assert inbox.reports[0][:2] == ("connected", 1)
                assert inbox.reports[0][3] == url.removeprefix("ws://")
            await until(lambda: len(inbox.reports) == 5)
            assert inbox.reports[1:] == [
                ("received", 1, b"x\x17\x0d", "binary"),
                ("received", 1, b"p", "text"),
                ("received", 1, b"in parts", "binary"),
                ("disconnected", 1),
            ]

    asyncio.run(scene())


def test_sending_reaches_one_or_all_as_binary_or_text():
    async def scene():
        async with serving() as (transport, inbox, url), connect(url) as one, connect(url) as two:
            await until(lambda: len(inbox.reports) == 2)
            transport.send(1, b"\x00\xff", "binary")
            transport.send(ALL, b"all", "text")
            transport.send(99, b"nobody", "binary")
            assert [await one.recv(), await one.recv()] == [b"\x00\xff", "all"]
            assert await two.recv() == "all"

    asyncio.run(scene())


def test_a_peer_that_does_not_read_loses_messages_and_holds_nothing_up():
    async def scene():
        async with (
            serving() as (transport, inbox, url),
            connect(url, max_queue=1, close_timeout=0.1) as _,
        ):
            await until(lambda: len(inbox.reports) == 1)
            for _ in range(400):
                transport.send(ALL, b"z" * 50_000, "binary")
                await asyncio.sleep(0)
            assert inbox.drops
            assert transport.connections[1].transport.get_write_buffer_size() <= PENDING_BYTES

    asyncio.run(scene())


def test_a_message_too_long_ends_that_connection_only():
    async def scene():
        async with serving() as (_, inbox, url), connect(url) as good:
            async with connect(url) as bad:
                await bad.send(b"z" * (FRAME_BYTES + 1))
                with pytest.raises(ConnectionClosed) as caught:
                    await bad.recv()
                assert caught.value.rcvd.code == 1009
            await until(lambda: "disconnected" in inbox.kinds())
            await good.send(b"P")
            await until(lambda: inbox.data(1) == b"P")

    asyncio.run(scene())


async def welcomed(url):
    """Connect a client, with retries on a busy machine."""
    while True:
        with suppress(InvalidMessage, OSError):
            return await connect(url)


@pytest.mark.parametrize(
    "data", [b"", b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 5000, b"GET /" + b"a" * 20_000]
)
def test_who_speaks_something_else_is_no_link_and_leaves_no_trace(data, capfd, monkeypatch):
    monkeypatch.setattr("rigless.transports.websocket.HANDSHAKE_S", 0.5)

    async def scene():
        async with serving() as (_, inbox, url):
            host, _, port = url.removeprefix("ws://").rpartition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(data)
            if data:
                await reader.read(100)
            writer.close()
            await asyncio.gather(writer.wait_closed(), return_exceptions=True)
            async with await welcomed(url) as client:
                await client.send(b"P")
                await until(lambda: inbox.data(1) == b"P")
            assert len([kind for kind in inbox.kinds() if kind == "connected"]) == 1

    asyncio.run(scene())
    assert capfd.readouterr() == ("", "")


def test_peers_beyond_the_bound_are_refused(monkeypatch):
    monkeypatch.setattr("rigless.transports.websocket.LINKS", 2)

    async def scene():
        async with serving() as (_, inbox, url), connect(url), connect(url):
            await until(lambda: len(inbox.reports) == 2)
            with pytest.raises(InvalidStatus) as caught:
                await connect(url)
            assert caught.value.response.status_code == 503

    asyncio.run(scene())


def test_hanging_up_and_closing():
    async def scene():
        async with serving() as (transport, inbox, url):
            async with connect(url) as one, connect(url) as two:
                await until(lambda: len(inbox.reports) == 2)
                transport.send(1, b"last", "binary")
                transport.close_link(1)
                assert await one.recv() == b"last"
                with pytest.raises(ConnectionClosed):
                    await one.recv()
                await transport.close()
                with pytest.raises(ConnectionClosed):
                    await two.recv()
            assert "disconnected" not in inbox.kinds()  # it was us

    asyncio.run(scene())


def test_the_port_is_free_again_after_closing():
    async def scene():
        async with serving() as (_, _, url), connect(url):
            pass
        again = Transport(Port("game", object, "websocket", "", "message"), Diary())
        assert await again.open(url.removeprefix("ws://")) == url
        with pytest.raises(OSError, match="in use"):
            await Transport(Port("game", object, "websocket", "", "message"), Diary()).open(
                url.removeprefix("ws://")
            )
        await again.close()
        await again.close()

    asyncio.run(scene())
