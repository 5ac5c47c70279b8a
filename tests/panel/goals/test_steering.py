"""The speeds along a route lead to its end, for both kinds of drive and at any speed of time."""

import math

import pytest

from rigless.panel.goals.steering import Follower, Vehicle

ROUTE = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.5), (0.5, 1.5)]
ROUND = Vehicle(0.17, 0.27, 0.9)
OMNI = Vehicle(0.08, 0.2, 3.0, sideways=True, near_m=0.01, heading_rad=math.pi / 2)


def drive(vehicle, theta, step_s, start=(0.0, 0.0, 2.0)):
    """Return the poses of a robot that does exactly as it is commanded."""
    follower, (x, y, heading), poses = Follower(ROUTE, theta, vehicle), start, [start]
    for _ in range(round(200.0 / step_s)):
        command = follower.command((x, y, heading), step_s)
        if command is None:
            return poses
        assert math.hypot(command.forward_mps, command.left_mps) <= vehicle.speed_mps + 1e-9
        assert abs(command.turn_radps) <= vehicle.turn_radps
        for _ in range(20):
            ahead = heading + vehicle.heading_rad
            cos, sin, dt = math.cos(ahead), math.sin(ahead), step_s / 20
            x += dt * (cos * command.forward_mps - sin * command.left_mps)
            y += dt * (sin * command.forward_mps + cos * command.left_mps)
            heading += dt * command.turn_radps
        poses.append((x, y, heading))
    raise AssertionError("it does not arrive")


@pytest.mark.parametrize("step_s", [0.05, 0.5])
@pytest.mark.parametrize("theta", [None, -1.0])
@pytest.mark.parametrize("vehicle", [ROUND, OMNI], ids=["round", "omni"])
def test_it_arrives(vehicle, theta, step_s):
    poses = drive(vehicle, theta, step_s)
    x, y, heading = poses[-1]
    assert math.dist((x, y), ROUTE[-1]) <= 2 * vehicle.near_m
    if theta is not None:
        assert abs(math.remainder(heading - theta, math.tau)) < 0.03


def test_it_keeps_close_to_the_route():
    for x, y, _ in drive(ROUND, None, 0.05):
        near = min(abs(y) if x <= 2 else 9, abs(x - 2.0) if y <= 1.5 else 9, abs(y - 1.5))
        assert near < 0.06


def test_a_robot_that_drives_sideways_does_not_turn_on_its_way():
    assert {heading for _, _, heading in drive(OMNI, None, 0.05)} == {2.0}
