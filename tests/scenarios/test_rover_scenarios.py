"""The rover's bundled scenarios: each change breaks one; together they break each expectation."""

import pytest

from rigless.scenario.bundled import bundled_scenarios

from .test_shipped import assert_all_breaks

CHANGES = {
    "rover_figure_eight": [
        "limits.linear_mps=1.4",
        "limits.angular_radps=0.5",
        "enc_vel={}",
        "gps.noise_std_m=3.0",
        "low_rate_update_period_s=0.2",
    ],
    "rover_under_trees": [
        "gps.fix_schedule=[]",
        "gps.outages_s=[]",
        "faults=[]",
        "gps.scale={float=2.0, fixed=1.0}",
        "limits.linear_mps=0.9",
        'faults=[{target="imu", kind="off", at_s=8.0}]',
    ],
    "rover_declination": [
        "compass.imu.declination_convention=robot_localization",
        "upstream.imu.declination_convention=physical",
        "compass.imu.initial_yaw_rad=1.0",
        'faults=[{robot="upstream", target="drive", kind="runaway"}]',
    ],
}


def test_all_are_here():
    assert sorted(name for name in bundled_scenarios() if name.startswith("rover_")) == sorted(
        CHANGES
    )


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_breaks_a_scenario_and_every_expectation_can_break(name):
    assert_all_breaks(name, CHANGES[name])
