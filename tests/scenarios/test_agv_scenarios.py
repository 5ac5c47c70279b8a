"""The bundled scenarios of the AGV: each change breaks one, and together they break all."""

import re
from pathlib import Path

import pytest

from rigless.robots.agv.config import OWN
from rigless.scenario.bundled import bundled_scenarios
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target

from .test_shipped import assert_all_breaks

NO_GRIPPER = 'faults=[{target="gripper", kind="error"}]'
RUNAWAY = 'faults=[{target="drive_left", kind="runaway"}, {target="drive_right", kind="runaway"}]'
HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "run-an-agv.md"
CHANGES = {
    "agv_fleet": [
        "AGV.capabilities.supportedModules.traffic=false",
        "AGV.motors.3.limits.maxSpeed.value=1",
        "faults=[]",
        'faults=[{at_s=6, robot="*", target="drive_left", kind="error"}]',
    ],
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
    "agv_vda5050": [
        "vda5050.version=3.0.0",
        'faults=[{at_s=2, target="drive_left", kind="error"}]',
        'faults=[{at_s=14, target="drop", kind="blocked"}]',
    ],
    "agv_vda5050_updates": [
        f'{robot}.runtime.simulationProfile.initialPose={{x=0, y=0, mapId="hall"}}'
        for robot in ("append", "replace", "cancel", "loop")
    ],
    "agv_obstacle": [
        "safety.stopOnObstacle=false",
        "safety.stopOnEstop=false",
        'safety.estopAcknowledge="AUTO"',
        "safety.obstacleStopDistanceMeters=0.3",
        'faults=[{at_s=20, target="estop", kind="off"}]',
        'faults=[{at_s=5, target="drive_left", kind="error"}]',
    ],
}


def test_all_are_here():
    assert sorted(name for name in bundled_scenarios() if name.startswith("agv_")) == sorted(
        CHANGES
    )


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_breaks_a_scenario_and_every_expectation_can_break(name):
    assert_all_breaks(name, CHANGES[name])


def test_scenarios_of_the_how_to_work(tmp_path):
    shown = re.findall(r"```toml\n(.*?)```", HOW_TO.read_text("utf-8"), re.DOTALL)
    assert len(shown) == 2
    (tmp_path / "robot_config.json").write_text(
        OWN.read_text("utf-8").replace('"robotId": "agv"', '"robotId": "RBT"')
    )
    robots, verdicts = [], []
    for text in shown:
        (tmp_path / "mine.toml").write_text(text.replace("200", "2"))
        built = open_target(tmp_path / "mine.toml")
        examiner = ExpectationMonitor(built, built.scenario.duration_s or 0.1)
        built.simulation.run(built.scenario.duration_s or 0.1)
        robots += built.simulation.robots
        verdicts += [verdict.passed for verdict in examiner.verdicts()]
    assert robots == ["AGV-1", "AGV-2", *(f"RBT-{n}" for n in range(1, 6)), "agv"]
    assert verdicts == [True, True]
