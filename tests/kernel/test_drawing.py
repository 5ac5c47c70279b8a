"""The parts of a robot's page: the length of their rows, and the defaults of a view."""

import dataclasses
import typing

import numpy as np
import pytest

from rigless.kernel import drawing
from rigless.kernel.drawing import (
    Colour,
    Disc,
    Ellipse,
    Links,
    Part,
    Path,
    Points,
    Polygon,
    Rays,
    View,
    rows,
)
from rigless.kernel.inputs import SetInput
from rigless.kernel.robot import Robot, VirtualInput
from rigless.kernel.simulation import Simulation

from .robots import Counter

PARTS = [
    kind
    for kind in vars(drawing).values()
    if isinstance(kind, type) and issubclass(kind, Part) and kind is not Part
]
DRAWN = {
    Disc("d", "D", 0.1): 4, Polygon("p", "P", ((0, 0), (1, 0), (0, 1))): 4,
    Rays("r", "R"): 4, Points("o", "O"): 2,
    Path("l", "L"): 2, Ellipse("e", "E"): 5, Links("a", "A", ()): 8,
}  # fmt: skip


@pytest.mark.parametrize("part", DRAWN, ids=lambda part: type(part).__name__)
def test_rows_have_as_many_numbers_as_the_part_says(part):
    columns = DRAWN[part]
    assert part.columns == columns
    for given in (
        np.ones((3, columns)),
        np.ones((3, columns), np.int64).tolist(),
        [(1,) * columns] * 3,
    ):
        found = rows(part, given)
        assert (found.shape, found.dtype) == ((3, columns), np.float32)
    assert rows(part, (2,) * columns).tolist() == [[2] * columns]
    for wrong in (
        np.ones((3, columns + 1)),
        np.ones((3, columns - 1)),
        1.0,
        np.ones((2, 2, columns)),
    ):
        with pytest.raises(ValueError, match=f"{part.name} needs rows of {columns} numbers"):
            rows(part, wrong)


@pytest.mark.parametrize("nothing", [(), [], np.empty(0), np.empty((0, 7)), {}.values()])
def test_nothing_to_draw_is_no_rows(nothing):
    assert rows(Points("o", "O"), list(nothing)).shape == (0, 2)


@pytest.mark.parametrize("nonsense", ["here", [("a", "b")], [[1, 2], [3]], [object(), object()]])
def test_what_are_no_numbers_is_an_error(nonsense):
    with pytest.raises((ValueError, TypeError)):
        rows(Points("o", "O"), nonsense)


def test_every_part_is_frozen_and_its_colours_are_meanings():
    meanings = set(typing.get_args(Colour))
    for kind in PARTS:
        assert kind.__dataclass_params__.frozen, kind
        assert kind.__doc__, kind
        for item in dataclasses.fields(kind):
            if item.name == "colour":
                assert item.default in meanings, kind


class Plain(Robot):
    inputs = {"load": VirtualInput(0.0)}


class Stoppable(Robot):
    inputs = {"estop": VirtualInput(False)}


def test_a_view_does_nothing_unless_the_robot_says_so():
    sim = Simulation([Plain("p")])
    view = View(sim.robots["p"])
    assert (view.draw(), view.measure(), view.trace(), view.drive(1, 0, 0), view.act("x")) == (
        {},
        {},
        {},
        [],
        [],
    )
    assert (view.lines(), view.slide("x", 1), view.jog(0, 1, 1), view.halt()) == ({}, [], [], [])
    assert (view.stop(True), view.stopped) == ([], None)


def test_an_input_called_estop_is_an_emergency_stop():
    sim = Simulation([Stoppable("s")])
    view = View(sim.robots["s"])
    assert view.stopped is False
    assert view.stop(True) == [SetInput("s", "estop", True)]
    sim.apply(*view.stop(True))
    assert view.stopped is True


def test_a_double_of_a_robot_can_be_asked_without_a_trace():
    sim = Simulation([Counter("c")], seed=5)
    sim.inject("c", "level", "noise")
    sim.inject("c", "level", "stuck")
    sim.run(0.35)
    robot, before = sim.robots["c"], sim.snapshot().to_bytes()
    first = [robot.read_only_copy().sense("level", 1.0) for _ in range(3)]
    drawn = robot.read_only_copy().random("level").standard_normal(3)
    assert sim.snapshot().to_bytes() == before
    assert len(set(first)) == 1
    assert robot.read_only_copy().random("level").standard_normal(3).tolist() == drawn.tolist()
    assert (
        robot.random("level").standard_normal(3).tolist() == drawn.tolist()
    )  # what would have come next


def test_a_double_that_asks_for_a_new_stream_makes_none():
    sim = Simulation([Counter("c")], seed=5)
    before = sim.core.streams.save().keys()
    value = sim.robots["c"].read_only_copy().random("fresh").random()
    assert sim.core.streams.save().keys() == before
    assert sim.robots["c"].random("fresh").random() == value
