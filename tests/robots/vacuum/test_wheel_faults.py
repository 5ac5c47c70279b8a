"""Faults of wheels and wire; no fault produces a value that cannot be sent."""

import numpy as np
import pytest

from rigless.kernel.problems import InputError

from .scene import Datagrams, Peer, drive, faulty, statuses, vacuum

BASE = 0.233


@pytest.mark.parametrize(
    ("kind", "params", "left"),
    [
        ("stall", {}, 0.0),
        ("weak", {}, 0.1),
        ("weak", {"factor": 0.25}, 0.05),
        ("inverted", {}, -0.2),
        ("runaway", {}, 0.3),
        ("runaway", {"level": -0.5}, -0.15),
    ],
)
def test_encoders_and_gyro_measure_a_bad_wheel(kind, params, left):
    sim = faulty("wheel_left", kind, **params)
    drive(sim, 0.2)
    found = statuses(sim, 1.0)
    assert sim.truth("vacuum").velocity == pytest.approx(((left + 0.2) / 2, (0.2 - left) / BASE))
    assert found[-1].gyro_z == pytest.approx(1000 * (0.2 - left) / BASE, abs=1)
    counted = (found[-1].wheel_left + 32768) % 65536 - 32768
    assert (counted, found[-1].wheel_right) == pytest.approx((left * 4464, 0.2 * 4464), abs=1)
    sim.clear("vacuum")
    sim.run(0.1)
    assert sim.truth("vacuum").velocity == pytest.approx((0.2, 0.0))


@pytest.mark.parametrize(
    ("params", "share"), [({}, 0.5), ({"share": 0.2}, 0.2), ({"share": 1}, 1.0)]
)
def test_a_wheel_that_slips_counts_travel_that_the_robot_does_not_make(params, share):
    sim = faulty("wheel_left", "slip", **params)
    drive(sim, 0.2)
    found = statuses(sim, 1.0)[-1]
    left = 0.2 * (1 - share)
    assert sim.truth("vacuum").velocity == pytest.approx(((left + 0.2) / 2, (0.2 - left) / BASE))
    assert found.gyro_z == pytest.approx(1000 * (0.2 - left) / BASE, abs=1)
    assert (found.wheel_left, found.wheel_right) == pytest.approx((0.2 * 4464, 0.2 * 4464), abs=1)
    sim.clear("vacuum", "wheel_left")
    sim.run(0.1)
    assert sim.truth("vacuum").velocity == pytest.approx((0.2, 0.0))


def test_slip_has_limits_and_is_not_the_first_kind_of_a_wheel():
    with pytest.raises(InputError, match=r"1\.5 is out of range"):
        faulty("wheel_left", "slip", share=1.5)
    with pytest.raises(InputError, match="unknown parameter 'factor'"):
        faulty("wheel_left", "slip", factor=0.5)
    assert faulty("wheel_left").robot("vacuum").faults[0].kind == "stall"


def test_a_runaway_wheel_turns_without_a_command():
    sim = faulty("wheel_right", "runaway", level=0.5)
    sim.run(0.1)
    assert sim.truth("vacuum").velocity == pytest.approx((0.075, 0.15 / BASE))


def test_a_lagging_wheel_comes_late():
    sim = faulty("wheel_left", "lag", tau_s=0.5)
    drive(sim, 0.2)
    sim.run(0.5)
    v, w = sim.truth("vacuum").velocity
    assert v - w * BASE / 2 == pytest.approx(0.2 * (1 - np.exp(-1.0)), abs=0.003)
    assert v + w * BASE / 2 == pytest.approx(0.2)


# On the wire


@pytest.mark.parametrize(
    "target", ["gyro", "accel", "tilt", "encoder_left", "lidar", "bumper_left", "battery"]
)
@pytest.mark.parametrize("value", [1e12, -1e12])
def test_no_fault_is_too_wild_for_the_wire(target, value):
    sim = vacuum("lidar.enabled=true")
    datagrams = Datagrams(sim)
    Peer(sim)
    wild = [
        ("bias", {"value": value}),
        ("wrong", {"value": value}),
        ("noise", {"stddev": abs(value)}),
    ]
    for kind, params in wild:
        sim.inject("vacuum", target, kind, **params)
        sim.run(0.3)
        sim.clear("vacuum")
    assert datagrams.groups().count("sensor_status") > 90


def test_wire_faults_take_datagrams_away_and_end_when_they_should():
    sim = vacuum()
    datagrams = Datagrams(sim)
    Peer(sim)
    sim.inject("vacuum", "telemetry", "drop", until_s=1.0)
    sim.run(1.0)
    assert datagrams.groups() in (["device_version"], ["device_version", "sensor_status"])
    sim.run(1.0)
    assert datagrams.groups().count("sensor_status") in (110, 111)
