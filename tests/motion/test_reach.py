"""Reach: the four results and their reasons, singular poses against numpy, and reach maps."""

import math

import numpy as np
import pytest

from rigless.motion.arm import kinematics
from rigless.motion.arm.reach import Reach
from rigless.motion.arm.reach_map import DIRECTIONS, count_reached, grid, tool_turns
from rigless.motion.arm.singularity import jacobian, smallest_singular_value
from rigless.robots.welder.arm.body import model, reach
from rigless.robots.welder.arm_description import ARM
from rigless.robots.welder.config import WelderConfig
from rigless.worlds.cells.cell import Cell, Thing
from rigless.worlds.cells.solids import Solid
from rigless.worlds.frames import frame, frame_mm_deg

REACH = reach()
BODY = REACH.collider.model
RANDOM = np.random.default_rng(9)
POSES = RANDOM.uniform(REACH.low_rad, REACH.high_rad, (200, 6))
DOWN = frame_mm_deg((800, 0, 500, 180, 0, 0))


def test_a_pose_in_front_is_reached_by_the_tip():
    found = REACH.pose(DOWN)
    assert (found.reachable, found.has_solution, found.within_limits, found.collision_free) == (
        True,
    ) * 4
    assert BODY.tool(np.array(found.joints_rad)) == pytest.approx(DOWN, abs=1e-9)
    assert found.limit_margin_rad > 0
    assert found.failure_reason == ""


def test_a_pose_from_forward_kinematics_is_reachable():
    for joints in POSES:
        free = REACH.collider.free(joints)
        found = REACH.pose(BODY.tool(joints), near_rad=joints)
        assert found.has_solution
        assert found.within_limits
        if free:
            assert found.reachable
            assert BODY.tool(np.array(found.joints_rad)) == pytest.approx(
                BODY.tool(joints), abs=1e-7
            )
        assert found.reachable == (
            found.joints_rad is not None and REACH.collider.free(np.array(found.joints_rad))
        )


def test_too_far_is_no_solution():
    found = REACH.pose(frame((2.0, 0, 0.5)))
    assert (found.reachable, found.has_solution, found.within_limits, found.collision_free) == (
        False,
    ) * 4
    assert found.failure_reason == "out of reach: no joint angles bring the tool there"
    assert found.joints_rad is None
    with pytest.raises(ValueError, match="4×4"):
        REACH.pose(np.eye(3))


def test_a_joint_beyond_its_limit_is_named():
    """Joint 2 is at 75° and the elbow almost straight: the other branches are no better."""
    found = REACH.pose(BODY.tool(np.radians([0, 75, -80, 0, 30, 0])))
    assert (found.has_solution, found.within_limits, found.reachable) == (True, False, False)
    assert found.failure_reason.startswith("beyond limits: joint ")
    assert found.limit_margin_rad < 0


def test_a_collision_names_both_bodies():
    block = Thing(Solid("block", "box", (0.3, 3.0, 0.3), frame((0.8, 0, 0.65))))
    found = reach(cell=Cell("", (block,))).pose(DOWN)
    assert (found.reachable, found.has_solution, found.within_limits, found.collision_free) == (
        False,
        True,
        True,
        False,
    )
    assert found.failure_reason.endswith("collides with block")
    assert found.contact.other == "block"
    assert found.contact.depth_m > 0


def test_poses_in_a_work_frame():
    found = reach()
    found.work = frame((0.8, 0, 0.4), (0, 0, 1.0))
    answer = found.pose(frame_mm_deg((0, 0, 100, 180, 0, 0)))
    assert BODY.tool(np.array(answer.joints_rad))[:3, 3] == pytest.approx([0.8, 0, 0.5])


def test_a_program_stays_on_its_branch():
    line = [frame((0.8, y, 0.5), (math.pi, 0, 0)) for y in np.linspace(-0.2, 0.2, 21)]
    found = REACH.program([*line, frame((3, 0, 0))])
    assert [one.reachable for one in found] == [True] * 21 + [False]
    joints = np.array([one.joints_rad for one in found[:-1]])
    assert np.abs(np.diff(joints, axis=0)).max() < 0.1


def test_a_whole_turn_is_used_where_limits_ask_for_it():
    """A joint 6 with limits of 180° to 540° reaches −10° at 350°."""
    low, high = REACH.low_rad.copy(), REACH.high_rad.copy()
    low[5], high[5] = math.pi, 3 * math.pi
    arm = Reach(REACH.arm, low, high, tool=REACH.tool)
    joints = np.radians([0, 0, 0, 0, 60, 350])
    found = arm.pose(BODY.tool(joints), near_rad=joints)
    assert found.reachable
    assert found.joints_rad == pytest.approx(joints)
    assert found.limit_margin_rad == pytest.approx(np.minimum(joints - low, high - joints).min())


def test_the_smallest_singular_value_is_numpys():
    tool = REACH.tool[:3, 3].copy()
    for joints in POSES:
        matrix = jacobian(REACH.arm.links, joints, tool)
        assert matrix == pytest.approx(BODY.jacobian(joints), abs=1e-12)
        assert smallest_singular_value(matrix) == pytest.approx(
            np.linalg.svd(matrix, compute_uv=False)[-1], abs=1e-12
        )
    assert REACH.singular([0.3, 0.2, 0.1, 0, 0, 0]) < 1e-12  # a straight wrist
    assert smallest_singular_value(np.diag([3.0, 1e-9, 2, 5, 4, 1])) == pytest.approx(1e-9)


# Arms of others


def redrawn(flips=(), base=(0, 0, 0, 0, 0, 0), longer=1.0):
    """The arm's URDF with reversed joints, another base and another upper arm."""
    text = ARM.read_text()
    for joint in flips:
        head, tail = text.split(f'name="joint_{joint}"')
        text = (
            head
            + f'name="joint_{joint}"'
            + tail.replace('<axis xyz="0 0 1" />', '<axis xyz="0 0 -1" />', 1)
        )
    x, y, z, *angles = base
    root = (
        '<link name="world"/><joint name="stand" type="fixed">'
        '<parent link="world"/><child link="base"/>'
        f'<origin xyz="{x} {y} {z}" rpy="{" ".join(map(str, angles))}"/></joint>'
    )
    return text.replace("</robot>", root + "</robot>").replace(
        'xyz="0.56 0.0 0.0"', f'xyz="{0.56 * longer} 0.0 0.0"'
    )


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"flips": (2, 3, 4, 5, 6)},
        {"flips": (1, 3), "base": (0.3, -0.2, 0.5, 0.1, 0.2, 0.7), "longer": 1.2},
    ],
)
def test_the_closed_form_of_an_arm_follows_from_its_urdf(given, tmp_path):
    (tmp_path / "arm.urdf").write_text(redrawn(**given))
    config = WelderConfig.model_validate({"urdf": str(tmp_path / "arm.urdf")})
    other = model(config)
    arm = reach(config)
    for joints in POSES[:30]:
        forward = kinematics.flange(arm.arm.links, joints)
        assert forward == pytest.approx(other.forward(joints), abs=1e-9)
        found = arm.pose(other.tool(joints), near_rad=joints)
        assert found.within_limits
        assert other.tool(np.array(found.joints_rad)) == pytest.approx(other.tool(joints), abs=1e-7)
        assert found.singular == pytest.approx(
            np.linalg.svd(other.jacobian(np.array(found.joints_rad)), compute_uv=False)[-1],
            abs=1e-9,
        )
    places = grid(arm, 0.5)
    there = np.array([other.tool(joints)[:3, 3] for joints in POSES])
    assert (np.abs(there[:, None] - places).max(axis=2).min(axis=1) < 0.51).all()
    assert count_reached(arm, places, tool_turns()).max() > 2


def test_a_reach_map_agrees_with_single_poses():
    places = grid(REACH, 0.4)
    turns = tool_turns()
    assert turns.shape == (6, 4, 3, 3)
    assert np.linalg.det(turns) == pytest.approx(np.ones((6, 4)))
    assert turns[:, :, :, 2] == pytest.approx(np.repeat(DIRECTIONS[:, None], 4, axis=1))
    counts = count_reached(REACH, places, turns)
    assert counts.max() > 3
    assert (counts == 0).any()
    for place, count in list(zip(places, counts, strict=True))[::9]:
        goals = [[frame(place) for _ in rolls] for rolls in turns]
        for group, rolls in zip(goals, turns, strict=True):
            for goal, turn in zip(group, rolls, strict=True):
                goal[:3, :3] = turn
        assert count == sum(any(REACH.pose(goal).reachable for goal in group) for group in goals)


def test_points_outside_the_grid_are_not_tried():
    edge = np.linalg.norm(grid(REACH, 0.2) - (0, 0, 0.4), axis=1).max()
    furthest = max(np.linalg.norm(BODY.tool(joints)[:3, 3] - (0, 0, 0.4)) for joints in POSES)
    assert furthest <= 1.36136 + 1e-3
    assert edge <= 1.36136 + 1e-3
