"""Obstacles and robots at one place: refused, or logged if a robot came there in the meantime."""

import pytest

from rigless.kernel.events import Event
from rigless.kernel.inputs import MoveObstacle
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import Obstacle, World

S = 10**9


class Disc(Robot):
    """Stands at its start pose; the radius is the third number."""

    def footprint(self):
        return self.start_pose


def scene(radius_m=0.5):
    """Return four discs at the origin, a disc in another world there, and a robot of no extent.

    The obstacle `box` stands where it would be nearest to (0.3, 0) without touching the discs,
    and `post` keeps a part of that side occupied.
    """
    robots = [Disc(name, start_pose=(0.0, 0.0, radius_m)) for name in "abcd"]
    obstacles = {
        "box": Obstacle(0.5, end=(radius_m + 0.6, 0.0, 0.0)),
        "post": Obstacle(0.1, end=(radius_m + 1.1, 0.0, 0.0)),
    }
    alone = Disc("alone", start_pose=(9.0, 9.0, 0.5))
    return Simulation([*robots, alone, Robot("ghost")], World(obstacles), worlds={"alone": World()})


def pose(sim):
    return sim.world.state.obstacles["box"].pose(sim.now_ns)


def test_an_obstacle_is_not_placed_on_robots_and_the_nearest_free_place_is_named():
    sim = scene()
    before = sim.snapshot()
    with pytest.raises(InputError) as caught:
        sim.apply(MoveObstacle("box", 0.3, 0.0))
    what = "at (0.3, 0) this obstacle overlaps a, b, c"
    # 0.75 m away, towards 22.5°: 1.03 m from the discs and 0.68 m from the post
    place = "the nearest free place: x = 0.99, y = 0.29"
    assert caught.value.problems == (Problem("box", what, place),)
    assert sim.snapshot() == before
    sim.apply(MoveObstacle("box", 0.99, 0.29))
    assert pose(sim) == (0.99, 0.29, 0.0)


def test_without_a_free_place_the_robot_must_move():
    with pytest.raises(InputError) as caught:
        scene(radius_m=30.0).apply(MoveObstacle("box", 0.0, 0.0))
    assert [problem.fix for problem in caught.value.problems] == ["move the robot first"]


def test_an_obstacle_may_stand_where_a_robot_of_another_world_is():
    sim = scene()
    sim.apply(MoveObstacle("box", 9.0, 9.0))
    assert pose(sim) == (9.0, 9.0, 0.0)
    assert list(sim.events) == []


def test_an_obstacle_may_move_through_robots_over_some_time():
    sim = scene()
    sim.apply(MoveObstacle("box", 0.0, 0.0, 0.5, over_s=2.0))
    sim.run(2)
    assert pose(sim) == (0.0, 0.0, 0.5)
    assert list(sim.events) == []


def test_a_move_for_later_is_checked_then_and_logged_by_each_robot_under_it():
    sim, move = scene(), MoveObstacle("box", 0.0, 0.7)
    sim.core.check(move, now=False)
    sim.schedule(S, move)
    sim.run(2)
    assert pose(sim) == (0.0, 0.7, 0.0)
    text = "the obstacle box was placed on it"
    assert list(sim.events) == [
        Event(S, name, "obstacle-on-robot", "warning", text, {"obstacle": "box"}) for name in "abcd"
    ]


def test_a_simulation_does_not_start_with_obstacles_on_robots_and_names_all():
    obstacles = {
        "beam": Obstacle(size_m=(4.0, 0.2), end=(0.0, 1.5, 1.5)),  # upright: it reaches the robot
        "clear": Obstacle(size_m=(4.0, 0.2), end=(0.0, 1.5, 0.0)),
        "post": Obstacle(0.1, end=(-0.5, 0.0, 0.0)),
    }
    with pytest.raises(InputError) as caught:
        Simulation([Disc("r", start_pose=(0.0, 0.0, 0.5))], World(obstacles))
    assert [(problem.where, problem.what) for problem in caught.value.problems] == [
        ("beam", "at (0, 1.5) this obstacle overlaps r"),
        ("post", "at (-0.5, 0) this obstacle overlaps r"),
    ]
