"""The vacuum's page: true beams, points as on the wire, and controls that send commands."""

import math

import numpy as np
import pytest

import rigless
from rigless.kernel.drawing import Action, Hint, rows
from rigless.panel.stream.messages import unpack
from rigless.panel.stream.robot_stream import RobotStream
from rigless.robots.vacuum.wire import Scan

from .scene import INSTANT, NOISELESS, drive, heard, status, switch, vacuum

MOUNT, OFFSET, OPTICAL = -0.11, 0.2182, 0.025


def drawn(view):
    found = view.draw()
    return {part.name: rows(part, found[part.name]) for part in view.parts if part.columns}


def apply(sim, given):
    assert given
    for one in given:
        sim.apply(one)


def laid_out(scan, x, y, theta):
    """Place the points of a scan as a client does that knows its pose."""
    angles, ranges = (
        np.asarray(scan.angles, float) + OFFSET,
        np.asarray(scan.distances, float) + OPTICAL,
    )
    local = np.column_stack((MOUNT + ranges * np.cos(angles), ranges * np.sin(angles)))
    c, s = math.cos(theta), math.sin(theta)
    return local @ np.array([[c, s], [-s, c]]) + (x, y)


def scanning(*settings):
    """Return a vacuum at rest just after a scan, and that scan."""
    sim = vacuum(*settings)
    switch(sim, "lidar", "enable")
    scan = heard(sim, 1.0, Scan)[-1]
    return sim, scan


def test_points_are_those_that_went_out_on_the_wire():
    sim, scan = scanning("lidar_frame=lidar_mount")
    pose = sim.truth("vacuum").pose
    found = drawn(sim.robots["vacuum"].view())["points"]
    assert len(found) == len(scan.angles) > 300
    assert found == pytest.approx(laid_out(scan, *pose), abs=2e-5)


@pytest.mark.parametrize(
    ("kind", "params"), [("bias", {"value": 0.3}), ("stuck", {}), ("wrong", {"value": 2.0})]
)
def test_points_show_the_faults_of_the_lidar_and_beams_do_not(kind, params):
    sim, _ = scanning("lidar_frame=lidar_mount")
    good = drawn(sim.robots["vacuum"].view())
    sim.inject("vacuum", "lidar", kind, **params)
    scan = heard(sim, 1.0, Scan)[-1]
    found = drawn(sim.robots["vacuum"].view())
    assert found["points"] == pytest.approx(laid_out(scan, *sim.truth("vacuum").pose), abs=2e-5)
    assert found["beams"] == pytest.approx(good["beams"], abs=1e-4)


def test_a_lidar_that_is_off_or_silent_draws_nothing():
    sim = vacuum()
    view = sim.robots["vacuum"].view()
    assert [len(drawn(view)[name]) for name in ("beams", "points")] == [0, 0]
    switch(sim, "lidar", "enable")
    sim.run(1.0)
    assert [len(drawn(view)[name]) for name in ("beams", "points")] == [
        360,
        pytest.approx(350, abs=10),
    ]
    sim.inject("vacuum", "lidar", "off")
    sim.run(1.0)
    assert (len(drawn(view)["points"]), view.measure()["lidar"]) == (0, 0)
    sim.clear("vacuum")
    switch(sim, "lidar", "disable")
    assert [len(drawn(view)[name]) for name in ("beams", "points")] == [0, 0]


def test_beams_end_at_the_walls():
    sim, _ = scanning(*NOISELESS)
    beams = drawn(sim.robots["vacuum"].view())["beams"].astype(float)
    x, y, _ = sim.truth("vacuum").pose
    assert np.hypot(beams[:, 0] - x, beams[:, 1] - y).max() < 0.2
    ranges = np.array(sim.truth("vacuum").ranges)
    assert np.hypot(*(beams[:, 2:] - beams[:, :2]).T) == pytest.approx(ranges, abs=1e-4)
    grid = sim.world.grid
    beyond = beams[:, 2:] + 1e-3 * (beams[:, 2:] - beams[:, :2])
    columns, lines = grid.to_cells(beyond[:, 0], beyond[:, 1])
    assert grid.occupied[lines.astype(int), columns.astype(int)].all()


def test_odometry_is_drawn_where_the_encoders_believe():
    sim = vacuum(*INSTANT)
    view = sim.robots["vacuum"].view()
    switch(sim, "drive", "enable")
    drive(sim, 0.2, 0.5)
    sim.run(4.0)
    truth, found = sim.truth("vacuum"), drawn(view)
    assert found["body"][0, :3] == pytest.approx(truth.pose, abs=1e-6)
    assert found["odometry"][0, :3] == pytest.approx(truth.odometry, abs=1e-6)
    assert view.trace()["trail"] == pytest.approx(truth.pose[:2])
    drift = math.dist(truth.pose[:2], truth.odometry[:2])
    assert view.measure()["drift"] == pytest.approx(drift)
    assert view.measure()["speed"] == pytest.approx(0.2, abs=1e-3)


def test_a_bump_is_shown_on_its_side():
    sim = vacuum(*INSTANT)
    view = sim.robots["vacuum"].view()
    switch(sim, "drive", "enable")
    drive(sim, 0.3)
    sim.run(15.0)
    readings, found = status(sim), drawn(view)
    assert (found["bumper_left"][0, 3], found["bumper_right"][0, 3]) == (
        readings.bumper_left,
        readings.bumper_right,
    )
    assert (readings.bumper_left or readings.bumper_right, found["body"][0, 3]) == (True, 1)


def test_numbers_are_those_of_the_wire_with_faults():
    sim = vacuum()
    view = sim.robots["vacuum"].view()
    sim.inject("vacuum", "gyro", "bias", value=123)
    sim.inject("vacuum", "bumper_left", "wrong")
    readings, numbers = status(sim), view.measure()
    for name in (
        "gyro_x",
        "accel_z",
        "wheel_left",
        "battery_level",
        "battery_voltage",
        "bumper_left",
    ):
        assert numbers[name] == pytest.approx(float(getattr(readings, name))), name


def test_driving_enables_the_drive_and_keeps_to_the_limits():
    sim = vacuum(*INSTANT)
    robot = sim.robots["vacuum"]
    view, limits = robot.view(), robot.config.robot
    apply(sim, view.drive(1.0, 0.0, 0.0))
    sim.run(1.0)
    assert view.measure()["speed"] == pytest.approx(limits.max_linear_speed, rel=0.01)
    apply(sim, view.drive(0.0, 0.0, -1.0))
    sim.run(0.5)
    assert view.measure()["turn"] == pytest.approx(-limits.max_angular_speed, rel=0.01)
    (half,) = view.drive(0.5, 0.0, 0.25)  # already enabled
    wanted = {"linear": 0.5 * limits.max_linear_speed, "angular": 0.25 * limits.max_angular_speed}
    assert (half.fields["action"], half.fields["config"]) == ("configure", wanted)


def test_the_emergency_stop_stops_and_stays_stopped():
    sim = vacuum(*INSTANT)
    view = sim.robots["vacuum"].view()
    apply(sim, view.drive(1.0, 0.0, 0.0))
    sim.run(1.0)
    apply(sim, view.stop(True))
    sim.run(1.0)
    before = sim.truth("vacuum").pose
    sim.run(1.0)
    assert sim.truth("vacuum").pose == before
    assert view.measure()["drive_enabled"] == 0


def test_every_action_sends_its_command():
    sim = vacuum()
    view = sim.robots["vacuum"].view()
    actions = [part.name for part in view.parts if isinstance(part, Action)]
    assert {"lidar on", "lidar off"} <= set(actions)
    for name in actions:
        apply(sim, view.act(name))
        component, _, wish = name.rpartition(" ")
        lamp = view.measure()[component]
        assert bool(lamp) == (wish == "on"), name


class Source:
    name, fixed = "live", False

    def __init__(self, sim):
        self.sim, self.epoch = sim, 0


def test_beams_of_another_past_with_as_many_scans_are_not_shown():
    sim, _ = scanning(*INSTANT)
    begin = sim.snapshot()
    apply(sim, sim.robots["vacuum"].view().drive(1.0, 0.0, 0.0))
    sim.run(2.0)
    away = sim.snapshot()
    stage = Source(sim)
    stream = RobotStream(stage, sim, "vacuum", 1)
    for saved, seconds in ((begin, 2.0), (away, 0.0)):
        sim.restore(saved)
        stage.epoch += 1
        sim.run(seconds)
        stream.update()
        beams = unpack(stream.frame(0))[5][2].reshape(-1, 4)
        x, y, _ = sim.truth("vacuum").pose
        assert np.hypot(beams[:, 0] - x, beams[:, 1] - y).max() < 0.3


def test_letting_go_enables_nothing():
    sim = rigless.load("vacuum")
    view = sim.robots["vacuum"].view()
    for given in view.drive(0.0, 0.0, 0.0):
        sim.apply(given)
    assert not sim.robots["vacuum"].state.drive_enabled
    for given in view.drive(0.5, 0.0, 0.0):
        sim.apply(given)
    assert sim.robots["vacuum"].state.drive_enabled


def test_the_covered_floor_is_that_of_the_run_and_starts_again_after_a_reset():
    sim = vacuum(*INSTANT)
    robot = sim.robots["vacuum"]
    first, other = robot.view(), robot.view()
    start = first.measure()["coverage"]
    area_m2 = (6.0 - 2 * robot.config.robot.robot_radius) * 6.0  # about what it can reach
    assert start == pytest.approx(100 * math.pi * 0.17**2 / area_m2, rel=0.6)
    apply(sim, first.drive(1.0, 0.0, 0.0))
    for _ in range(20):
        sim.run(0.1)
        first.measure()
    covered = other.measure()["coverage"]  # a page that is opened later has the same share
    assert covered == first.measure()["coverage"]
    length_m = sim.truth("vacuum").pose[0] - 0.0
    swept_m2 = 2 * robot.config.robot.robot_radius * abs(length_m)
    assert covered - start == pytest.approx(100 * swept_m2 / 36.0, rel=0.4)
    sim.reset()
    assert sim.robots["vacuum"].view().measure()["coverage"] == pytest.approx(start, rel=0.01)


def test_the_floor_that_was_covered_before_a_snapshot_is_kept_when_time_goes_back_to_it():
    sim = vacuum(*INSTANT)
    view = sim.robots["vacuum"].view()
    apply(sim, view.drive(1.0, 0.0, 0.0))

    def drive():
        for _ in range(10):
            sim.run(0.1)
            found = view.measure()["coverage"]
        return found

    before = view.measure()["coverage"]
    middle = drive()
    saved = sim.snapshot()
    end = drive()
    assert before < middle < end
    sim.restore(saved)
    assert view.measure()["coverage"] == middle
    assert drive() == pytest.approx(end, rel=0.01)


def test_a_robot_that_is_placed_elsewhere_sweeps_nothing_on_the_way():
    sim = vacuum(*INSTANT)
    robot = sim.robots["vacuum"]
    view = robot.view()
    before = view.measure()["coverage"]
    sim.run(0.1)
    robot.state.body[0] += 1.5
    assert view.measure()["coverage"] == pytest.approx(2 * before, rel=0.15)


def test_a_lidar_that_is_off_is_hinted_at_and_the_hint_turns_it_on():
    sim = vacuum()
    view = sim.robots["vacuum"].view()
    hint = next(part for part in view.parts if isinstance(part, Hint))
    assert view.measure()[hint.name] == 1.0
    apply(sim, view.act(hint.action))
    assert view.measure()[hint.name] == 0.0
    sim.inject("vacuum", "lidar", "off")
    assert view.measure()[hint.name] == 0.0  # turning it on would not help


def test_raw_counts_have_units_and_the_summary_names_what_runs():
    sim = vacuum()
    view = sim.robots["vacuum"].view()
    raw = {part.name: part.unit for part in view.parts if part.group == "Raw counts"}
    assert raw["wheel_left"] == "ticks"
    assert raw["gyro_z"] == raw["accel_x"] == "LSB"
    assert set(raw) <= set(view.measure())
    apply(sim, view.act("vacuum on"))
    sim.run(0.1)
    summary = view.summary()
    assert (summary.task, summary.speed_mps) == ("vacuum", 0.0)
    assert summary.battery_percent == view.measure()["battery_level"]
    assert view.place() == pytest.approx(sim.truth("vacuum").pose)
