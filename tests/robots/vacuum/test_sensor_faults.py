"""Sensor faults as they appear on the wire."""

import numpy as np
import pytest

from rigless.robots.vacuum.wire import Scan

from .scene import INSTANT, NOISELESS, column, drive, faulty, heard, scan, status, statuses, vacuum


def three(found, name):
    return [getattr(found, f"{name}_{axis}") for axis in "xyz"]


MOVING = {"gyro": [0, 0, 500], "accel": [0, round(16384 * 0.05 / 9.80665), 16384]}


@pytest.mark.parametrize("name", ["gyro", "accel", "tilt"])
def test_inertial_sensors(name):
    sim = vacuum(*INSTANT, *NOISELESS)
    drive(sim, 0.1, 0.5)
    sim.run(10.0)
    true = three(status(sim), name)
    assert true == MOVING.get(name, true)
    for kind, params, expected in (
        ("off", {}, [0, 0, 0]),
        ("bias", {"value": 30}, [value + 30 for value in true]),
        ("wrong", {"value": 7}, [7, 7, 7]),
        ("wrong", {"value": 1e12}, [32767] * 3),
        ("bias", {"value": -1e12}, [-32768] * 3),
        ("stuck", {}, true),
    ):
        sim.inject("vacuum", name, kind, **params)
        assert three(status(sim), name) == expected, kind
        sim.clear("vacuum", name)
        assert three(status(sim), name) == true


def test_a_stuck_gyro_holds_its_reading():
    sim = vacuum(*INSTANT, *NOISELESS)
    drive(sim, 0.0, 0.5)
    status(sim)
    sim.inject("vacuum", "gyro", "stuck")
    assert status(sim).gyro_z == 500
    drive(sim, 0.0, -1.0)
    assert status(sim).gyro_z == 500
    sim.clear("vacuum")
    assert status(sim).gyro_z == -1000


def test_a_noisy_gyro():
    found = column(statuses(faulty("gyro", "noise", stddev=100.0), 30.0), "gyro_z")
    assert found.std() == pytest.approx(100, rel=4 / np.sqrt(2 * len(found)))


def test_a_gyro_that_drops_out_reads_zero_some_of_the_time():
    sim = faulty("gyro", "dropout", probability=0.3)
    drive(sim, 0.0, 0.5)
    found = column(statuses(sim, 30.0), "gyro_z")
    assert set(found) == {0, 500}
    assert (found == 0).mean() == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / len(found)))


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_silent_or_stuck_encoder_stands_still_and_the_other_counts(side):
    other = {"left": "right", "right": "left"}[side]
    for kind in ("off", "stuck"):
        sim = vacuum(*INSTANT, *NOISELESS)
        drive(sim, 0.2)
        sim.run(1.0)
        before = status(sim)
        sim.inject("vacuum", f"encoder_{side}", kind)
        found = statuses(sim, 1.0)
        held = column(found, f"wheel_{side}")
        assert held == pytest.approx(getattr(before, f"wheel_{side}"), abs=10)
        assert len(set(held)) == 1
        assert found[-1].wheel_left + found[-1].wheel_right > 3 * held[0] - 30
        sim.clear("vacuum")
        again = status(sim)
        assert getattr(again, f"wheel_{side}") == getattr(again, f"wheel_{other}")


def test_an_encoder_that_drops_out_holds_its_last_count():
    sim = faulty("encoder_left", "dropout", probability=0.5)
    drive(sim, 0.2)
    found = statuses(sim, 3.0)
    left, right = column(found, "wheel_left"), column(found, "wheel_right")
    assert (np.diff(left) >= 0).all()
    assert (right - left).max() < 0.2 * 4464 / 110 * 20
    assert (left == right).mean() == pytest.approx(0.5, abs=0.15)


def test_encoder_bias_and_a_wild_value_stay_on_the_wire():
    assert status(faulty("encoder_left", "bias", value=1000)).wheel_left == 1000
    assert status(faulty("encoder_left", "bias", value=-1)).wheel_left == 65535
    assert status(faulty("encoder_left", "wrong", value=1e12)).wheel_left < 65536


@pytest.mark.parametrize(
    "name", ["bumper_left", "bumper_right", "cliff_left_side", "cliff_right_front"]
)
def test_a_switch_that_is_wrong(name):
    sim = faulty(name, "wrong", value=1)
    found = status(sim)
    pressed = [
        key
        for key in found.__struct_fields__
        if key.startswith(("bumper", "cliff")) and getattr(found, key)
    ]
    assert pressed == [name]
    sim.clear("vacuum")
    assert getattr(status(sim), name) is False


def test_a_bumper_that_is_off_or_stuck_does_not_feel_the_wall():
    sim = vacuum("start_x=2.0")
    for side, kind in (("left", "off"), ("right", "stuck")):
        sim.inject("vacuum", f"bumper_{side}", kind)
    drive(sim, 0.3)
    sim.run(5.0)
    assert sim.truth("vacuum").bumpers == (True, True)
    found = status(sim)
    assert (found.bumper_left, found.bumper_right) == (False, False)


@pytest.mark.parametrize(
    ("kind", "value", "volts"), [("off", None, 0.0), ("bias", -2.0, 12.8), ("wrong", 9.0, 9.0)]
)
def test_the_battery(kind, value, volts):
    params = {} if value is None else {"value": value}
    assert status(faulty("battery", kind, **params)).battery_voltage == pytest.approx(volts)


# Lidar


def test_the_lidar_off_and_back():
    sim = faulty("lidar", "off", "lidar.enabled=true")
    assert heard(sim, 2.0, Scan) == []
    sim.clear("vacuum", "lidar")
    assert len(heard(sim, 2.0, Scan)) == 10


def test_a_stuck_lidar_sends_the_same_scan():
    sim = faulty("lidar", "stuck", "lidar.enabled=true")
    drive(sim, 0.2, 0.7)
    found = heard(sim, 2.0, Scan)
    assert len({one.distances.tobytes() + one.angles.tobytes() for one in found}) == 1
    assert len({one.timestamp_us for one in found}) == 10
    sim.clear("vacuum")
    assert scan(sim).distances.tobytes() != found[0].distances.tobytes()


def test_lidar_bias_noise_and_dropout():
    true = scan(vacuum(*NOISELESS, "lidar.enabled=true")).distances
    assert scan(
        faulty("lidar", "bias", "lidar.enabled=true", value=0.5)
    ).distances == pytest.approx(true + 0.5)
    noise = scan(faulty("lidar", "noise", "lidar.enabled=true", stddev=0.1)).distances - true
    assert noise.std() == pytest.approx(0.1, rel=4 / np.sqrt(2 * len(noise)))
    found = heard(faulty("lidar", "dropout", "lidar.enabled=true", probability=0.5), 40.0, Scan)
    assert len(found) == pytest.approx(100, abs=4 * np.sqrt(200 / 4))


def test_a_point_is_never_sent_as_zero_whatever_the_fault():
    assert len(scan(faulty("lidar", "bias", "lidar.enabled=true", value=-100.0)).distances) == 0
    assert len(scan(faulty("lidar", "wrong", "lidar.enabled=true", value=0.0)).distances) == 0
    some = scan(faulty("lidar", "bias", "lidar.enabled=true", value=-3.2))
    assert 0 < len(some.distances) < 360
    assert some.distances.min() > 0
    assert len(some.angles) == len(some.qualities) == len(some.distances)
