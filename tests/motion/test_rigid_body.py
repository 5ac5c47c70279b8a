"""The rigid-body model: the URDF against the DH table, pinocchio against closed forms."""

import math
import runpy
import sys
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from py_opw_kinematics import KinematicModel, Robot

from rigless.kernel.problems import InputError
from rigless.motion.arm.urdf import read_urdf
from rigless.robots.welder.arm.body import model
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm_description import ARM, describe
from rigless.robots.welder.config import WelderConfig
from rigless.worlds.frames import frame, inverse, rpy

ROOT = Path(__file__).resolve().parents[2]
BODY, KINEMATICS = model(), Arm()
RANDOM = np.random.default_rng(7)
JOINTS = RANDOM.uniform(KINEMATICS.low_rad, KINEMATICS.high_rad, (200, 6))
GRAVITY = 9.81


def test_the_drawing_script_makes_the_urdf_that_is_here(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["draw-arm", str(tmp_path / "arm.urdf")])
    runpy.run_path(str(ROOT / "scripts" / "draw-arm"))
    assert (tmp_path / "arm.urdf").read_text() == ARM.read_text()


def test_three_ways_to_the_flange_agree():
    """The DH product, our model of the URDF and pinocchio's own reading agree."""
    theirs = pinocchio.buildModelFromUrdf(str(ARM))
    data = theirs.createData()
    assert theirs.nq == 6
    for joints in JOINTS:
        wanted = KINEMATICS.forward(joints)
        assert BODY.forward(joints) == pytest.approx(wanted, abs=1e-12)
        assert BODY.joint_frames(joints) == pytest.approx(KINEMATICS.chain(joints), abs=1e-12)
        assert BODY.tool(joints) == pytest.approx(KINEMATICS.torch(joints), abs=1e-12)
        pinocchio.framesForwardKinematics(theirs, data, joints)
        flange = data.oMf[theirs.getFrameId("link_6")].homogeneous
        assert flange == pytest.approx(wanted, abs=1e-12)


def test_masses_are_read_as_pinocchio_reads_them():
    theirs = pinocchio.buildModelFromUrdf(str(ARM))
    bare = model(WelderConfig.model_validate({"torch": {"mass_kg": 0}}))
    for n in range(1, 7):
        assert bare.model.inertias[n].toDynamicParameters() == pytest.approx(
            theirs.inertias[n].toDynamicParameters()
        )
    assert 120 < sum(mass for link in describe().links for mass, _, _ in link.masses) < 180


def test_an_independent_solver_finds_the_same_eight_branches():
    """Compare with the ortho-parallel parameters of the data sheet.

    Its joint 3 is zero with the forearm up, and its joint 6 is turned by half.
    """
    other = Robot(
        KinematicModel(
            a1=0.025,
            a2=-0.035,
            b=0,
            c1=0.4,
            c2=0.56,
            c3=0.515,
            c4=0.08,
            offsets=(0, 0, -90, 0, 0, 180),
        ),
        degrees=True,
    )
    found = 0
    for joints in JOINTS[:100]:
        goal = KINEMATICS.forward(joints)
        theirs = other.forward(np.degrees(joints))
        assert theirs.as_matrix()[:3, 3] == pytest.approx(goal[:3, 3], abs=1e-9)
        ours = KINEMATICS.inverse(goal)
        if abs(math.sin(joints[4])) < 1e-3:
            continue
        for solution in np.radians(other.inverse(theirs)):
            apart = np.abs((ours - solution + math.pi) % (2 * math.pi) - math.pi).max(axis=1)
            assert apart.min() < 1e-6
            found += 1
        assert {len(ours)} <= {4, 8}
    assert found > 300


def test_the_jacobian_agrees_with_finite_differences():
    step = 1e-6
    for joints in JOINTS[:20]:
        columns = []
        for n in range(6):
            ahead, behind = (BODY.tool(joints + sign * step * np.eye(6)[n]) for sign in (1, -1))
            spin = (ahead[:3, :3] - behind[:3, :3]) / (2 * step) @ BODY.tool(joints)[:3, :3].T
            moved = (ahead[:3, 3] - behind[:3, 3]) / (2 * step)
            columns.append([*moved, spin[2, 1], spin[0, 2], spin[1, 0]])
        BODY.forward(np.zeros(6))
        assert BODY.jacobian(joints) == pytest.approx(np.array(columns).T, abs=1e-6)


@pytest.mark.parametrize(
    "angles",
    [(0.3, -0.4, 2.0), (0, math.pi / 2, 1.0), (0.5, -math.pi / 2, 0), (math.pi, 0.1, -3.0)],
)
def test_angles_and_frames_go_both_ways(angles):
    given = frame((1, 2, 3), angles)
    assert frame((1, 2, 3), rpy(given)) == pytest.approx(given, abs=1e-12)
    assert given @ inverse(given) == pytest.approx(np.eye(4), abs=1e-12)


# Torques


def masses(joints):
    """Return each mass in the base frame: (kg, position, number of its joint)."""
    frames = [np.eye(4), *KINEMATICS.chain(joints), KINEMATICS.forward(joints)]
    for number, link in enumerate(BODY.links):
        for mass, centre, _ in link.masses:
            yield mass, (frames[number] @ [*centre, 1])[:3], min(number, 6)


def test_at_rest_the_torques_hold_the_arm_against_gravity():
    """The closed form is −Σ m·(axis × lever)·g over all masses that the joint carries.

    At the zero pose the forearm is held out.
    """
    for joints in (np.zeros(6), *JOINTS[:20]):
        frames = KINEMATICS.chain(joints)
        wanted = np.zeros(6)
        for mass, place, carrier in masses(joints):
            for n in range(carrier):
                lever = np.cross(frames[n][:3, 2], place - frames[n][:3, 3])
                wanted[n] += mass * GRAVITY * lever[2]
        found = BODY.torques(joints, np.zeros(6), np.zeros(6))
        assert found == pytest.approx(wanted, abs=1e-9)
    level = BODY.torques(np.zeros(6), np.zeros(6), np.zeros(6))
    assert abs(level[0]) < 1e-9
    assert 50 < abs(level[1]) < 400


def test_turning_the_base_takes_inertia_times_acceleration():
    """Return the moment of inertia about the vertical axis: each part's own, rotated, plus m·r²."""
    joints, push = np.radians([30, -20, 40, 10, 50, 0]), 2.0
    frames = [np.eye(4), *KINEMATICS.chain(joints), KINEMATICS.forward(joints)]
    moment = 0.0
    for number, link in enumerate(BODY.links):
        for mass, centre, own in link.masses if number else ():
            turn, place = frames[number][:3, :3], (frames[number] @ [*centre, 1])[:3]
            moment += mass * (place[0] ** 2 + place[1] ** 2) + (turn @ own @ turn.T)[2, 2]
    still = BODY.torques(joints, np.zeros(6), np.zeros(6))
    pushed = BODY.torques(joints, np.zeros(6), push * np.eye(6)[0])
    assert (pushed - still)[0] == pytest.approx(moment * push)


# What is wrong with a URDF

GOOD = ARM.read_text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no xml", "is not XML"),
        ("<sdf/>", "not <robot>"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><robot/>', "document type"),
        ("<robot/>", "0 links that no joint leads to"),
        ('<robot><link name="a"/></robot>', "0 turning joints"),
        (
            GOOD.replace('<child link="link_6" />', '<child link="link_9" />'),
            "joint_6: joins the link 'link_9'",
        ),
        (
            GOOD.replace('<child link="link_6" />', '<child link="link_4" />'),
            "hangs on another joint",
        ),
        (
            GOOD.replace('name="joint_3" type="revolute"', 'name="joint_3" type="prismatic"'),
            "joint_3: is of type 'prismatic'",
        ),
        (
            GOOD.replace('name="joint_3" type="revolute"', 'name="joint_3" type="fixed"'),
            "5 turning joints",
        ),
        (GOOD.replace('radius="0.04"', 'radius="-1"'), "link_4: has a cylinder of no size"),
        (GOOD.replace('radius="0.04"', 'radius="wide"'), "link_4: radius is 'wide'"),
        (
            GOOD.replace('<axis xyz="0 0 1" />', '<axis xyz="0 0 0" />'),
            "joint_1: has an axis without a direction",
        ),
        (GOOD.replace("<sphere", "<capsule"), "link_1: has a <visual> that is no box"),
        (
            GOOD.replace('<sphere radius="0.1" />', '<mesh filename="none.stl" />'),
            "none.stl: cannot be read",
        ),
        (GOOD.replace('<mass value="50.0" />', '<mass value="nan" />'), "base: mass is 'nan'"),
    ],
)
def test_problems_of_a_urdf_are_reported(text, reason, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    with pytest.raises(InputError, match=reason) as caught:
        read_urdf(path)
    assert all(problem.file == str(path) for problem in caught.value.problems)


def test_a_urdf_with_fixed_links_meshes_and_a_flange(tmp_path):
    corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "corner.obj").write_text(corner)
    tail = (
        '<link name="tool0"/><joint name="end" type="fixed">'
        '<parent link="link_6"/><child link="tool0"/>'
        '<origin xyz="0 0 0.1" rpy="0 0 1"/></joint></robot>'
    )
    given = GOOD.replace("</robot>", tail).replace('type="revolute"', 'type="continuous"')
    mesh = f'<mesh filename="package://{tmp_path.name}/meshes/corner.obj" scale="0.1 0.1 0.1" />'
    (tmp_path / "other.urdf").write_text(given.replace('<sphere radius="0.055" />', mesh))
    body = model(WelderConfig.model_validate({"urdf": str(tmp_path / "other.urdf")}))
    assert body.forward(JOINTS[0]) == pytest.approx(
        KINEMATICS.forward(JOINTS[0]) @ frame((0, 0, 0.1), (0, 0, 1))
    )
    assert body.links[5].solids[0].furthest_m == pytest.approx(0.1)
    assert body.high_rad == pytest.approx([2 * math.pi] * 6)
