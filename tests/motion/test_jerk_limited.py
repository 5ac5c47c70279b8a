"""Jerk-limited blocks: limits hold under changes, the end is exact, closed forms agree."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.motion import planner as p
from rigless.motion.planner import jerk_limited

from .joints import ACCELERATIONS, RATES, Joints

JERKS = 10 * ACCELERATIONS
ANGLE = st.floats(-170, 170).map(lambda x: round(x, 3)) | st.sampled_from([0.0, 0.001, 1e-6])
TARGETS = st.lists(st.tuples(*[ANGLE] * 6), min_size=1, max_size=4)
HAPPENINGS = st.lists(
    st.tuples(
        st.floats(0, 3),
        st.sampled_from(["hold", "resume", "rapid"]),
        st.sampled_from([0.25, 0.5, 1.0]),
    ),
    max_size=8,
)
BUDGET = settings(max_examples=20, derandomize=True)
STEP_S = 0.005


class Smooth(Joints):
    def glide(self, target, rate=np.inf, kind=p.RAPID):
        end = np.array([*target, *[0.0] * (6 - len(target))])
        line = self.blocks, self.run, self.now_s, end, float(rate), kind, 0.0, RATES, ACCELERATIONS
        return jerk_limited.append(*line, JERKS)

    def change(self, hold=False, feed=1.0, rapid=1.0):
        jerk_limited.set_overrides(self.blocks, self.run, self.now_s, hold, feed, rapid)


def test_a_long_move_takes_as_long_as_its_phases():
    """Full jerk, full acceleration, full speed and back: 90/120 + 120/500 + 500/5000 s."""
    joints = Smooth()
    joints.glide((90,))
    assert joints.finish() == pytest.approx(90 / 120 + 120 / 500 + 500 / 5000)
    assert joints.look()[p.AT, 0] == 90


def test_a_short_move_is_all_jerk():
    joints = Smooth()
    joints.glide((1,))
    assert joints.finish() == pytest.approx(4 * (1 / (2 * 5000)) ** (1 / 3))


def test_the_state_on_the_way_is_the_closed_form():
    joints = Smooth()
    joints.glide((90,))
    position, velocity, acceleration = joints.to(0.06)
    assert (position[0], velocity[0], acceleration[0]) == pytest.approx(
        (5000 * 0.06**3 / 6, 5000 * 0.06**2 / 2, 300)
    )


def test_joints_stay_on_their_line():
    joints, end = Smooth(), np.array([30, -20, 50, 5, -60, 100.0])
    joints.glide(end)
    seen = [joints.to(n / 100)[p.AT].copy() for n in range(1, 60)]
    for at in seen:
        assert at == pytest.approx(end * (at @ end) / (end @ end), abs=1e-9)


def test_a_hold_comes_to_rest_as_soon_as_jerk_allows_and_goes_on():
    joints = Smooth()
    joints.glide((90,))
    before = joints.to(0.4)[p.AT, 0]  # at full speed
    begun_s = joints.run[p.TIME]  # the prepared part runs first
    joints.change(hold=True)
    stop_s = 120 / 500 + 500 / 5000
    joints.to(begun_s + stop_s - 0.001)
    assert not p.at_rest(joints.run, joints.now_s)
    rest = joints.to(begun_s + stop_s + 1e-6)
    assert p.at_rest(joints.run, joints.now_s)
    assert rest[p.AT, 0] - before == pytest.approx(120 * (stop_s / 2 + begun_s - 0.4))
    assert rest[p.VELOCITY, 0] == rest[p.ACCELERATING, 0] == 0
    assert joints.to(9.0)[p.AT, 0] == rest[p.AT, 0]
    joints.change(hold=False)
    joints.finish()
    assert joints.look()[p.AT, 0] == 90


def test_an_override_in_flight_slows_down_smoothly():
    joints = Smooth()
    joints.glide((170,))
    joints.to(0.5)
    joints.change(rapid=0.25)
    assert joints.look()[p.ACCELERATING, 0] == pytest.approx(0, abs=1e-6)
    seen = []
    while joints.count:
        joints.to(joints.now_s + 0.01)
        seen.append(joints.speed)
    assert seen[45:100] == pytest.approx([30] * 55)
    assert min(seen[:100]) > 29.99  # it does not go below
    assert joints.look()[p.AT, 0] == 170


def test_an_override_holds_for_what_is_queued_too():
    joints = Smooth()
    joints.glide((20,))
    joints.glide((80,))
    joints.to(0.05)
    joints.change(rapid=0.25)
    seen = []
    while joints.count:
        joints.to(joints.now_s + 0.01)
        seen.append(joints.speed)
    assert max(seen[80:]) == pytest.approx(30)
    assert joints.look()[p.AT, 0] == 80


def test_jerk_limited_and_other_blocks_alternate_at_rest():
    joints = Smooth()
    joints.go((20,), 60)
    joints.glide((50,))
    joints.go((80,), 60)
    alone = 20 / 60 + 60 / 500 + 30 / 60 + 60 / 500
    smooth_s = Smooth()
    smooth_s.glide((30,))
    assert joints.finish() == pytest.approx(alone + smooth_s.finish())
    assert joints.look()[p.AT, 0] == 80


@BUDGET
@given(
    targets=TARGETS, happenings=HAPPENINGS, feeds=st.lists(st.booleans(), min_size=4, max_size=4)
)
def test_limits_hold_whatever_happens_and_the_end_is_exact(targets, happenings, feeds):
    """Holds, resumes and overrides come at random times, in queues with and without jerk limits."""
    joints, waiting = Smooth(), sorted(happenings)
    line = [np.zeros(6)]
    for target, feed in zip(targets, feeds, strict=False):
        if joints.go(target, 60) if feed else joints.glide(target):
            line.append(np.array(target))
    before, rapid = None, 1.0
    for n in range(20000):
        now_s = n * STEP_S
        while waiting and waiting[0][0] <= now_s:
            _, what, share = waiting.pop(0)
            rapid = share if what == "rapid" else rapid
            joints.change(
                hold=what == "hold" or (what == "rapid" and bool(joints.run[p.HOLD])), rapid=rapid
            )
        if not waiting and joints.run[p.HOLD] and p.at_rest(joints.run, now_s):
            joints.change(hold=False, rapid=rapid)
        first = int(joints.run[p.FIRST])
        _, velocity, acceleration = joints.to(now_s)
        assert (np.abs(velocity) <= RATES * 1.001).all()
        assert (np.abs(acceleration) <= ACCELERATIONS * 1.001).all()
        row = int(joints.run[p.FIRST])
        smooth_now = joints.count > 0 and row == first and joints.blocks[row, p.JERK] > 0
        if smooth_now and before is not None:
            assert (np.abs(acceleration - before) / STEP_S <= JERKS * 1.001 + 1e-6).all()
        before = acceleration.copy() if smooth_now else None
        if not joints.count:
            break
    assert joints.count == 0
    assert (joints.look()[p.AT] == line[-1]).all()


@BUDGET
@given(length=st.floats(1e-9, 400), at=st.floats(0, 1), again=st.floats(0, 1))
def test_a_hold_at_any_time_of_a_move(length, at, again):
    """Hold too late to stop before the end, and hold again during the stop."""
    joints = Smooth()
    if not joints.glide((length / 2,)):
        return
    end_s = p.first_block_end_s(joints.blocks, joints.run)
    for share in (at, again):
        joints.to(joints.now_s + share * (end_s - joints.now_s) * 0.999999)
        if joints.count:
            joints.change(hold=True)
            end_s = joints.run[p.TIME] + joints.run[p.RAMP_S]
    joints.to(joints.now_s + 2.0)
    assert p.at_rest(joints.run, joints.now_s)
    assert -1e-6 <= joints.look()[p.AT, 0] <= length / 2 + 1e-6
    joints.change(hold=False)
    joints.finish()
    assert joints.look()[p.AT, 0] == length / 2
    assert math.isfinite(joints.now_s)
