"""Tests of the robot: its behaviour in virtual time, its scenario, and the conformance suite."""

from pathlib import Path
from typing import Any

import pytest

import rigless
from rigless.testing import robot_checks

FOLDER = Path(__file__).parent
NAME = FOLDER.name


@pytest.fixture
def sim() -> Any:
    return rigless.load(str(FOLDER), seed=1, settings=["noise_deg=0"])


def send(sim: Any, message: str, **fields: Any) -> list[str]:
    sim.send(NAME, "line", {"type": message, **fields})
    sim.run(seconds=0.1)
    return [reply.text for reply in sim.take(NAME, "line")]


def test_it_turns_at_its_speed(sim: Any) -> None:
    assert send(sim, "Move", degrees=90.0) == ["OK"]
    sim.run(seconds=0.9)
    assert sim.truth(NAME).angle_deg == pytest.approx(45.0, abs=1.0)
    sim.run(seconds=2)
    assert send(sim, "Get") == ["ANGLE 90.00 TARGET 90.0"]


def test_it_stays_within_its_stops(sim: Any) -> None:
    assert send(sim, "Move", degrees=181.0) == ["ERR range"]


def test_a_dead_sensor_gives_no_reading(sim: Any) -> None:
    sim.inject(NAME, "angle", "off")
    assert send(sim, "Get") == ["ANGLE - TARGET 0.0"]


@pytest.mark.parametrize("check", robot_checks(FOLDER), ids=str)
def test_conformance(check: Any) -> None:
    check()
