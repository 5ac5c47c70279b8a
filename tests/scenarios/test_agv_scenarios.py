"""The AGV's shipped scenarios: each change breaks one, and together they break every expectation."""

import pytest

from rigless.scenario.places import shipped_scenarios

from .test_shipped import assert_all_breaks

NO_GRIPPER = 'faults=[{target="gripper", kind="error"}]'
RUNAWAY = 'faults=[{target="drive_left", kind="runaway"}, {target="drive_right", kind="runaway"}]'
CHANGES = {
    "agv_task": [
        NO_GRIPPER,
        'faults=[{at_s=8, target="hoist", kind="stall"}]',
        "capabilities.supportedModules.task=false",
        RUNAWAY,
        'faults=[{at_s=15, target="drive_left", kind="weak", factor=0.5}]',
        "motors.3.limits.maxSpeed.value=20",
    ],
    "agv_traffic_hold": [
        "capabilities.supportedModules.traffic=false",
        'faults=[{at_s=12, target="drive_left", kind="error"}]',
        RUNAWAY,
    ],
    "agv_drive_fault": [
        "faults=[]",
        'faults=[{at_s=3, target="drive_left", kind="error"}]',
        RUNAWAY,
        'capabilities.supportedCommands=["STOP"]',
    ],
    "agv_obstacle": [
        "safety.stopOnObstacle=false",
        "safety.stopOnEstop=false",
        "safety.obstacleStopDistanceMeters=0.3",
        'faults=[{at_s=20, target="estop", kind="off"}]',
        'faults=[{at_s=5, target="drive_left", kind="error"}]',
    ],
}


def test_all_are_here():
    assert sorted(name for name in shipped_scenarios() if name.startswith("agv_")) == sorted(CHANGES)


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_breaks_a_scenario_and_every_expectation_can_break(name):
    assert_all_breaks(name, CHANGES[name])
