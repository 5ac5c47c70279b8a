"""ZeroMQ: REQ, SUB and PUSH clients, and hostile ones that do not affect others."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
import zmq
import zmq.asyncio

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, LINKS
from rigless.transports.zmq import FRAME_BYTES, Transport

from .inboxes import Diary, until


class Answering(Diary):
    """Reply to each request with itself in capitals, unless `silent`."""

    transport = None
    silent = False

    def received(self, link, data, subject=""):
        super().received(link, data, subject)
        if not self.silent:
            self.transport.send(link, data.upper(), "")

    def got(self):
        return [report[2] for report in self.reports if report[0] == "received"]


@asynccontextmanager
async def serving(pattern, address="127.0.0.1:0", **options):
    inbox = Answering()
    transport = inbox.transport = Transport(
        Port("p", object, "zmq", address, options={"pattern": pattern, **options}), inbox
    )
    url = await transport.open(address)
    with zmq.asyncio.Context() as context:
        try:
            yield transport, inbox, lambda kind: client(context, kind, url)
        finally:
            context.destroy(0)
            await transport.close()


def client(context, kind, url):
    found = context.socket(kind)
    found.setsockopt(zmq.LINGER, 0)
    found.setsockopt(zmq.IPV6, "[" in url)
    found.connect(url)
    return found


def scene(play):
    async def bounded():
        async with asyncio.timeout(110):
            await play()

    asyncio.run(bounded())


async def ask(req, text):
    await req.send(text)
    return await req.recv()


def test_every_client_gets_its_own_answers():
    async def play():
        async with serving("rep") as (transport, inbox, connect):
            clients = [connect(zmq.REQ) for _ in range(5)]

            async def chat(number):
                return [
                    await ask(clients[number], b"c%d-%d" % (number, turn)) for turn in range(50)
                ]

            answers = await asyncio.gather(*map(chat, range(5)))
            assert answers == [
                [b"C%d-%d" % (number, turn) for turn in range(50)] for number in range(5)
            ]
            assert inbox.kinds().count("connected") == 5
            peer, local = inbox.reports[0][2:]
            assert (peer.rpartition(":")[0], local) == ("127.0.0.1", transport._local)
            assert peer != local

    scene(play)


def test_who_leaves_is_gone_and_who_comes_is_new():
    async def play():
        async with serving("rep") as (transport, inbox, connect):
            for turn in range(3):
                req = connect(zmq.REQ)
                assert await ask(req, b"hi") == b"HI"
                req.close()
                await until(lambda turn=turn: inbox.kinds().count("disconnected") == turn + 1)
            assert [report[1] for report in inbox.reports if report[0] == "disconnected"] == [
                1,
                2,
                3,
            ]
            assert (transport.links, transport.keys) == ({}, {})

    scene(play)


def test_an_answer_that_never_comes_starves_only_who_waits():
    async def play():
        async with serving("rep") as (transport, inbox, connect):
            one, two = connect(zmq.REQ), connect(zmq.REQ)
            inbox.silent = True
            await one.send(b"lost")
            await until(lambda: inbox.got() == [b"lost"])
            inbox.silent = False
            for turn in range(20):
                assert await ask(two, b"t%d" % turn) == b"T%d" % turn
            assert await one.poll(0) == 0
            transport.send(1, b"late", "")  # and late answers find their way
            assert await one.recv() == b"late"

    scene(play)


def test_answers_in_another_order_than_the_questions():
    async def play():
        async with serving("rep") as (transport, inbox, connect):
            inbox.silent = True
            clients = [connect(zmq.REQ) for _ in range(3)]
            for number, req in enumerate(clients):
                await req.send(b"%d" % number)
                await until(lambda number=number: len(inbox.got()) == number + 1)
            for link in (3, 1, 2):
                transport.send(link, b"to %d" % link, "")
            assert [await req.recv() for req in clients] == [b"to 1", b"to 2", b"to 3"]

    scene(play)


def test_envelopes_are_returned_and_what_has_none_is_skipped():
    async def play():
        async with serving("rep") as (_, inbox, connect):
            dealer = connect(zmq.DEALER)
            await dealer.send(b"no envelope")
            await dealer.send_multipart([b"a", b"b"])
            await dealer.send_multipart([b"", b"plain"])
            await dealer.send_multipart([b"proxy", b"client", b"", b"behind two"])
            await dealer.send_multipart([b"", b"first", b"second", *[b"more"] * 50])
            await dealer.send_multipart([b"x"] * 20 + [b"", b"too deep"])
            await dealer.send_multipart([b"", b""])
            answers = [await dealer.recv_multipart() for _ in range(4)]
            assert answers == [
                [b"", b"PLAIN"],
                [b"proxy", b"client", b"", b"BEHIND TWO"],
                [b"", b"FIRST"],
                [b"", b""],
            ]
            assert inbox.got() == [b"plain", b"behind two", b"first", b""]

    scene(play)


def test_requests_with_numbers_come_from_one_link_and_get_their_own_replies():
    async def play():
        async with serving("rep") as (transport, inbox, connect):
            req = connect(zmq.REQ)
            req.setsockopt(zmq.REQ_CORRELATE, 1)
            req.setsockopt(zmq.REQ_RELAXED, 1)
            inbox.silent = True
            await req.send(b"given up")
            await until(lambda: inbox.got() == [b"given up"])
            inbox.silent = False
            for turn in range(20):
                assert await ask(req, b"t%d" % turn) == b"T%d" % turn
            assert inbox.kinds().count("connected") == len(transport.links) == 1
            req.close()
            await until(lambda: not transport.links)

    scene(play)


def test_a_frame_that_is_too_long_closes_only_its_connection():
    async def play():
        async with serving("rep") as (_, inbox, connect):
            good, bad = connect(zmq.REQ), connect(zmq.REQ)
            assert await ask(good, b"x" * FRAME_BYTES) == b"X" * FRAME_BYTES
            await bad.send(b"y" * (FRAME_BYTES + 1))
            for turn in range(10):
                assert await ask(good, b"t%d" % turn) == b"T%d" % turn
            assert await bad.poll(0) == 0
            assert all(len(data) <= FRAME_BYTES for data in inbox.got())

    scene(play)


def test_a_port_may_allow_longer_frames():
    async def play():
        longest = 1 << 22
        async with serving("rep", frame_bytes=longest) as (_, _, connect):
            dealer = connect(zmq.DEALER)
            for _ in range(3):
                await dealer.send_multipart([b"", b"x" * longest])
            for _ in range(3):
                assert await dealer.recv_multipart() == [b"", b"X" * longest]

    scene(play)


def test_plain_tcp_garbage_is_survived():
    async def play():
        async with serving("rep") as (transport, inbox, connect):
            host, _, port = transport._local.rpartition(":")
            for junk in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 500, bytes(range(256)), b""):
                with socket.create_connection((host, int(port))) as raw:
                    raw.sendall(junk)
            assert await ask(connect(zmq.REQ), b"alive") == b"ALIVE"
            assert inbox.got() == [b"alive"]

    scene(play)


def test_the_least_recent_of_too_many_is_forgotten_and_may_come_again():
    async def play():
        async with serving("rep") as (transport, inbox, connect):
            dealer = connect(zmq.DEALER)
            for number in range(LINKS + 1):  # as many clients behind one proxy
                await dealer.send_multipart([b"%d" % number, b"", b"hi"])
                assert await dealer.recv_multipart() == [b"%d" % number, b"", b"HI"]
            assert len(transport.links) == len(transport.keys) == LINKS
            assert [report[1] for report in inbox.reports if report[0] == "disconnected"] == [1]
            await dealer.send_multipart([b"0", b"", b"again"])
            assert await dealer.recv_multipart() == [b"0", b"", b"AGAIN"]

    scene(play)


def test_an_answer_to_somebody_who_has_gone_is_counted():
    async def play():
        async with serving("rep") as (transport, inbox, connect):
            inbox.silent = True
            req = connect(zmq.REQ)
            await req.send(b"bye")
            await until(lambda: inbox.got() == [b"bye"])
            envelope = transport.envelopes[1]
            req.close()
            await until(lambda: "disconnected" in inbox.kinds())
            transport.send(1, b"nobody", "")
            assert inbox.drops == []  # it is known to be gone
            transport.envelopes[1] = envelope
            transport.send(1, b"nobody", "")
            assert inbox.drops == [1]

    scene(play)


def test_a_client_that_is_refused_is_heard_when_it_may_be():
    async def play():
        async with serving("rep") as (transport, inbox, connect):
            told = inbox.connected
            inbox.connected = lambda link, peer, local: transport.close_link(link)
            dealer = connect(zmq.DEALER)
            await dealer.send_multipart([b"", b"refused"])
            await until(lambda: inbox.links == 1)
            inbox.connected = told
            await dealer.send_multipart([b"", b"heard"])
            assert await dealer.recv_multipart() == [b"", b"HEARD"]
            assert inbox.got() == [b"heard"]
            assert transport.keys.keys() == {2}

    scene(play)


def test_subscribers_are_links_and_get_their_topics():
    async def play():
        async with serving("pub") as (transport, inbox, connect):
            transport.send(ALL, b"sensors.tof 0", "")
            tof, everything = connect(zmq.SUB), connect(zmq.SUB)
            tof.subscribe(b"sensors.tof")
            everything.subscribe(b"")
            await until(lambda: inbox.kinds() == ["connected", "connected"])
            heard = []
            while len(heard) < 4:  # a subscription takes a moment to arrive
                transport.send(ALL, b"sensors.imu 1", "")
                transport.send(ALL, b"sensors.tof 2", "")
                await asyncio.sleep(0.01)
                while await tof.poll(0):
                    heard.append(await tof.recv())
            assert set(heard) == {b"sensors.tof 2"}
            assert await everything.recv() in (b"sensors.imu 1", b"sensors.tof 2")
            tof.close()
            await until(lambda: inbox.kinds().count("disconnected") == 1)
            assert len(transport.keys) == 1

    scene(play)


def test_a_subscriber_that_does_not_read_holds_nobody_up():
    async def play():
        async with serving("pub") as (transport, inbox, connect):
            asleep, awake = connect(zmq.SUB), connect(zmq.SUB)
            for sub in (asleep, awake):
                sub.subscribe(b"")
            await until(lambda: len(inbox.reports) == 2)
            said, heard = 0, 0
            while said < 6_000 or heard < 1_500:
                transport.send(ALL, b"%d" % said + b"x" * 2000, "")
                said += 1
                if said % 200 == 0:
                    await asyncio.sleep(0.001)
                while await awake.poll(0):
                    await awake.recv()
                    heard += 1

    scene(play)


def test_pushed_strings_arrive_and_several_parts_are_one():
    async def play():
        async with serving("pull") as (transport, inbox, connect):
            inbox.silent = True
            one, two = connect(zmq.PUSH), connect(zmq.PUSH)
            await one.send(b"W")
            await until(lambda: inbox.got() == [b"W"])
            await two.send_multipart([b"A", b"ignored"])
            await one.send(b"x" * FRAME_BYTES)
            await until(lambda: len(inbox.got()) == 3)
            assert sorted(inbox.got()) == [b"A", b"W", b"x" * FRAME_BYTES]
            links = {report[2]: report[1] for report in inbox.reports if report[0] == "received"}
            assert links[b"W"] != links[b"A"]
            transport.send(links[b"W"], b"no answer on a PULL", "")
            one.close()
            await until(lambda: "disconnected" in inbox.kinds())
            assert inbox.reports[-1] == ("disconnected", links[b"W"])

    scene(play)


@pytest.mark.parametrize("pattern", ["rep", "pub", "pull"])
def test_closed_the_port_is_free(pattern):
    async def play():
        async with serving(pattern) as (transport, _, connect):
            peer = connect({"rep": zmq.REQ, "pub": zmq.SUB, "pull": zmq.PUSH}[pattern])
            await asyncio.sleep(0.01)
            address = transport._local
            await transport.close()
            await transport.close()
            transport.send(ALL, b"x", "")
            async with serving(pattern, address) as (again, _, _):
                assert again._local == address
            peer.close()

    scene(play)


def test_a_port_that_is_taken_is_an_os_error():
    async def play():
        async with serving("rep") as (first, _, _):
            second = Transport(Port("p", object, "zmq", ""), Diary())
            with pytest.raises(OSError, match="in use"):
                await second.open(first._local)
            await second.close()

    scene(play)


def test_hosts_by_name_and_ipv6():
    async def play():
        async with serving("rep", "localhost:0") as (_, _, connect):
            assert await ask(connect(zmq.REQ), b"a") == b"A"
        if socket.has_ipv6:
            try:
                with socket.socket(socket.AF_INET6) as probe:
                    probe.bind(("::1", 0))
            except OSError:
                return
            async with serving("rep", "[::1]:0") as (transport, _, connect):
                assert transport._local.startswith("[::1]:")
                assert await ask(connect(zmq.REQ), b"a") == b"A"

    scene(play)
