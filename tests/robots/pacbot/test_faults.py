"""Faults of motors, sensors and the wire."""

import numpy as np
import pytest

from rigless.kernel import inputs as inp
from rigless.robots.pacbot.wire import Encoders, Imu, Tof

from .scene import FORWARD, RIGHT, WHEELS, ask, drive, pacbot, times, truth

TOP = 0.3 / 1.005


def faulty(target, kind, command, seconds=1.0, **params):
    sim = pacbot()
    sim.inject("pacbot", target, kind, **params)
    drive(sim, command)
    sim.run(seconds)
    return truth(sim)


def test_a_dead_motor_halves_the_speed_and_turns_it():
    found = faulty("wheel_north", "stall", RIGHT)
    assert found.wheels["north"] == 0
    assert found.body_velocity[0] == pytest.approx(0.5 * TOP, rel=1e-6)
    assert found.velocity[2] == pytest.approx(TOP / (4 * 0.075), rel=1e-6)


def test_an_inverted_wheel_turns_it_on_the_spot():
    found = faulty("wheel_east", "inverted", times(FORWARD, 0.5))
    assert found.body_velocity == pytest.approx(
        (0, 0, -0.5 * TOP / (2 * 0.075)), rel=1e-6, abs=1e-9
    )


def test_weak_runaway_and_lag():
    assert faulty("wheel_west", "weak", FORWARD, factor=0.5).wheels["west"] == pytest.approx(
        0.5 * TOP, rel=1e-6
    )
    assert faulty("wheel_south", "runaway", {}, level=-0.4).wheels["south"] == pytest.approx(
        -0.4 * TOP, rel=1e-6
    )
    slow, fast = (
        faulty("wheel_west", "lag", FORWARD, 0.3, tau_s=0.5),
        faulty("gyro", "off", FORWARD, 0.3),
    )
    assert 0.2 * TOP < slow.wheels["west"] < 0.6 * TOP < fast.wheels["west"]


def test_a_cleared_motor_obeys_again():
    sim = pacbot()
    sim.inject("pacbot", "wheel_west", "stall")
    drive(sim, FORWARD)
    sim.run(0.5)
    sim.clear("pacbot", "wheel_west")
    sim.run(1)
    assert truth(sim).wheels["west"] == pytest.approx(TOP, rel=1e-6)


def said(sim, kind):
    return [message for message in sim.take("pacbot", "sensors") if isinstance(message, kind)]


def test_a_range_sensor_stuck_biased_and_off():
    sim = pacbot()
    drive(sim, times(FORWARD, 0.5))
    sim.inject("pacbot", "tof_north", "stuck")
    sim.inject("pacbot", "tof_south", "bias", value=0.2)
    sim.inject("pacbot", "tof_east", "off")
    sim.run(1)
    last = said(sim, Tof)[-1].ranges
    rays = {ray.name: ray.range_m for ray in truth(sim).tof}
    assert last["north"] == pytest.approx(0.675, abs=1e-3)
    assert rays["north"] < 0.6
    assert last["south"] == pytest.approx(rays["south"] + 0.2, abs=1e-4)
    assert (last["east"], last["west"]) == (1.0, 0.675)


def test_an_encoder_that_is_off_holds_its_count():
    sim = pacbot()
    drive(sim, FORWARD)
    sim.run(0.5)
    sim.take("pacbot", "sensors")
    sim.inject("pacbot", "encoder_west", "off", until_s=0.8)
    sim.run(0.3)
    seen = said(sim, Encoders)
    assert len({message.ticks["west"] for message in seen}) <= 2
    assert len({message.ticks["east"] for message in seen}) > 10
    sim.run(0.2)
    assert said(sim, Encoders)[-1].ticks["west"] == pytest.approx(-truth(sim).ticks["east"], abs=30)


def test_a_silent_imu_reads_zero_and_a_wrong_one_anything():
    sim = pacbot()
    drive(sim, times(dict.fromkeys(WHEELS, 1), 0.5))
    sim.inject("pacbot", "gyro", "wrong", value=3.0)
    sim.inject("pacbot", "accel", "off")
    sim.run(0.5)
    last = said(sim, Imu)[-1]
    assert (last.ax, last.ay, last.omega) == (0.0, 0.0, 3.0)


def test_fault_noise_does_not_depend_on_listeners():
    def final(collect):
        sim = pacbot(collect=collect)
        for target in ("gyro", "tof_north", "encoder_west"):
            sim.inject("pacbot", target, "noise", stddev=0.1)
        sim.run(1.003)
        return ask(sim, command="sensors")

    assert final(True) == final(False)


def test_a_lost_reply_blocks_only_its_client():
    sim = pacbot()
    replies = []
    sim.core.listeners.output.append(
        lambda _, output: replies.append(output.link) if output.port == "commands" else 0
    )
    for link in (1, 2):
        sim.apply(inp.Connect("pacbot", "commands", link, "10.0.0.9", "here"))
    sim.inject("pacbot", "commands", "drop", direction="out", until_s=0.5)
    sim.apply(
        inp.Arrive("pacbot", "commands", 1, b'{"command":"move","id":0,"params":{"speed":1}}')
    )
    sim.run(1.0)
    sim.apply(inp.Arrive("pacbot", "commands", 2, b'{"command":"sensors"}'))
    assert replies == [2]
    assert truth(sim).commands["north"] == 1.0  # the command itself was received


def test_replies_that_are_late_find_their_way():
    sim = pacbot()
    replies = []
    sim.core.listeners.output.append(
        lambda time_ns, output: (
            replies.append((round(time_ns / 1e6), output.link)) if output.port == "commands" else 0
        )
    )
    sim.inject("pacbot", "commands", "delay", direction="out", ms=40)
    for link in (1, 2):
        sim.apply(inp.Connect("pacbot", "commands", link, "10.0.0.9", "here"))
        sim.apply(inp.Arrive("pacbot", "commands", link, b'{"command":"sensors"}'))
        sim.run(0.01)
    sim.run(0.1)
    assert replies == [(40, 1), (50, 2)]


def test_the_largest_fault_is_still_json():
    sim = pacbot()
    for target in ("gyro", "accel", "tof_north", "encoder_west"):
        sim.inject("pacbot", target, "bias", value=1e12)
    sim.run(0.1)
    reply = ask(sim, command="sensors")
    assert np.isfinite(
        [*reply["tof"].values(), *reply["encoders"].values(), *reply["imu"].values()]
    ).all()
    assert reply["tof"]["north"] == 1e9
