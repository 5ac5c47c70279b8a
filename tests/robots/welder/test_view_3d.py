"""The welder in space: what is drawn is what is true, and looking leaves no trace."""

import numpy as np
import pytest

from rigless.kernel.drawing import rows
from rigless.kernel.plain import pack
from rigless.motion.arm.reach_map import DIRECTIONS, ReachMap
from rigless.robots.welder.arm.body import model
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm_description import ARM, describe
from rigless.robots.welder.offline.reach_report import npz
from rigless.robots.welder.process import bead
from rigless.robots.welder.view_3d import View3D, pose
from rigless.worlds.frames import frame

from .scene import Bench

OVER = "G21 G90 G1 X-4.8 Y48.2 Z-28.9 A-17.6 B99 C-97 F6000"  # the torch at the part on the table


def drawn(bench, name=None):
    found = bench.robot.view().draw()
    return np.array(found[name]) if name else found


def parts(bench):
    return {part.name: part for part in bench.robot.view().parts}


def matrix(row):
    x, y, z, qx, qy, qz, qw = row[:7]
    found = np.eye(4)
    found[:3, :3] = np.eye(3) + 2 * (
        qw * np.array([(0, -qz, qy), (qz, 0, -qx), (-qy, qx, 0)])
        + np.outer((qx, qy, qz), (qx, qy, qz))
        - (qx * qx + qy * qy + qz * qz) * np.eye(3)
    )
    found[:3, 3] = x, y, z
    return found


def test_the_arm_is_drawn_where_it_is():
    """Against the DH chain and pinocchio, which know nothing of how it is drawn."""
    bench, arm, bodies = Bench(), Arm(), model()
    space = View3D(bench.robot)
    for joints_deg in np.random.default_rng(3).uniform(-80, 80, (20, 6)):
        frames = [matrix(pose(one)) for one in space.frames(joints_deg)]
        assert np.allclose(frames[1:7], arm.chain(np.radians(joints_deg)), atol=1e-9)
        assert np.allclose(frames[1:7], bodies.joint_frames(np.radians(joints_deg)), atol=1e-9)
        assert np.allclose(
            frames[7] @ arm.flange_T_torch, arm.torch(np.radians(joints_deg)), atol=1e-9
        )
    bench.ask(OVER, 0.4)
    links, tip = drawn(bench, "arm"), drawn(bench, "frames")[-1]
    assert links[:, :3] == pytest.approx(
        np.array([one[:3, 3] for one in space.frames(np.array(bench.truth.joints_deg))])
    )
    assert 1000 * tip[:3] == pytest.approx(bench.truth.torch_mm)


def test_the_arm_is_drawn_as_it_is_described():
    """Bodies and colours are the URDF's; what has no colour of its own takes the configured one."""
    links = parts(Bench("visualization.robot_color=0x0A0B0C"))["arm"].links
    described = describe().links
    assert [[one.kind for one in link] for link in links[:7]] == [
        [one.kind for one in link.visuals] for link in described
    ]
    assert [one.size_m for one in links[2]] == [one.size_m for one in described[2].visuals]
    assert [one.colour for one in links[2]] == [described[2].visuals[0].colour, "#0a0b0c"]
    assert described[2].visuals[0].colour.startswith("#")
    assert not described[2].visuals[1].colour
    torch = links[7]
    assert len(torch) == 3  # handle, nozzle, and the wire that may touch
    assert torch[2].size_m[1] == pytest.approx(0.015)


def test_another_arm_is_drawn_from_its_own_description(tmp_path):
    text = ARM.read_text("utf-8")
    file = tmp_path / "other.urdf"
    file.write_text(
        text.replace('radius="0.15" length="0.06"', 'radius="0.2" length="0.06"'), "utf-8"
    )
    assert parts(Bench(f"urdf={file}"))["arm"].links[0][0].size_m == (0.2, 0.06)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("angle", [0.0, 0.5, 2.0, np.pi, -3.0])
def test_quaternions(axis, angle):
    turned = np.zeros(3)
    turned[axis] = angle
    wanted = np.zeros(4)
    wanted[axis], wanted[3] = np.sin(angle / 2), np.cos(angle / 2)
    assert abs(np.dot(pose(frame(rpy_rad=turned))[3:], wanted)) == pytest.approx(1)


def test_what_collides_is_marked_until_it_is_clear():
    bench = Bench("cell=weld_table")
    things = [one.name for one in parts(bench)["cell"].solids]
    assert not drawn(bench, "arm")[:, 7].any()
    assert not drawn(bench, "cell").any()
    bench.ask("G1 X20 Y30 Z10 B40 F6000", 3.0)
    assert bench.state.mode == "Alarm"
    assert drawn(bench, "arm")[:, 7].tolist() == [0, 0, 0, 0, 0, 0, 0, 1]
    assert [things[n] for n in np.flatnonzero(drawn(bench, "cell"))] == ["fixture left"]
    bench.run(2.0)
    assert drawn(bench, "arm")[7, 7] == 1
    bench.send("\x18", 0.1)
    bench.ask("$X", 0.1)
    bench.ask("G90 G1 X16 Y10 Z8 B32 F6000", 3.0)
    assert not drawn(bench, "arm")[:, 7].any()
    assert not drawn(bench, "cell").any()


def test_a_ghost_is_at_the_end_of_what_is_queued_until_it_is_reached():
    bench = Bench()
    assert "ghost" not in drawn(bench)
    bench.ask("G21 G90 G1 X10 F600")
    bench.ask("G1 X20 Y10 F600", 0.5)
    target = np.array(View3D(bench.robot).frames(np.array([20.0, 10, 0, 0, 0, 0])))
    assert drawn(bench, "ghost")[:, :3] == pytest.approx(target[:, :3, 3])
    bench.until_idle()
    assert "ghost" not in drawn(bench)
    assert not len(drawn(bench)["way"])


def test_the_way_leads_through_all_blocks():
    bench, arm = Bench(), Arm()
    corners = [(0, 0), (10, 0), (10, 20), (-30, 20)]
    for x, y in corners[1:]:
        bench.ask(f"G90 G1 X{x} Y{y} F600")
    bench.run(0.2)
    way = rows(parts(bench)["way"], drawn(bench)["way"])
    for x, y in corners:
        place = arm.torch_place(np.array([x, y, 0.0, 0, 0, 0]))
        assert np.linalg.norm(way[:, :3] - place, axis=1).min() < 1e-5
    between = arm.torch_place(np.array([-12.0, 20, 0, 0, 0, 0]))
    assert np.linalg.norm(way[:, :3] - between, axis=1).min() < 0.02
    for n in range(95):
        bench.ask(f"G1 X{n % 2 * 90 - 45} Y{n % 40}")
    assert 300 < len(drawn(bench)["way"]) <= 510


def test_the_weld_is_where_it_was_welded_and_as_hot():
    bench = Bench()
    bench.ask("M3", 2.0)
    begin = np.array(bench.truth.torch_mm) / 1000
    bench.ask("G91 G1 X4 F40", 3.0)
    end = np.array(bench.truth.torch_mm) / 1000
    assert drawn(bench, "arc")[0, :3] == pytest.approx(end)
    weld = drawn(bench, "weld")
    assert np.linalg.norm(weld[0, :3] - begin) < 0.001
    assert np.linalg.norm(weld[-1, :3] - end) < 2 * bead.SPACING_M
    gaps = np.linalg.norm(np.diff(weld[:, :3], axis=0), axis=1)
    assert gaps.min() >= bead.SPACING_M - 1e-6
    assert gaps.max() < 2 * bead.SPACING_M
    usual = 0.8 * 22 * 180 / 10_000
    assert weld[-1, 3] == pytest.approx(bench.truth.weld.heat_input_kjpmm / (2 * usual), rel=0.05)
    bench.run(3.0)
    bench.ask("M5", 3.0)
    assert "arc" not in drawn(bench)
    bench.ask("M3", 2.0)
    bench.ask("G1 X1 F40", 2.0)
    assert np.isnan(drawn(bench, "weld")).all(axis=1).sum() == 1  # another arc is another line


def test_a_weld_is_the_same_however_many_ticks_are_done_at_once():
    laid = []
    for steps in (1, 40):
        bench = Bench()
        bench.ask("M3", 2.0)
        bench.ask("G91 G1 X8 F60")
        for _ in range(steps):
            bench.sim.run(8.0 / steps)
        laid.append(bench.state.bead)
    assert laid[0] == laid[1]
    assert len(laid[0]) > 20


def test_a_weld_ages_and_only_so_much_is_kept(monkeypatch):
    monkeypatch.setattr(bead, "MAX_ROWS", 20)
    bench = Bench("visualization.weld_trail_by=age")
    bench.ask("M3", 2.0)
    bench.ask("G91 G1 X8 F60", 8.0)
    assert 15 < len(bench.state.bead) <= 20
    fresh = drawn(bench, "weld")[:, 3]
    bench.run(30.0)
    assert fresh[-1] < 0.05
    assert drawn(bench, "weld")[-1, 3] == pytest.approx(fresh[-1] + 0.5, abs=0.05)


def test_looking_leaves_no_trace():
    states = []
    for looks in (False, True):
        bench = Bench("cell=weld_table", "collision.on_collision=report")
        bench.ask("G1 X20 Y30 Z10 B40 F3000")
        for _ in range(10):
            bench.run(0.2)
            if looks:
                view = bench.robot.view()
                view.draw(), view.measure(), view.trace(), view.draw_static()
        states.append(pack(bench.state))
    assert bench.events("collision")
    assert states[0] == states[1]


def test_the_workspace_holds_all_that_is_reached():
    bench, arm = Bench(), Arm()
    boundary = rows(parts(bench)["boundary"], bench.robot.view().draw_static()["boundary"])
    joints = np.random.default_rng(5).uniform(arm.low_rad, arm.high_rad, (2000, 6))
    places = np.array([arm.torch(one)[:3, 3] for one in joints])
    places = places[places[:, 2] > 0]
    known = boundary[np.isfinite(boundary[:, 0])]
    for x, y, z in places:
        level = known[np.abs(known[:, 2] - z) < 0.05]
        assert np.hypot(x, y) < np.hypot(level[:, 0], level[:, 1]).max() + 0.06


def test_collision_volumes_have_their_margins():
    volumes = parts(Bench("cell=weld_table", "collision.margin_mm=10"))["volumes"]
    fence = next(one for one in volumes.links[-1] if one.name == "fence left")
    assert fence.size_m == pytest.approx((2.6 + 0.12, 0.02 + 0.12, 2.0 + 0.12))
    assert (volumes.shown, volumes.style) == (False, "wire")


def test_the_work_frame_is_the_cells():
    work, _tip = drawn(Bench("cell=weld_table"), "frames")
    assert work.tolist() == [0.8, 0, 0.4, 0, 0, 0, 1]
    assert len(drawn(Bench(), "frames")) == 1


def test_what_is_shown_and_how_is_configured():
    switches = (
        "show_collision_volumes=true",
        "show_weld_trail=false",
        'weld_color="#112233"',
        "trajectory_color=0x445566",
    )
    found = parts(Bench("cell=weld_table", *(f"visualization.{one}" for one in switches)))
    assert (found["volumes"].shown, found["weld"].shown, found["way"].shown) == (True, False, True)
    assert (found["weld"].colour, found["way"].colour) == ("#112233", "#445566")
    assert found["arm"].tones == ("#ff0000",)


def test_a_reach_map_is_shown_as_points(tmp_path):
    places = np.array([(0.5, 0, 0.5), (0.6, 0, 0.5), (9, 9, 9)])
    file = tmp_path / "reach.npz"
    file.write_bytes(npz(ReachMap(places, np.array([1, 6, 0], np.int16), DIRECTIONS, 0.1)))
    bench = Bench(f"visualization.reach_map={file}")
    found = rows(parts(bench)["reach"], bench.robot.view().draw_static()["reach"])
    assert found == pytest.approx(np.array([(0.5, 0, 0.5, 0), (0.6, 0, 0.5, 1)]))
    file.write_bytes(b"no map")
    label = parts(Bench(f"visualization.reach_map={file}"))["reach"].label
    assert "reach.npz" in label
    assert "is not a reach map" in label
