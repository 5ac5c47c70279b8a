"""The tracer: what it collects, its limits, and that it has no effect on the run."""

import base64
import io
import math
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rigless.kernel.recording import Recorder, record_to_bytes
from rigless.runs.session import Options
from rigless.runs.tracer import MAX_POINTS, Tracer
from rigless.runs.virtual_time import run_in_virtual_time
from rigless.runs.world_picture import picture_of
from rigless.scenario.load import open_target
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


def opened(name):
    return open_target(str(SCENARIOS / f"{name}.toml"), [], None, collect=False)


@pytest.fixture(scope="module")
def obstacle():
    """The trace of a run in which a cart rolls into the path of a vacuum."""
    built = opened("vacuum_obstacle")
    tracer = Tracer(built, 30)
    built.simulation.run(seconds=30)
    return tracer.finish()


def test_a_path_leads_from_the_start_to_the_end(obstacle):
    robot = obstacle.robots[0]
    assert (robot.name, robot.kind, robot.radius_m) == ("vacuum", "vacuum", 0.17)
    assert (robot.times_s[0], robot.x_m[0], robot.y_m[0]) == (0.0, -2.0, 0.0)
    assert robot.times_s[-1] == 30.0
    assert 1.5 < robot.x_m[-1] < 2.0
    assert len(robot.times_s) == len(robot.x_m) == len(robot.y_m) == 301


def test_a_collision_has_the_place_of_the_robot(obstacle):
    index = next(n for n, event in enumerate(obstacle.events) if event.code == "collision")
    x_m, y_m = obstacle.places[index]
    assert -0.37 < x_m < -0.35
    assert abs(y_m) < 0.01


def test_the_world_has_its_map_and_the_path_of_the_cart(obstacle):
    world = obstacle.worlds[0]
    assert base64.b64decode(world.png).startswith(b"\x89PNG")
    assert world.width_m > 3
    cart = world.obstacles[0]
    assert (cart.x_m, cart.y_m, cart.radius_m) == (0.0, 2.0, 0.3)
    assert min(y for _, y, _ in cart.poses) == pytest.approx(0.3)
    assert cart.times_s == sorted(cart.times_s)


def test_solid_borders_of_a_map_are_cropped():
    solid = np.ones((40, 60), bool)
    solid[10:20, 30:40] = False
    picture = picture_of(GridWorld(Grid(solid, 0.1, (1.0, 2.0, math.pi / 2))), {}, 0)
    assert (picture.width_m, picture.height_m) == pytest.approx((1.2, 1.2))  # and a cell around
    assert (picture.x_m, picture.y_m) == pytest.approx((1.0 - 0.9, 2.0 + 2.9))
    assert struct.unpack(">II", base64.b64decode(picture.png)[16:24]) == (12, 12)
    full = picture_of(GridWorld(Grid(np.ones((4, 6), bool), 0.1)), {}, 0)
    assert (full.width_m, full.height_m) == pytest.approx((0.6, 0.4))


def test_regions_name_their_expectations(obstacle):
    assert [region.expectation for region in obstacle.regions] == [4, 6]
    assert obstacle.regions[1].x_m == (1.5, 2.0)


def test_messages_are_counted_in_bins(obstacle):
    lanes = {(lane.port, lane.direction): lane.counts for lane in obstacle.lanes}
    assert sum(lanes["commands", "in"]) == 2
    assert ("telemetry", "out") not in lanes  # not recorded, so not encoded
    assert all(len(counts) == 200 for counts in lanes.values())


@pytest.mark.parametrize("name", ["vacuum_gyro_bias", "pacbot_lost_packets", "agv_fleet"])
def test_a_traced_run_has_the_same_recording(name):
    plain = record_to_bytes(opened(name).simulation, 6.0)
    built = opened(name)
    tracer = Tracer(built, 6.0)
    stream = io.BytesIO()
    recorder = Recorder(built.simulation, stream)
    built.simulation.run(seconds=6.0)
    recorder.close()
    tracer.finish()
    assert stream.getvalue() == plain


def test_outputs_are_not_encoded_for_the_trace():
    built = opened("vacuum_obstacle")
    Tracer(built, 30)
    assert not built.simulation.core.recording


def test_a_recorded_run_has_lanes_of_sent_messages(tmp_path):
    options = Options(record=tmp_path / "run.mcap", trace=True)
    result = run_in_virtual_time("", opened("vacuum_obstacle"), options)
    lanes = {(lane.port, lane.direction) for lane in result.trace.lanes}
    assert ("telemetry", "out") in lanes


def test_a_long_run_has_a_bounded_path():
    built = opened("vacuum_obstacle")
    built = replace(built, scenario=built.scenario)
    tracer = Tracer(built, 400.0)
    built.simulation.run(seconds=400.0)
    assert len(tracer.finish().robots[0].times_s) <= MAX_POINTS + 2


def test_after_the_end_it_observes_nothing():
    built = opened("agv_fleet")
    listeners = built.simulation.core.listeners
    before = [len(part) for part in listeners]
    Tracer(built, 1.0).finish()
    assert [len(part) for part in listeners] == before
    assert built.simulation.core.samples == []


@pytest.mark.parametrize(
    ("name", "corners"),
    [("vacuum_obstacle", 0), ("pacbot_wall", 0), ("rover_figure_eight", 0), ("agv_task", 4)],
)
def test_robots_have_a_heading_and_those_that_are_no_disc_have_corners(name, corners):
    built = opened(name)
    tracer = Tracer(built, 8)
    built.simulation.run(seconds=8)
    robot = tracer.finish().robots[0]
    assert len(robot.theta_rad) == len(robot.times_s)
    heading = built.simulation.truth(robot.name).pose[2]
    assert math.cos(robot.theta_rad[-1] - heading) == pytest.approx(1.0)
    assert len(robot.corners_m) == corners
    if corners:
        assert max(math.hypot(x, y) for x, y in robot.corners_m) == pytest.approx(
            robot.radius_m, abs=1e-3
        )
