"""After a jump in time, live or in a recording, clients get the history and frames again."""

import numpy as np
import pytest

from host.driving import on_loop
from rigless.panel.stream import messages
from rigless.scenario.load import open_target

from .harness import TROLLEY, harness


def go(sim, forward):
    sim.send("trolley", "box", {"type": "Go", "forward": forward, "left": 0.0, "turn": 0.0})


def kinds(client):
    return [kind for kind in client.socket.order if kind in ("page", "history", "frame")]


@pytest.mark.parametrize("still", [False, True])
@on_loop
async def test_after_a_reset_come_the_history_once_and_whole_frames(still):
    async with harness() as here:
        client = here.come(60)
        go(here.host.sim, 1.0)
        await here.wall.go(2)
        here.still = still
        client.socket.clear()
        here.host.reset()
        await here.wall.go(0.5)
        assert kinds(client)[:2] == ["history", "frame"]
        assert "history" not in kinds(client)[1:]
        (history,) = client.socket.histories
        assert (history[3], history[5][0].size) == (1, 0)
        assert sorted(client.socket.frames[0][5]) == [0, 1, 2, 3, 4]
        assert all(frame[3] == 1 for frame in client.socket.frames)
        assert client.socket.frames[0][5][2].tolist() == [0, 0, 0, 0]


@on_loop
async def test_after_a_restore_the_past_ends_where_time_is():
    async with harness() as here:
        client = here.come(60)
        go(here.host.sim, 1.0)
        await here.wall.go(1)
        here.host.take_snapshot("one")
        await here.wall.go(2)
        here.still = True
        client.socket.clear()
        here.host.restore("one")
        await here.wall.go(0.5)
        (history,) = client.socket.histories
        assert (history[3], history[4]) == (1, pytest.approx(1.0, abs=0.02))
        assert history[5][0].size == 10
        assert history[5][2].reshape(-1, 3)[-1, 0] == pytest.approx(1.0, abs=0.02)


@on_loop
async def test_a_client_that_did_not_read_learns_of_the_jump():
    async with harness() as here:
        client = here.come(60)
        await here.wall.go(1)
        client.socket.read(False)
        await here.wall.go(0.5)
        here.host.reset()
        await here.wall.go(0.5)
        client.socket.clear()
        client.socket.read(True)
        await here.wall.go(0.1)
        assert [history[3] for history in client.socket.histories] == [1]
        assert client.socket.frames[-1][3] == 1


@on_loop
async def test_a_later_client_gets_the_same_history():
    async with harness() as here:
        here.come(60)
        go(here.host.sim, 1.0)
        await here.wall.go(3)
        late = here.come(10)
        await here.wall.go(0.1)
        (history,) = late.socket.histories
        assert history[5][0] == pytest.approx(np.arange(-2.9, 0.05, 0.1), abs=0.02)


class Player:
    """A recording as a source for a hub."""

    name = "recording"
    fixed = True

    def __init__(self):
        self.sim, self.epoch, self.watches = None, 0, 0

    def fill_history(self, known_ns):
        self.watches += 1

    def open(self):
        self.sim, self.epoch = open_target(TROLLEY, collect=False).simulation, self.epoch + 1
        return self.sim


@on_loop
async def test_a_recording_is_looked_at_apart_from_the_live_robot():
    player = Player()
    async with harness(sources=[player]) as here:
        recorded = player.open()
        go(recorded, 1.0)
        recorded.run(5)
        live, client = here.come(60), here.come()
        here.hub.subscribe(client, "recording", {"trolley": 60})
        await here.wall.go(1)
        (page,) = client.socket.of("page")
        assert (page["stage"], client.socket.frames[-1][4]) == ("recording", 5)
        assert page["id"] != live.socket.of("page")[0]["id"]
        assert client.socket.of("robot")[-1]["stage"] == "recording"
        assert client.socket.of("around")[-1]["things"][0]["pose"][0] == pytest.approx(5)
        assert len(client.socket.frames) == 1  # it is paused
        assert len(live.socket.frames) > 58
        here.leave(client)
        assert recorded.core.samples == []
        assert len(here.host.sim.core.samples) == 1


@on_loop
async def test_another_recording_is_another_page():
    player = Player()
    async with harness(sources=[player]) as here:
        first, client = player.open(), here.come()
        here.hub.subscribe(client, "recording", {"trolley": 60})
        await here.wall.go(0.2)
        second = player.open()
        client.socket.clear()
        await here.wall.go(0.2)  # the same file may be opened again: the client need not ask
        assert kinds(client) == ["page", "history", "frame"]
        assert list(client.streams.values()) == [1]
        assert (len(first.core.samples), len(second.core.samples)) == (0, 1)
        player.sim = None
        await here.wall.go(0.5)
        assert client.socket.of("trouble") == []
        assert len(client.socket.of("status")) > 5


def test_frames_of_another_page_cannot_be_confused():
    assert messages.unpack(messages.pack(messages.FRAME, 3, 1, 2, 0.5, []))[1:4] == (3, 1, 2)
