"""Examine a config in two passes, and report all findings at once.

1. shape: the type and range of each key (shape.py);
2. cross-field: keys that must agree with each other (motors.py, parts.py, profile.py).

The second pass skips what the first rejected. requirements.py declares what the config requires of
the computer; the I/O side checks that. Codes are stable, because programs read them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rigless.kernel.documents.requirements import Requirement
from rigless.kernel.problems import Problem
from rigless.robots.agv.checks import requirements
from rigless.robots.agv.checks.config_path import ConfigPath
from rigless.robots.agv.checks.motors import motors
from rigless.robots.agv.checks.parts import parts
from rigless.robots.agv.checks.profile import profile
from rigless.robots.agv.checks.shape import shape
from rigless.robots.agv.config import RobotConfig, complete


def examine_config(given: Any) -> tuple[RobotConfig | None, list[Problem]]:
    """Return the config, if its shape is right, and all findings in the order of the passes."""
    whole = complete(given)
    config, findings = shape(whole)
    cross = [replace(finding, stage="cross-field") for finding in cross_field(ConfigPath(whole))]
    return config, findings + cross


def requirements_of(given: Any, config: RobotConfig | None) -> list[Requirement]:
    """Return what a config requires of the computer. `config` is None if it has errors."""
    return list(requirements.requirements(ConfigPath(complete(given)), config))


def cross_field(root: ConfigPath) -> Iterator[Problem]:
    yield from parts(root)
    yield from motors(root)
    yield from profile(root)
