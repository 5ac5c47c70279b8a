"""Bumpers by exact geometry, four cliff sensors, and their events at each log level."""

import math

import numpy as np
import pytest

from .scene import box, drive, events, status, switch, vacuum, write_map

RADIUS, REACH = 0.17, 0.01
EDGE = 0.3  # the inner ends of the zones, either side of forward
NEAR, FAR = 0.0095, 0.0105


def bumpers(sim):
    found = status(sim)
    return found.bumper_left, found.bumper_right


def standing(tmp_path, x, y, theta, *settings):
    cells, origin = box(1.0, 1.0)
    where = (f"start_x={x}", f"start_y={y}", f"start_theta={theta}")
    return vacuum(write_map(tmp_path, cells, 0.05, origin), *where, *settings)


@pytest.mark.parametrize("theta", [0.0, math.pi / 2, math.pi, -math.pi / 2])
def test_a_flat_wall_head_on_trips_both(tmp_path, theta):
    sim = standing(tmp_path, 0, 0, theta)
    drive(sim, 0.3)
    sim.run(5.0)
    assert bumpers(sim) == (True, True)
    assert sim.truth("vacuum").bumpers == (True, True)


@pytest.mark.parametrize(("gap", "near"), [(NEAR, True), (FAR, False)])
def test_the_trigger_distance(tmp_path, gap, near):
    at = 1.0 - RADIUS - gap
    assert bumpers(standing(tmp_path, at, 0, 0.0)) == (near, near)
    assert bumpers(standing(tmp_path, at, 0, -1.0)) == (
        near,
        False,
    )  # the wall is ahead and to the left
    assert bumpers(standing(tmp_path, at, 0, 1.0)) == (False, near)
    assert bumpers(standing(tmp_path, at, 0, math.pi)) == (
        False,
        False,
    )  # there is no bumper at the back


def test_a_longer_reach_feels_farther(tmp_path):
    at = 1.0 - RADIUS - 0.025
    assert bumpers(standing(tmp_path, at, 0, 0.0)) == (False, False)
    assert bumpers(standing(tmp_path, at, 0, 0.0, "bumpers.trigger_distance=0.03")) == (True, True)


@pytest.mark.parametrize(("y", "tripped"), [(1.0, (True, False)), (-1.0, (False, True))])
def test_a_wall_at_the_side_trips_that_side(tmp_path, y, tripped):
    assert bumpers(standing(tmp_path, 0, math.copysign(1.0 - RADIUS - NEAR, y), 0.0)) == tripped
    assert bumpers(standing(tmp_path, 0, math.copysign(1.0 - RADIUS - FAR, y), 0.0)) == (
        False,
        False,
    )


@pytest.mark.parametrize(
    ("angle", "tripped"),
    [
        (EDGE + 0.05, (True, False)),
        (1.5, (True, False)),
        (1.65, (False, False)),
        (-EDGE - 0.05, (False, True)),
        (-1.5, (False, True)),
        (math.pi, (False, False)),
        (0.0, (True, True)),  # between the zones: the shell is one piece
        (0.2, (True, True)),
        (-0.2, (True, True)),
    ],
)
@pytest.mark.parametrize("theta", [0.0, 2.0])
def test_a_thin_post_anywhere_around(tmp_path, angle, tripped, theta):
    cells = np.zeros((400, 400), bool)
    away = RADIUS + 0.007
    x, y = 1.0 + away * math.cos(theta + angle), 1.0 + away * math.sin(theta + angle)
    cells[int(y / 0.005), int(x / 0.005)] = True  # 5 mm thick
    where = ("start_x=1.0", "start_y=1.0", f"start_theta={theta}")
    assert bumpers(vacuum(write_map(tmp_path, cells, 0.005), *where)) == tripped


def test_zones_can_be_set(tmp_path):
    zones = (
        "bumpers.left={start_angle=0.0, end_angle=3.0}",
        "bumpers.right={start_angle=-3.0, end_angle=0.0}",
    )
    assert bumpers(standing(tmp_path, 1.0 - RADIUS - 0.005, 0, math.pi + 0.5, *zones)) == (
        True,
        False,
    )


# Cliffs

PLACES = {
    "left_side": (0.12, 0.10),
    "left_front": (0.15, 0.05),
    "right_front": (0.15, -0.05),
    "right_side": (0.12, -0.10),
}


def cliffs(sim):
    found = status(sim)
    return [name for name in PLACES if getattr(found, f"cliff_{name}")]


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("theta", [0.0, 2.3])
def test_each_sensor_looks_at_its_own_place(tmp_path, name, theta):
    free, hole = np.zeros((200, 200), bool), np.zeros((200, 200), bool)
    ahead, left = PLACES[name]
    x = 1.005 + ahead * math.cos(theta) - left * math.sin(theta)
    y = 1.005 + ahead * math.sin(theta) + left * math.cos(theta)
    hole[int(y / 0.01), int(x / 0.01)] = True
    where = ("start_x=1.005", "start_y=1.005", f"start_theta={theta}")
    setting = write_map(tmp_path, free, 0.01, cliffs=hole)
    assert cliffs(vacuum(setting, *where)) == [name]
    assert cliffs(vacuum(setting, *where, "cliffs.enabled=false")) == []
    hole[:] = False
    assert cliffs(vacuum(write_map(tmp_path, free, 0.01, cliffs=hole), *where)) == []


@pytest.mark.parametrize(
    ("x", "theta", "found"),
    [
        (0.10, math.pi, list(PLACES)),
        (0.13, math.pi, ["left_front", "right_front"]),
        (0.07, math.pi / 2, ["left_side"]),
        (1.0, 0.0, []),
        (1.97, 0.0, list(PLACES)),
    ],
)
def test_beyond_the_map_there_is_no_floor(tmp_path, x, theta, found):
    where = (f"start_x={x}", "start_y=1.0", f"start_theta={theta}")
    passing = "robot.collision_mode=passthrough"
    sim = vacuum(write_map(tmp_path, np.zeros((200, 200), bool), 0.01), *where, passing)
    assert cliffs(sim) == found


def test_the_staircase_of_the_apartment_is_a_cliff():
    sim = vacuum("map_file=apartment")
    grid = sim.world.grid
    row, column = np.argwhere(grid.cliff)[0]
    x, y = grid.to_world(column + 0.5, row + 0.5)
    passing = "robot.collision_mode=passthrough"
    sim = vacuum(
        "map_file=apartment", passing, f"start_x={float(x) - 0.15}", f"start_y={float(y) - 0.05}"
    )
    assert "left_front" in cliffs(sim)


# The log


def bump(tmp_path, level):
    cells, origin = box(1.0, 1.0)
    hole = np.zeros(cells.shape, bool)
    hole[:, -3:] = True
    setting = write_map(tmp_path, cells, 0.05, origin, cliffs=hole)
    sim = vacuum(setting, f"log_level={level}", "log_interval_s=0.5")
    drive(sim, 0.3)
    switch(sim, "vacuum", "configure", speed=60)
    sim.run(5.0)
    switch(sim, "drive", "configure", linear=0.1)
    return sim


def test_standard_logs_commands_collisions_triggers_and_actuators(tmp_path):
    sim = bump(tmp_path, "standard")
    assert [event.data for event in events(sim, "velocity")] == [{"linear": 0.3, "angular": 0.0}]
    (hit,) = events(sim, "collision")
    assert (hit.data["x"], hit.data["y"]) == pytest.approx((1.0, 0.0), abs=1e-3)
    assert [event.data["side"] for event in events(sim, "bumper")] == ["left", "right"]
    assert sorted(event.data["sensor"] for event in events(sim, "cliff")) == sorted(PLACES)
    assert [event.data for event in events(sim, "actuator")] == [{"name": "vacuum", "value": 60.0}]
    assert events(sim, "pose") == []
    assert len(events(sim, "bad-command")) == 1


def test_minimal_logs_warnings_and_what_scenarios_expect_only(tmp_path):
    found = {event.code for event in bump(tmp_path, "minimal").events}
    assert found == {"bad-command", "collision", "bumper", "cliff"}


def test_verbose_adds_the_pose_every_so_often(tmp_path):
    sim = bump(tmp_path, "verbose")
    poses = events(sim, "pose")
    assert [event.time_ns for event in poses] == [n * 500_000_000 for n in range(1, 11)]
    assert poses[-1].data["x"] == pytest.approx(1.0 - RADIUS, abs=1e-6)
    assert len(events(sim, "collision")) == 1


def test_actuator_lines_can_be_switched_off():
    sim = vacuum("actuators.log_state_changes=false")
    switch(sim, "vacuum", "enable")
    assert events(sim, "actuator") == []
