"""Sensors: their readings, noise and rates, with any subscribers."""

import math

import numpy as np
import pytest

from rigless.robots.pacbot.body import BIAS
from rigless.robots.pacbot.wire import Encoders, Imu, Tof
from rigless.scenario.load import open_target

from .scene import CLOCKWISE, FORWARD, RIGHT, WHEELS, ask, drive, pacbot, times, truth

TICKS_PER_M = 1000 / (2 * math.pi * 0.025)


def said(sim, kind):
    return [message for message in sim.take("pacbot", "sensors") if isinstance(message, kind)]


def noisy(*settings, seed=1):
    return open_target("pacbot", settings, seed).simulation


def test_sixty_of_each_a_second_in_order():
    sim = pacbot()
    sim.run(1)
    assert [type(message) for message in sim.take("pacbot", "sensors")] == [Tof, Encoders, Imu] * 60


@pytest.mark.parametrize(
    ("command", "ticks"),
    [
        (FORWARD, (0, 0, -1, 1)),
        (RIGHT, (1, -1, 0, 0)),
        (times(CLOCKWISE, -1), (-1, -1, -1, -1)),
    ],
)
def test_encoders_add_up(command, ticks):
    sim = pacbot("body.damping_per_s=0", "motors.tau_s=0")
    drive(sim, command)
    sim.run(2.0)
    counted = ask(sim, command="sensors")["encoders"]
    assert [counted[wheel] for wheel in WHEELS] == pytest.approx(
        [0.6 * TICKS_PER_M * tick for tick in ticks], abs=0.51
    )
    assert all(value == int(value) for value in counted.values())


def test_encoder_noise_is_half_a_percent_of_each_step():
    sim = noisy(
        "maze=full", "start_x_m=4.35", "start_y_m=0.45", "body.damping_per_s=0", "motors.tau_s=0"
    )
    drive(sim, times(CLOCKWISE, 1))
    before, steps = truth(sim).ticks, []
    for _ in range(1500):
        sim.run(0.01)
        now = truth(sim).ticks
        steps += [now[wheel] - before[wheel] for wheel in WHEELS]
        before = now
    relative = np.array(steps) / (0.3 * 0.01 * TICKS_PER_M) - 1
    assert relative.mean() == pytest.approx(0, abs=3 * 0.005 / math.sqrt(len(steps)))
    assert relative.std() == pytest.approx(0.005, rel=0.05)


def test_standing_encoders_stand():
    sim = noisy()
    sim.run(5)
    assert {value for message in said(sim, Encoders) for value in message.ticks.values()} == {0.0}


def test_ranges_are_from_the_rim_to_the_wall():
    sim = pacbot()
    drive(sim, {**times(FORWARD, 0.5), **times(RIGHT, 0.25)})
    sim.run(1.0)
    x, y, _ = truth(sim).pose
    wanted = {"north": 1.725 - y, "south": y - 0.375, "east": 1.725 - x, "west": x - 0.375}
    assert said(sim, Tof)[-1].ranges == pytest.approx(wanted, abs=1e-4)
    for ray in truth(sim).tof:
        assert math.hypot(ray.to_x - ray.x, ray.to_y - ray.y) == pytest.approx(ray.range_m)
        assert math.hypot(ray.x - x, ray.y - y) == pytest.approx(0.075)


def test_ranges_turn_with_the_body():
    sim = pacbot("start_x_m=1.05", "start_y_m=1.35", f"start_theta_rad={math.pi / 2}")
    sim.run(0.1)
    wanted = {"north": 0.675, "south": 0.675, "east": 0.375, "west": 0.975}  # forward is now −x
    assert said(sim, Tof)[-1].ranges == pytest.approx(wanted, abs=1e-4)


def test_eight_sensors_look_between_the_wheels_too():
    sim = pacbot("tof.count=8", "tof.max_range_m=2")
    sim.run(0.1)
    ranges = said(sim, Tof)[-1].ranges
    assert list(ranges) == [*WHEELS, "northeast", "southeast", "southwest", "northwest"]
    assert [ranges[name] for name in list(ranges)[4:]] == pytest.approx(
        [0.75 * math.sqrt(2) - 0.075] * 4, abs=1e-4
    )


def test_ranges_stay_within_what_the_sensor_can():
    sim = pacbot("start_x_m=0.4", "start_y_m=1.05", "maze=empty")
    sim.run(0.1)
    ranges = said(sim, Tof)[-1].ranges
    assert (ranges["west"], ranges["east"]) == (0.05, 1.0)
    upstream = pacbot("profile=upstream", "start_x_m=0.4", "start_y_m=1.05")
    upstream.run(0.1)
    ranges = said(upstream, Tof)[-1].ranges
    assert (ranges["west"], ranges["east"]) == pytest.approx((0.025, 1.325), abs=1e-4)


def test_range_noise_is_within_a_centimetre():
    sim = noisy()
    sim.run(60)
    errors = np.array([list(message.ranges.values()) for message in said(sim, Tof)]) - 0.675
    assert abs(errors).max() <= 0.0101
    assert (abs(errors) > 0.0099).mean() == pytest.approx(
        0.0455, abs=0.01
    )  # beyond two deviations, cut
    assert errors.mean() == pytest.approx(0, abs=2e-4)
    assert abs(np.corrcoef(errors.T) - np.eye(4)).max() < 0.06


def test_upstream_range_noise_has_no_limit():
    sim = noisy("profile=upstream")
    sim.run(60)
    errors = np.array([list(message.ranges.values()) for message in said(sim, Tof)]) - 0.675
    assert errors.std() == pytest.approx(0.005, rel=0.05)
    assert abs(errors).max() > 0.012


def test_a_slow_sensor_repeats_its_last_reading():
    sim = noisy("tof.rate_hz=5")
    sim.run(4)
    seen = [message.ranges["north"] for message in said(sim, Tof)]
    assert len(set(seen)) == pytest.approx(5 * 4, abs=2)
    assert len(seen) == 240


def test_a_lost_echo_reads_as_the_largest_range():
    sim = noisy("tof.dropout=0.25")
    sim.run(20)
    lost = [value == 1.0 for message in said(sim, Tof) for value in message.ranges.values()]
    assert np.mean(lost) == pytest.approx(0.25, abs=0.02)


def test_a_cone_sees_what_a_ray_passes():
    """A wall's corner at the side of the path: straight ahead is free."""
    place = ("maze=mini", "start_x_m=0.45", "start_y_m=0.45", "tof.max_range_m=2")
    straight, wide = pacbot(*place), pacbot(*place, "tof.cone_rad=0.8")
    for sim in (straight, wide):
        sim.run(0.1)
    assert said(straight, Tof)[-1].ranges["north"] == pytest.approx(0.675, abs=1e-4)
    ranges = said(wide, Tof)[-1].ranges
    assert ranges["north"] == pytest.approx(
        0.15 / math.sin(0.4), abs=1e-4
    )  # the side wall, at the edge of the cone
    assert ranges["north"] < 0.675


def test_the_gyro_measures_the_turn():
    sim = noisy("imu.gyro_bias_radps=0.5", "imu.gyro_drift_radps=0")
    drive(sim, times(CLOCKWISE, 0.5))
    sim.run(20)
    error = np.array([message.omega for message in said(sim, Imu)])[120:] + 2.0 / 1.005
    assert error.mean() == pytest.approx(0.5, abs=3e-4)
    assert error.std() == pytest.approx(0.002, rel=0.1)


def test_the_bias_of_the_gyro_wanders_as_far_as_it_should():
    sim = noisy("imu.gyro_bias_radps=0.1", "imu.gyro_drift_radps=0.01")
    body, biases = sim.robots["pacbot"].state.body, [0.1]
    for _ in range(2000):
        sim.run(0.01)
        biases.append(body[BIAS])
    assert np.diff(biases).std() == pytest.approx(0.01 * math.sqrt(0.01), rel=0.06)
    assert np.diff(biases).mean() == pytest.approx(0, abs=3 * 0.001 / math.sqrt(2000))


def test_the_drift_does_not_depend_on_subscribers_or_rate():
    def bias(*settings, collect=True):
        sim = open_target("pacbot", settings, 1, collect).simulation
        sim.run(3)
        return sim.robots["pacbot"].state.body.tolist()

    assert bias() == bias(collect=False) == bias("sensors_hz=7") == bias("tof.rate_hz=3")


def test_readings_are_the_same_at_any_publishing_rate():
    def at_two_seconds(hz):
        sim = noisy(f"sensors_hz={hz}")
        drive(sim, times(CLOCKWISE, 0.3))
        sim.run(2.0)
        return ask(sim, command="sensors")

    assert at_two_seconds(60) == at_two_seconds(20) == at_two_seconds(10)


def test_the_accelerometer_feels_the_start_and_the_turn():
    sim = pacbot("imu.accel_filter_s=0")
    drive(sim, FORWARD)
    sim.run(0.01)
    assert truth(sim).acceleration[1] == pytest.approx(
        0.3 / 1.005 * -math.expm1(-0.01 * 20.1) / 0.01, rel=1e-9
    )
    steady = pacbot("imu.accel_filter_s=0", "motors.tau_s=0", "body.damping_per_s=0")
    drive(
        steady, {"west": 0.1, "east": -0.3, "north": -0.1, "south": -0.1}
    )  # 0.06 m/s forward, 0.4 rad/s left
    steady.run(1.0)
    assert truth(steady).acceleration == pytest.approx(
        (-0.06 * 0.4, 0), abs=1e-5
    )  # to the left: to the centre


def test_away_from_the_centre_a_turn_is_felt():
    sim = pacbot("imu.mount_x_m=0.05", "imu.mount_y_m=0.02", "imu.accel_filter_s=0")
    drive(sim, CLOCKWISE)
    sim.run(2.0)
    omega = 4.0 / 1.005
    assert truth(sim).acceleration == pytest.approx((-0.05 * omega**2, -0.02 * omega**2), rel=1e-3)


def test_imu_noise():
    sim = noisy()
    sim.run(60)
    values = np.array([(message.ax, message.ay, message.omega) for message in said(sim, Imu)])
    assert values.std(axis=0) == pytest.approx([0.03, 0.03, 0.002], rel=0.1)


def test_another_seed_changes_the_noise_and_another_sensor_does_not():
    def first(*settings, seed=1):
        sim = noisy(*settings, seed=seed)
        sim.run(0.5)
        return ask(sim, command="sensors")

    four, eight = first(), first("tof.count=8")
    assert four != first(seed=2)
    assert {name: eight["tof"][name] for name in WHEELS} == four["tof"]
    assert eight["imu"] == four["imu"]
