"""Trajectories: run and dry run agree, limits hold, and what cannot be is said in a sentence."""

import math

import pytest

from rigless.robots.welder.offline.sim_controller import VirtualController
from rigless.robots.welder.offline.trajectory import MotionSimulator, Waypoint

THERE = [math.radians(value) for value in (30, -20, 40, 10, 20, 90)]
BACK = [0.0] * 6


@pytest.fixture
def simulator():
    controller = VirtualController()
    controller.connect()
    controller.enable()
    return MotionSimulator(controller)


def test_a_run_and_its_dry_run_agree(simulator):
    points = [Waypoint(THERE), Waypoint(BACK, 1.0), Waypoint(THERE, 0.5)]
    dry = simulator.dry_run(points)
    assert simulator.controller.joint_state().positions == BACK
    real = simulator.simulate_trajectory(points)
    assert (dry.success, real.success, real.error_message) == (True, True, "")
    assert real.total_time_s == pytest.approx(dry.total_time_s, abs=0.1)
    assert real.max_velocity == pytest.approx(dry.max_velocity, rel=0.02)
    assert real.max_velocity <= math.radians(250) * 1.001
    assert dry.max_acceleration <= math.radians(1000) * 1.001
    assert dry.trajectory_log[-1].positions == pytest.approx(THERE, abs=0.02)


def test_recording(simulator):
    simulator.simulate_trajectory([Waypoint(THERE)])
    assert simulator.recorded_data == []
    simulator.start_recording()
    found = simulator.simulate_trajectory([Waypoint(BACK, 0.5)])
    simulator.stop_recording()
    assert simulator.recorded_data == found.trajectory_log
    simulator.simulate_trajectory([Waypoint(THERE)])
    assert simulator.recorded_data == found.trajectory_log


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        (Waypoint([4.0, 0, 0, 0, 0, 0]), "joint 1 at 229.2° is outside"),
        (Waypoint([0.0] * 5), "has 5 joints"),
        (Waypoint(THERE, 0.0), "above zero"),
    ],
)
def test_what_cannot_be(simulator, point, sentence):
    for found in (simulator.dry_run([point]), simulator.simulate_trajectory([point])):
        assert not found.success
        assert sentence in found.error_message


def test_an_arm_that_is_not_enabled_or_is_stopped(simulator):
    simulator.controller.disable()
    assert "refused" in simulator.simulate_trajectory([Waypoint(THERE)]).error_message
    assert simulator.simulate_trajectory([]).success
