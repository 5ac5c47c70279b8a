"""Motion: the seed's tests, the lag's closed form, and the options of motors and wheels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .scene import CLOCKWISE, DT_S, FORWARD, RIGHT, WHEELS, ask, drive, pacbot, times, truth

SPEED, TAU_S, TURN, DRAG = 0.3, 0.05, 4.0, 0.1
TOP = SPEED / (1 + DRAG * TAU_S)


def way(seconds, top=TOP, tau_s=TAU_S):
    """Return the distance after that time at full command from rest, with a lag."""
    lag = tau_s / (1 + DRAG * tau_s)
    return top * (seconds - lag * (1 - math.exp(-seconds / lag)))


@pytest.mark.parametrize(
    ("command", "direction"),
    [
        (FORWARD, (0, 1, 0)),
        (times(FORWARD, -1), (0, -1, 0)),
        (RIGHT, (1, 0, 0)),
        (times(RIGHT, -1), (-1, 0, 0)),
        (CLOCKWISE, (0, 0, -1)),
        (times(CLOCKWISE, -1), (0, 0, 1)),
        ({**FORWARD, **RIGHT}, (1, 1, 0)),
        ({**times(FORWARD, -1), **RIGHT}, (1, -1, 0)),
    ],
    ids=[
        "forward",
        "backward",
        "right",
        "left",
        "clockwise",
        "counter-clockwise",
        "diagonal",
        "other diagonal",
    ],
)
def test_the_motions_of_the_seed(command, direction):
    sim = pacbot()
    drive(sim, command)
    sim.run(0.7)
    x, y, theta = np.subtract(truth(sim).pose, (1.05, 1.05, 0))
    wanted = [*(np.multiply(direction[:2], way(0.7))), direction[2] * way(0.7, TURN * TOP / SPEED)]
    assert [x, y, theta] == pytest.approx(wanted, abs=1e-12)
    assert truth(sim).contacts == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4), st.floats(-3, 3))
def test_velocity_is_what_the_formulas_say(commands, theta):
    sim = pacbot(
        f"start_theta_rad={theta}",
        "start_x_m=1.05",
        "start_y_m=1.05",
        "motors.tau_s=0",
        "body.damping_per_s=0",
    )
    drive(sim, dict(zip(WHEELS, commands, strict=True)))
    sim.run(DT_S)
    n, s, e, w = (SPEED * command for command in commands)
    right, ahead, turn = (n - s) / 2, (w - e) / 2, -(n + s + e + w) / (4 * 0.075)
    assert truth(sim).body_velocity == pytest.approx((right, ahead, turn), abs=1e-12)
    now = theta + turn * DT_S
    wanted = (
        right * math.cos(now) - ahead * math.sin(now),
        right * math.sin(now) + ahead * math.cos(now),
        turn,
    )
    assert truth(sim).velocity == pytest.approx(wanted, abs=1e-12)


def test_turning_while_driving_is_a_circle():
    sim = pacbot("motors.tau_s=0", "body.damping_per_s=0")
    drive(
        sim, {"west": 0.1, "east": -0.3, "north": -0.1, "south": -0.1}
    )  # 0.06 m/s forward, 0.4 rad/s to the left
    sim.run(2 * math.pi / 0.4 / 2)
    x, y, _ = truth(sim).pose
    assert (x, y) == pytest.approx(
        (1.05 - 2 * 0.06 / 0.4, 1.05), abs=5e-4
    )  # half a circle, left of where it was
    assert truth(sim).distance_m == pytest.approx(math.pi * 0.06 / 0.4, abs=1e-3)


def test_the_lag_is_exact_whatever_the_step():
    for hz in (10, 100, 1000):
        sim = pacbot(f"physics_hz={hz}")
        drive(sim, FORWARD)
        sim.run(0.3)
        assert truth(sim).pose[1] == pytest.approx(1.05 + way(0.3), abs=1e-12)
        assert truth(sim).wheels["west"] == pytest.approx(
            TOP * (1 - math.exp(-0.3 * (1 / TAU_S + DRAG))), abs=1e-12
        )


def test_forward_and_backward_comes_home():
    sim = pacbot()
    for command in (FORWARD, times(FORWARD, -1), {}):
        drive(sim, command)
        sim.run(1.5)
    assert truth(sim).pose == pytest.approx((1.05, 1.05, 0), abs=1e-9)
    ticks = truth(sim).ticks
    assert [ticks[wheel] for wheel in WHEELS] == pytest.approx([0] * 4, abs=1e-6)


def test_forward_and_backward_comes_home_within_the_noise_of_its_encoders():
    sim = pacbot("encoders.noise=0.005")
    for command in (FORWARD, times(FORWARD, -1), {}):
        drive(sim, command)
        sim.run(1.5)
    travelled_ticks = 2 * 0.3 * 1.5 * 1000 / (2 * math.pi * 0.025)
    off = [abs(truth(sim).ticks[wheel]) for wheel in ("east", "west")]
    assert 0 < max(off) < 5 * 0.005 * travelled_ticks / math.sqrt(300)
    assert truth(sim).pose == pytest.approx((1.05, 1.05, 0), abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4), st.integers(1, 120))
def test_any_motion_can_be_taken_back_to_where_it_heads(commands, steps):
    """Without turning, the opposite commands lead back to the start."""
    sim = pacbot("start_x_m=1.05", "start_y_m=1.05")
    straight = dict(zip(WHEELS, commands, strict=True))
    straight["south"], straight["west"] = -straight["north"], -straight["east"]
    for command in (straight, times(straight, -1), {}):
        drive(sim, command)
        sim.run(steps * DT_S)
    sim.run(2)
    if "collision" not in [event.code for event in sim.events]:
        assert truth(sim).pose == pytest.approx((1.05, 1.05, 0), abs=1e-9)


def test_the_upstream_profile():
    sim = pacbot("profile=upstream", "maze=full", "start_x_m=1.0", "start_y_m=7.65")
    drive(sim, RIGHT)
    sim.run(1.0)
    assert truth(sim).pose[0] == pytest.approx(1.0 + way(1.0, 0.5 / (1 + DRAG * TAU_S)), abs=1e-12)
    ticks = truth(sim).distance_m * 512 / (2 * math.pi * 0.025)
    assert truth(sim).ticks["north"] == pytest.approx(ticks, abs=1e-6)
    drive(sim, CLOCKWISE)
    sim.run(1.0)
    assert truth(sim).velocity[2] == pytest.approx(-4.0 / (1 + DRAG * TAU_S), abs=1e-6)


def test_a_key_that_is_given_wins_over_the_profile():
    config = pacbot("profile=upstream", "body.wheel_speed_mps=0.4").robots["pacbot"].config
    assert (config.body.wheel_speed_mps, config.encoders.ticks_per_rev, config.tof.max_range_m) == (
        0.4,
        512,
        2.0,
    )


def test_a_dead_band_swallows_small_commands():
    sim = pacbot("motors.dead_band=0.1")
    drive(sim, times(FORWARD, 0.09))
    sim.run(0.5)
    assert truth(sim).pose[1] == 1.05
    drive(sim, times(FORWARD, 0.11))
    sim.run(0.5)
    assert truth(sim).pose[1] == pytest.approx(1.05 + 0.11 * way(0.5), abs=1e-12)


def test_a_weak_wheel_bends_the_path():
    sim = pacbot("motors.gain.east=0.8")
    drive(sim, FORWARD)
    sim.run(0.5)
    assert truth(sim).velocity[2] == pytest.approx(
        -0.2 * TOP / (4 * 0.075), rel=1e-3
    )  # to the stronger west wheel's right
    assert truth(sim).body_velocity[1] == pytest.approx(0.9 * TOP, rel=1e-3)


def test_slipping_wheels_turn_more_than_they_drive():
    sim = pacbot("motors.slip=0.25")
    drive(sim, FORWARD)
    sim.run(1.0)
    assert truth(sim).pose[1] == pytest.approx(1.05 + 0.75 * way(1.0), abs=1e-12)
    assert truth(sim).ticks["west"] == pytest.approx(
        way(1.0) * 1000 / (2 * math.pi * 0.025), abs=1e-6
    )


def test_on_a_slippery_floor_it_speeds_up_no_faster_than_the_grip_allows():
    sim = pacbot("motors.grip=0.05")
    drive(sim, FORWARD)
    most, before = 0.05 * 9.80665 * DT_S, 0.0
    for _ in range(40):
        sim.run(DT_S)
        speed = truth(sim).velocity[1]
        assert speed - before <= most + 1e-12
        before = speed
    assert speed == pytest.approx(0.05 * 9.80665 * 0.4)
    assert truth(sim).wheels["west"] == pytest.approx(TOP, rel=1e-3)
    sim.run(0.6)
    assert truth(sim).velocity[1] == pytest.approx(TOP, rel=1e-6)


def test_speeds_beyond_full_are_full():
    sim = pacbot()
    reply = ask(sim, command="move", id=3, params={"speed": 7})
    assert reply["message"] == "west forward at 1.0"
    assert truth(sim).commands["west"] == 1.0
