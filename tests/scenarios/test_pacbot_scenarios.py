"""The Pacbot's bundled scenarios: each change breaks one; together they break each expectation."""

import pytest

from rigless.scenario.bundled import bundled_scenarios

from .test_shipped import assert_all_breaks

INVERTED = 'faults=[{target="wheel_north", kind="inverted"}]'
CHANGES = {
    "pacbot_square": [
        "body.wheel_speed_mps=0.5",
        "motors.gain.west=0.9",
        "encoders.noise=0.5",
        "sensors_hz=50",
        "body.radius_m=0.5",
        'faults=[{at_s=1.0, until_s=1.5, target="wheel_west", kind="stall"}]',
        'faults=[{at_s=6.9, target="commands", kind="drop"}]',
        "motors.gain.north=0.5",
    ],
    "pacbot_match": [
        "game.camera.rate_hz=0",
        "game.rate_hz=12",
        "game.ghosts=0",
    ],
    "pacbot_wall": [
        "motors.gain.east=0.0",
        "body.radius_m=0.1",
        "motors.grip=0.01",
        "encoders.noise=0.5",
        "imu.accel_filter_s=0.5",
        "tof.min_range_m=0.0",
        INVERTED,
    ],
    "pacbot_dead_motor": [
        "faults=[]",
        'faults=[{at_s=0.6, target="wheel_east", kind="stall"}]',
        'faults=[{at_s=1.5, until_s=3.0, target="wheel_east", kind="weak", factor=0.1}]',
        "imu.gyro_bias_radps=0.1",
        "body.wheel_speed_mps=1.5",
    ],
    "pacbot_lost_packets": [
        "faults=[]",
        "motors.watchdog_s=0.0",
        "motors.gain.west=0.2",
        "body.wheel_speed_mps=0.2",
        'faults=[{at_s=1.5, target="commands", kind="drop"}]',
    ],
    "pacbot_blind": [
        "faults=[]",
        "tof.rate_hz=1",
        "body.wheel_speed_mps=0.1",
        'faults=[{at_s=0.0, target="tof_east", kind="off"}]',
        'faults=[{target="tof_south", kind="bias", value=-0.5}]',
    ],
    "pacbot_pair": [
        "behind.body.wheel_speed_mps=0.1",
        "ahead.body.radius_m=0.085",
        "ahead.body.wheel_speed_mps=0.1",
        "ahead.tof.min_range_m=0.0",
        'faults=[{robot="ahead", target="wheel_north", kind="runaway", level=0.01}]',
    ],
    "pacbot_tiles": [
        "tile_s=0.1",
        "motors.gain.north=0.9",
        "body.turn_speed_radps=3",
        'faults=[{at_s=10.0, target="strings", kind="drop"}]',
    ],
}


def test_all_are_here():
    assert sorted(name for name in bundled_scenarios() if name.startswith("pacbot_")) == sorted(
        CHANGES
    )


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_breaks_a_scenario_and_every_expectation_can_break(name):
    assert_all_breaks(name, CHANGES[name])
