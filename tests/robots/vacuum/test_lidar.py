"""The lidar's geometry: ranges of a box room in closed form, frames, mounting and limits."""

import math

import numpy as np
import pytest

from rigless.robots.vacuum.wire import Scan

from .scene import (
    INSTANT,
    NOISELESS,
    beam_ranges,
    box,
    difference,
    drive,
    events,
    heard,
    scan,
    switch,
    vacuum,
    wall_range,
    write_map,
)

HALF_X, HALF_Y = 2.0, 1.5
POSES = [(0.0, 0.0, 0.0), (0.7, -0.4, 1.1), (-1.2, 0.9, -2.8)]
ANGLES = -math.pi + 2 * math.pi * np.arange(360) / 360
MOUNT = "lidar_frame=lidar_mount"


@pytest.fixture
def room(tmp_path):
    """Return a function that loads a noiseless vacuum with its lidar on in the box room."""
    cells, origin = box(HALF_X, HALF_Y)
    setting = write_map(tmp_path, cells, 0.05, origin)

    def make(*settings, pose=(0.0, 0.0, 0.0), seed=1):
        start = [
            f"start_{axis}={value}" for axis, value in zip(("x", "y", "theta"), pose, strict=True)
        ]
        return vacuum(
            *NOISELESS, *INSTANT, setting, "lidar.enabled=true", *start, *settings, seed=seed
        )

    return make


@pytest.mark.parametrize("pose", POSES)
def test_ranges_from_the_mount(room, pose):
    found = scan(room(MOUNT, pose=pose))
    assert len(found.angles) == 360
    assert difference(found.angles - ANGLES) == pytest.approx(0.0, abs=1e-6)
    assert found.distances == pytest.approx(
        beam_ranges(pose, found.angles, HALF_X, HALF_Y), abs=2e-6
    )


@pytest.mark.parametrize(
    ("mount", "optical", "offset"),
    [((-0.11, 0.0), 0.025, 0.2182), ((0.05, 0.08), 0.1, -1.0), ((0.0, 0.0), 0.0, 0.0)],
)
def test_mounting_optical_offset_and_angle_offset(room, mount, optical, offset):
    settings = (
        f"lidar.mounting_x={mount[0]}",
        f"lidar.mounting_y={mount[1]}",
        f"lidar.optical_offset={optical}",
    )
    found = scan(room(MOUNT, *settings, f"lidar.angle_offset={offset}", pose=POSES[1]))
    meant = beam_ranges(POSES[1], found.angles, HALF_X, HALF_Y, mount, optical, offset)
    assert found.distances == pytest.approx(meant, abs=2e-6)


@pytest.mark.parametrize("pose", POSES)
def test_points_about_the_robot_lie_on_the_walls(room, pose):
    found = scan(room(pose=pose))
    assert len(found.angles) == 360
    assert found.distances == pytest.approx(
        wall_range(pose[0], pose[1], pose[2] + found.angles, HALF_X, HALF_Y), abs=3e-6
    )


def test_the_two_frames_are_the_same_points(room):
    """A scan from the mount, converted by a client, equals the scan about the robot."""
    mounted, centred = scan(room(MOUNT, pose=POSES[2])), scan(room(pose=POSES[2]))
    heading = mounted.angles + 0.2182
    x = -0.11 + (0.025 + mounted.distances) * np.cos(heading)
    y = (0.025 + mounted.distances) * np.sin(heading)
    assert np.hypot(x, y) == pytest.approx(centred.distances, abs=2e-6)
    assert difference(np.arctan2(y, x) - centred.angles) == pytest.approx(0.0, abs=2e-6)


def test_a_turned_map_turns_what_is_seen(tmp_path):
    """The yaw of a map's origin is respected: same room, same pose in it, same scan."""
    yaw = 0.5
    cells, (x, y, _) = box(HALF_X, HALF_Y)
    origin = (x * math.cos(yaw) - y * math.sin(yaw), x * math.sin(yaw) + y * math.cos(yaw), yaw)
    setting = write_map(tmp_path, cells, 0.05, origin)
    found = scan(vacuum(*NOISELESS, setting, "lidar.enabled=true", MOUNT, f"start_theta={yaw}"))
    assert found.distances == pytest.approx(
        beam_ranges(POSES[0], found.angles, HALF_X, HALF_Y), abs=2e-6
    )


def test_raw_angles_descend():
    found = scan(vacuum(*NOISELESS, "lidar.enabled=true", MOUNT))
    raw = (math.pi - found.angles) % (2 * math.pi)  # the wire's angle is π − raw
    assert (np.diff(raw[1:]) < 0).all()


def test_the_frame_transform_of_the_lidar_is_applied(room):
    plain = ("frame_transforms.lidar.scale=1", "frame_transforms.lidar.offset=0")
    found = scan(room(MOUNT, *plain, pose=POSES[1]))
    assert (np.diff(found.angles % (2 * math.pi))[1:] < 0).all()
    assert found.distances == pytest.approx(
        beam_ranges(POSES[1], found.angles, HALF_X, HALF_Y), abs=2e-6
    )


def test_far_points_are_left_out(room):
    found = scan(room(MOUNT, "lidar.max_range=1.8"))
    meant = beam_ranges(POSES[0], ANGLES, HALF_X, HALF_Y)
    assert difference(found.angles - ANGLES[meant <= 1.8]) == pytest.approx(0.0, abs=1e-6)
    assert 0 < len(found.angles) < 360
    assert found.distances.max() <= 1.8


def test_near_points_are_left_out_and_never_clamped(room):
    pose = (HALF_X - 0.18, 0.0, math.pi)  # the lidar, at the back, is near the wall
    sim = room(MOUNT, "lidar.min_range=0.3", pose=pose)
    meant = beam_ranges(pose, ANGLES, HALF_X, HALF_Y)
    found = scan(sim)
    assert difference(found.angles - ANGLES[meant >= 0.3]) == pytest.approx(0.0, abs=1e-6)
    assert 0 < len(found.angles) < 360
    assert found.distances.min() >= 0.3
    assert np.min(sim.truth("vacuum").ranges) == pytest.approx(
        meant.min(), abs=1e-9
    )  # truth has all ranges


def test_truth_has_the_true_ranges(room):
    sim = room(MOUNT, "lidar.noise.range_stddev=0.1", pose=POSES[1])
    found = scan(sim)
    meant = beam_ranges(POSES[1], found.angles, HALF_X, HALF_Y)
    assert sim.truth("vacuum").ranges == pytest.approx(meant, abs=1e-6)
    assert np.abs(found.distances - meant).max() > 0.1


# Switch


def test_it_starts_off_and_is_silent_when_off():
    sim = vacuum()
    assert heard(sim, 2.0, Scan) == []
    switch(sim, "lidar", "enable", pwm=80)
    assert sim.robot("vacuum").state.actuators["lidar_pwm"] == 80
    assert len(heard(sim, 2.0, Scan)) == 10
    switch(sim, "lidar", "disable")
    assert heard(sim, 2.0, Scan) == []


@pytest.mark.parametrize(("compat", "scans"), [("false", 0), ("true", 5)])
def test_configure_does_nothing_but_in_the_upstream_mock_it_enables(compat, scans):
    sim = vacuum(f"mock_compat={compat}")
    switch(sim, "lidar", "configure", pwm=50)
    assert len(heard(sim, 1.0, Scan)) == scans
    assert [event.severity for event in events(sim, "bad-command")] == ["warning"] * (scans == 0)


def test_rays_and_rate_can_be_set():
    sim = vacuum(*NOISELESS, "lidar.num_rays=90", "lidar.scan_rate_hz=5.5", "lidar.enabled=true")
    found = heard(sim, 2.0, Scan)
    assert (len(found), len(found[0].angles)) == (11, 90)


# Rolling


def turning(room, rolling, v=0.0):
    sim = room(MOUNT, f"lidar.rolling={rolling}", "lidar.angle_offset=0", pose=(0.3, 0.2, 0.0))
    drive(sim, v, 1.0)
    sim.run(0.8)
    return scan(sim)


def poses_at(times, v):
    return np.stack([0.3 + v * np.sin(times), 0.2 + v * (1 - np.cos(times)), times], axis=1)


@pytest.mark.parametrize("v", [0.0, 0.3])
def test_each_beam_of_a_rolling_scan_is_from_its_own_instant(room, v):
    found = turning(room, "true", v)
    times = 0.8 + 0.2 * np.arange(360) / 360
    meant = beam_ranges(poses_at(times, v), found.angles, HALF_X, HALF_Y, offset=0.0)
    assert found.distances == pytest.approx(
        meant, abs=2e-5
    )  # the path between ticks is interpolated linearly
    still = beam_ranges(poses_at(np.full(360, 1.0), v), found.angles, HALF_X, HALF_Y, offset=0.0)
    assert np.abs(found.distances - still).max() > 0.1


def test_a_scan_that_does_not_roll_is_from_its_end(room):
    found = turning(room, "false")
    still = beam_ranges(poses_at(np.full(360, 1.0), 0.0), found.angles, HALF_X, HALF_Y, offset=0.0)
    assert found.distances == pytest.approx(still, abs=2e-6)
