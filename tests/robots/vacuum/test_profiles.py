"""Config keys behind one word: the upstream mock, and the imperfections of a real robot."""

import numpy as np
import pytest

from rigless.kernel.problems import InputError
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.wire import Scan
from rigless.scenario.load import open_target

from .scene import NOISELESS, column, drive, heard, scan, statuses, switch, vacuum, wall_range

HALF = 3.0  # of the empty room


def test_the_mock_scans_in_one_instant_from_the_centre_of_the_robot():
    sim = vacuum("mock_compat=true", *NOISELESS, "start_x=0.4", "start_theta=0.3")
    switch(sim, "lidar", "enable")
    switch(sim, "drive", "enable")
    drive(sim, 0.2, 1.0)
    sim.run(0.8)
    found = scan(sim)
    x, y, theta = sim.truth("vacuum").pose
    meant = wall_range(x, y, theta + found.angles.astype(float), HALF, HALF)
    assert found.distances == pytest.approx(meant, abs=1e-5)


def test_the_mock_ignores_the_mounting_and_says_so():
    built = open_target("vacuum", ["mock_compat=true", "lidar.mounting_x=-0.11"])
    assert built.simulation.robot("vacuum").config.lidar.mounting_x == 0.0
    (note,) = built.notes
    assert "mock_compat: the upstream mock ignores the values given for lidar.mounting_x" in note


def test_the_real_robot_scans_while_it_moves_from_its_mount():
    lidar = VacuumConfig().lidar
    assert (lidar.rolling, lidar.mounting_x, lidar.optical_offset) == (True, -0.11, 0.025)


def test_realism_is_off_by_default_and_changes_nothing_then():
    assert VacuumConfig(realism="seed") == VacuumConfig()
    with pytest.raises(InputError, match="hardwear"):
        open_target("vacuum", ["realism=hardwear"])
    with pytest.raises(InputError, match="mock_compat and realism = hardware contradict"):
        open_target("vacuum", ["realism=hardware", "mock_compat=true"])


def test_hardware_has_the_imperfections_of_a_real_robot():
    sim = vacuum("realism=hardware", "lidar_frame=lidar_mount", "lidar.enabled=true")
    found = statuses(sim, 10.0)
    yaw = column(found, "gyro_z")  # device x with its sign flipped
    assert -yaw[:110].mean() == pytest.approx(9.0, abs=1.5)
    assert -(yaw[-110:].mean() - yaw[:110].mean()) == pytest.approx(0.02 * 9, abs=2.0)
    scans = heard(sim, 4.0, Scan)
    assert len(scans) == 22
    assert len({len(one.angles) for one in scans}) > 5  # the motor does not turn evenly
    distances = np.concatenate([one.distances for one in scans]).astype(float)
    assert distances / 0.00025 == pytest.approx(np.rint(distances / 0.00025), abs=2e-3)
    qualities = np.concatenate([one.qualities for one in scans])
    deviation = np.std(qualities - (200 - 10 * distances))
    assert deviation == pytest.approx(15.0, rel=0.05)
    ahead = [one.distances[np.abs(one.angles + 0.2182).argmin()] for one in scans]
    assert np.std(ahead) > 0.006  # 3 m away; without realism it is 5 mm


def test_hardware_drifts_off_its_odometry():
    sim = vacuum("realism=hardware", "imu.gyro_noise.bias=[0,0,0]", "start_x=-2")
    drive(sim, 0.2)
    sim.run(15.0)
    truth = sim.truth("vacuum")
    travelled = truth.distance_m
    assert truth.odometry[0] - truth.pose[0] == pytest.approx(0.01 * travelled, abs=0.01)
    assert truth.odometry[2] == pytest.approx(0.003 * travelled / 0.233, abs=0.01)


def test_given_keys_win_over_realism_and_are_listed():
    built = open_target("vacuum", ["realism=hardware", "lidar.scan_rate_hz=5", "seed=3"])
    config = built.simulation.robot("vacuum").config
    assert (config.lidar.scan_rate_hz, config.lidar.noise.quantisation) == (5.0, 0.00025)
    (note,) = built.notes
    assert "hardware leaves these keys as they are given: lidar.scan_rate_hz" in note


def test_realism_works_in_scenarios(tmp_path):
    file = tmp_path / "real.toml"
    file.write_text("name = 'r'\n[[robots]]\nkind = 'vacuum'\nconfig = { realism = 'hardware' }\n")
    built = open_target(file)
    assert built.simulation.robot("vacuum").config.robot.max_linear_acceleration == 0.9
    assert not built.notes
