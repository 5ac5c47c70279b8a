"""Reset and restore: time jumps, clients stay connected, and a byte stream continues."""

import time

import pytest

from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError
from rigless.kernel.snapshot import Snapshot

from .driving import BRITTLE, THERMOSTAT, client_of, make_host, on_air, on_loop, until


def links(host, robot="thermostat", port="line"):
    return host.sim.core.links.by_port[robot, port]


@on_loop
async def test_reset_goes_back_to_zero_and_clients_stay():
    async with on_air(make_host(speed="lockstep")) as host, client_of(host) as client:
        assert await client.ask("SET 25") == "OK"
        await host.step(5000)
        host.reset()
        assert host.sim.now_ns == 0
        assert await client.ask("GET") == "TEMP - SET 20.0 HEAT 0"
        assert len(links(host)) == 1


@on_loop
async def test_a_line_half_sent_before_a_reset_is_finished_after_it():
    async with on_air(make_host(speed="lockstep")) as host, client_of(host) as client:
        client.send("SET 2")
        await until(lambda: [link.codec.pending for link in links(host).values()] == [b"SET 2"])
        host.reset()
        assert await client.ask("4") == "OK"
        assert " SET 24.0 " in await client.ask("GET")


@on_loop
async def test_a_line_half_sent_before_a_restore_is_finished_after_it():
    async with on_air(make_host(speed="lockstep")) as host, client_of(host) as client:
        client.send("GE")
        await until(lambda: [link.codec.pending for link in links(host).values()] == [b"GE"])
        host.take_snapshot("half")
        assert (await client.ask("T")).startswith("TEMP")
        client.send("SET 2")
        await until(lambda: [link.codec.pending for link in links(host).values()] == [b"SET 2"])
        host.restore("half")  # a peer cannot be restarted: it is in the middle of SET, not of GET
        assert await client.ask("3") == "OK"
        assert " SET 23.0 " in await client.ask("GET")


@on_loop
async def test_restore_gives_the_same_future_again():
    async with on_air(make_host(speed="lockstep")) as host:
        await host.step(3000)
        name = host.take_snapshot()
        await host.step(2000)
        first = host.sim.truth("thermostat")
        host.restore(name)
        assert host.sim.now_ns == 3_000_000_000
        await host.step(2000)
        assert host.sim.truth("thermostat") == first


@on_loop
async def test_a_client_that_came_after_the_snapshot_is_connected_after_the_restore():
    async with on_air(make_host(speed="lockstep")) as host:
        host.take_snapshot("empty")
        async with client_of(host) as client:
            assert await client.ask("SET 21") == "OK"
            host.restore("empty")
            assert (await client.ask("GET")) == "TEMP - SET 20.0 HEAT 0"


@on_loop
async def test_a_client_that_left_after_the_snapshot_is_gone_after_the_restore():
    async with on_air(make_host(speed="lockstep")) as host:
        async with client_of(host) as client:
            await client.ask("GET")
            host.take_snapshot("one")
        await until(lambda: not links(host))
        host.restore("one")
        assert not links(host)


@on_loop
async def test_restore_takes_up_time_from_the_snapshot_in_real_mode():
    async with on_air(make_host(speed=100)) as host:
        name = host.take_snapshot()
        taken_ns = host.snapshots[name].now_ns
        await until(lambda: host.sim.now_ns > taken_ns + 2_000_000_000)
        restored_ns = time.monotonic_ns()
        host.restore(name)
        assert host.sim.now_ns == host.pace.sim0_ns == taken_ns
        assert host.pace.wall0_ns >= restored_ns, "it is neither behind nor ahead"
        await until(lambda: host.sim.now_ns > taken_ns + 1_000_000_000)


@on_loop
async def test_a_snapshot_in_a_file_restores_in_another_host(tmp_path):
    file = tmp_path / "at.snapshot"
    async with on_air(make_host(speed="lockstep")) as host:
        host.apply(inp.SetInput("thermostat", "window_open", True))
        await host.step(2000)
        file.write_bytes(host.sim.snapshot().to_bytes())
        await host.step(2000)
        expected = host.sim.truth("thermostat")
    async with on_air(make_host(speed="lockstep")) as other:
        other.restore(Snapshot.from_bytes(file.read_bytes()))
        await other.step(2000)
        assert other.sim.truth("thermostat") == expected


@on_loop
async def test_links_of_another_process_are_not_taken_for_those_of_this_one(tmp_path):
    scenario = tmp_path / "two.toml"
    entry = '[[robots]]\nname = "{0}"\nkind = "{1}"\nports = {{ line = 0 }}\n'
    scenario.write_text(entry.format("a", THERMOSTAT) + entry.format("b", THERMOSTAT))
    async with (
        on_air(make_host(scenario, "lockstep", settings=())) as host,
        client_of(host, "a") as client,
    ):
        await client.ask("GET")
        saved = host.sim.snapshot()
    async with (
        on_air(make_host(scenario, "lockstep", settings=())) as host,
        client_of(host, "b") as client,
    ):
        await client.ask("GET")
        host.restore(saved)
        assert not links(host, "a")
        assert len(links(host, "b")) == 1
        assert await client.ask("SET 21") == "OK"


@on_loop
async def test_a_link_restored_from_another_process_has_the_name_of_the_peer_that_is_here():
    async with on_air(make_host(speed="lockstep")) as host, client_of(host) as client:
        await client.ask("GET")
        saved = host.sim.snapshot()
    async with on_air(make_host(speed="lockstep")) as host, client_of(host) as client:
        await client.ask("GET")
        here = "{}:{}".format(*client.writer.get_extra_info("sockname"))
        host.restore(saved)
        assert [link.peer for link in links(host).values()] == [here]


@on_loop
async def test_an_unknown_snapshot_is_refused_and_says_which_there_are():
    async with on_air(make_host(speed="lockstep")) as host:
        host.take_snapshot("morning")
        with pytest.raises(InputError, match="did you mean 'morning'"):
            host.restore("mourning")


@on_loop
async def test_the_robots_own_peers_are_opened_and_closed_with_time():
    async with on_air(make_host(speed="lockstep")) as host, client_of(host) as client:
        transport = host.transports["thermostat", "reports"]
        host.take_snapshot("none")
        assert await client.ask("SUBSCRIBE 9") == "OK"
        host.take_snapshot("one")
        assert list(transport.peers.values()) == [("127.0.0.1", 9)]
        host.restore("none")
        assert not transport.peers
        host.restore("one")
        assert list(transport.peers.values()) == [("127.0.0.1", 9)]
        host.reset()
        assert not transport.peers


@on_loop
async def test_peers_in_memory_stay_through_a_reset():
    async with on_air(make_host(BRITTLE, "lockstep", settings=())) as host:
        peer = host.transports["brittle", "box"].connect()
        peer.send(b"be")
        host.reset()
        peer.send(b"fore\n")
        assert peer.read() == b"before\n"
