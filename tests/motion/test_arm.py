"""The arm's kinematics: known poses, the data sheet's ortho-parallel formulas, and FK∘IK."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.motion.arm import closed_form
from rigless.robots.welder.arm.mechanism import DH, Arm

TABLE = np.array(DH)
ARM = Arm()
TURN = st.floats(-math.pi, math.pi)
BUDGET = settings(max_examples=80, derandomize=True)
A1, A2, C1, C2, C3, C4 = 0.025, -0.035, 0.4, 0.56, 0.515, 0.08


def reference(joints):
    """Return the flange position by the ortho-parallel formulas.

    Joint 3 counts from straight up; the wrist is Z-Y-Z.
    """
    q1, q2, q3, q4, q5, _ = joints
    q3 += math.pi / 2
    bend, reach = math.atan2(A2, C3), math.hypot(A2, C3)
    x = C2 * math.sin(q2) + reach * math.sin(q2 + q3 + bend) + A1
    z = C2 * math.cos(q2) + reach * math.cos(q2 + q3 + bend) + C1
    s1, c1, s23, c23 = math.sin(q1), math.cos(q1), math.sin(q2 + q3), math.cos(q2 + q3)
    s4, c4, s5, c5 = math.sin(q4), math.cos(q4), math.sin(q5), math.cos(q5)
    ex = c1 * c23 * c4 * s5 - s1 * s4 * s5 + c1 * s23 * c5
    ey = s1 * c23 * c4 * s5 + c1 * s4 * s5 + s1 * s23 * c5
    ez = -s23 * c4 * s5 + c23 * c5
    return np.array([c1 * x + C4 * ex, s1 * x + C4 * ey, z + C4 * ez])


def test_zero_is_the_upper_arm_up_and_the_forearm_forward():
    pose = ARM.forward([0.0] * 6)
    assert pose[:3, 3] == pytest.approx([0.025 + 0.515 + 0.08, 0, 0.4 + 0.56 + 0.035])
    assert pose[:3, 2] == pytest.approx([1, 0, 0], abs=1e-12)


@BUDGET
@given(joints=st.tuples(*[TURN] * 6))
def test_the_flange_is_where_the_formulas_say(joints):
    assert ARM.forward(joints)[:3, 3] == pytest.approx(reference(joints), abs=1e-12)


@BUDGET
@given(joints=st.tuples(*[TURN] * 6))
def test_every_solution_leads_to_the_goal_and_the_joints_are_among_them(joints):
    goal = ARM.forward(joints)
    found = ARM.inverse(goal)
    assert len(found) in (4, 8)
    for solution in found:
        assert ARM.forward(solution) == pytest.approx(goal, abs=1e-7)
    if min(abs(math.sin(joints[4])), abs(goal[0, 3] - 0.08 * goal[0, 2])) > 1e-3:
        apart = np.abs((found - joints + math.pi) % (2 * math.pi) - math.pi).max(axis=1)
        assert apart.min() < 1e-5


def test_eight_different_branches_in_the_middle_of_the_workspace():
    found = ARM.inverse(ARM.forward(np.radians([20, -30, 60, 40, 50, 10])))
    assert len({tuple(np.round(solution, 6)) for solution in found}) == 8


@pytest.mark.parametrize("q5", [0.0, 1e-12, math.pi, -1e-10])
def test_a_straight_wrist_still_has_solutions(q5):
    goal = ARM.forward([0.3, -0.4, 0.8, 0.7, q5, -0.2])
    found = ARM.inverse(goal)
    assert len(found) >= 4
    for solution in found:
        assert ARM.forward(solution) == pytest.approx(goal, abs=1e-7)


def test_out_of_reach_has_no_solution():
    goal = np.eye(4)
    goal[:3, 3] = (2.0, 0, 0.5)
    assert len(ARM.inverse(goal)) == 0
    with pytest.raises(ValueError, match="4×4"):
        ARM.inverse(np.eye(3))


def test_limits_leave_out_what_the_arm_cannot_do():
    joints = np.radians([0, -45, 90, 0, 45, 0])
    found = ARM.inverse(ARM.forward(joints), within_limits=True)
    assert 0 < len(found) < 8
    assert np.abs(found - joints).max(axis=1).min() < 1e-9
    assert (found >= ARM.low_rad).all()
    assert (found <= ARM.high_rad).all()


def test_the_chain_ends_at_the_flange_and_the_torch_is_180_mm_on():
    joints = np.radians([10, -20, 30, 40, 50, 60])
    assert ARM.chain(joints)[5] == pytest.approx(ARM.forward(joints))
    offset = ARM.torch(joints)[:3, 3] - ARM.forward(joints)[:3, 3]
    assert np.linalg.norm(offset) == pytest.approx(0.180)
    assert np.degrees(np.arccos(offset @ ARM.forward(joints)[:3, 2] / 0.180)) == pytest.approx(15)
    with pytest.raises(ValueError, match="six joints"):
        ARM.forward([0.0] * 5)


@BUDGET
@given(joints=st.tuples(*[TURN] * 6))
def test_tool_place_agrees_with_the_chain(joints):
    degrees = np.degrees(joints)
    assert ARM.torch_place(degrees) == pytest.approx(ARM.torch(joints)[:3, 3], abs=1e-12)


def test_a_link_is_a_rigid_motion():
    for row in TABLE:
        found = closed_form.link(row, 0.4)
        assert found[:3, :3] @ found[:3, :3].T == pytest.approx(np.eye(3))
        assert np.linalg.det(found[:3, :3]) == pytest.approx(1)
