"""Gyro, accelerometer and tilt: scales, signs, frames, contact, and noise."""

import math

import numpy as np
import pytest

from .scene import (
    INSTANT,
    NOISELESS,
    TICK_S,
    box,
    column,
    drive,
    status,
    statuses,
    vacuum,
    write_map,
)

G = 9.80665
AXES = [f"{sensor}_{axis}" for sensor in ("gyro", "accel", "tilt") for axis in "xyz"]


def imu(one):
    return [getattr(one, name) for name in AXES]


def test_standing_it_feels_gravity_alone():
    assert imu(status(vacuum(*NOISELESS))) == [0, 0, 0, 0, 0, 16384, 0, 0, 16384]


@pytest.mark.parametrize("w", [0.5, -1.0])
def test_the_gyro_reads_1000_per_radps_counter_clockwise(w):
    sim = vacuum(*INSTANT, *NOISELESS)
    drive(sim, 0.0, w)
    assert imu(status(sim)) == [0, 0, round(1000 * w), 0, 0, 16384, 0, 0, 16384]


def test_the_gyro_measures_the_motion_not_the_command():
    sim = vacuum(*NOISELESS, *INSTANT)
    drive(sim, 0.0, 50.0)
    assert status(sim).gyro_z == 1000  # the limit


def test_scales_can_be_set():
    sim = vacuum(*INSTANT, *NOISELESS, "imu.gyro_lsb_per_radps=5590", "imu.accel_lsb_per_g=8192")
    drive(sim, 0.0, 0.5)
    assert (status(sim).gyro_z, status(sim).accel_z, status(sim).tilt_z) == (2795, 8192, 8192)


def test_the_accelerometer_feels_the_turn():
    sim = vacuum(*NOISELESS)
    drive(sim, 0.3, 1.0)
    sim.run(1.0)
    found = status(sim)
    assert (found.accel_x, found.accel_y) == (0, round(16384 * 0.3 / G))
    drive(sim, 0.3, -1.0)
    sim.run(1.0)
    assert status(sim).accel_y == -round(16384 * 0.3 / G)


def test_the_accelerometer_feels_the_ramp():
    sim = vacuum(*NOISELESS)
    drive(sim, 0.3)
    up = column(statuses(sim, 0.5), "accel_x")
    assert up[:33] == pytest.approx(16384 / G, abs=1)  # 1 m/s² for 0.3 s
    assert not up[34:].any()
    drive(sim, 0.0)
    assert column(statuses(sim, 0.2), "accel_x") == pytest.approx(-16384 / G, abs=1)


def test_tilt_is_gravity_through_a_low_pass():
    sim = vacuum(*NOISELESS, "imu.tilt_time_constant_s=0.4")
    drive(sim, 0.3, 1.0)
    sim.run(0.5)  # both ramps are over
    before = sim.robot("vacuum").readings().tilt_y
    found = column(statuses(sim, 2.0), "tilt_y")
    times = np.arange(1, len(found) + 1) * TICK_S
    steady = 16384 * 0.3 / G
    assert found == pytest.approx(steady + (before - steady) * np.exp(-times / 0.4), abs=1.5)
    assert set(column(statuses(sim, 0.5), "tilt_z")) == {16384}


@pytest.mark.parametrize("mode", ["stop", "slide"])
def test_a_wall_stops_it_with_a_jolt_and_then_all_is_still(tmp_path, mode):
    cells, origin = box(1.0, 1.0)
    room = write_map(tmp_path, cells, 0.05, origin)
    sim = vacuum(*NOISELESS, room, f"robot.collision_mode={mode}", "start_x=0.5")
    drive(sim, 0.3)
    found = column(statuses(sim, 3.0), "accel_x")
    assert found.min() == -32768  # 0.3 m/s within a tick is more than 2 g
    assert found[-110:] == pytest.approx(0, abs=1)


def test_a_blocked_robot_still_turns_and_its_gyro_measures_it(tmp_path):
    cells, origin = box(1.0, 1.0)
    sim = vacuum(*NOISELESS, write_map(tmp_path, cells, 0.05, origin), "start_x=0.8", *INSTANT)
    drive(sim, 0.05, 0.2)
    begin = sim.truth("vacuum").pose[2]
    rates = column(statuses(sim, 2.0), "gyro_z") / 1000
    turned = sim.truth("vacuum").pose[2] - begin
    assert rates.sum() * TICK_S == pytest.approx(turned, abs=1e-6)
    assert turned == pytest.approx(0.4)


# Noise


def noisy(*settings, seed=1, seconds=60.0):
    found = statuses(vacuum(*settings, seed=seed), seconds)
    return {name: column(found, name).astype(float) for name in AXES}


def agrees(values, mean, deviation):
    """Mean and deviation are within four standard errors; rounding adds 1/12 to the variance."""
    sigma = math.sqrt(deviation**2 + 1 / 12)
    assert values.mean() == pytest.approx(mean, abs=4 * sigma / math.sqrt(len(values)))
    assert values.std() == pytest.approx(sigma, rel=4 / math.sqrt(2 * len(values)))


def test_noise_has_the_configured_deviations():
    found = noisy()
    deviations = [
        10,
        5,
        5,
        10,
        10,
        20,
        5,
        5,
        5,
    ]  # x, y, z are the device's axes: roll is z
    for name, deviation in zip(AXES, deviations, strict=True):
        agrees(found[name], 16384 if name in ("accel_z", "tilt_z") else 0, deviation)


def test_noise_is_independent_between_sensors_in_time_and_between_seeds():
    found, other = noisy(), noisy(seed=2)
    limit = 4.5 / math.sqrt(len(found["gyro_x"]))
    matrix = np.corrcoef([found[name] for name in AXES])
    assert np.abs(matrix - np.eye(9)).max() < limit
    for name in AXES:
        assert abs(np.corrcoef(found[name][1:], found[name][:-1])[0, 1]) < limit
        assert abs(np.corrcoef(found[name], other[name])[0, 1]) < limit
    assert all((found[name] == again).all() for name, again in noisy().items())


def test_bias_is_on_the_axes_of_the_device():
    found = noisy("imu.gyro_noise.bias=[30,40,50]", "imu.accel_noise.bias=[-100,200,300]")
    agrees(found["gyro_x"], 50, 10)
    agrees(found["gyro_y"], 40, 5)
    agrees(found["gyro_z"], -30, 5)
    agrees(found["accel_x"], -100, 10)
    agrees(found["accel_y"], 200, 10)
    agrees(found["accel_z"], 16384 + 300, 20)


def test_drift_grows_with_time():
    sim = vacuum(*NOISELESS, "imu.gyro_noise.drift_rate=2.0")
    found = statuses(sim, 100.0)
    assert abs(found[-1].gyro_z) == 200
    assert np.abs(column(found, "gyro_z")) == pytest.approx(
        2.0 * TICK_S * np.arange(1, len(found) + 1), abs=0.51
    )


# Frames: the device's gyro has yaw (clockwise) on x, pitch on y, roll on z; its accelerometer has
# the robot's axes


def test_without_a_remap_the_gyro_speaks_in_the_axes_of_the_device():
    identity = ("x=[0,1]", "y=[1,1]", "z=[2,1]")
    sim = vacuum(*INSTANT, *NOISELESS, *(f"frame_transforms.imu_gyro.{axis}" for axis in identity))
    drive(sim, 0.0, 0.5)
    found = status(sim)
    assert (found.gyro_x, found.gyro_y, found.gyro_z) == (-500, 0, 0)


def test_the_accelerometer_is_remapped_and_tilt_with_it():
    remap = ("x=[2,1]", "y=[0,-1]", "z=[1,1]")
    sim = vacuum(*NOISELESS, *(f"frame_transforms.imu_accel.{axis}" for axis in remap))
    drive(sim, 0.3, 1.0)
    sim.run(8.0)
    side = round(16384 * 0.3 / G)
    found = status(sim)
    assert (found.accel_x, found.accel_y, found.accel_z) == (16384, 0, side)
    assert (found.tilt_x, found.tilt_y, found.tilt_z) == pytest.approx((16384, 0, side), abs=1)
