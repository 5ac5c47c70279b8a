"""The bundled scenarios: all pass, every expectation can fail, and faults affect sensors."""

from pathlib import Path

import numpy as np
import pytest

from rigless.kernel.problems import InputError
from rigless.robots.vacuum.wire import Scan, Status
from rigless.scenario.bundled import bundled_scenarios
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = bundled_scenarios()

# Changes that make a scenario fail. Together they must break every status of its expectations.
WEAK_LEFT = 'faults=[{target="wheel_left", kind="weak", factor=0.9}]'
RUNAWAY = (
    'faults=[{at_s=10, target="wheel_left", kind="runaway"}, '
    '{at_s=10, target="wheel_right", kind="runaway"}]'
)
CHANGES = {
    "vacuum_explore": [
        "robot.max_linear_speed=0.2",
        "encoder.noise.slip_bias=0.1",
        "lidar.scan_rate_hz=4.0",
        'cliffs.sensors=[{name="left_front", x=2.2, y=0.0}]',
    ],
    "vacuum_table_leg": [
        "world.obstacles.leg_near_left.y=0.15",
        "world.obstacles.leg_far_left.y=0.0",
        "robot.max_linear_speed=0.05",
    ],
    "vacuum_wall_follow": [
        "robot.collision_mode=stop",
        "robot.collision_mode=passthrough",
        "robot.max_linear_speed=0.1",
        RUNAWAY,
        WEAK_LEFT,
    ],
    "vacuum_cliff": [
        "cliffs.enabled=false",
        "robot.max_linear_acceleration=0.02",
        'cliffs.sensors=[{name="left_front", x=0.3, y=0.0}]',
        RUNAWAY,
    ],
    "vacuum_docking": [
        "sensors.battery.model=fixed",
        "sensors.battery.charge_w=0.0",
        "dock.y=3.0",
        "robot.robot_radius=0.5",
    ],
    "vacuum_lidar_off": [
        "faults=[]",
        "lidar.scan_rate_hz=4.0",
        "robot.max_angular_speed=0.4",
    ],
    "vacuum_gyro_bias": [
        "faults=[]",
        "encoder.noise.slip_stddev=1.0",
        "imu.update_rate_hz=100.0",
        "robot.max_linear_speed=0.05",
        WEAK_LEFT,
    ],
    "vacuum_stuck_bumper": [
        "faults=[]",
        "robot.collision_mode=passthrough",
        "bumpers.trigger_distance=0.8",
        "robot.max_linear_speed=0.05",
    ],
    "vacuum_carpet": [
        "carpets=[]",
        "encoder.noise.slip_bias=0.1",
        "robot.max_linear_speed=0.15",
    ],
    "vacuum_obstacle": [
        "robot.collision_mode=passthrough",
        "robot.robot_radius=0.3",
        "robot.max_linear_speed=0.1",
    ],
    "vacuum_pair": [
        "runner.robot.collision_mode=passthrough",
        "runner.robot.robot_radius=0.3",
        "blocker.robot.max_linear_speed=0.1",
        'faults=[{robot="blocker", target="wheel_left", kind="runaway"}]',
    ],
}


def judge(name, *settings, seed=None):
    """Run a scenario; return its expectations and those that fail, or that cannot be held."""
    try:
        built = open_target(SHIPPED[name], settings, seed, collect=False)
    except InputError as error:
        texts = [e.name for e in open_target(SHIPPED[name]).scenario.expect]
        wrong = [int(problem.where.split("expect[")[1][0]) for problem in error.problems]
        return set(texts), {texts[index] for index in wrong}
    duration_s = built.scenario.duration_s
    examiner = ExpectationMonitor(built, duration_s)
    built.simulation.run(duration_s)
    verdicts = examiner.verdicts()
    return {verdict.text for verdict in verdicts}, {
        verdict.text for verdict in verdicts if not verdict.passed
    }


def test_the_scenarios_of_the_checkout_are_the_shipped_ones():
    assert {path.stem: path for path in sorted((ROOT / "scenarios").glob("*.toml"))} == SHIPPED
    assert [name for name in SHIPPED if name.startswith("vacuum_")] == sorted(CHANGES)


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_scenario_passes_with_any_seed(name, seed):
    expectations, failed = judge(name, seed=seed)
    assert expectations
    assert failed == set()


@pytest.mark.parametrize("name", SHIPPED)
def test_a_scenario_has_a_comment_and_the_name_of_its_file(name):
    text = SHIPPED[name].read_text("utf-8")
    scenario = open_target(SHIPPED[name]).scenario
    assert text.startswith("# ")
    assert scenario.name == name
    assert {"seed", "duration_s"} <= scenario.model_fields_set
    assert [expectation for expectation in scenario.expect if not expectation.name] == []


def assert_all_breaks(name, changes):
    """Assert that each change breaks the scenario, and together every expectation."""
    broken: set[str] = set()
    for change in changes:
        expectations, failed = judge(name, change)
        assert failed, f"nothing notices {change}"
        broken |= failed
    assert broken == expectations


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_breaks_a_scenario_and_every_expectation_can_break(name):
    assert_all_breaks(name, CHANGES[name])


def readings(name, *settings):
    """Return the messages of a vacuum in a scenario, with the times of its own clock."""
    built = open_target(SHIPPED[name], settings)
    built.simulation.run(built.scenario.duration_s)
    messages = built.simulation.take("vacuum", "telemetry")
    begin_us = next(message.timestamp_us for message in messages) // 1_000_000 * 1_000_000
    return [((message.timestamp_us - begin_us) / 1e6, message) for message in messages]


def test_a_biased_gyro_turns_a_standing_map():
    def turned(*settings):
        messages = [
            (at, status)
            for at, status in readings("vacuum_gyro_bias", *settings)
            if isinstance(status, Status)
        ]
        during = [status.gyro_z for at, status in messages if 5.1 < at < 34.9]
        around = [status.gyro_z for at, status in messages if at < 4.9 or at > 35.1]
        return np.mean(during), np.mean(around)

    assert turned() == pytest.approx((50, 0), abs=1.5)
    assert turned("faults=[]") == pytest.approx((0, 0), abs=1.5)


def test_a_stuck_bumper_stays_pressed_on_the_wire():
    def pressed(*settings):
        messages = [
            (at, status)
            for at, status in readings("vacuum_stuck_bumper", *settings)
            if isinstance(status, Status)
        ]
        return {(status.bumper_left, status.bumper_right) for at, status in messages if at > 9}

    assert pressed() == {(True, False)}
    assert pressed("faults=[]") == {(False, False)}


def test_a_lidar_that_is_off_sends_no_scan():
    scans = [at for at, status in readings("vacuum_lidar_off") if isinstance(status, Scan)]
    assert [at for at in scans if 5.1 < at < 9.9] == []
    assert len(scans) == pytest.approx(5 * 9.5, abs=2)
