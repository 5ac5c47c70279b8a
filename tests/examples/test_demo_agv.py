"""The fleet manager of `rigless demo`: which nodes of the ring it holds for a robot."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "demo"


class Client:
    """A connection whose subscriptions give one state of the robot `one`."""

    def __init__(self, x: float, y: float):
        self._data = json.dumps({"payload": {"pose": {"x": x, "y": y}}}).encode()

    async def subscribe(self, _: str) -> SimpleNamespace:
        return SimpleNamespace(messages=self._states())

    async def _states(self) -> AsyncIterator[SimpleNamespace]:
        yield SimpleNamespace(subject="robot.one.state", data=self._data)


@pytest.fixture
def agv(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(FOLDER))
    import agv

    yield agv
    del sys.modules["agv"]


@pytest.mark.parametrize("returns", [False, True])
def test_a_bay_is_freed_when_it_is_left_unless_the_robot_returns_to_it(
    agv: ModuleType, returns: bool
) -> None:
    bay, gate = next(iter(agv.BAYS.items()))

    async def leave() -> set[tuple[float, float]]:
        fleet = agv.Fleet(Client(*gate), ["one"])
        robot = fleet.robots["one"] = agv.Robot("one", bay)
        robot.goal = bay if returns else None
        robot.held, robot.leg = {bay, gate}, [bay, gate]
        await fleet.track()
        return robot.held

    assert asyncio.run(leave()) == ({bay, gate} if returns else {gate})
