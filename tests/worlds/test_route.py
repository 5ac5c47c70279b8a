"""Routes for a disc: straight where it can be, round walls and bodies, and reasons for none."""

import math

import numpy as np
import pytest

from rigless.kernel.body import Body
from rigless.kernel.world import Obstacle, World
from rigless.worlds.bundled import find_map
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.maps import load_map
from rigless.worlds.route import NoRoute, Route, find_route

RADIUS_M = 0.2


def room(door_m=0.6):
    """Return a room of 4 m by 3 m with a wall across it at x = 2, which has a door at the top."""
    walls = np.zeros((62, 82), bool)
    walls[[0, -1], :] = walls[:, [0, -1]] = True
    walls[: 61 - round(door_m / 0.05), 40:42] = True
    return GridWorld(Grid(walls, 0.05, (-0.05, -0.05, 0.0)))


def disc(x, y):
    return Body(x, y, radius_m=RADIUS_M)


def sampled(route):
    for (ax, ay), (bx, by) in zip(route.points, route.points[1:], strict=False):
        for part in np.linspace(0.0, 1.0, 100):
            yield ax + part * (bx - ax), ay + part * (by - ay)


def test_a_free_way_is_straight():
    found = find_route(room(), disc(0.5, 0.5), (1.5, 2.5), 0)
    assert found == Route(((0.5, 0.5), (1.5, 2.5)))
    assert math.isclose(found.length_m, math.hypot(1.0, 2.0))


def test_a_goal_behind_a_wall_is_reached_by_the_door():
    world = room()
    found = find_route(world, disc(0.5, 0.5), (3.5, 0.5), 0)
    assert isinstance(found, Route)
    assert any(y > 2.4 for _, y in found.points)
    assert 5.0 < found.length_m < 6.0
    assert not [place for place in sampled(found) if world.why_blocked(disc(*place), 0)]


@pytest.mark.parametrize("seed", range(6))
def test_no_route_in_an_apartment_touches_anything(seed):
    world = GridWorld(load_map(find_map("apartment")))
    world.place({"crate": Obstacle(0.0, (0.5, 0.3), end=(1.0, -0.6, 0.7))})
    rng = np.random.default_rng(seed)
    goal = world.nearest_free(disc(*rng.uniform((-3.5, -2.5), (5.5, 4.5))), ())
    found = find_route(world, disc(0.0, 0.0), goal, 0)
    if isinstance(found, Route):
        assert not [place for place in sampled(found) if world.why_blocked(disc(*place), 0)]
        assert found.points[-1] == goal
    else:
        assert found.reason.startswith("there is no way for a robot 0.4 m wide from (0.00, 0.00)")


@pytest.mark.parametrize(
    ("goal", "door_m", "reason"),
    [
        ((3.5, 0.5), 0.3, "there is no way for a robot 0.4 m wide from (0.50, 0.50) to (3.5, 0.5)"),
        ((2.0, 1.0), 0.6, "a robot 0.4 m wide does not fit at (2, 1): it overlaps a wall"),
        ((9.0, 1.0), 0.6, "(9, 1) is off the map, which has x from -0.05 to 4.05 and y from"),
        ((1.0, 2.0), 0.6, "a robot 0.4 m wide does not fit at (1, 2): it overlaps the obstacle 'p"),
        ((1.5, 1.5), 0.6, "a robot 0.4 m wide does not fit at (1.5, 1.5): another robot is there"),
    ],
)
def test_a_place_that_cannot_be_reached_has_a_reason_and_the_nearest_that_can(goal, door_m, reason):
    world = room(door_m)
    world.place({"post": Obstacle(0.05, end=(1.1, 2.1, 0.0))})
    others = [Body(1.5, 1.6, radius_m=0.2)]
    found = find_route(world, disc(0.5, 0.5), goal, 0, others)
    assert isinstance(found, NoRoute)
    assert found.reason.startswith(reason)
    again = find_route(world, disc(0.5, 0.5), found.place, 0, others)
    assert isinstance(again, Route), again


def test_bodies_are_in_the_way_on_an_open_plane():
    wall = Body(5.0, 0.0, 0.3, size_m=(0.4, 6.0))
    found = find_route(World(), disc(0.0, 0.0), (10.0, 0.0), 0, [wall])
    assert isinstance(found, Route)
    assert not [place for place in sampled(found) if disc(*place).overlaps(wall)]
    assert find_route(World(), disc(0.0, 0.0), (10.0, 0.0), 0).points == ((0, 0), (10, 0))
    far = find_route(World(), disc(0.0, 0.0), (3e6, 0.0), 0)
    assert far == NoRoute("(3e+06, 0) is more than 1e+06 m from the origin", None)


def test_a_robot_that_touches_a_wall_finds_its_way_out():
    found = find_route(room(), disc(0.201, 1.0), (1.0, 1.0), 0)
    assert isinstance(found, Route)


def test_cliffs_are_avoided():
    cliff = np.zeros((60, 80), bool)
    cliff[:50, 38:42] = True
    world = GridWorld(Grid(np.zeros((60, 80), bool), 0.05, cliff=cliff))
    found = find_route(world, disc(0.5, 0.5), (3.5, 0.5), 0)
    assert max(y for _, y in found.points) > 2.6
