"""Any message on the WebSocket, some of them nearly right, is answered and breaks nothing."""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host.driving import on_loop
from rigless.kernel.problems import InputError
from rigless.panel.stream.client import MAX_QUEUED
from rigless.panel.websocket import _receive

from .harness import harness, turn

NAMES = st.sampled_from(
    ["trolley", "live", "recording", "", "type", "robots", "axes", "stage", "\x00", "é", "x" * 300]
)
NUMBERS = st.sampled_from([60, 30, 20, 10, 0, -1, 1, 0.5, 2**70, 1e300]) | st.floats(-1, 1)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | NAMES | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
LOOKS = st.fixed_dictionaries(
    {"type": st.just("look"), "robots": st.dictionaries(NAMES, NUMBERS, max_size=3) | JSON},
    optional={"stage": st.sampled_from(["live", "recording", "opera"]) | JSON},
)
DRIVES = st.fixed_dictionaries(
    {"type": st.just("drive"), "robot": NAMES, "axes": st.lists(NUMBERS, min_size=2, max_size=4)}
)
JOGS = st.fixed_dictionaries(
    {"type": st.just("jog"), "robot": NAMES},
    optional={"axis": NUMBERS, "by": NUMBERS, "speed": NUMBERS, "hold": st.booleans()},
)
MESSAGES = (
    st.binary(max_size=30) | (LOOKS | DRIVES | JOGS | JSON).map(json.dumps) | st.text(max_size=20)
)


class ScriptedSocket:
    """A socket that sends these messages, then disconnects."""

    def __init__(self, said):
        self._said = list(said)

    async def receive(self):
        await asyncio.sleep(0)
        if not self._said:
            return {"type": "websocket.disconnect"}
        data = self._said.pop(0)
        return {"type": "websocket.receive", "bytes" if isinstance(data, bytes) else "text": data}


@settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(st.lists(MESSAGES, min_size=1, max_size=12))
def test_nothing_that_is_said_does_any_harm(said):
    live_through(said)


@on_loop
async def live_through(said):
    async with harness() as here:
        client, other = here.come(), here.come(60)
        await _receive(ScriptedSocket(said), here.hub, client)
        await here.wall.go(0.3)
        errors = client.socket.of("error")
        assert len(errors) <= len(said)
        assert all(error["problems"][0]["what"] for error in errors)
        assert "its view failed" not in str(errors)
        assert client.socket.of("trouble") == []
        assert len(other.socket.frames) >= 17
        assert not here.hub._task.done()
        x, y, theta = here.robot.state.speed
        assert max(abs(x), abs(y), abs(theta)) <= 1
        here.leave(client)
        assert here.robot.state.speed == (0.0, 0.0, 0.0)
        here.leave(other)
        assert (here.host.sim.core.samples, here.host.sim.core.listeners.event) == ([], [])


@on_loop
async def test_errors_for_a_client_that_does_not_read_are_bounded():
    async with harness() as here:
        client = here.come()
        client.socket.read(False)
        await _receive(ScriptedSocket([b"nonsense"] * (3 * MAX_QUEUED)), here.hub, client)
        assert len(client._queue) <= MAX_QUEUED
        client.socket.read(True)
        await turn()
        await here.wall.go(0.5)
        lost = sum(told["count"] for told in client.socket.of("dropped"))
        assert len(client.socket.of("error")) + lost == 3 * MAX_QUEUED


@on_loop
async def test_a_refused_look_keeps_the_last_subscriptions():
    async with harness() as here:
        client = here.come(60)
        before = dict(client.streams)
        with pytest.raises(InputError):
            here.hub.subscribe(client, "live", {"trolley": 60, "nobody": 60})
        assert client.streams == before
        await here.wall.go(0.5)
        assert len(client.socket.frames) >= 29
