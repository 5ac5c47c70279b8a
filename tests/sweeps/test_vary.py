"""Axes: the texts and tables that describe them, and the values that they take."""

import itertools
import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rigless
from rigless.kernel.problems import InputError
from rigless.sweeps.vary.axis import Normal, linear
from rigless.sweeps.vary.free_space import FreeSpace
from rigless.sweeps.vary.pairwise import pairwise
from rigless.sweeps.vary.parse import parse_axes, parse_seeds
from rigless.sweeps.vary.plan import Plan, Sample, choose_settings


def no_world() -> Any:
    raise AssertionError("this axis needs no world")


def axis(text: str) -> Any:
    (found,), _ = parse_axes([text], {}, no_world)
    return found


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=1,2,3", [1, 2, 3]),
        ("a=0.5", [0.5]),
        ("a=1..4", [1, 2, 3, 4]),
        ("a=0..1:5", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("a=0..10:3", [0, 5, 10]),
        ("a=-1..1:2", [-1, 1]),
        ("a=1e-3..2e-3:2", [0.001, 0.002]),
        ("a=true,false", [True, False]),
        ("a=stuck,off", ["stuck", "off"]),
        ('a="x,y",z', ["x,y", "z"]),
        ("a=[1, 2],[3, 4]", [[1, 2], [3, 4]]),
        ("a={ x = 1.0, y = 2.0 }", [{"x": 1.0, "y": 2.0}]),
        ("a=choice(1,5)", [1, 5]),
        ("program.nav='./nav --fast','./nav'", ["./nav --fast", "./nav"]),
    ],
)
def test_a_text_lists_values(text: str, values: list[Any]) -> None:
    assert list(axis(text).values()) == values


def test_a_range_of_numbers_with_fractions_is_a_continuum() -> None:
    found = axis("a=0.5..2.5")
    assert found.values() is None
    assert [found.at(u) for u in (0.0, 0.25, 0.5)] == [0.5, 1.0, 1.5]
    assert axis("a=uniform(0, 4)").at(0.5) == 2.0
    assert axis("a=normal(10, 2)").at(0.5) == 10.0


def test_a_normal_axis_has_the_quantiles_of_its_distribution() -> None:
    found = Normal("a", 1.0, 2.0)
    assert found.at(0.8413447460685429) == pytest.approx(3.0)
    assert math.isfinite(found.at(0.0))
    assert found.at(0.0) < -10


def test_weights_decide_how_often_a_value_is_sampled() -> None:
    table = {"a": {"choice": ["left", "right"], "weights": [3, 1]}}
    (found,), _ = parse_axes([], table, no_world)
    drawn = [found.at((n + 0.5) / 100) for n in range(100)]
    assert drawn.count("left") == 75
    assert list(found.values()) == ["left", "right"]


def test_an_option_replaces_the_entry_of_the_table() -> None:
    table = {"a": [1, 2], "b": "0..1:2", "seed": "3..5"}
    axes, seeds = parse_axes(["a=7"], table, no_world)
    assert {each.key: list(each.values()) for each in axes} == {"a": [7], "b": [0, 1]}
    assert seeds == [3, 4, 5]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a", "is not KEY=VALUES"),
        ("a=", "has no values"),
        ("a=1,,2", "empty value"),
        ("a=2..1", "the range '2..1' is empty (1..2)"),
        ("a=0..1:0", "has 0 values"),
        ("a=1..1:5", "is one value, 5 times"),
        ("a=0..9999999", "over a million values"),
        ("a=1,2,1", "has the value 1 twice"),
        ("a=unifrom(0,1)", "did you mean 'uniform'?"),
        ("a=uniform(1)", "uniform has not 2 numbers"),
        ("a=uniform(2,1)", "is empty"),
        ("a=normal(0,0)", "not positive"),
        ("seed=0.5..1.5", "seeds are whole numbers"),
    ],
)
def test_a_wrong_text_gets_a_sentence(text: str, part: str) -> None:
    with pytest.raises(InputError) as error:
        parse_axes([text], {}, no_world)
    assert part in str(error.value)


@pytest.mark.parametrize("value", [5, {"uniform": [0]}, {"normal": [0, 1], "x": 1}, {}, [], [1, 1],
                                   {"range": [0, 1, 2.5]}, {"range": [0, 1, 0]},
                                   {"range": [0, 1, 1e12]}])  # fmt: skip
def test_a_wrong_entry_of_the_table_gets_a_sentence(value: Any) -> None:
    with pytest.raises(InputError) as error:
        parse_axes([], {"a": value}, no_world)
    assert str(error.value).startswith("vary.a: ")


def test_all_wrong_axes_are_reported_at_once() -> None:
    with pytest.raises(InputError) as error:
        parse_axes(["a=2..1", "b="], {}, no_world)
    assert len(error.value.problems) == 2


def test_seeds_are_a_number_or_a_range() -> None:
    assert parse_seeds("3") == [0, 1, 2]
    assert parse_seeds("7..9") == [7, 8, 9]
    for text in ("0", "9..7", "a", "-1", "1..", "1.5"):
        with pytest.raises(InputError):
            parse_seeds(text)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 50))
def test_a_linear_axis_rises_evenly_and_keeps_its_ends(low: float, width: float, n: int) -> None:
    values = linear("a", low, low + width, n).values()
    assert len(values) == n
    assert values[0] == pytest.approx(low, rel=1e-8, abs=1e-8)
    assert values[-1] == pytest.approx(low + width, rel=1e-8, abs=1e-8)
    assert all(a <= b for a, b in itertools.pairwise(values))


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6))
def test_pairwise_rows_cover_every_pair(sizes: list[int]) -> None:
    rows = pairwise(sizes)
    for a, b in combinations(range(len(sizes)), 2):
        pairs = {(row[a], row[b]) for row in rows}
        assert pairs == set(product(range(sizes[a]), range(sizes[b])))
    for axis_number, size in enumerate(sizes):
        assert {row[axis_number] for row in rows} == set(range(size))


def test_pairwise_needs_few_rows() -> None:
    assert len(pairwise([5] * 10)) <= 60  # the full grid has 9.8 million


def test_a_grid_is_the_product_and_seeds_come_last() -> None:
    axes = [axis("a=1,2"), axis("b=x,y")]
    settings = choose_settings(axes, Sample())
    assert len(settings) == 4
    plan = Plan(settings, [5, 6], repeats=2)
    points = list(plan)
    assert len(plan) == len(points) == 16
    assert [point.seed for point in points] == [5] * 8 + [6] * 8
    assert points[0].settings == {"a": 1, "b": "x"}


def test_a_continuum_has_no_grid() -> None:
    with pytest.raises(InputError, match=r"lo\.\.hi:n for n values, or --samples N"):
        choose_settings([axis("a=0.5..1.5")], Sample())
    with pytest.raises(InputError, match=r"\(--samples N\)"):
        choose_settings([axis("a=normal(0, 1)")], Sample())


@pytest.mark.parametrize("method", ["sobol", "random"])
def test_samples_fill_the_space(method: Any) -> None:
    axes = [axis("a=0.0..1.0"), axis("b=1,2,3,4")]
    settings = choose_settings(axes, Sample(64, method))
    assert len(settings) == 64
    quarters = [int(each["a"] * 4) for each in settings]
    assert all(quarters.count(n) >= 6 for n in range(4))
    assert all([each["b"] for each in settings].count(n) >= 6 for n in (1, 2, 3, 4))
    assert settings == choose_settings(axes, Sample(64, method))
    assert settings != choose_settings(axes, Sample(64, method, seed=1))


def test_free_space_is_where_the_robot_fits() -> None:
    sim = rigless.load("vacuum_obstacle")
    (found,), _ = parse_axes(["vacuum.start=free_space(0.1)"], {}, lambda: sim)
    poses = [found.at(u) for u in np.linspace(0, 0.999, 40)]
    body = sim.robots["vacuum"].body()
    assert body is not None
    for pose in poses:
        here = body.at(pose["x"], pose["y"])
        assert not sim.world.why_outside(here)
        assert sim.world.clearance_m(here, 0) >= 0.1 - 1e-6
        assert -math.pi <= pose["theta"] < math.pi
    xs = [pose["x"] for pose in poses]
    assert max(xs) - min(xs) > 3.0, "all over the room"


@pytest.mark.parametrize("places", [255, 256, 12_288])
def test_start_poses_head_in_all_directions(places: int) -> None:
    axis = FreeSpace("it.start", np.zeros((places, 2)))
    for count in (64, 256):
        poses = [each["it.start"] for each in choose_settings([axis], Sample(count))]
        eighths = [int((pose["theta"] + math.pi) / (math.pi / 4)) for pose in poses]
        assert all(eighths.count(n) >= count // 16 for n in range(8)), (count, eighths)


@pytest.mark.parametrize("key", ["start", "vacuum.start"])
def test_free_space_is_for_the_start_of_a_robot(key: str) -> None:
    sim = rigless.load("vacuum_obstacle")
    axes, _ = parse_axes([f"{key}=free_space"], {}, lambda: sim)
    assert axes[0].values() is None
    with pytest.raises(InputError, match="free_space is for the start of a robot"):
        parse_axes(["vacuum.speed=free_space"], {}, lambda: sim)
