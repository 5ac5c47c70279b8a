"""The planner against the firmware's figures, closed forms and a reference for whole programs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.motion import planner as p

from .joints import ACCELERATIONS, RATES, Joints, total_time

ANGLE = st.floats(-170, 170).map(lambda x: round(x, 3))
TARGETS = st.lists(st.tuples(*[ANGLE | st.just(0.0)] * 6), min_size=1, max_size=12)
SPEEDS = st.lists(st.floats(0.1, 400) | st.just(math.inf), min_size=12, max_size=12)
BUDGET = settings(max_examples=15, derandomize=True)


@pytest.mark.parametrize(
    ("target", "rate", "seconds"),
    [
        ((90,), math.inf, 0.990),
        ((90, 45, 0, 0, 0, 180), 60.0, 3.489),
        ((0.001,), math.inf, 2 * math.sqrt(0.001 / 500)),
    ],
)
def test_moves_take_as_long_as_the_firmware_takes(target, rate, seconds):
    joints = Joints()
    joints.go(target, rate)
    assert joints.finish() == pytest.approx(seconds, rel=0.0005)
    assert joints.look()[p.AT] == pytest.approx([*target, *[0] * (6 - len(target))], abs=1e-12)


def test_the_state_halfway_is_the_closed_form():
    joints = Joints()
    joints.go((90,))
    position, velocity, acceleration = joints.to(0.1)
    assert (position[0], velocity[0], acceleration[0]) == pytest.approx((0.5 * 500 * 0.01, 50, 500))
    position, velocity, acceleration = joints.to(0.495)
    assert (position[0], velocity[0], acceleration[0]) == pytest.approx((45, 120, 0))
    position, velocity, acceleration = joints.to(0.9)
    assert (position[0], velocity[0], acceleration[0]) == pytest.approx(
        (90 - 0.5 * 500 * 0.09**2, 45, -500)
    )


@settings(BUDGET, max_examples=6)
@given(targets=TARGETS, speeds=SPEEDS)
def test_programs_take_as_long_as_the_reference_says(targets, speeds):
    joints = Joints()
    for target, speed in zip(targets, speeds, strict=False):
        joints.go(target, speed)
    assert joints.finish() == pytest.approx(
        total_time([(0.0,) * 6, *targets], speeds), rel=1e-9, abs=1e-9
    )


@BUDGET
@given(targets=TARGETS, speeds=SPEEDS, step_ms=st.sampled_from([1, 7, 100]), late=st.booleans())
def test_no_axis_exceeds_its_limits_and_the_path_is_the_programmed_line(
    targets, speeds, step_ms, late
):
    """It holds also if blocks arrive while others run."""
    joints = Joints()
    waiting = list(zip(targets, speeds, strict=False))
    ends, seen = [np.zeros(6)], []
    for n in range(4000):
        if waiting and (not late or n % 3 == 0):
            target, speed = waiting.pop(0)
            if joints.go(target, speed):
                ends.append(np.array(target))
        position, velocity, acceleration = joints.to(joints.now_s + step_ms / 1000)
        assert (np.abs(velocity) <= RATES * 1.001 + 1e-9).all()
        assert (np.abs(acceleration) <= ACCELERATIONS * 1.001).all()
        seen.append(position)
        if not (waiting or joints.count):
            break
    assert np.allclose(seen[-1], ends[-1]) or joints.count
    lines = list(itertools.pairwise(ends))
    for position in seen[::7]:
        assert min((off_line(position, *line) for line in lines), default=0.0) < 1e-6


def off_line(point, a, b):
    share = min(1.0, max(0.0, np.dot(point - a, b - a) / np.dot(b - a, b - a)))
    return np.linalg.norm(point - a - share * (b - a))


@BUDGET
@given(targets=TARGETS, speeds=SPEEDS, cuts=st.lists(st.floats(0, 5), max_size=20))
def test_the_sampling_rate_changes_nothing(targets, speeds, cuts):
    one, many = Joints(), Joints()
    for joints in (one, many):
        for target, speed in zip(targets, speeds, strict=False):
            joints.go(target, speed)
    for cut in sorted(cuts):
        many.to(cut)
    many.to(5.0)
    assert (one.to(5.0) == many.look()).all()
    assert (one.run == many.run).all()


def test_corners():
    straight, right_angle, reversal = Joints(), Joints(), Joints()
    straight.go((10,), 60)
    straight.go((20,), 60)
    assert straight.blocks[1, p.ENTRY_SQR] == pytest.approx(3600)
    right_angle.go((10,), 60)
    right_angle.go((10, 10), 60)
    sine = math.sin(math.pi / 4)
    along = 500 * math.sqrt(2)  # both axes share the turn
    assert right_angle.blocks[1, p.ENTRY_SQR] == pytest.approx(along * 0.01 * sine / (1 - sine))
    reversal.go((10,), 60)
    reversal.go((0,), 60)
    assert reversal.blocks[1, p.ENTRY_SQR] == 0


@pytest.mark.parametrize(
    ("late_s", "seconds"),
    [
        (0.055, 0.7868),
        (0.105, 0.7913),
        (0.155, 0.8316),
        (0.185, 0.8758),
        (0.205, 0.9068),
        (0.255, 0.9068),
    ],
)
def test_a_later_block_changes_only_what_is_not_prepared(late_s, seconds):
    """The prepared part brakes even if the next block comes in time.

    The durations are the firmware's.
    """
    joints = Joints()
    joints.go((10,), 60)
    before = joints.to(late_s)
    joints.go((40,), 60)
    assert (joints.look() == before).all()
    assert joints.finish() == pytest.approx(seconds, rel=0.0005)
    assert joints.look()[p.AT, 0] == pytest.approx(40)


def test_blocks_that_arrive_one_at_a_time_start_in_hops():
    """Three blocks of 28 ms, from rest to rest, are prepared before the others count.

    The firmware takes 80 ms longer than with all blocks at once.
    """
    at_once, trickle = Joints(), Joints()
    for n in range(90):
        at_once.go((0.1 * (n + 1),), 100)
        trickle.to(0.0015 * n)
        trickle.go((0.1 * (n + 1),), 100)
    hop_s = 2 * math.sqrt(0.1 / 500)
    assert trickle.finish() - at_once.finish() == pytest.approx(0.080, abs=0.005)
    assert trickle.count == 0
    trickle = Joints()
    for n in range(5):
        trickle.to(0.0015 * n)
        trickle.go((0.1 * (n + 1),), 100)
    assert trickle.to(hop_s)[p.VELOCITY, 0] == pytest.approx(0, abs=1e-6)


def test_blocks_leave_the_planner_when_they_are_prepared():
    joints = Joints(capacity=4)
    for n in range(4):
        joints.go((n + 1.0,), 100)
    assert p.free_blocks(joints.blocks, joints.run) == 0
    joints.to(0.001)
    assert (joints.count, p.free_blocks(joints.blocks, joints.run)) == (4, 1)


def test_the_queue_keeps_the_order_of_tags_and_wraps_around():
    joints = Joints(capacity=4)
    for n in range(20):
        while joints.count == 4:
            joints.to(joints.now_s + 0.001)
        joints.go((n + 1.0,), 100, tag=n)
    joints.finish()
    assert joints.tags == list(range(20))


def test_a_line_without_length_is_no_block():
    joints = Joints()
    assert not joints.go((0.0,), 10)
    assert joints.count == 0


def test_a_very_slow_feed_is_one_unit_a_minute():
    joints = Joints()
    joints.go((1,), 0.0001)
    assert joints.finish() == pytest.approx(60, rel=0.001)


# Hold and resume


def test_a_hold_brakes_at_the_limit_and_resume_ends_where_it_should():
    joints = Joints()
    joints.go((90,))
    joints.to(0.4)
    before = joints.look()[p.AT, 0]
    joints.change(hold=True)
    joints.to(0.4 + 0.09 + 0.2399)
    assert not p.at_rest(joints.run, joints.now_s)
    assert joints.look()[p.ACCELERATING, 0] == pytest.approx(-500)
    rest = joints.to(0.4 + 0.09 + 0.24001)
    assert p.at_rest(joints.run, joints.now_s)
    assert rest[p.AT, 0] - before == pytest.approx(
        120 * 0.09 + 120**2 / 1000
    )  # nine segments were prepared
    assert joints.to(50.0)[p.AT, 0] == rest[p.AT, 0]
    joints.change(hold=False)
    assert joints.finish() == pytest.approx(50 + (90 - rest[p.AT, 0]) / 120 + 0.24)
    assert joints.look()[p.AT, 0] == 90


@BUDGET
@given(
    targets=TARGETS,
    speeds=SPEEDS,
    holds=st.lists(st.floats(0, 4), max_size=4),
    feed=st.floats(0.1, 2),
)
def test_holds_and_overrides_at_any_time_keep_limits_and_junctions(targets, speeds, holds, feed):
    joints = Joints()
    for target, speed in zip(targets, speeds, strict=False):
        joints.go(target, speed)
    junctions = {n: joints.blocks[n, p.JUNCTION_SQR] for n in range(joints.count)}
    times = sorted(round(hold, 3) for hold in holds)
    for step in range(1, 3000):
        now_s = step / 100
        first = int(joints.run[p.FIRST])
        _, velocity, acceleration = joints.to(now_s)
        assert (np.abs(velocity) <= RATES * 1.001 + 1e-9).all()
        assert (np.abs(acceleration) <= ACCELERATIONS * 1.001).all()
        if joints.count and int(joints.run[p.FIRST]) != first and joints.run[p.DISTANCE] == 0.0:
            entered_sqr = joints.run[p.SPEED] ** 2
            assert entered_sqr <= junctions[int(joints.run[p.FIRST])] * 1.001 + 1e-6
        while times and times[0] <= now_s:
            times.pop(0)
            joints.change(hold=True, feed=1.0, rapid=1.0)
        if joints.run[p.HOLD] and p.at_rest(joints.run, now_s):
            joints.change(hold=False, feed=feed, rapid=min(feed, 1.0))
        if not joints.count:
            break
    if not joints.count and joints.tags:
        assert np.allclose(joints.look()[p.AT], targets[-1], atol=1e-9) or len(joints.tags) < len(
            targets
        )


# Overrides


def test_a_feed_override_in_flight():
    joints = Joints()
    joints.go((90,), 60)
    joints.to(0.5)
    joints.change(feed=0.5)
    assert joints.to(0.57)[p.ACCELERATING, 0] == 0
    assert joints.to(0.595)[p.ACCELERATING, 0] == -500
    joints.to(0.7)
    assert joints.speed == pytest.approx(30)
    joints.change(feed=2.0)
    joints.to(1.0)
    assert joints.speed == pytest.approx(120)  # never more than the axis can
    joints.finish()
    assert joints.look()[p.AT, 0] == 90


def test_overrides_leave_other_kinds_alone():
    joints = Joints()
    joints.go((90,), 60, kind=p.PLAIN)
    joints.go((180,))
    joints.change(feed=0.1, rapid=0.25)
    joints.to(1.0)
    assert joints.speed == pytest.approx(60)
    joints.to(2.5)
    assert joints.speed == pytest.approx(30)


def test_dropping_the_queue_stops_where_it_is():
    joints = Joints()
    joints.go((90, 45), 60)
    joints.go((0, 0), 60)
    there = joints.to(0.7)[p.AT].copy()
    p.clear(joints.blocks, joints.run, joints.now_s)
    assert joints.count == 0
    assert (joints.look()[p.AT] == there).all()
    joints.go((0, 0), 60)
    joints.finish()
    assert joints.look()[p.AT] == pytest.approx([0] * 6, abs=1e-9)
