"""Rates of frames and statuses; each is made once for all clients, and none without clients."""

import math

import pytest

from host.driving import on_loop
from rigless.kernel.events import Event
from rigless.panel.stream import messages
from rigless.panel.stream.client import MAX_QUEUED

from .harness import harness, turn


@pytest.mark.parametrize("hz", [60, 30, 20, 10])
@on_loop
async def test_frames_come_at_the_requested_rate(hz):
    async with harness() as here:
        client = here.come(hz)
        await here.wall.go(0.2)
        client.socket.clear()
        await here.wall.go(3)
        assert len(client.socket.frames) == pytest.approx(3 * hz, abs=1)
        assert client.dropped == 0


@on_loop
async def test_states_are_sent_ten_times_per_second():
    async with harness() as here:
        client = here.come(60)
        await here.wall.go(0.2)
        client.socket.clear()
        await here.wall.go(3)
        for kind in ("status", "robot", "around"):
            assert len(client.socket.of(kind)) == pytest.approx(30, abs=1), kind


@pytest.mark.parametrize("ticks", range(1, 8))
@on_loop
async def test_status_goes_on_when_nothing_is_looked_at_any_more(ticks):
    async with harness() as here:
        client = here.come(60)
        await here.wall.go(ticks / 60 + 0.001)
        here.hub.subscribe(client, "live", {})
        await here.wall.go(0.2)
        client.socket.clear()
        await here.wall.go(2)
        assert len(client.socket.of("status")) == pytest.approx(20, abs=1)
        assert client.socket.blocks == []


@on_loop
async def test_a_frame_is_encoded_once_for_clients_in_step(monkeypatch):
    packed = []
    pack = messages.pack
    monkeypatch.setattr(messages, "pack", lambda *args: packed.append(args[0]) or pack(*args))
    async with harness() as here:
        one, two, three = (here.come(hz) for hz in (60, 60, 60))
        await here.wall.go(0.1)
        for client in (one, two, three):
            client.socket.clear()
        packed.clear()
        await here.wall.go(1)
        assert len(packed) == len(one.socket.blocks) >= 59
        for first, *others in zip(
            one.socket.blocks, two.socket.blocks, three.socket.blocks, strict=True
        ):
            assert all(other is first for other in others)


@on_loop
async def test_each_is_drawn_once_however_many_look():
    async with harness() as here:
        for hz in (60, 60, 30, 10):
            here.come(hz)
        await here.wall.go(0.1)
        before = here.hub.frames_drawn
        await here.wall.go(1)
        assert here.hub.frames_drawn - before == pytest.approx(60, abs=1)


@on_loop
async def test_nothing_is_drawn_sampled_or_sent_without_subscribers():
    async with harness() as here:
        drawn = count_drawings(here)
        client = here.come(status=False, events=False)
        await here.wall.go(2)
        assert (here.hub.frames_drawn, drawn, client.socket.order, here.host.sim.core.samples) == (
            0,
            [],
            [],
            [],
        )


@on_loop
async def test_nothing_is_left_behind_when_the_last_has_gone():
    async with harness() as here:
        drawn = count_drawings(here)
        one, two = here.come(60), here.come(10)
        await here.wall.go(0.5)
        here.leave(one)
        assert len(here.host.sim.core.samples) == len(here.host.sim.core.listeners.event) == 1
        here.leave(two)
        assert (
            here.host.sim.core.samples,
            here.host.sim.core.listeners.event,
            here.hub.clients,
        ) == (
            [],
            [],
            set(),
        )
        await here.wall.go(0.2)
        assert here.hub._task.done()
        before = here.hub.frames_drawn, len(drawn)
        await here.wall.go(2)
        assert (here.hub.frames_drawn, len(drawn)) == before
        three = here.come(60)
        await here.wall.go(0.5)
        assert len(three.socket.frames) >= 29


@on_loop
async def test_no_frame_comes_while_time_is_paused():
    async with harness() as here:
        client = here.come(60)
        await here.wall.go(1)
        here.still = True
        await here.wall.go(0.1)
        client.socket.clear()
        before = here.hub.frames_drawn
        drawn = count_drawings(here)
        await here.wall.go(5)
        assert (client.socket.blocks, here.hub.frames_drawn) == ([], before)
        assert len(drawn) <= 51  # a change by an input is noticed ten times per second
        assert len(client.socket.of("status")) == pytest.approx(50, abs=1)


@on_loop
async def test_an_input_is_visible_while_time_is_paused():
    async with harness() as here:
        client = here.come(60)
        here.still = True
        await here.wall.go(0.5)
        client.socket.clear()
        here.host.sim.set_input("trolley", "estop", True)
        await here.wall.go(0.5)
        (frame,) = client.socket.frames
        assert sorted(frame[5]) == [0, 2]  # the numbers and the body, nothing else
        assert frame[5][2][3] == 1


@on_loop
async def test_a_client_that_does_not_read_loses_frames_and_blocks_no_other():
    async with harness() as here:
        slow, other = here.come(60), here.come(60)
        await here.wall.go(0.5)
        slow.socket.read(False)
        other.socket.clear()
        here.host.sim.send(
            "trolley", "box", {"type": "Go", "forward": 1.0, "left": 0.0, "turn": 0.0}
        )
        for _ in range(10):
            await here.wall.go(1)
            for _ in range(100):
                here.host.sim.core.log(Event(here.host.sim.now_ns, "", "test", "info", "x" * 100))
        assert len(other.socket.frames) == pytest.approx(600, abs=2)
        assert slow.dropped > 550
        assert len(slow._frames) == 1
        assert len(slow._newest) <= 4
        assert len(slow._queue) <= MAX_QUEUED
        slow.socket.clear()
        slow.socket.read(True)
        await here.wall.go(0.2)
        seen, now = slow.socket.frames[-1], other.socket.frames[-1]
        assert seen[2] == now[2]
        assert slow.socket.of("dropped")[0]["count"] == pytest.approx(1000 - MAX_QUEUED, abs=2)
        latest = {
            number: values for frame in slow.socket.frames for number, values in frame[5].items()
        }
        assert (
            latest[2][0]
            == other.socket.frames[-1][5][2][0]
            == pytest.approx(here.robot.state.pose[0], abs=0.02)
        )


@on_loop
async def test_a_flood_of_events_delays_neither_frames_nor_the_status():
    async with harness() as here:
        client = here.come(60)
        await here.wall.go(0.5)
        client.socket.clear()
        here.host.sim.send(
            "trolley", "box", {"type": "Go", "forward": 1.0, "left": 0.0, "turn": 0.0}
        )
        event = Event(here.host.sim.now_ns, "", "test", "info", "x")
        for _ in range(10):
            for _ in range(25):
                for _ in range(200):
                    here.host.sim.core.log(event)
                await turn()
            await here.wall.go(0.1)
        assert len(client.socket.of("status")) == pytest.approx(10, abs=1)
        assert len(client.socket.frames) == pytest.approx(60, abs=3)
        seen = len(client.socket.of("event"))
        assert seen <= 11 * MAX_QUEUED
        assert seen + sum(told["count"] for told in client.socket.of("dropped")) == 50_000


@on_loop
async def test_the_page_comes_first_then_the_history_then_frames():
    async with harness() as here:
        client = here.come(60)
        await here.wall.go(0.1)
        of_pictures = [kind for kind in client.socket.order if kind in ("page", "history", "frame")]
        assert of_pictures[:3] == ["page", "history", "frame"]
        assert set(of_pictures[3:]) == {"frame"}
        (page,) = client.socket.of("page")
        assert (page["stage"], page["robot"], page["id"]) == (
            "live",
            "trolley",
            client.socket.frames[0][1],
        )


@on_loop
async def test_the_status_has_every_robot_and_its_emergency_stop():
    async with harness() as here:
        here.host.sim.set_input("trolley", "estop", True)
        client = here.come(10)
        await here.wall.go(0.2)
        status = client.socket.of("status")[-1]
        assert status["robots"] == [
            {
                "name": "trolley",
                "kind": "trolley",
                "world": 0,
                "status": "e-stop",
                "stop": True,
                "alarm": None,
            }
        ]
        assert (status["state"], status["pace"], status["epoch"]) == ("lockstep", "lockstep", 0)
        (thing,) = client.socket.of("around")[-1]["things"]
        assert (thing["name"], thing["robot"], thing["radius_m"]) == ("trolley", True, 0.25)
        assert client.socket.of("robot")[-1]["inputs"] == {"estop": True, "horn": 0}


@on_loop
async def test_listings_are_sent_to_subscribers_when_they_change():
    async with harness() as here:
        looks, other = here.come(60), here.come()
        await here.wall.go(1.0)
        assert [told["listings"]["log"]["texts"] for told in looks.socket.of("listings")] == [
            ["<b>0</b>"]
        ]
        here.host.sim.set_input("trolley", "horn", 1)
        await here.wall.go(0.2)
        assert [told["listings"]["log"]["texts"] for told in looks.socket.of("listings")] == [
            ["<b>0</b>"],
            ["<b>1</b>"],
        ]
        assert other.socket.of("listings") == []
        here.hub.subscribe(other, "live", {"trolley": 60})
        await here.wall.go(0.1)
        assert len(other.socket.of("listings")) == 1
        here.hub.subscribe(looks, "live", {})
        here.hub.subscribe(other, "live", {})
        here.hub.view("trolley").lines = here.robot.view = None  # without subscribers
        here.host.sim.set_input("trolley", "horn", 0)
        await here.wall.go(0.3)
        assert (len(looks.socket.of("listings")), len(other.socket.of("listings"))) == (2, 1)
        assert looks.socket.of("trouble") == []


@on_loop
async def test_a_failing_listing_is_reported_and_ends_only_itself():
    async with harness() as here:
        client = here.come(60)
        stream = next(iter(client.streams))
        stream.view.lines = lambda: 1 // 0
        await here.wall.go(0.3)
        assert "ZeroDivisionError" in client.socket.of("trouble")[-1]["text"]
        assert not here.hub._task.done()


@on_loop
async def test_truth_is_sent_at_the_requested_rate_and_only_on_request():
    async with harness() as here:
        one, two = here.come(truth_every=3), here.come()
        await here.wall.go(2)
        assert len(one.socket.of("truth")) == pytest.approx(40, abs=1)
        assert two.socket.of("truth") == []
        assert math.isclose(one.socket.of("truth")[-1]["robots"]["trolley"]["pose"][0], 0)


@on_loop
async def test_a_machine_that_was_busy_does_not_make_up_for_missed_ticks():
    async with harness() as here:
        client = here.come(60)
        await here.wall.go(0.5)
        here.wall._move_to(here.wall.now + 10)
        client.socket.clear()
        await here.wall.go(1)
        assert len(client.socket.frames) <= 61


def count_drawings(here):
    """Return a list that grows with every drawing of the robot's page."""
    drawn, robot = [], here.robot
    views = [stream.view for stream in here.hub._streams.values()]

    def counted(view):
        draw = view.draw
        view.draw = lambda: drawn.append(1) or draw()
        return view

    for view in views:
        counted(view)
    robot.view = lambda: counted(type(robot).view(robot))
    return drawn
