"""Errors in a view are reported; they stop neither the hub nor the simulation."""

import pytest

from host.driving import on_loop
from rigless.kernel.drawing import View

from .harness import harness


def broken(*args):
    raise ZeroDivisionError("drawn and quartered")


def trouble(client):
    return {(told["robot"], told["text"]) for told in client.socket.of("trouble")}


async def all_is_well(here):
    """Check that statuses, events and frames of another robot come, and time advances."""
    client = here.come()
    before = here.host.sim.now_ns
    await here.wall.go(1)
    assert len(client.socket.of("status")) >= 10
    assert here.host.sim.now_ns > before
    assert here.host.state == "lockstep"
    assert not here.hub._task.done()


@pytest.mark.parametrize("method", ["draw", "measure", "trace"])
@on_loop
async def test_a_view_that_raises_is_reported(method):
    async with harness() as here:
        client = here.come(60)
        await here.wall.go(0.5)
        (stream,) = client.streams
        setattr(stream.view, method, broken)
        await here.wall.go(0.5)
        assert trouble(client) == {
            ("trolley", "the view of trolley failed: ZeroDivisionError: drawn and quartered")
        }
        client.socket.clear()
        await here.wall.go(1)
        assert len(client.socket.of("trouble")) <= 11  # sometimes, not at every tick
        assert client.socket.blocks == []
        await all_is_well(here)


@pytest.mark.parametrize(
    "drawing",
    [{"body": (1, 2, 3)}, {"body": "here"}, {"marks": [[1, 2], [3]]}, {"marks": object()}, None, 7],
)
@on_loop
async def test_a_view_that_draws_nonsense_is_reported(drawing):
    async with harness() as here:
        client = here.come(60)
        (stream,) = client.streams
        stream.view.draw = lambda: drawing
        await here.wall.go(0.2)
        assert [robot for robot, _ in trouble(client)] == ["trolley"]
        await all_is_well(here)


@on_loop
async def test_a_robot_without_a_page_is_reported():
    async with harness() as here:
        here.robot.view = broken
        client = here.come(60)
        await here.wall.go(0.2)
        assert trouble(client) == {
            ("trolley", "the view of trolley failed: ZeroDivisionError: drawn and quartered")
        }
        (robot,) = client.socket.of("status")[-1]["robots"]
        assert (robot["name"], robot["status"], robot["stop"]) == ("trolley", "ok", None)
        await all_is_well(here)


@on_loop
async def test_a_robot_without_a_page_after_a_reset_is_reported(monkeypatch):
    async with harness() as here:
        client = here.come(60)
        await here.wall.go(0.2)
        monkeypatch.setattr(type(here.robot), "view", broken)
        here.host.reset()
        await here.wall.go(0.5)
        assert [robot for robot, _ in trouble(client)] == ["trolley"]
        await all_is_well(here)


@on_loop
async def test_subscribing_again_retries_and_leaves_no_sampler_behind():
    async with harness() as here:
        client = here.come(60)
        (stream,) = client.streams
        stream.view.draw = broken
        await here.wall.go(0.2)
        for _ in range(3):
            here.hub.subscribe(client, "live", {"trolley": 60})
            await here.wall.go(0.2)
        assert len(here.host.sim.core.samples) == 1
        client.socket.clear()
        await here.wall.go(0.5)
        assert len(client.socket.frames) >= 29
        assert trouble(client) == set()
        here.leave(client)
        assert here.host.sim.core.samples == []


@pytest.mark.parametrize("name", ["footprint", "truth"])
@on_loop
async def test_status_and_footprint_of_a_robot_may_fail(name):
    async with harness() as here:
        client = here.come(60, truth_every=6)
        await here.wall.go(0.2)
        setattr(here.robot, name, broken)
        await here.wall.go(0.5)
        assert "ZeroDivisionError" in str(trouble(client))
        delattr(here.robot, name)
        await all_is_well(here)


@on_loop
async def test_a_robot_that_cannot_say_how_it_is_keeps_no_status_back():
    async with harness() as here:
        here.come(60)
        here.robot.status = broken
        assert here.hub.status()["robots"][0]["status"] == "broken: ZeroDivisionError"


@on_loop
async def test_a_view_that_failed_gets_another_chance_when_time_has_jumped():
    async with harness() as here:
        client = here.come(60)
        next(iter(client.streams)).view.draw = broken
        await here.wall.go(0.2)
        assert "ZeroDivisionError" in str(trouble(client))
        client.socket.clear()
        here.host.reset()
        await here.wall.go(0.5)
        assert len(client.socket.frames) >= 25
        assert trouble(client) == set()


@on_loop
async def test_a_client_can_leave_a_robot_that_cannot_be_stopped():
    async with harness() as here:
        client, other = here.come(), here.come()
        here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
        here.hub.view("trolley").drive = broken
        here.leave(client)
        await here.wall.go(0.2)
        assert "cannot be stopped" in str(trouble(other))
        here.leave(other)
        assert here.host.sim.core.listeners.event == []


@on_loop
async def test_a_driver_whose_view_breaks_does_not_stop_the_hub():
    async with harness() as here:
        client = here.come()
        here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
        here.hub.view("trolley").drive = broken
        await here.wall.go(2)
        assert client.driving == {}
        await all_is_well(here)


@pytest.mark.parametrize("data", [{"what": object()}, {"what": "\ud800"}, {"what": {1, "a"}}])
@on_loop
async def test_an_event_that_cannot_be_encoded_breaks_nothing(data):
    async with harness() as here:
        client = here.come()
        here.robot.event("odd", "half a \ud800", **data)
        await here.wall.go(0.1)
        assert [event["code"] for event in client.socket.of("event")] == ["odd"]
        await all_is_well(here)


@on_loop
async def test_a_page_without_parts_is_a_page():
    async with harness() as here:
        robot = here.robot
        robot.view = lambda: View(robot)
        client = here.come(60)
        await here.wall.go(0.2)
        assert client.socket.of("page")[0]["parts"] == []
        assert len(client.socket.frames) >= 10


@on_loop
async def test_page_numbers_start_over_before_they_grow_too_large():
    async with harness() as here:
        here.hub._last_number = 65535
        client = here.come(60)
        await here.wall.go(0.2)
        assert client.socket.frames[0][1] == client.socket.of("page")[0]["id"] == 0
