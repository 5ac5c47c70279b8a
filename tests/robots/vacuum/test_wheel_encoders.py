"""The wheel encoders: scale, sign, standstill, slip, and contact with a wall."""

import math

import numpy as np
import pytest

from .scene import INSTANT, NOISELESS, box, column, drive, statuses, vacuum, write_map

TICKS_PER_M, BASE, RADIUS = 4464.0, 0.233, 0.17
WRAP = 1 << 16


def wheels(sim, seconds):
    """Return the metres that both encoders counted in the next seconds, over any wraps."""
    before = last = None
    total = np.zeros(2)
    for found in statuses(sim, seconds):
        now = np.array([found.wheel_left, found.wheel_right])
        if before is None:
            before = now
        else:
            total += (now - last + WRAP // 2) % WRAP - WRAP // 2
        last = now
    return total / TICKS_PER_M


def test_forward_is_positive_and_a_metre_is_4464_ticks():
    sim = vacuum(*INSTANT, *NOISELESS)
    drive(sim, 0.25)
    last = statuses(sim, 4.0)[-1]
    assert (last.wheel_left, last.wheel_right) == (4464, 4464)


def test_a_left_turn_is_right_forward_and_left_back():
    sim = vacuum(*INSTANT, *NOISELESS)
    drive(sim, 0.0, 1.0)
    last = statuses(sim, 2.0)[-1]
    ticks = round(TICKS_PER_M * BASE / 2 * 2.0)
    assert (last.wheel_left, last.wheel_right) == (WRAP - ticks, ticks)


def test_they_wrap_at_16_bits_both_ways():
    sim = vacuum(*INSTANT, *NOISELESS, "robot.ticks_per_meter=100000")
    drive(sim, 0.2)
    left = column(statuses(sim, 10.0), "wheel_left")
    assert left[-1] == 200_000 % WRAP
    assert left.min() >= 0
    assert left.max() < WRAP
    assert np.count_nonzero(np.diff(left) < 0) == 200_000 // WRAP
    drive(sim, -0.2)
    assert statuses(sim, 12.0)[-1].wheel_left == WRAP * 5 - 40_000 - 4 * WRAP


def test_without_slip_they_agree_with_the_truth():
    sim = vacuum(*NOISELESS)
    x = y = theta = 0.0
    last = (0, 0)
    for v, w in [(0.3, 0.0), (0.2, 1.0), (-0.1, -0.7), (0.0, 0.5), (0.25, -0.4)]:
        drive(sim, v, w)
        for found in statuses(sim, 2.0):
            now = (found.wheel_left, found.wheel_right)
            left, right = (
                ((b - a + WRAP // 2) % WRAP - WRAP // 2) / TICKS_PER_M
                for a, b in zip(last, now, strict=True)
            )
            middle = theta + (right - left) / BASE / 2
            x, y = (
                x + (left + right) / 2 * math.cos(middle),
                y + (left + right) / 2 * math.sin(middle),
            )
            theta += (right - left) / BASE
            last = now
    true_x, true_y, true_theta = sim.truth("vacuum").pose
    assert (x, y) == pytest.approx((true_x, true_y), abs=2e-3)  # a tick is 0.22 mm
    assert math.cos(theta - true_theta) == pytest.approx(1.0, abs=1e-5)
    assert sim.truth("vacuum").odometry[:2] == pytest.approx((true_x, true_y), abs=1e-4)


def test_a_standing_robot_never_walks():
    sim = vacuum("encoder.noise.slip_stddev=0.1")
    drive(sim, 0.2, 0.3)
    sim.run(3.0)
    drive(sim, 0.0)
    sim.run(1.0)
    found = statuses(sim, 60.0)
    assert len({(one.wheel_left, one.wheel_right) for one in found}) == 1


def test_quantisation_does_not_accumulate():
    for seed in range(5):
        sim = vacuum("encoder.noise.slip_stddev=0", *INSTANT, seed=seed)
        drive(sim, 0.2)
        found = column(statuses(sim, 10.0), "wheel_left")
        true = TICKS_PER_M * 0.2 * np.arange(1, len(found) + 1) / 110
        assert np.abs(found - true).max() <= 1.0


def test_slip_bias_over_counts():
    sim = vacuum(*INSTANT, *NOISELESS, "encoder.noise.slip_bias=0.05")
    drive(sim, 0.2)
    assert statuses(sim, 5.0)[-1].wheel_left == round(TICKS_PER_M * 1.05)


def test_slip_noise_has_its_deviation():
    free = "robot.collision_mode=passthrough"
    sim = vacuum(*INSTANT, *NOISELESS, free, "encoder.noise.slip_stddev=0.2")
    drive(sim, 0.3)
    counts = [(0, 0)]
    counts += [(one.wheel_left, one.wheel_right) for one in statuses(sim, 40.0)[109::110]]
    ratio = np.diff(counts, axis=0) % 65536 / (0.3 * TICKS_PER_M) - 1  # in each second
    sigma = 0.2 / math.sqrt(110)  # of the mean of 110 ticks
    assert np.mean(ratio) == pytest.approx(0.0, abs=4 * sigma / math.sqrt(80))
    assert np.std(ratio) == pytest.approx(sigma, rel=4 / math.sqrt(2 * 80))
    assert abs(np.corrcoef(ratio.T)[0, 1]) < 4 / math.sqrt(40)


@pytest.mark.parametrize("mode", ["stop", "slide"])
@pytest.mark.parametrize("ramp", [(), INSTANT], ids=["ramp", "instant"])
def test_wheels_stall_at_a_wall(tmp_path, mode, ramp):
    cells, origin = box(1.0, 1.0)
    sim = vacuum(
        *NOISELESS,
        *ramp,
        write_map(tmp_path, cells, 0.05, origin),
        f"robot.collision_mode={mode}",
        "start_x=0.5",
    )
    drive(sim, 0.3)
    sim.run(3.0)
    assert sim.truth("vacuum").pose[0] == pytest.approx(1.0 - RADIUS, abs=1e-6)
    assert wheels(sim, 5.0) == pytest.approx((0.0, 0.0), abs=2 / TICKS_PER_M)
    last = statuses(sim, 1.0)[-1]
    assert last.wheel_left == pytest.approx((0.5 - RADIUS) * TICKS_PER_M, abs=2)
    assert sim.truth("vacuum").velocity[0] == pytest.approx(0.0, abs=1e-6)
    (contact,) = sim.truth("vacuum").contacts
    assert (contact.x, contact.normal_x, contact.normal_y) == pytest.approx(
        (1.0, -1.0, 0.0), abs=1e-6
    )


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("ramp", [(), INSTANT], ids=["ramp", "instant"])
def test_sliding_goes_along_the_wall_and_wheels_roll_by_what_is_along_the_heading(
    tmp_path, friction, ramp
):
    cells, origin = box(1.0, 2.0)
    alpha = math.radians(60)  # between heading and the wall's normal: the robot slides along +y
    sim = vacuum(
        *NOISELESS,
        *ramp,
        write_map(tmp_path, cells, 0.05, origin),
        "robot.collision_mode=slide",
        f"robot.slide_friction={friction}",
        "start_x=0.82",
        "start_y=-1.5",
        f"start_theta={alpha}",
    )
    drive(sim, 0.2)
    sim.run(1.0)
    _, before, _ = sim.truth("vacuum").pose
    counted = wheels(sim, 4.0)
    x, y, _ = sim.truth("vacuum").pose
    along = 0.2 * math.sin(alpha) * (1 - friction) * 4.0
    assert x == pytest.approx(1.0 - RADIUS, abs=1e-6)
    assert y - before == pytest.approx(along, rel=0.01)
    assert counted == pytest.approx([along * math.sin(alpha)] * 2, rel=0.02)


def test_passthrough_drives_on_through_the_wall(tmp_path):
    cells, origin = box(1.0, 1.0)
    room = write_map(tmp_path, cells, 0.05, origin)
    sim = vacuum(*INSTANT, *NOISELESS, room, "robot.collision_mode=passthrough")
    drive(sim, 0.3)
    assert statuses(sim, 10.0)[-1].wheel_left == round(3.0 * TICKS_PER_M)
    assert sim.truth("vacuum").pose[0] == pytest.approx(3.0)


@pytest.mark.parametrize("mode", ["stop", "slide"])
def test_a_robot_backs_off_from_a_wall_with_its_ramp_and_no_delay(tmp_path, mode):
    cells, origin = box(1.0, 1.0)
    room = write_map(tmp_path, cells, 0.05, origin)
    sim = vacuum(*NOISELESS, room, f"robot.collision_mode={mode}", "start_x=0.6")
    drive(sim, 0.3)
    sim.run(3.0)
    drive(sim, -0.3)
    sim.run(0.6)
    ramp_m, rest_m = 0.5 * 0.3 * 0.3, 0.3 * 0.3
    assert sim.truth("vacuum").pose[0] == pytest.approx(1.0 - RADIUS - ramp_m - rest_m, abs=0.005)


@pytest.mark.parametrize("mode", ["stop", "slide"])
def test_turned_away_from_a_wall_it_gathers_speed_no_faster_than_its_ramp(tmp_path, mode):
    cells, origin = box(1.0, 2.0)
    room = write_map(tmp_path, cells, 0.05, origin)
    sim = vacuum(*NOISELESS, room, f"robot.collision_mode={mode}", "start_x=0.7")
    drive(sim, 0.3)
    sim.run(1.0)
    drive(sim, 0.3, 1.0)
    found = column(statuses(sim, 4.0), "accel_x")
    assert sim.truth("vacuum").velocity[0] == pytest.approx(0.3)
    assert found.max() <= 16384 / 9.80665 * 1.05
