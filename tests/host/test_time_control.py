"""Pause, resume, step, lockstep, speed and duration: clients are served meanwhile."""

import pytest

from rigless.host.outcome import OutcomeJudge
from rigless.kernel.problems import InputError

from .driving import BRITTLE, THERMOSTAT, client_of, make_host, on_air, on_loop, until


@on_loop
async def test_time_goes_on_by_itself_in_real_mode():
    async with on_air(make_host()) as host:
        assert host.state == "running"
        await until(lambda: host.sim.now_ns > 100_000_000)


@on_loop
async def test_a_pause_stops_the_clock_but_not_the_answers():
    async with on_air(make_host()) as host, client_of(host) as client:
        await until(lambda: host.sim.now_ns > 0)
        host.pause()
        stood_ns = host.sim.now_ns
        for _ in range(20):
            assert await client.ask("SET 21") == "OK"
        assert (host.state, host.sim.now_ns) == ("paused", stood_ns)
        host.resume()
        await until(lambda: host.sim.now_ns > stood_ns + 50_000_000)
        assert host.state == "running"


@on_loop
async def test_time_spent_in_pause_is_not_made_up_for():
    async with on_air(make_host(speed=100)) as host:
        host.pause()
        stood_ns, wall_ns, lost_ns = host.sim.now_ns, host.pace.wall0_ns, host.lost_ns
        await until(lambda: host._timer is not None and host._timer._waiter is not None)
        host.resume()
        assert host.pace.sim0_ns == stood_ns
        assert host.pace.wall0_ns > wall_ns
        assert host.lost_ns == lost_ns


@on_loop
async def test_a_step_advances_by_exactly_its_length_and_stays_there():
    async with on_air(make_host()) as host:
        host.pause()
        for ms in (10, 0.5, 1234.567891, 60_000):
            before_ns = host.sim.now_ns
            await host.step(ms)
            assert host.sim.now_ns - before_ns == round(ms * 1e6)
            assert host.state == "paused"


@on_loop
async def test_a_step_pauses_what_was_running():
    async with on_air(make_host()) as host:
        await host.step(10)
        assert host.state == "paused"


@on_loop
async def test_in_lockstep_time_moves_only_when_told():
    async with (
        on_air(make_host(BRITTLE, "lockstep", settings=())) as host,
        client_of(host, "brittle") as client,
    ):
        assert await client.ask("hello") == "hello"
        assert (host.state, host.sim.now_ns) == ("lockstep", 0)
        await host.step(1000)
        assert await client.ask("again") == "again"
        assert (host.state, host.sim.now_ns) == ("lockstep", 1_000_000_000)
        assert host.sim.truth("brittle").ticks == 100


@on_loop
async def test_speeds_change_while_it_runs_and_time_never_jumps():
    async with on_air(make_host(speed=1.0)) as host:
        for speed, state in (
            (10.0, "running"),
            ("lockstep", "lockstep"),
            (0.1, "running"),
            ("fast", "running"),
            (100, "running"),
        ):
            before_ns = host.sim.now_ns
            host.set_speed(speed)
            assert host.state == state
            assert host.pace.sim0_ns == host.sim.now_ns >= before_ns
        before_ns = host.sim.now_ns
        await until(lambda: host.sim.now_ns > before_ns + 1_000_000_000)


@on_loop
async def test_an_impossible_speed_is_refused_and_changes_nothing():
    async with on_air(make_host(speed=2.0)) as host:
        with pytest.raises(InputError):
            host.set_speed(1000)
        assert (host.pace.mode, host.pace.speed) == ("real", 2.0)


@pytest.mark.parametrize("speed", ["fast", 100.0])
@on_loop
async def test_a_duration_ends_the_run_at_exactly_that_time(speed):
    host = make_host(speed=speed, duration_s=3.2)
    await host.open()
    await host.run()
    assert (host.sim.now_ns, host.state) == (3_200_000_000, "stopped")
    await host.close()


@on_loop
async def test_a_step_does_not_go_beyond_the_duration():
    async with on_air(make_host(speed="lockstep", duration_s=1.0)) as host:
        await host.step(5000)
        assert host.sim.now_ns == 1_000_000_000


@on_loop
async def test_a_judged_run_pauses_at_its_end_and_can_go_on():
    settings = ("hall.ports.line=0",)
    async with on_air(make_host(THERMOSTAT / "winter.toml", 1.0, 3600.0, settings)) as host:
        OutcomeJudge(host)
        await host.step(4_000_000)
        await until(lambda: host.outcome)
        assert (host.sim.now_s, host.state) == (3600.0, "stopped")
        assert host.outcome["text"] == "finished: 3 of 3 expectations hold"
        assert [one["passed"] for one in host.outcome["expectations"]] == [True] * 3
        await host.step(1000)
        assert (host.sim.now_s, host.outcome["time_s"]) == (3601.0, 3600.0)
        host.reset()
        await host.step(3_600_000)
        await until(lambda: host.outcome and host.outcome["time_s"] == host.sim.now_s)
        assert "not judged" in host.outcome["text"]


@on_loop
async def test_as_fast_as_possible_still_answers_clients():
    async with on_air(make_host(speed="fast")) as host, client_of(host) as client:
        assert await client.ask("SET 22") == "OK"
        assert " SET 22.0 " in await client.ask("GET")
        await until(lambda: host.sim.now_ns > 10_000_000_000)


@on_loop
async def test_pace_changes_nothing_but_time():
    truths = []
    for speed in ("fast", "lockstep", 100.0):
        host = make_host(speed=speed, duration_s=2.0)
        await host.open()
        if speed == "lockstep":
            for _ in range(8):
                await host.step(250)
        await host.run()
        truths.append(host.sim.truth("thermostat"))
        await host.close()
    assert truths[0] == truths[1] == truths[2]
