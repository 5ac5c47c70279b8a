"""TCP: one link for each connection, any chunking, limits on peers and on unread data."""

import asyncio
import random
import socket
from contextlib import asynccontextmanager

import pytest

from rigless.kernel.ports import Port
from rigless.transports import tcp
from rigless.transports.tcp import Transport
from rigless.transports.transport import ALL, LINKS, PENDING_BYTES

from .inboxes import Diary, until


@asynccontextmanager
async def serving():
    inbox = Diary()
    transport = Transport(Port("line", object, "tcp", "127.0.0.1:0"), inbox)
    url = await transport.open("127.0.0.1:0")
    assert url.startswith("tcp://127.0.0.1:")
    try:
        yield transport, inbox, int(url.rpartition(":")[2])
    finally:
        await transport.close()
        await asyncio.sleep(0)


@asynccontextmanager
async def client(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


def test_bytes_arrive_whole_and_in_order_however_they_are_cut():
    async def scene():
        rng, sent = random.Random(5), b""
        async with serving() as (_, inbox, port), client(port) as (_, writer):
            for _ in range(300):
                chunk = rng.randbytes(rng.choice([1, 1, 2, 100, 5000]))
                sent += chunk
                writer.write(chunk)
                if rng.random() < 0.2:
                    await writer.drain()
                    await asyncio.sleep(0)
            await until(lambda: len(inbox.data(1)) >= len(sent))
            assert inbox.data(1) == sent

    asyncio.run(scene())


def test_a_connection_is_told_before_its_bytes_and_after_them():
    async def scene():
        async with serving() as (_, inbox, port):
            async with client(port) as (_, writer):
                writer.write(b"x")
                here = "{}:{}".format(*writer.get_extra_info("sockname"))
                await until(lambda: inbox.data(1))
            await until(lambda: len(inbox.reports) == 3)
            assert inbox.reports == [
                ("connected", 1, here, f"127.0.0.1:{port}"),
                ("received", 1, b"x", ""),
                ("disconnected", 1),
            ]

    asyncio.run(scene())


def test_sending_reaches_one_or_all():
    async def scene():
        async with (
            serving() as (transport, inbox, port),
            client(port) as (one, _),
            client(port) as (two, _),
        ):
            await until(lambda: len(inbox.reports) == 2)
            transport.send(1, b"one ", "")
            transport.send(ALL, b"all", "")
            transport.send(99, b"nobody", "")
            assert await one.readexactly(7) == b"one all"
            assert await two.readexactly(3) == b"all"

    asyncio.run(scene())


def test_hanging_up_lets_what_was_sent_go_out():
    async def scene():
        async with serving() as (transport, inbox, port), client(port) as (reader, _):
            await until(lambda: inbox.reports)
            transport.send(1, b"z" * 500_000, "")
            transport.close_link(1)
            transport.close_link(1)
            assert len(await reader.read(-1)) == 500_000
            assert inbox.kinds() == ["connected"]  # the robot closed it, so nothing is reported

    asyncio.run(scene())


def test_nothing_is_taken_in_after_hanging_up():
    async def scene():
        async with serving() as (transport, inbox, port), client(port) as (reader, writer):
            await until(lambda: inbox.reports)
            writer.write(b"too late")
            await writer.drain()
            transport.close_link(1)
            await asyncio.gather(reader.read(-1), return_exceptions=True)
            assert inbox.kinds() == ["connected"]

    asyncio.run(scene())


def test_a_peer_that_does_not_read_loses_whole_messages_and_each_is_counted():
    async def scene():
        async with serving() as (transport, inbox, port), client(port) as (reader, _):
            await until(lambda: inbox.reports)
            message, sent = b"m" * 9_999 + b"\n", 2000
            for _ in range(sent):
                transport.send(1, message, "")
            assert transport.connections[1].get_write_buffer_size() <= PENDING_BYTES
            assert 0 < len(inbox.drops) < sent
            for _ in range(sent - len(inbox.drops)):
                assert await reader.readuntil(b"\n") == message

    asyncio.run(scene())


def test_who_comes_when_it_is_full_waits_for_a_place(monkeypatch):
    async def scene():
        async with serving() as (transport, inbox, port):
            held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(LINKS)]
            await until(lambda: len(transport.connections) == LINKS)
            async with client(port) as (_, first), client(port) as (_, second):
                first.write(b"first")
                second.write(b"second")
                await until(lambda: len(transport._waiting) == 2)
                held[7][1].close()
                await until(lambda: inbox.data(LINKS + 1) == b"first")
                transport.close_link(3)
                await until(lambda: inbox.data(LINKS + 2) == b"second")
                assert len(transport.connections) == LINKS
            for _, writer in held:
                writer.close()

    monkeypatch.setattr(tcp, "WAIT_S", 60.0)
    asyncio.run(scene())


def test_who_waits_is_served_if_others_leave_while_the_machine_is_busy(monkeypatch):
    monkeypatch.setattr(tcp, "LINKS", 3)
    monkeypatch.setattr(tcp, "WAIT_S", 60.0)

    async def scene():
        async with serving() as (transport, inbox, port):
            held = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
            await until(lambda: len(transport.connections) == 3)
            with socket.create_connection(("127.0.0.1", port)) as late:
                late.sendall(b"in")
                await until(lambda: transport._waiting)
                for one in held:
                    one.sendall(b"last words")
                    one.close()
                [peer] = transport._waiting
                asyncio.get_running_loop().call_soon(
                    transport._give_up, peer, tcp.TURNS
                )  # its time is over as well
                await until(lambda: inbox.data(4) == b"in")

    asyncio.run(scene())


def test_there_is_a_bound_on_peers_and_a_place_freed_is_a_place(monkeypatch):
    monkeypatch.setattr(tcp, "WAIT_S", 0.01)

    async def scene():
        async with serving() as (transport, inbox, port):
            held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(LINKS)]
            await until(lambda: len(transport.connections) == LINKS)
            async with client(port) as (reader, _):
                (answer,) = await asyncio.gather(reader.read(1), return_exceptions=True)
                assert answer == b"" or isinstance(answer, ConnectionError)
            assert inbox.links == LINKS
            held[0][1].close()
            await until(lambda: len(transport.connections) == LINKS - 1)
            async with client(port) as (reader, writer):
                writer.write(b"in")
                await until(lambda: inbox.data(LINKS + 1) == b"in")
            for _, writer in held:
                writer.close()

    asyncio.run(scene())


def test_closing_hangs_up_on_everybody_and_frees_the_port():
    async def scene():
        async with serving() as (transport, inbox, port), client(port) as (reader, _):
            await until(lambda: inbox.reports)
            await transport.close()
            await asyncio.gather(reader.read(1), return_exceptions=True)
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", port)
            await transport.close()

    asyncio.run(scene())


def test_a_port_in_use_raises_what_the_host_explains():
    async def scene():
        async with serving() as (_, _, port):
            other = Transport(Port("line", object, "tcp", ""), Diary())
            with pytest.raises(OSError, match="in use"):
                await other.open(f"127.0.0.1:{port}")

    asyncio.run(scene())
