"""Cycle times: the estimate is what the controller takes, and the command tells it."""

import json

import numpy as np
import pytest

from rigless.robots.welder.offline.cycle_time import estimate, estimate_waypoints
from rigless.robots.welder.offline.sim_controller import VirtualController
from rigless.robots.welder.offline.validate import validate_in
from rigless.scenario.load import load

from .senders import zigzag

PROGRAMS = ["joint_moves", "weld_seam", "io_handshake"]


def program(name):
    from pathlib import Path

    return (Path(__file__).parents[3] / "examples" / "programs" / f"{name}.nc").read_text()


def runs_for(text):
    """Return the time of the simulated controller with a sender that keeps its buffer full."""
    controller = VirtualController(letters="XYZABC")
    controller.connect()
    controller.enable()
    begin = controller.simulation_time_s
    for line in text.splitlines():
        assert controller.send_gcode(line)
    assert controller.wait_idle()
    assert not controller.status().error
    return controller.simulation_time_s - begin


def test_the_firmwares_figures():
    assert estimate("G0 X90").total_s == pytest.approx(0.990, rel=0.0005)
    assert estimate("G1 X90 Y45 C180 F3600").total_s == pytest.approx(3.489, rel=0.0005)


@pytest.mark.parametrize(
    "text", [program("joint_moves"), "\n".join(zigzag(400)), "G1 X90 F3600\nG4 P2\nG0 X0"]
)
def test_the_estimate_is_what_the_controller_takes(text):
    found = estimate(text)
    assert found.errors == []
    assert runs_for(text) == pytest.approx(found.total_s, abs=0.03)


def test_kinds_of_time():
    found = estimate("G0 X10\nM3\nG1 X20 F600\nM5\nG4 P2\nM66 P1 L3 Q4\nG0 X0")
    assert (found.process_s, found.dwell_s, found.io_s) == pytest.approx((1.0, 2.0, 4.0), abs=0.05)
    assert found.motion_s == pytest.approx(
        estimate("G0 X10\nG4 P0\nG0 X0").motion_s + 0.08, abs=0.1
    )
    assert found.path_deg == pytest.approx(40)


def test_the_noise_of_a_scenario_is_that_of_the_estimate():
    text = "M7 M3\nM66 P0 L3 Q9\nG1 X10 F60\nM5 M9\nM66 P0 L4 Q9\nM30\n"
    waits = {}
    for noise in ("off", "3", "4"):
        sim = load(
            "welder", settings=["welding.strike_stddev_ms=300", f"noise.welder/weld={noise}"]
        )
        robot = sim.robot("welder")
        found = estimate(text, robot.config, key=robot.noise_key("weld"))
        report = validate_in(sim, "welder", text)
        assert report.cycle_time_s == pytest.approx(found.total_s, abs=0.1)
        waits[noise] = found.io_s
    assert len(set(waits.values())) == 3


def test_lines_that_cannot_be_run_are_named():
    found = estimate("G0 X1\nG77\nG1 X2\n")
    assert [(number, text) for number, text, _ in found.errors] == [(2, "G77"), (3, "G1 X2")]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_examples_run(name):
    assert estimate(program(name)).errors == []


def test_waypoints():
    points = [np.radians([x, 20, 30, 0, 40, 0]) for x in (0.0, 20.0, 40.0)]
    found = estimate_waypoints(points, travel_mmps=200, process_mmps=10, process=[False, True])
    assert found.process_s == pytest.approx(20 * found.motion_s, rel=0.1)
    fast = estimate_waypoints(points, travel_mmps=1e6, process_mmps=10)
    assert fast.motion_s == pytest.approx(40 / 120 + 120 / 500, rel=0.01)  # the joint's own limit
    with pytest.raises(ValueError, match="above zero"):
        estimate_waypoints(points, 0, 1)


def test_the_command(rigless_command, tmp_path):
    file = tmp_path / "seam.nc"
    file.write_text("G0 X90\nG4 P1\n")
    run = rigless_command("welder", "cycle-time", file, "--json")
    printed = json.loads(run.stdout)
    assert run.returncode == 0
    assert (printed["total_s"], printed["dwell_s"], printed["errors"]) == (
        pytest.approx(1.990, abs=0.001),
        1.0,
        [],
    )
    file.write_text("G0 X90\nG77\n")
    run = rigless_command("welder", "cycle-time", file)
    assert run.returncode == 1
    assert f"{file}:2: error:20" in run.stdout
    run = rigless_command("welder", "cycle-time", tmp_path / "none.nc")
    assert (run.returncode, "Traceback" in run.stderr) == (2, False)
