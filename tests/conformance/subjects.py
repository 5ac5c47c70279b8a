"""The robots that the conformance suite runs on, each with its golden inputs.

RIGLESS_CONFORMANCE=FOLDER[:FOLDER] adds robots to it.
"""

import os
from pathlib import Path

import pytest

from rigless.scenario import kinds
from rigless.testing import robot_checks

ROOT = Path(__file__).resolve().parents[2]
THERMOSTAT = str(ROOT / "examples" / "thermostat")


def targets() -> list[str]:
    """Return every installed robot, the external one of the examples, and those named above."""
    extra = [folder for folder in os.environ.get("RIGLESS_CONFORMANCE", "").split(":") if folder]
    return [*kinds.installed(), THERMOSTAT, *extra]


def golden_of(target: str) -> Path | None:
    """Return the golden inputs in tests/robots; None for a robot that has them in its folder."""
    folder = ROOT / "tests" / "robots" / kinds.default_name(target) / "golden"
    return folder if folder.is_dir() else None


def all_checks(group: str) -> list[object]:
    """Return the checks of a group for every robot, as parameters of a test."""
    return [
        pytest.param(check, id=f"{kinds.default_name(target)}-{check}")
        for target in targets()
        for check in robot_checks(target, golden_of(target), group)
    ]
