"""Values that ticks keep or compute without arrays: exactly those computed from scratch."""

import math

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.agv import messages as m
from rigless.robots.agv.motion.footprint import placed
from rigless.robots.agv.motion.obstacles import Walls, wall_gap
from rigless.worlds.grid import Grid

from .bench import bench

SIM, ROBOT = bench()
COORDINATE = st.sampled_from([0.0, -0.0, 1.0, 1.00004]) | st.floats(-1e3, 1e3)
POSE = st.tuples(COORDINATE, COORDINATE, COORDINATE)
LOAD = st.sampled_from([None, (0.4, 0.3), (2.0, 1.2)])


def published():
    machine = ROBOT.machine
    return msgspec.json.encode(
        (machine.drive.pose_message(), machine.protection.footprint_message())
    )


def from_scratch():
    machine = ROBOT.machine
    x, y, theta = pose = machine.drive.pose
    corners = placed(machine.protection.corners, pose)
    message = m.Pose(round(x, 4), round(y, 4), round(theta, 5), machine.drive.map_id)
    return msgspec.json.encode((message, [(round(x, 4), round(y, 4)) for x, y in corners]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(POSE, st.sampled_from(["one", "two"]), LOAD), min_size=2, max_size=6))
def test_pose_and_footprint_are_published_as_from_scratch(steps):
    for pose, map_id, load in steps:
        ROBOT.machine.drive.place(*pose, map_id)
        assert published() == from_scratch() == published()
        ROBOT.machine.state.load_size_m = load
        ROBOT.machine.protection.reshape()
        assert published() == from_scratch() == published()


def test_pose_and_footprint_are_made_once_at_rest():
    machine = ROBOT.machine
    machine.drive.place(1.0, 2.0, 0.5)
    pose, footprint = machine.drive.pose_message(), machine.protection.footprint_message()
    SIM.run(0.1)
    assert machine.drive.pose_message() is pose
    assert machine.protection.footprint_message() is footprint
    machine.drive.place(1.0, 2.5, 0.5)
    assert machine.drive.pose_message().y == 2.5


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.tuples(st.floats(-2, 1), st.floats(-2, 1), st.floats(-4, 4)),
    st.floats(-1, 3),
    st.floats(-1, 3),
    st.floats(-4, 4),
)
def test_the_gap_to_walls_is_that_of_the_grid_frame(seed, origin, x_m, y_m, heading):
    occupied = np.random.default_rng(seed).random((20, 30)) < 0.05
    grid = Grid(occupied, 0.1, origin)
    x, y = (float(value) for value in grid.to_cells(x_m, y_m))
    given_cells = 0.4 / 0.1, 0.3 / 0.1, 3.0 / 0.1
    exact = wall_gap(grid.squares, x, y, heading - grid.origin[2], *given_cells) * 0.1
    found = Walls(grid).gap(x_m, y_m, heading, 0.4, 0.3, 3.0)
    assert found == exact
    assert math.isinf(found) or found >= 0.0
