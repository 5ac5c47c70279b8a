"""Joint torques: zero unless enabled; they do not affect the motion."""

import subprocess
import sys

import numpy as np
import pytest

from rigless.kernel.problems import InputError
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.sim_controller import VirtualController

from .scene import Bench, welder

ON = "enable_dynamics=true"


def test_without_dynamics_torques_are_zero():
    bench = Bench()
    bench.send("G0 X30 Y20\n", 0.2)
    assert any(bench.truth.velocities_degps)
    assert bench.truth.torques_nm == (0.0,) * 6
    assert "torque1" not in bench.robot.view().measure()


def test_the_drives_inertia_and_friction_are_the_configs():
    """Other drives change the torques by inertia·q̈ + friction·q̇ only."""
    plain = Bench(ON, "joint_inertia=[0,0,0,0,0,0]", "joint_friction=[0,0,0,0,0,0]")
    heavy = Bench(ON, "joint_inertia=[3,2,1,0.5,0.4,0.3]", "joint_friction=[9,8,7,6,5,4]")
    for bench in (plain, heavy):
        bench.send("G0 X30 Y-20 Z10 A5 B40 C90\n", 0.1)
    one, other = plain.truth, heavy.truth
    assert one.joints_deg == other.joints_deg
    push, speed = np.radians(one.accelerations_degps2), np.radians(one.velocities_degps)
    assert np.abs(push).max() > 1
    difference = np.array(other.torques_nm) - one.torques_nm
    assert difference == pytest.approx(push * [3, 2, 1, 0.5, 0.4, 0.3] + speed * [9, 8, 7, 6, 5, 4])


def test_motion_is_the_planners_with_or_without():
    with_it, without = Bench(ON), Bench()
    for bench in (with_it, without):
        bench.send("G1 X10 Y20 F3000\n", 0.7)
    assert with_it.truth.joints_deg == without.truth.joints_deg
    assert with_it.truth.torques_nm != without.truth.torques_nm


def test_the_controller_and_the_page_tell_them():
    controller = VirtualController(WelderConfig(enable_dynamics=True))
    controller.connect()
    controller.set_joint_positions([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    state, robot = controller.joint_state(), controller.simulation.robot("welder")
    assert abs(state.torques[1]) > 50
    assert state.torques == list(controller.truth.torques_nm)
    page = robot.view()
    assert [part.name for part in page.parts if part.name.startswith("torque")] == [
        f"torque{n}" for n in range(1, 7)
    ]
    assert [page.measure()[f"torque{n}"] for n in range(1, 7)] == state.torques


def test_a_missing_extra_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    with pytest.raises(InputError, match=r"needs 'pinocchio'.*pip install 'rigless\[welder\]'"):
        welder(ON)
    assert welder().truth("welder").torques_nm == (0.0,) * 6


def test_who_asks_for_neither_torques_nor_collisions_does_not_load_pinocchio():
    code = (
        "import sys, rigless; rigless.load('welder', settings=['collision.enable=false']);"
        "sys.exit('pinocchio' in sys.modules or 'coal' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=240, check=False).returncode == 0
