"""Moving obstacles and a second vacuum: the lidar sees them, and bodies stop at them."""

import numpy as np
import pytest

from rigless.robots.vacuum.wire import Scan

from .scene import drive, heard, scan, scenario, status

QUIET = """
[robots.config.lidar]
enabled = true
mounting_x = 0.0
optical_offset = 0.0
angle_offset = 0.0
rolling = false
noise = { range_stddev = 0, angle_stddev = 0, miss_rate = 0 }
"""
HEAD = """
name = "moving"
duration_s = 60
[world]
map = "empty_room"
"""
BALL = """
[[world.obstacles]]
name = "ball"
x = 1.5
radius_m = 0.2
"""
RADIUS = 0.17


def at(found, angle):
    """Return the range of the beam nearest to an angle."""
    return found.distances[np.argmin(np.abs(found.angles - angle))]


def test_a_disc_is_seen_as_it_comes(tmp_path):
    moves = "[[timeline]]\nat_s = 1.0\nobstacle = 'ball'\nx = 0.5\ny = 0.0\nover_s = 1.0\n"
    sim = scenario(tmp_path, HEAD + BALL + "[[robots]]\nkind = 'vacuum'\n" + QUIET + moves)
    found = heard(sim, 3.0, Scan)
    seen = [at(one, 0.0) for one in found]
    centre = [1.5 - min(max(0.2 * (n + 1) - 1.0, 0.0), 1.0) for n in range(15)]
    assert seen == pytest.approx([x - 0.2 for x in centre], abs=1e-5)
    one = found[0]
    inside = np.abs(one.angles) < np.arcsin(0.2 / 1.5) - 1e-3
    chord = 1.5 * np.cos(one.angles) - np.sqrt(
        0.2**2 - (1.5 * np.sin(one.angles)) ** 2, where=inside, out=np.zeros(360)
    )
    assert one.distances[inside] == pytest.approx(chord[inside], abs=1e-5)
    assert (one.distances[np.abs(one.angles) > np.arcsin(0.2 / 1.5) + 1e-3] > 2.9).all()


def test_a_turned_box_is_seen_and_stops_the_robot(tmp_path):
    boxes = (
        "[[world.obstacles]]\nname = 'crate'\nx = 1.0\n"
        "theta = 0.7853981633974483\nsize_m = [0.4, 0.4]\n"
    )
    sim = scenario(tmp_path, HEAD + boxes + "[[robots]]\nkind = 'vacuum'\n" + QUIET)
    corner = 1.0 - 0.2 * np.sqrt(2)
    assert at(scan(sim), 0.0) == pytest.approx(corner, abs=1e-5)
    drive(sim, 0.3)
    sim.run(5.0)
    assert sim.truth("vacuum").pose[0] == pytest.approx(corner - RADIUS, abs=1e-6)


def test_the_robot_stops_at_a_disc_and_goes_on_when_it_leaves(tmp_path):
    sim = scenario(
        tmp_path,
        HEAD
        + BALL
        + "[[robots]]\nkind = 'vacuum'\n"
        + "[[timeline]]\nat_s = 10.0\nobstacle = 'ball'\nx = -2.0\ny = 2.0\n",
    )
    drive(sim, 0.3)
    sim.run(9.0)
    assert sim.truth("vacuum").pose[0] == pytest.approx(1.5 - 0.2 - RADIUS, abs=1e-6)
    assert sim.truth("vacuum").contacts
    sim.run(3.0)
    assert sim.truth("vacuum").pose[0] > 1.5
    assert not sim.truth("vacuum").contacts


@pytest.mark.parametrize(("y", "bumped"), [(0.4, (True, False)), (-0.4, (False, True))])
def test_something_that_comes_from_the_side_trips_the_bumper_of_that_side(tmp_path, y, bumped):
    move = f"[[timeline]]\nat_s = 1.0\nobstacle = 'ball'\nx = 0.2\ny = {y * 0.8}\nover_s = 1.0\n"
    sim = scenario(tmp_path, HEAD + BALL + "[[robots]]\nkind = 'vacuum'\n" + move)
    found = status(sim)
    assert (found.bumper_left, found.bumper_right) == (False, False)
    sim.run(3.0)
    found = status(sim)
    assert (found.bumper_left, found.bumper_right) == bumped


def two(folder):
    robots = [
        f"[[robots]]\nkind = 'vacuum'\nname = '{name}'\n"
        f"start = {{ x = {x}, y = 0.0, theta = {theta} }}\n"
        + f"ports = {{ commands = {port} }}\n{QUIET}"
        for name, x, theta, port in (
            ("anna", -0.6, 0.0, 5555),
            ("bert", 0.6, 3.141592653589793, 5557),
        )
    ]
    return scenario(folder, HEAD + "".join(robots))


def test_two_vacuums_see_each_other_and_stop_at_each_other(tmp_path):
    sim = two(tmp_path)
    for name in ("anna", "bert"):
        assert at(heard(sim, 0.2, Scan, name)[0], 0.0) == pytest.approx(1.2 - RADIUS, abs=1e-5)
    for name in ("anna", "bert"):
        drive(sim, 0.3, 0.0, name)
    sim.run(5.0)
    anna, bert = sim.truth("anna"), sim.truth("bert")
    assert bert.pose[0] - anna.pose[0] == pytest.approx(2 * RADIUS, abs=1e-6)
    for name in ("anna", "bert"):
        found = status(sim, name)
        assert (found.bumper_left, found.bumper_right) == (True, True)
    assert anna.contacts[0].x == pytest.approx((anna.pose[0] + bert.pose[0]) / 2, abs=1e-5)


def test_their_noise_differs(tmp_path):
    sim = two(tmp_path)
    sim.run(2.0)
    anna, bert = (
        [m.gyro_z for m in sim.take(name, "telemetry") if hasattr(m, "gyro_z")]
        for name in ("anna", "bert")
    )
    assert abs(np.corrcoef(anna, bert)[0, 1]) < 4 / np.sqrt(len(anna))
