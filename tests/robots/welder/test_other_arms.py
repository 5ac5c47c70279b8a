"""Other arms by their URDF: everything follows it, with a closed form or numerically."""

import math
import re

import numpy as np
import pytest
from tests.worlds.test_cell import dae as collada

from rigless.kernel.problems import InputError
from rigless.robots.welder.arm.body import model, reach
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm_description import ARM, describe
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.cycle_time import estimate
from rigless.robots.welder.offline.validate import validate_program
from rigless.worlds.frames import frame

from . import other_arms
from .scene import Bench

RANDOM = np.random.default_rng(4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arms")
    for name in other_arms.ARMS:
        (folder / f"{name}.urdf").write_text(other_arms.urdf(name))
    return folder


def config(folder, name, **more):
    return WelderConfig.model_validate({"urdf": str(folder / f"{name}.urdf"), **more})


@pytest.mark.parametrize("name", other_arms.ARMS)
def test_limits_speeds_names_and_kinematics_are_the_urdfs(name, folder):
    given = other_arms.ARMS[name]
    found = config(folder, name)
    assert found.limits.low_deg == pytest.approx([joint[4][0] for joint in given], abs=1e-3)
    assert found.limits.high_deg == pytest.approx([joint[4][1] for joint in given], abs=1e-3)
    assert found.limits.max_degps == pytest.approx([joint[5] for joint in given], abs=1e-3)
    assert found.limits.max_degps2 == WelderConfig().limits.max_degps2
    arm, body = Arm(found), model(found)
    assert arm.names == tuple(other_arms.PREFIX[name] + joint[0] for joint in given)
    assert bool(len(arm.geometry.starts)) == (name == "ur5e")
    for joints in RANDOM.uniform(body.low_rad, body.high_rad, (20, 6)):
        assert arm.forward(joints) == pytest.approx(body.forward(joints), abs=1e-9)
        assert arm.torch_place(np.degrees(joints)) == pytest.approx(body.tool(joints)[:3, 3])
        solutions = arm.inverse(arm.forward(joints))
        apart = np.abs((solutions - joints + math.pi) % (2 * math.pi) - math.pi).max(axis=1)
        assert apart.min() < 1e-6
    # z of the torch leaves the flange along the arm in the zero pose of an ABB
    if name == "irb_2400":
        assert arm.forward(np.zeros(6))[:3, 2] == pytest.approx((1, 0, 0), abs=1e-9)


def test_keys_that_are_set_are_kept(folder):
    found = config(folder, "ur5e", limits={"high_deg": [90] * 6}, start_deg=[0, -90, 0, 0, 0, 0])
    assert found.limits.high_deg == (90.0,) * 6
    assert found.limits.low_deg[2] == pytest.approx(-180, abs=1e-3)
    assert found.start_deg[1] == -90.0
    assert WelderConfig.model_validate(found.model_dump(mode="json")) == found


@pytest.mark.parametrize("name", other_arms.ARMS)
def test_the_controller_and_the_page_are_those_of_the_arm(name, folder):
    given = other_arms.ARMS[name]
    bench = Bench(f"urdf={folder / name}.urdf")
    settings = bench.ask("$$")
    assert f"$110={60 * given[0][5]:.3f}" in settings
    assert f"$132={given[2][4][1] - given[2][4][0]:.3f}" in settings
    limit = given[2][4][1]
    bench.send(f"G90 G0 Z{limit + 1}\n", 0.1)
    (event,) = bench.events("soft-limit")
    assert event.text.startswith(
        f"{other_arms.PREFIX[name]}{given[2][0]} to {limit + 1}° is outside"
    )
    body = model(bench.robot.config)
    torch_mm = 1000 * body.tool(np.radians(bench.truth.joints_deg))[:3, 3]
    assert bench.truth.torch_mm == pytest.approx(torch_mm, abs=1e-6)
    view = bench.robot.view()
    labels = {part.name: part.label for part in view.parts if part.name in ("j1", "j6")}
    assert labels == {
        "j1": other_arms.PREFIX[name] + given[0][0],
        "j6": other_arms.PREFIX[name] + given[5][0],
    }
    measured = view.measure()
    assert [measured[f"torch_{axis}"] for axis in "xyz"] == pytest.approx(torch_mm)
    assert view.draw()["frames"][-1][:3] == pytest.approx(torch_mm / 1000)
    assert np.isfinite(np.nan_to_num(view.draw_static()["boundary"])).all()


def test_the_cartesian_profile_of_a_ur_arm_keeps_its_line(folder):
    """A square with the torch down: the tip stays on it, and cycle time and validation agree."""
    start = [0, -90, 90, -90, -90, 0]
    text = (
        "G21 G90 G94\nG0 X-450 Y-200 Z300 A180 B0 C0\nG1 Y200 F6000\nG1 X-550\nG1 Y-200\n"
        "G1 Z350 C60\nM30\n"
    )
    more = {"coordinates": "cartesian", "start_deg": start}
    report = validate_program(text, config=config(folder, "ur5e", **more))
    assert report.errors == []
    line = [
        place
        for place, number in zip(report.samples.torch_mm, report.samples.line, strict=True)
        if number == 3
    ]
    assert len(line) > 10
    assert np.array(line)[:, 0] == pytest.approx(-450, abs=0.01)
    assert np.array(line)[:, 2] == pytest.approx(300, abs=0.01)
    times = estimate(text, config(folder, "ur5e", **more))
    assert times.errors == []
    assert times.total_s == pytest.approx(report.cycle_time_s, abs=0.3)
    far = validate_program(
        "G21 G90\nG0 X-1200 Y0 Z300 A180\n", config=config(folder, "ur5e", **more)
    )
    assert [(one.code, one.line) for one in far.findings] == [("unreachable", 2)]


@pytest.mark.parametrize("name", other_arms.ARMS)
def test_reach_is_that_of_the_arm(name, folder):
    found = config(folder, name)
    arm = reach(found)
    body = arm.collider.model
    for joints in RANDOM.uniform(0.4 * body.low_rad, 0.4 * body.high_rad, (5, 6)):
        answer = arm.pose(body.tool(joints), near_rad=joints)
        assert answer.has_solution
        assert answer.within_limits
        assert body.tool(np.array(answer.joints_rad)) == pytest.approx(body.tool(joints), abs=1e-7)
    assert not arm.pose(frame((3, 0, 0))).has_solution


def test_a_tcp_link_is_the_tool_centre_point(folder):
    text = other_arms.urdf("kr5_arc", other_arms.tcp("tool0") + other_arms.tcp("tool0", "other"))
    (folder / "tcp.urdf").write_text(text)
    plain = Arm(config(folder, "kr5_arc"))
    arm = Arm(config(folder, "tcp"))
    joints = [0.1, -0.7, 0.9, 0.2, 0.5, 0.3]
    assert arm.torch(joints) == pytest.approx(plain.forward(joints) @ frame((0, 0, 0.3)))
    torch = model(config(folder, "tcp")).links[7]
    assert (len(torch.solids), len(torch.visuals)) == (0, 1)  # only the wire
    assert Arm(config(folder, "tcp", tcp_link="other")).tool_m == pytest.approx((0, 0, 0.3))
    with pytest.raises(InputError, match="no link 'another' on the last joint"):
        config(folder, "tcp", tcp_link="another")


def test_levers_and_visuals_that_are_left_out_are_noted(folder):
    lever = (
        '<link name="lever"/><joint name="joint_lever" type="revolute"><parent link="link_1"/>'
        '<child link="lever"/><limit lower="-1" upper="1"/><mimic joint="joint_2"/></joint>'
    )
    (folder / "lever.urdf").write_text(other_arms.urdf("irb_2400", lever))
    bench = Bench(f"urdf={folder / 'lever.urdf'}")
    (event,) = bench.events("urdf-parts")
    assert event.text.startswith("8 parts of the URDF are not used; the first: base_link: package:")
    notes = describe(str(folder / "lever.urdf")).notes
    assert "joint_lever: follows another joint, and is left out with its links" in notes


def test_collada_meshes_collide_and_are_drawn(folder):
    meshes = folder / "meshes"
    meshes.mkdir()
    (folder / "x").mkdir()  # it has the name of the package, but no meshes
    (meshes / "link.dae").write_bytes(collada())
    text = other_arms.urdf("irb_2400").replace("irb_2400_support/meshes/visual/", "x/meshes/")
    text = re.sub(r"meshes/\w+\.dae", "meshes/link.dae", text)
    mesh = '<mesh filename="meshes/link.dae"/>'
    (folder / "dae.urdf").write_text(text.replace('<sphere radius="0.03"/>', mesh))
    found = describe(str(folder / "dae.urdf"))
    assert found.notes == ()
    for link in found.links:
        assert [len(solid.mesh.triangles) for solid in (*link.solids, *link.visuals)] == [4, 4]
    assert reach(config(folder, "dae")).pose(frame((0.9, 0, 0.9))).has_solution
    (meshes / "link.dae").write_text("<COLLADA/>")
    (folder / "none.urdf").write_text(text.replace('<sphere radius="0.03"/>', mesh))
    with pytest.raises(InputError, match=r"link\.dae: has no triangles"):
        describe(str(folder / "none.urdf"))


def test_a_xacro_file_is_named_as_such(folder):
    macro = '<xacro:macro name="arm"/>'
    for file, text, run in (
        ("arm.urdf.xacro", other_arms.urdf("ur5e"), "xacro arm.urdf.xacro > arm.urdf,"),
        ("arm.urdf", other_arms.urdf("ur5e", macro), "xacro arm.urdf > expanded_arm.urdf,"),
    ):
        (folder / file).write_text(text)
        with pytest.raises(InputError, match=f"is a xacro file.*run: {run}"):
            WelderConfig.model_validate({"urdf": str(folder / file)})


def test_packages_are_folders_around_the_urdf(folder):
    """The mesh of one package and the URDF of another, next to each other."""
    corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    for part in ("arm_support/urdf", "arm_resources/meshes"):
        (folder / "workspace" / part).mkdir(parents=True)
    workspace = folder / "workspace"
    (workspace / "arm_resources/meshes/corner.obj").write_text(corner)
    mesh = '<mesh filename="package://arm_resources/meshes/corner.obj" scale="0.1 0.1 0.1"/>'
    text = other_arms.urdf("irb_2400").replace('<sphere radius="0.03"/>', mesh, 1)
    path = workspace / "arm_support/urdf/arm.urdf"
    path.write_text(text)
    found = WelderConfig.model_validate({"urdf": str(path)})
    assert model(found).links[0].solids[0].kind == "mesh"
    (workspace / "arm_resources/meshes/corner.obj").unlink()
    cloned = workspace / "a_clone" / "urdf" / "arm.urdf"  # its folder has another name
    cloned.parent.mkdir(parents=True)
    cloned.write_text(text.replace("arm_resources", "arm_description"))
    with pytest.raises(InputError, match="there is no folder 'arm_description' above or next to"):
        WelderConfig.model_validate({"urdf": str(cloned)})
    (cloned.parents[1] / "package.xml").write_text(
        "<package><name>arm_description</name></package>"
    )
    (cloned.parents[1] / "meshes").mkdir()
    (cloned.parents[1] / "meshes/corner.obj").write_text(corner)
    assert model(WelderConfig.model_validate({"urdf": str(cloned)})).links[0].solids
    copy = path.with_name("copy.urdf")
    copy.write_text(text)
    with pytest.raises(InputError, match=r"corner\.obj: cannot be read"):
        WelderConfig.model_validate({"urdf": str(copy)})


def test_an_arm_without_a_closed_form_is_solved_numerically(tmp_path):
    """A UR arm, and this one with an offset in its wrist: no solution is missed, and all are."""
    offset = ARM.read_text().replace('xyz="0.0 0.08 0.0"', 'xyz="0.05 0.08 0.0"')
    for text in (other_arms.urdf("ur5e"), offset):
        path = tmp_path / f"{len(text)}.urdf"
        path.write_text(text)
        arm = Arm(WelderConfig.model_validate({"urdf": str(path)}))
        assert len(arm.geometry.starts)
        for joints in RANDOM.uniform(-math.pi, math.pi, (40, 6)):
            goal = arm.forward(joints)
            found = arm.inverse(goal)
            assert np.array([arm.forward(row) for row in found]) == pytest.approx(
                np.broadcast_to(goal, (len(found), 4, 4)), abs=1e-8
            )
            apart = np.abs((found - joints + math.pi) % (2 * math.pi) - math.pi).max(axis=1)
            assert apart.min() < 1e-6
            assert len(found) <= 16
    far = frame((1.5, 0, 0.5))
    assert len(arm.inverse(far)) == 0


def test_a_ur_arm_has_up_to_eight_solutions(tmp_path):
    path = tmp_path / "ur5e.urdf"
    path.write_text(other_arms.urdf("ur5e"))
    arm = Arm(WelderConfig.model_validate({"urdf": str(path)}))
    joints = np.radians([20, -70, 80, -60, -80, 10])
    found = arm.inverse(arm.forward(joints))
    assert len(found) == 8
    wrist = arm.chain(joints)[4][:3, 3]  # a mirrored elbow keeps shoulder, wrist and tool
    same = [row for row in found if np.allclose(arm.chain(row)[4][:3, 3], wrist, atol=1e-6)]
    assert len(same) >= 2
