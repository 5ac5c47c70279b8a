"""Obstacles and robots placed while a simulation runs: checks, fixes, replay, snapshots."""

import io
from dataclasses import dataclass

import pytest

from rigless.kernel.inputs import PlaceObstacle, PlaceRobot, RemoveObstacle
from rigless.kernel.problems import InputError
from rigless.kernel.recording import Recorder
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import Obstacle, World

S = 10**9


@dataclass
class Place:
    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0


class Cart(Robot):
    """A disc that can be placed; the start pose has its x and y."""

    State = Place

    def start(self):
        self.state.x, self.state.y = self.start_pose[:2]

    def footprint(self):
        return self.state.x, self.state.y, 0.5

    @property
    def can_relocate(self):
        return True

    def relocate(self, x_m, y_m, theta_rad):
        self.state = Place(x_m, y_m, theta_rad)


class Post(Robot):
    def footprint(self):
        return 0.0, 5.0, 0.5


def scene():
    """Return two carts and a post in one world with a box, and a cart in a world of its own."""
    robots = [
        Cart("a", start_pose=(0.0, 0.0, 0.0)),
        Cart("b", start_pose=(3.0, 0.0, 0.0)),
        Post("post"),
        Cart("alone", start_pose=(0.0, 0.0, 0.0)),
    ]
    return Simulation(
        robots, World({"box": Obstacle(0.5, end=(0.0, -3.0, 0.0))}), worlds={"alone": World()}
    )


def obstacles(sim, robot="a"):
    return sim.robots[robot].world.state.obstacles


def problem(sim, given):
    before = sim.snapshot()
    with pytest.raises(InputError) as caught:
        sim.apply(given)
    assert sim.snapshot() == before
    (found,) = caught.value.problems
    return f"{found.where}: {found.what} ({found.fix})"


def test_an_obstacle_is_added_changed_and_removed():
    sim = scene()
    sim.apply(PlaceObstacle("crate", 1.5, 2.0, 0.3, size_m=(0.4, 0.6)))
    assert obstacles(sim)["crate"].pose(0) == (1.5, 2.0, 0.3)
    assert obstacles(sim)["crate"].size_m == (0.4, 0.6)
    sim.apply(PlaceObstacle("crate", 1.5, 2.1, radius_m=0.2))  # not in its own way
    assert obstacles(sim)["crate"].body(0).radius_m == 0.2
    sim.apply(RemoveObstacle("crate"))
    assert list(obstacles(sim)) == ["box"]
    assert "unknown obstacle 'crate'" in problem(sim, RemoveObstacle("crate"))


def test_a_world_of_a_robots_own_has_its_own_obstacles():
    sim = scene()
    sim.apply(PlaceObstacle("crate", 3.0, 0.0, radius_m=0.2, world_of="alone"))
    assert list(obstacles(sim, "alone")) == ["crate"]
    assert "crate" not in obstacles(sim)
    saved = sim.snapshot()
    sim.apply(RemoveObstacle("crate", world_of="alone"))
    sim.restore(saved)
    assert list(obstacles(sim, "alone")) == ["crate"]
    sim.reset()
    assert not obstacles(sim, "alone")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            PlaceObstacle("crate", 0.2, 0.0, radius_m=0.2),
            "crate: at (0.2, 0) this obstacle overlaps a (the nearest free place: x = ",
        ),
        (
            PlaceObstacle("crate", 0.0, -2.9, radius_m=0.2),
            "crate: at (0, -2.9) this obstacle overlaps the obstacle 'box' (the nearest free",
        ),
        (PlaceObstacle("crate", 9e6, 0.0, radius_m=0.2), "crate: (9e+06, 0) is more than 1e+06 m"),
        (PlaceObstacle("crate", 9.0, 0.0), "crate: an obstacle needs a size (use a radius_m"),
        (PlaceObstacle("c", 9.0, 0.0, 0.0, 0.2, (1.0, 1.0)), "c: an obstacle is either a disc"),
        (PlaceObstacle(" ", 9.0, 0.0, radius_m=0.2), "name: an obstacle needs a name"),
        (PlaceRobot("a", 3.2, 0.0), "a: at (3.2, 0) it overlaps b (the nearest free place"),
        (PlaceRobot("a", 0.0, -3.3), "a: at (0, -3.3) it overlaps the obstacle 'box' (the nearest"),
        (PlaceRobot("post", 9.0, 0.0), "post: has no place that can be changed"),
        (PlaceRobot("a", float("nan"), 0.0), "a: nan is no coordinate"),
    ],
)
def test_what_cannot_be_placed_is_refused_with_a_fix(given, text):
    assert problem(scene(), given).startswith(text)


def test_the_place_of_the_fix_is_accepted():
    sim = scene()
    for given in (PlaceRobot("a", 3.2, 0.0), PlaceObstacle("c", 0.2, 0.0, radius_m=0.2)):
        place = sim.core.input_handler.placing.nearest_free(given)
        sim.apply(type(given)(**{**_fields(given), "x_m": place[0], "y_m": place[1]}))
    assert sim.robots["a"].footprint()[0] != 0.0


def _fields(given):
    return {name: getattr(given, name) for name in given.__struct_fields__}


def test_a_robot_is_placed_where_it_stood_itself():
    sim = scene()
    sim.apply(PlaceRobot("a", 0.1, 0.0, 1.0))
    assert sim.robots["a"].state == Place(0.1, 0.0, 1.0)
    assert [event.code for event in sim.events] == ["placed"]


def test_placed_things_are_in_a_recording_and_a_replay_has_the_same_bytes():
    def run(schedule):
        sim, stream = scene(), io.BytesIO()
        recorder = Recorder(sim, stream)
        for time_ns, given in schedule:
            sim.schedule(time_ns, given)
        sim.run(2.0)
        recorder.close()
        return stream.getvalue()

    inputs = [
        (S // 2, PlaceObstacle("crate", 3.0, 3.0, size_m=(0.4, 0.6), world_of="alone")),
        (S, PlaceRobot("a", 0.0, 2.0, 0.5)),
        (S, PlaceObstacle("crate", 0.1, 0.1, radius_m=0.1, world_of="alone")),  # onto a robot
        (3 * S // 2, RemoveObstacle("crate", world_of="alone")),
    ]
    assert run(inputs) == run(inputs) != run(inputs[:3])
