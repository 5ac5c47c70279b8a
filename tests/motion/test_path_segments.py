"""Rotations against scipy's, and tool paths cut into chords that follow the programmed path."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from rigless.motion.arm import path_segments, rotation
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.config import Limits

ARM, LIMITS = Arm(), Limits()
TOOL, UNTOOL = ARM.flange_T_torch, np.linalg.inv(ARM.flange_T_torch)
BOUNDS = np.array([LIMITS.low_deg, LIMITS.high_deg, LIMITS.max_degps])
TOLERANCE_MM = 0.05
ANGLE = st.floats(-400, 400) | st.sampled_from([-180.0, -90.0, 0.0, 90.0, 180.0])
TRIPLE = st.tuples(ANGLE, ANGLE, ANGLE)
JOINTS = st.tuples(
    *[st.floats(low, high) for low, high in zip(LIMITS.low_deg, LIMITS.high_deg, strict=True)]
)
BUDGET = settings(max_examples=50, derandomize=True)
PATHS = settings(max_examples=15, derandomize=True)


def scipys(angles):
    return Rotation.from_euler("xyz", angles, degrees=True)


@BUDGET
@given(angles=TRIPLE)
def test_roll_pitch_yaw_are_rotations_about_fixed_axes(angles):
    assert rotation.from_rpy(*angles) == pytest.approx(scipys(angles).as_matrix(), abs=1e-12)


@BUDGET
@given(angles=TRIPLE, known=TRIPLE, off=st.floats(-1e-3, 1e-3))
def test_angles_of_a_rotation_are_of_it_and_near_the_known_ones(angles, known, off):
    turn = rotation.from_rpy(*angles)
    assert rotation.from_rpy(*rotation.to_rpy(turn, np.array(known))) == pytest.approx(
        turn, abs=1e-8
    )
    close = np.array(angles) + off
    again = rotation.to_rpy(turn, close)
    if abs(math.cos(math.radians(angles[1]))) > 0.01:
        assert again == pytest.approx(angles, abs=1e-6)
    else:  # the pitch's singularity: still no jump
        assert np.abs(again - close).max() < 5


@BUDGET
@given(begin=TRIPLE, end=TRIPLE, share=st.floats(0, 1))
def test_orientations_turn_by_the_shortest_rotation(begin, end, share):
    a, b = rotation.from_rpy(*begin), rotation.from_rpy(*end)
    vector = rotation.vector_between(a, b)
    assert np.linalg.norm(vector) <= math.pi + 1e-9
    assert rotation.turned(a, vector, 1.0) == pytest.approx(b, abs=1e-9)
    if np.linalg.norm(vector) < math.pi - 1e-3:  # else there are two shortest ones
        reference = Slerp([0, 1], Rotation.from_matrix([a, b]))(share).as_matrix()
        assert rotation.turned(a, vector, share) == pytest.approx(reference, abs=1e-8)


def pose(joints):
    frame = path_segments.tool_frame(ARM.links, TOOL, np.array(joints, float))
    return np.array([*frame[:3, 3], *rotation.to_rpy(frame[:3, :3].copy(), np.zeros(3))])


def cut(path, joints, limits=BOUNDS):
    rows = np.empty((4000, 7))
    count, _, status, joint, _ = path_segments.cut_path(
        path,
        0.0,
        0.0,
        np.array(joints, float),
        ARM.geometry,
        TOOL,
        UNTOOL,
        limits,
        TOLERANCE_MM,
        rows,
    )
    return rows[:count], status, joint


def tips(joints, rows, between=4):
    """Return frames of the tool along the chords, and their approximate share of the path."""
    before, share = np.array(joints, float), 0.0
    for row in rows:
        for level in np.linspace(0, 1, between):
            frame = path_segments.tool_frame(ARM.links, TOOL, before + level * (row[:6] - before))
            yield share + level * (row[6] - share), frame
        before, share = row[:6], row[6]


@PATHS
@given(joints=JOINTS, by=st.tuples(*[st.floats(-40, 40)] * 6))
def test_the_tool_follows_the_line_or_the_reason_is_true(joints, by):
    """Return lines between random reachable poses, the torch's turn, and the joint limits."""
    begin, end = pose(joints), pose(np.clip(np.add(joints, by), BOUNDS[0], BOUNDS[1]))
    path = path_segments.line(begin, end)
    rows, status, joint = cut(path, joints)
    course = (end - begin)[:3]
    length = np.linalg.norm(course)
    if len(rows):
        seen = list(tips(joints, rows))
        frames, wanted = (
            np.array([frame for _, frame in seen]),
            np.array([path_segments.frame_at(path, at) for at, _ in seen]),
        )
        gaps = frames[:, :3, 3] - begin[:3]
        along = np.clip(gaps @ course / max(length, 1e-9) ** 2, 0.0, 1.0)
        assert np.linalg.norm(gaps - along[:, None] * course, axis=1).max() < TOLERANCE_MM * 1.02
        sines = np.linalg.norm(frames[:, :3, :3] - wanted[:, :3, :3], axis=(1, 2)) / math.sqrt(
            8
        )  # of half the angle
        assert np.degrees(2 * np.arcsin(sines)).max() < 1.1 * path_segments.TURN_TOLERANCE_DEG
    assert (rows[:, :6] >= BOUNDS[0] - 1e-5).all()
    assert (rows[:, :6] <= BOUNDS[1] + 1e-5).all()
    if status == path_segments.OK:
        reached = (
            path_segments.tool_frame(ARM.links, TOOL, rows[-1, :6])
            if len(rows)
            else path_segments.frame_at(path, 0.0)
        )
        assert reached == pytest.approx(path_segments.frame_at(path, 1.0), abs=1e-5)
    elif status == path_segments.BEYOND_LIMIT:
        last = rows[-1, joint] if len(rows) else joints[joint]
        assert min(last - BOUNDS[0, joint], BOUNDS[1, joint] - last) < 1.0
    elif status == path_segments.OUT_OF_REACH:
        beyond = path_segments.frame_at(path, min(1.0, (rows[-1, 6] if len(rows) else 0.0) + 1e-6))
        beyond[:3, 3] /= 1000
        assert len(ARM.inverse(beyond @ UNTOOL)) == 0


HOME = (10.0, -20.0, 60.0, 15.0, 45.0, -30.0)


@pytest.mark.parametrize(("first", "second"), [(0, 1), (2, 0), (1, 2)])
@pytest.mark.parametrize(
    ("angle", "rise"), [(2 * math.pi, 0.0), (-math.pi / 2, 0.0), (5 * math.pi, 30.0)]
)
def test_arcs_and_helices_in_all_planes(first, second, angle, rise):
    begin, radius = pose(HOME), 40.0
    third = 3 - first - second
    end = begin.copy()
    end[first] += radius - radius * math.cos(angle)
    end[second] -= radius * math.sin(angle)
    end[third] += rise
    path = path_segments.arc(begin, end, first, second, radius, 0.0, angle)
    assert path[path_segments.LENGTH_MM] == pytest.approx(math.hypot(abs(angle) * radius, rise))
    rows, status, _ = cut(path, HOME)
    assert status == path_segments.OK
    for share, frame in tips(HOME, rows, 4):
        around = frame[first, 3] - begin[first] - radius, frame[second, 3] - begin[second]
        assert math.hypot(*around) == pytest.approx(radius, abs=TOLERANCE_MM * 1.02)
        assert frame[third, 3] == pytest.approx(begin[third] + share * rise, abs=0.1)
    assert rows[-1, 6] == 1.0
    assert path_segments.tool_frame(ARM.links, TOOL, rows[-1, :6])[:3, 3] == pytest.approx(
        end[:3], abs=1e-6
    )


def test_an_arc_whose_radii_differ_a_little_closes_the_gap_on_the_way():
    begin = pose(HOME)
    end = np.add(begin, (80.3, 0, 0, 0, 0, 0))
    path = path_segments.arc(begin, end, 0, 1, 40.0, 0.0, math.pi)
    steps = [
        np.linalg.norm(
            path_segments.position_at(path, n / 100)
            - path_segments.position_at(path, (n + 1) / 100)
        )
        for n in range(100)
    ]
    assert max(steps) < 1.01 * min(steps)
    assert path_segments.position_at(path, 1.0) == pytest.approx(end[:3])


def test_from_a_straight_wrist_joint_4_turns_before_the_tool_moves_sideways():
    """At the zero position joints 4 and 6 share an axis.

    Only a turn of joint 4 lets the tool move sideways.
    """
    rows, status, _ = cut(
        path_segments.line(pose([0] * 6), np.add(pose([0] * 6), (0, 60, 0, 0, 0, 0))), [0] * 6
    )
    assert status == path_segments.OK
    assert abs(rows[0, 3]) == pytest.approx(90, abs=0.1)
    assert rows[0, 6] * 60 < 0.5  # mm


def test_through_a_straight_wrist_the_joints_go_on_without_a_flip():
    """The line crosses the singularity itself, where joint 5 changes its sign."""
    before, after = [0, -10, 30, 0, 8, 0], [0, 5, 20, 0, -8, 0]
    rows, status, _ = cut(path_segments.line(pose(before), pose(after)), before)
    assert status == path_segments.OK
    assert rows[-1, :6] == pytest.approx(after, abs=1e-6)
    assert np.abs(np.diff(rows[:, :6], axis=0)).max() < 5


def test_wraps_of_the_last_joint_are_followed_up_to_its_limit():
    """The torch turns about its flange: joint 6 goes beyond a turn, and stops at 360°."""
    joints, turned = np.array([0, -20, 60, 0, 45, 300.0]), np.array([0, -20, 60, 0, 45, 355.0])
    rows, status, _ = cut(path_segments.line(pose(joints), pose(turned)), joints)
    assert status == path_segments.OK
    assert rows[-1, 5] == pytest.approx(355, abs=1e-6)
    rows, status, joint = cut(
        path_segments.line(pose(turned), pose(np.add(turned, (0, 0, 0, 0, 0, 30)))), turned
    )
    assert (status, joint) == (path_segments.BEYOND_LIMIT, 5)
    assert rows[-1, 5] == pytest.approx(360, abs=1e-3)


@PATHS
@given(joints=JOINTS, before=JOINTS)
def test_point_to_point_finds_joints_within_limits_if_there_are_any(joints, before):
    goal, found = path_segments.tool_frame(ARM.links, TOOL, np.array(joints)), np.empty(6)
    status, _, _ = path_segments.joints_near(
        ARM.geometry, UNTOOL, goal, np.array(before), BOUNDS, True, found
    )
    assert status == path_segments.OK
    assert path_segments.tool_frame(ARM.links, TOOL, found) == pytest.approx(goal, abs=1e-4)
    assert (found >= BOUNDS[0] - 1e-5).all()
    assert (found <= BOUNDS[1] + 1e-5).all()
    assert (np.abs(found - before) / BOUNDS[2]).max() <= (
        np.abs(np.subtract(joints, before)) / BOUNDS[2]
    ).max() + 1e-4
