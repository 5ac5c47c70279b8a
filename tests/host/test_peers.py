"""Peers that never read or vanish, and ports in use: the simulation goes on and reports it."""

import asyncio
import socket
import struct

import pytest

from rigless.kernel.problems import InputError
from rigless.transports.transport import LINKS, PENDING_BYTES

from .driving import BRITTLE, QUIET, Client, client_of, make_host, on_air, on_loop, until


def port_of(host, robot, port="line"):
    return int(host.address(robot, port).rpartition(":")[2])


@on_loop
async def test_a_peer_that_never_reads_loses_messages_which_are_counted():
    async with on_air(make_host(BRITTLE, 10, settings=())) as host:
        slow = socket.create_connection(("127.0.0.1", port_of(host, "brittle")))
        async with client_of(host, "brittle") as other:
            while not host.dropped:
                slow.sendall(b"flood 1000\n")
                assert await other.ask("still there?") == "still there?"
            before_ns = host.sim.now_ns
            await until(lambda: host.sim.now_ns > before_ns + 1_000_000_000)
            assert list(host.dropped) == ["brittle/line"]
            pending = max(
                c.get_write_buffer_size()
                for c in host.transports["brittle", "line"].connections.values()
            )
            assert PENDING_BYTES // 2 < pending <= PENDING_BYTES
        slow.close()


@on_loop
async def test_a_slow_peer_gets_whole_messages_only():
    async with on_air(make_host(BRITTLE, settings=())) as host:
        client = await Client.connect(host.address("brittle", "line"))
        while not host.dropped:
            client.send("flood 1000\n")
            await asyncio.sleep(0.005)
        client.send("done\n")
        lines = []
        while not lines or lines[-1] != "done":
            if len(lines) % 100 == 99 and "done" not in lines:
                client.send("done\n")  # it may have been dropped as well
            lines.append(await client.line())
        assert {len(line) for line in lines} == {4, 999}
        await client.close()


@on_loop
async def test_a_peer_that_dies_is_let_go():
    async with on_air(make_host(BRITTLE, settings=())) as host:
        dying = socket.create_connection(("127.0.0.1", port_of(host, "brittle")))
        dying.sendall(b"flood 1000\n")
        await until(lambda: host.live)
        dying.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        dying.close()  # a reset, with answers on their way
        await until(lambda: not host.live)
        assert not host.sim.core.links.by_port["brittle", "line"]
        async with client_of(host, "brittle") as client:
            assert await client.ask("hello") == "hello"


@on_loop
async def test_a_peer_that_stops_writing_still_gets_its_answer():
    async with on_air(make_host(speed="lockstep")) as host:
        client = await Client.connect(host.address("thermostat", "line"))
        client.send("SET 21\nGET\n")
        client.writer.write_eof()
        assert [await client.line(), await client.line()] == ["OK", "TEMP - SET 21.0 HEAT 0"]
        assert await client.line() == ""
        await client.close()


@on_loop
async def test_a_robot_that_hangs_up_closes_the_socket():
    async with (
        on_air(make_host(BRITTLE, settings=())) as host,
        client_of(host, "brittle") as client,
    ):
        client.send("bye\nhang\nmore\n")
        assert [await client.line(), await client.line()] == ["bye", ""]
        assert not host.live


@on_loop
async def test_a_disconnect_fault_hangs_up_and_keeps_newcomers_out_until_it_is_cleared():
    async with on_air(make_host(speed="lockstep")) as host, client_of(host) as client:
        await client.ask("GET")
        host.sim.inject("thermostat", "line", "disconnect")
        assert await client.line() == ""
        async with client_of(host) as other:
            assert await other.line() == ""
        host.sim.clear("thermostat")
        async with client_of(host) as third:
            assert await third.ask("SET 21") == "OK"


@on_loop
async def test_more_peers_than_a_port_takes_are_turned_away_and_the_others_stay():
    async with on_air(make_host(speed="lockstep")) as host:
        peers = [await Client.connect(host.address("thermostat", "line")) for _ in range(LINKS)]
        await until(lambda: len(host.live) == LINKS)
        async with client_of(host) as late:
            (answer,) = await asyncio.gather(late.line(), return_exceptions=True)
            assert answer == "" or isinstance(answer, ConnectionResetError)
        assert len(host.live) == LINKS
        assert await peers[0].ask("SET 21") == "OK"
        await peers.pop().close()
        await until(lambda: len(host.live) == LINKS - 1)
        async with client_of(host) as client:
            assert await client.ask("SET 21") == "OK"
        for peer in peers:
            await peer.close()


@pytest.mark.parametrize(("taken", "free"), [("line", "reports"), ("reports", "line")])
@on_loop
async def test_a_port_in_use_names_the_fix_and_leaves_nothing_bound(taken, free):
    kinds = {"line": socket.SOCK_STREAM, "reports": socket.SOCK_DGRAM}
    with socket.socket(type=kinds[taken]) as holder, socket.socket(type=kinds[free]) as probe:
        holder.bind((QUIET, 0))
        probe.bind((QUIET, 0))
        if taken == "line":
            holder.listen()
        used, unused = holder.getsockname()[1], probe.getsockname()[1]
        probe.close()
        host = make_host(
            settings=(f"ports.{taken}={QUIET}:{used}", f"ports.{free}={QUIET}:{unused}")
        )
        with pytest.raises(InputError, match="in use") as caught:
            await host.open()
        assert f"--set thermostat.ports.{taken}=0" in str(caught.value)
        with socket.socket(type=kinds[free]) as again:
            again.bind((QUIET, unused))
        assert not host.transports


@on_loop
async def test_closing_twice_is_fine_and_frees_the_ports():
    host = make_host(settings=(f"ports.line={QUIET}:0",))
    await host.open()
    port = port_of(host, "thermostat")
    await host.close()
    await host.close()
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind((QUIET, port))
        again.listen()
