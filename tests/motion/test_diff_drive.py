"""Differential drive against its closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.motion.diff_drive import approach, arc, body_speeds, clamp, wheel_speeds, wrap

speeds = st.floats(-2, 2)
angles = st.floats(-math.pi, math.pi, exclude_max=True)


@given(speeds, speeds, st.floats(0.05, 1.0))
def test_wheels_and_body_are_each_others_inverse(v, omega, base):
    left, right = wheel_speeds(v, omega, base)
    assert (left, right) == pytest.approx((v - omega * base / 2, v + omega * base / 2))
    assert body_speeds(left, right, base) == pytest.approx((v, omega), abs=1e-12)


def test_turning_left_is_counter_clockwise_and_the_right_wheel_is_faster():
    left, right = wheel_speeds(0.3, 1.0, 0.233)
    assert right - left == pytest.approx(0.233)
    assert arc(0.0, 0.0, 0.0, 0.3, 1.0, 0.1)[1] > 0.0


@given(speeds, st.floats(0.01, 5), st.sampled_from([-1, 1]), angles)
def test_the_path_is_a_circle_of_radius_v_over_omega(v, rate, sign, theta):
    omega, radius = sign * rate, v / (sign * rate)
    centre_x, centre_y = 1.0 - radius * math.sin(theta), 2.0 + radius * math.cos(theta)
    for dt in (0.01, 0.7, 3.0):
        x, y, turned = arc(1.0, 2.0, theta, v, omega, dt)
        assert math.hypot(x - centre_x, y - centre_y) == pytest.approx(
            abs(radius), abs=1e-12 + 1e-14 * abs(radius)
        )
        assert math.remainder(turned - theta - omega * dt, 2 * math.pi) == pytest.approx(
            0.0, abs=1e-12
        )
    x, y, turned = arc(1.0, 2.0, theta, v, omega, 2 * math.pi / rate)
    assert (x, y) == pytest.approx((1.0, 2.0), abs=1e-11)


@given(st.floats(-12, 1), angles, st.floats(0.001, 2))
def test_no_precision_is_lost_near_straight(exponent, theta, dt):
    """Against the same arc in exact series: ∫ v·cos(θ + ωt) dt by Taylor in ω·dt."""
    omega, v = 10.0**exponent, 0.3
    turn, along, across = omega * dt, 0.0, 0.0
    term = v * dt  # v·dt·turnᵏ/(k + 1)!
    for k in range(90):
        along += term * (1, 0, -1, 0)[k % 4]
        across += term * (0, 1, 0, -1)[k % 4]
        term *= turn / (k + 2)
    x, y, _ = arc(0.0, 0.0, theta, v, omega, dt)
    cos, sin = math.cos(theta), math.sin(theta)
    slack = 2e-15 * max(math.exp(turn) * v * dt, 1e-3)  # what summing such a series costs
    assert x == pytest.approx(cos * along - sin * across, abs=slack, rel=0)
    assert y == pytest.approx(sin * along + cos * across, abs=slack, rel=0)


@given(speeds, speeds, angles)
def test_many_small_arcs_are_one_arc(v, omega, theta):
    pose = (0.5, -0.5, theta)
    for _ in range(110):
        pose = arc(*pose, v, omega, 1 / 110)
    once = arc(0.5, -0.5, theta, v, omega, 1.0)
    assert pose[:2] == pytest.approx(once[:2], abs=1e-12)
    assert math.remainder(pose[2] - once[2], 2 * math.pi) == pytest.approx(0.0, abs=1e-12)


@given(st.floats(-1e4, 1e4))
def test_wrapped_angles_are_in_the_half_open_turn(angle):
    wrapped = wrap(angle)
    assert -math.pi <= wrapped < math.pi
    assert math.remainder(wrapped - angle, 2 * math.pi) == pytest.approx(0.0, abs=1e-11)
    assert wrap(wrapped) == wrapped


def test_the_ends_of_the_turn():
    assert wrap(math.pi) == -math.pi
    assert wrap(-math.pi) == -math.pi
    assert wrap(3 * math.pi) == pytest.approx(-math.pi)
    before = np.nextafter(math.pi, 0.0)
    assert wrap(before) == before
    assert -math.pi <= wrap(np.nextafter(-math.pi, -4.0)) < math.pi


def test_full_speed_takes_its_time():
    v, ticks = 0.0, 0
    while v < 0.3:
        v, ticks = approach(v, 0.3, 1.0, 1 / 110), ticks + 1
    assert (v, ticks) == (0.3, 33)
    assert approach(0.3, -0.3, math.inf, 1 / 110) == -0.3


@given(speeds, speeds, st.floats(0, 10), st.floats(1e-4, 1))
def test_a_speed_never_changes_faster_than_its_limit_nor_passes_its_target(
    value, target, limit, dt
):
    new = approach(value, target, limit, dt)
    assert abs(new - value) <= limit * dt + 1e-15
    assert min(value, target) <= new <= max(value, target)


@given(st.floats(-5, 5), st.floats(0, 3))
def test_speeds_are_kept_within_their_limit(value, most):
    assert clamp(value, most) == math.copysign(min(abs(value), most), value)
