"""Omniwheels and motors against simple references: matrices, and very small steps."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.motion.motor import follow
from rigless.motion.omni import body_speeds, displacement, wheel_speeds

SPEED = st.floats(-2, 2)
ARM = st.floats(0.01, 1)


def tangents(arm):
    """Each wheel rolls at the body's velocity along its clockwise tangent."""
    rows = []
    for x, y in ((0, arm), (0, -arm), (arm, 0), (-arm, 0)):
        tangent = np.array([y, -x]) / arm
        rows.append([*tangent, tangent @ np.array([-y, x])])
    return np.array(rows)


@settings(deadline=None)
@given(SPEED, SPEED, SPEED, ARM)
def test_wheels_roll_as_the_body_moves_above_them(right, forward, turn, arm):
    assert wheel_speeds(right, forward, turn, arm) == pytest.approx(
        tangents(arm) @ [right, forward, turn], abs=1e-12
    )


@settings(deadline=None)
@given(st.lists(SPEED, min_size=4, max_size=4), ARM)
def test_the_body_does_what_fits_all_four_wheels_best(wheels, arm):
    wanted = np.linalg.lstsq(tangents(arm), np.array(wheels), rcond=None)[0]
    assert body_speeds(*wheels, arm) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(SPEED, SPEED, st.floats(-9, 9), st.floats(-3, 3), st.floats(1e-3, 2))
def test_a_steady_motion_is_an_arc(right, forward, turn, theta, dt):
    steps = 2000
    angles = theta + turn * dt * (np.arange(steps) + 0.5) / steps
    x = (right * np.cos(angles) - forward * np.sin(angles)).mean() * dt
    y = (right * np.sin(angles) + forward * np.cos(angles)).mean() * dt
    assert displacement(theta, right, forward, turn, dt) == pytest.approx((x, y), abs=1e-4)


@settings(deadline=None)
@given(SPEED, SPEED, st.floats(0.01, 1), st.floats(0, 5), st.floats(0.01, 0.5))
def test_a_motor_follows_as_its_equation_says(speed, command, tau, drag, dt):
    u, travel, steps = speed, 0.0, 4000
    for _ in range(steps):  # midpoint rule
        h = dt / steps
        middle = u + h / 2 * ((command - u) / tau - drag * u)
        u += h * ((command - middle) / tau - drag * middle)
        travel += h * middle
    assert follow(speed, command, tau, drag, dt) == pytest.approx((u, travel / dt), abs=1e-5)


def test_without_a_lag_it_is_there_at_once():
    assert follow(0.2, 0.7, 0.0, 3.0, 0.01) == (0.7, 0.7)


def test_after_one_time_constant_63_percent_are_there():
    assert follow(0.0, 1.0, 0.05, 0.0, 0.05)[0] == pytest.approx(1 - 1 / math.e)
