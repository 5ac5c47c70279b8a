"""UDP: datagram boundaries, links of peers that send first, and bad addresses."""

import asyncio
import socket
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress

import pytest

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, LINKS
from rigless.transports.udp import Transport

from .inboxes import Diary, until


@asynccontextmanager
async def serving(direction="both"):
    inbox = Diary()
    transport = Transport(Port("data", object, "udp", "127.0.0.1:0", "datagram", direction), inbox)
    url = await transport.open("127.0.0.1:0")
    assert url.startswith("udp://127.0.0.1:")
    try:
        yield transport, inbox, int(url.rpartition(":")[2])
    finally:
        await transport.close()
        await asyncio.sleep(0)


@contextmanager
def peer():
    with socket.socket(type=socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        found.settimeout(30)
        yield found, found.getsockname()[1]


async def receive(found):
    return await asyncio.to_thread(found.recv, 65536)


def test_datagrams_come_in_as_they_were_sent_and_answers_go_back():
    async def scene():
        async with serving() as (transport, inbox, port):
            with peer() as (one, number):
                for data in (b"a", b"", b"x" * 60_000):
                    one.sendto(data, ("127.0.0.1", port))
                await until(lambda: len(inbox.reports) == 4)
                assert inbox.reports[0] == (
                    "connected",
                    1,
                    f"127.0.0.1:{number}",
                    f"127.0.0.1:{port}",
                )
                assert [report[2] for report in inbox.reports[1:]] == [b"a", b"", b"x" * 60_000]
                transport.send(1, b"answer", "")
                assert await receive(one) == b"answer"

    asyncio.run(scene())


def test_peers_that_the_robot_registers_get_what_goes_to_all():
    async def scene():
        async with serving("out") as (transport, inbox, port):
            with peer() as (one, first), peer() as (two, second):
                transport.open_link(7, f"127.0.0.1:{first}")
                transport.open_link(8, f"127.0.0.1:{second}")
                transport.send(ALL, b"all", "")
                assert [await receive(one), await receive(two)] == [b"all", b"all"]
                transport.close_link(7)
                transport.send(ALL, b"more", "")
                transport.send(7, b"gone", "")
                assert await receive(two) == b"more"
                one.setblocking(False)
                with pytest.raises(BlockingIOError):
                    one.recv(100)
                two.sendto(b"hello", ("127.0.0.1", port))
                transport.send(8, b"last", "")
                two.setblocking(True)
                assert await receive(two) == b"last"
                assert inbox.reports == []  # it does not listen

    asyncio.run(scene())


def test_a_peer_that_is_not_there_does_not_hurt_the_others():
    async def scene():
        async with serving("out") as (transport, _, _):
            with peer() as (_, absent):
                pass
            with peer() as (here, number):
                transport.open_link(1, f"127.0.0.1:{absent}")
                transport.open_link(2, f"127.0.0.1:{number}")
                for _ in range(3):
                    transport.send(ALL, b"on", "")
                    assert await receive(here) == b"on"

    asyncio.run(scene())


@pytest.mark.parametrize(
    "address", ["127.0.0.1:99999999", "127.0.0.1:0", "255.255.255.255:9", "no.such.host.invalid:9"]
)
def test_an_address_that_cannot_be_sent_to_does_not_hurt_the_others(address):
    async def scene():
        async with serving("out") as (transport, _, _):
            with suppress(OSError, ValueError):  # refused at once is as good
                transport.open_link(1, address)
            with peer() as (here, number):
                transport.open_link(2, f"127.0.0.1:{number}")
                for data in (b"one", b"two", b"three"):
                    transport.send(ALL, data, "")
                    await asyncio.sleep(0)
                    assert await receive(here) == data

    asyncio.run(scene())


def test_datagrams_too_large_to_send_are_counted():
    async def scene():
        async with serving("out") as (transport, inbox, _):
            with peer() as (here, number):
                transport.open_link(1, f"127.0.0.1:{number}")
                transport.send(1, b"x" * 70_000, "")
                transport.send(1, b"small", "")
                assert await receive(here) == b"small"
                assert len(inbox.drops) == 1

    asyncio.run(scene())


def test_the_oldest_of_too_many_peers_is_forgotten():
    async def scene():
        async with serving() as (transport, inbox, port):
            with ExitStack() as stack:
                for number in range(LINKS + 2):
                    one, _ = stack.enter_context(peer())
                    one.sendto(b"hi", ("127.0.0.1", port))
                    await until(lambda number=number: inbox.links == number + 1)
            assert len(transport.links) == len(transport.peers) == LINKS
            assert [report[1] for report in inbox.reports if report[0] == "disconnected"] == [1, 2]

    asyncio.run(scene())


def test_closed_it_sends_nothing_and_its_port_is_free():
    async def scene():
        async with serving() as (transport, _, port):
            await transport.close()
            transport.send(ALL, b"x", "")
            await asyncio.sleep(0)
            with socket.socket(type=socket.SOCK_DGRAM) as again:
                again.bind(("127.0.0.1", port))

    asyncio.run(scene())
