"""The page of a robot that brings none: made of whatever its truth holds."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from rigless.kernel.drawing import Disc, Gauge, Lamp, Plot, Trail, rows
from rigless.kernel.drawing.generic_view import MOST_NUMBERS, MOST_PLOTS, GenericView
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation

from .robots import Counter, Diary


@dataclass
class Truth:
    pose: Any = (1.0, 2.0, 0.5)
    velocity: tuple[float, float] = (0.25, 0.0)
    temperature_c: float | None = None
    parcels: int = 3
    busy: bool = True
    word: str = "ok"
    inner: dict[str, float] = field(default_factory=lambda: {"range_m": 4.0})
    long: list[float] = field(default_factory=lambda: [0.0] * 360)


class Cart(Robot):
    def truth(self):
        return self.__dict__.setdefault("told", Truth())

    def footprint(self):
        return (1.0, 2.0, 0.3)


def view_of(robot):
    Simulation([robot])
    return robot.view()


def names(view, kind):
    return [part.name for part in view.parts if type(part) is kind]


def test_numbers_are_gauges_and_yes_or_no_is_a_lamp():
    view = view_of(Cart("c"))
    assert isinstance(view, GenericView)
    assert names(view, Lamp) == ["busy"]
    assert {"velocity.0", "velocity.1", "temperature_c", "parcels", "inner.range_m"} <= set(
        names(view, Gauge)
    )
    assert not [name for name in names(view, Gauge) if name.startswith(("word", "long"))]


def test_a_number_is_told_with_the_unit_in_its_name():
    view = view_of(Cart("c"))
    units = {part.name: part.unit for part in view.parts if isinstance(part, Gauge)}
    assert (units["temperature_c"], units["inner.range_m"], units["parcels"]) == ("°C", "m", "")
    (gauge,) = [
        part for part in view.parts if isinstance(part, Gauge) and part.name == "inner.range_m"
    ]
    assert gauge.label == "Inner range"


def test_a_pose_is_drawn_with_the_robots_size_and_leaves_a_trail():
    view = view_of(Cart("c"))
    (disc,) = [part for part in view.parts if isinstance(part, Disc)]
    assert (disc.radius_m, names(view, Trail)) == (0.3, ["trail"])
    assert rows(disc, view.draw()["body"]).tolist() == [[1, 2, 0.5, 0]]
    assert view.trace() == {"trail": (1.0, 2.0)}


def test_real_numbers_are_plotted_but_not_the_pose():
    assert names(view_of(Cart("c")), Plot) == [
        "plot velocity.0",
        "plot velocity.1",
        "plot temperature_c",
        "plot inner.range_m",
    ]


def test_what_is_missing_now_is_no_number_and_comes_later():
    view = view_of(Cart("c"))
    assert np.isnan(view.measure()["temperature_c"])
    view.robot.told.temperature_c = 21.5
    assert view.measure()["temperature_c"] == 21.5
    assert (view.measure()["busy"], view.measure()["parcels"]) == (1, 3)


@pytest.mark.parametrize("pose", [None, (1.0, 2.0), "here", 7, np.zeros(7)])
def test_without_a_pose_nothing_is_drawn(pose):
    robot = Cart("c")
    robot.told = Truth(pose=pose)
    view = view_of(robot)
    assert (names(view, Disc), names(view, Trail), view.draw(), view.trace()) == ([], [], {}, {})


def test_a_pose_may_be_an_array():
    robot = Cart("c")
    robot.told = Truth(pose=np.array([3.0, 4.0, 1.0]))
    assert view_of(robot).draw() == {"body": [(3.0, 4.0, 1.0, 0.0)]}


@dataclass
class Much:
    numbers: dict[str, float] = field(
        default_factory=lambda: {f"n{n}": float(n) for n in range(500)}
    )


class Talker(Robot):
    State = Much


def test_a_page_stays_readable_however_much_there_is():
    view = view_of(Talker("t"))
    assert (len(names(view, Gauge)), len(names(view, Plot))) == (MOST_NUMBERS, MOST_PLOTS)


@pytest.mark.parametrize("kind", [Counter, Diary, Robot])
def test_any_robot_has_a_page_that_leaves_no_trace(kind):
    sim = Simulation([kind("r")], seed=3)
    sim.run(1.0)
    before = sim.snapshot().to_bytes()
    view = sim.robots["r"].view()
    view.draw(), view.measure(), view.trace()
    assert sim.snapshot().to_bytes() == before
