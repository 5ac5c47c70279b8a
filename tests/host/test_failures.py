"""A robot whose code raises: time stops, the process and connections stay, a reset recovers."""

import pytest

from rigless.host.port_inbox import PortInbox
from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError
from rigless.recordings.replay import verify

from .driving import BRITTLE, client_of, make_host, on_air, on_loop, until


def brittle(speed=1.0):
    return make_host(BRITTLE, speed, settings=())


@pytest.mark.parametrize(("word", "reason"), [("fail", "told to"), ("later", "broke down")])
@on_loop
async def test_robot_code_that_raises_stops_time_and_says_why(word, reason):
    async with on_air(brittle()) as host, client_of(host, "brittle") as client:
        client.send(f"{word}\n")
        await until(lambda: host.failure)
        assert host.state == "failed"
        assert f"ZeroDivisionError: {reason}" in host.failure
        event = next(event for event in host.sim.events if event.code == "robot-failed")
        assert event.severity == "critical"
        assert "brittle" in event.data["traceback"]


@on_loop
async def test_a_failed_simulation_does_not_move_and_takes_no_inputs():
    async with on_air(brittle(100)) as host, client_of(host, "brittle") as client:
        client.send("fail\n")
        await until(lambda: host.failure)
        stood_ns = host.sim.now_ns
        client.send("hello\nhello\n")
        with pytest.raises(InputError, match="reset it"):
            await host.step(10)
        host.resume()
        async with client_of(host, "brittle"):  # a newcomer is taken in all the same
            await until(lambda: len(host.live) == 2)
        await until(lambda: len(host.live) == 1)
        assert (host.state, host.sim.now_ns) == ("failed", stood_ns)


@on_loop
async def test_a_reset_recovers_and_the_same_client_goes_on():
    async with on_air(brittle()) as host, client_of(host, "brittle") as client:
        client.send("fail\n")
        await until(lambda: host.failure)
        inbox = PortInbox(host, "brittle", "line")
        assert inbox.robot_failed, "what comes now is taken by nobody"
        host.reset()
        assert (host.state, host.failure, inbox.robot_failed) == ("running", "", False)
        assert await client.ask("hello") == "hello"
        await until(lambda: host.sim.now_ns > 0)


@on_loop
async def test_a_restore_recovers_too():
    async with on_air(brittle("lockstep")) as host, client_of(host, "brittle") as client:
        await host.step(500)
        host.take_snapshot("good")
        client.send("later\n")
        await until(lambda: len(host.sim.core.agenda.pending()) == 1)
        await host.step(100)
        assert host.state == "failed"
        host.restore("good")
        await host.step(100)
        assert (host.state, host.sim.now_ns) == ("lockstep", 600_000_000)
        assert await client.ask("hello") == "hello"


@pytest.mark.parametrize("word", ["fail", "later"])
@on_loop
async def test_the_recording_of_a_failed_run_replays(tmp_path, word):
    async with on_air(brittle()) as host, client_of(host, "brittle") as client:
        host.recording_file.start(tmp_path / "f.mcap")
        assert await client.ask("hello") == "hello"
        client.send(f"{word}\n")
        await until(lambda: host.failure)
    assert verify(tmp_path / "f.mcap").difference is None


@on_loop
async def test_robot_code_that_misuses_the_kernel_is_a_failure_like_any_other():
    async with on_air(brittle()) as host, client_of(host, "brittle") as client:
        client.send("misuse\n")
        await until(lambda: host.failure or not host.live, "a failure")
        assert host.state == "failed"
        assert "nowhere" in host.failure


@on_loop
async def test_bad_inputs_from_outside_are_refused_and_are_no_failure():
    async with on_air(brittle("lockstep")) as host:
        for given in (
            inp.SetInput("brittle", "no such input", 1),
            inp.SetInput("nobody", "x", 1),
            inp.Inject("brittle", "no such target", ""),
            inp.Clear("brittle", "no such target"),
            inp.Send("brittle", "line", "NoSuchMessage", {}),
            inp.Send("brittle", "no such port", "Line", {"text": ""}),
        ):
            with pytest.raises(InputError):
                host.apply(given)
        assert (host.state, host.sim.now_ns) == ("lockstep", 0)
