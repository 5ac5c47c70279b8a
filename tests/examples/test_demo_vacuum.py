"""The cleaner of `rigless demo` in virtual time, with the bytes of its wire."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rigless
from rigless.kernel import inputs as inp
from rigless.kernel.simulation import Simulation
from rigless.worlds.floor import Floor

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "demo"
RADIUS_M, STEP_S = 0.17, 0.02
SHARE = 0.28  # a cleaner without lanes sweeps 0.24 in this time
CLEAN_S = 300.0


class EnoughError(Exception):
    """The simulated time of a test has passed."""


class Wire:
    """The socket of the cleaner. Reading advances the simulation."""

    def __init__(self, sim: Simulation):
        self.sim, self.data, self.end_s = sim, bytearray(), 0.0
        self.floor = Floor(sim.robot("vacuum").grid, RADIUS_M)
        self.x, self.y, _ = sim.truth("vacuum").pose
        self.floor.start(self.x, self.y)
        sim.core.listeners.output.append(self._sent)
        sim.apply(inp.Connect("vacuum", "commands", 1, "10.0.0.9:4001", "10.0.0.1:5555"))

    def _sent(self, _: int, output: Any) -> None:
        if (output.port, output.link) == ("commands", 1):
            self.data += output.data

    def sendall(self, data: bytes) -> None:
        self.sim.apply(inp.Arrive("vacuum", "commands", 1, data))

    def makefile(self, _: str) -> "Wire":
        return self

    def read(self, size: int) -> bytes:
        while len(self.data) < size:
            if self.sim.now_s >= self.end_s:
                raise EnoughError
            self.sim.run(STEP_S)
            x, y, _ = self.sim.truth("vacuum").pose
            self.floor.sweep(self.x, self.y, x, y)
            self.x, self.y = x, y
        found = bytes(self.data[:size])
        del self.data[:size]
        return found


class Cleaning:
    """The cleaner at work in a simulation."""

    def __init__(self, cleaner: type, *settings: str):
        self.sim = rigless.load("vacuum", seed=7, settings=settings)
        self.wire = Wire(self.sim)
        self._cleaner = cleaner(self.wire)

    def run(self, seconds: float) -> None:
        self.wire.end_s = self.sim.now_s + seconds
        with pytest.raises(EnoughError):
            self._cleaner.run()


@pytest.fixture
def cleaner(monkeypatch: pytest.MonkeyPatch) -> Iterator[type]:
    monkeypatch.syspath_prepend(str(FOLDER))
    import vacuum

    yield vacuum.Cleaner
    del sys.modules["vacuum"]


def test_it_cleans_a_good_part_of_the_apartment(cleaner: type) -> None:
    cleaning = Cleaning(cleaner)
    cleaning.run(CLEAN_S)
    assert cleaning.wire.floor.share > SHARE


def test_it_begins_again_if_it_is_carried_away(
    cleaner: type, capsys: pytest.CaptureFixture[str]
) -> None:
    cleaning = Cleaning(cleaner)
    cleaning.run(15)
    assert "begin again" not in capsys.readouterr().out
    cleaning.sim.apply(inp.PlaceRobot("vacuum", -3.0, -2.5, 2.0))
    cleaning.run(15)
    assert "begin again" in capsys.readouterr().out
    begin_m = cleaning.sim.truth("vacuum").distance_m
    cleaning.run(15)
    assert cleaning.sim.truth("vacuum").distance_m > begin_m + 1


def test_it_stops_without_scans_and_goes_on_with_them(cleaner: type) -> None:
    cleaning = Cleaning(cleaner)
    cleaning.run(10)
    cleaning.sim.inject("vacuum", "lidar", "off")
    cleaning.run(3)
    still_m = cleaning.sim.truth("vacuum").distance_m
    cleaning.run(3)
    assert cleaning.sim.truth("vacuum").distance_m == pytest.approx(still_m, abs=1e-6)
    cleaning.sim.clear("vacuum")
    cleaning.run(5)
    assert cleaning.sim.truth("vacuum").distance_m > still_m + 0.3


def test_it_goes_on_after_an_emergency_stop(cleaner: type) -> None:
    cleaning = Cleaning(cleaner)
    cleaning.run(10)
    sim = cleaning.sim
    for given in sim.robot("vacuum").view().stop(True):
        sim.apply(given)
    cleaning.run(3)
    still_m = sim.truth("vacuum").distance_m
    for given in sim.robot("vacuum").view().stop(False):
        sim.apply(given)
    cleaning.run(5)
    assert sim.truth("vacuum").distance_m > still_m + 0.3


def test_it_turns_if_it_touches_something_and_cannot_back_off(cleaner: type) -> None:
    cleaning = Cleaning(cleaner)
    cleaning.run(10)
    sim = cleaning.sim
    x, y, theta = sim.truth("vacuum").pose
    for name, ahead_m in (("behind", -0.225), ("ahead", 0.225)):
        place = x + ahead_m * math.cos(theta), y + ahead_m * math.sin(theta)
        sim.apply(inp.PlaceObstacle(name, *place, radius_m=0.05, world_of="vacuum"))
    headings = []
    for _ in range(6):
        cleaning.run(5)
        headings.append(sim.truth("vacuum").pose[2])
    assert len({round(heading, 1) for heading in headings}) >= 3
