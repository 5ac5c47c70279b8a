"""Examine a config in three passes, and report all findings at once.

1. shape: the type and range of each key (shape.py);
2. cross-field: keys that must agree with each other (motors.py, parts.py, profile.py);
3. environment: files, drivers and maps that this computer must have (environment.py).

A pass skips what an earlier pass rejected. Codes are stable, because programs read them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rigless.kernel.validation import Finding
from rigless.robots.agv.checks.config_path import ConfigPath
from rigless.robots.agv.checks.environment import environment_of
from rigless.robots.agv.checks.motors import motors
from rigless.robots.agv.checks.parts import parts
from rigless.robots.agv.checks.profile import profile
from rigless.robots.agv.checks.shape import shape
from rigless.robots.agv.config import RobotConfig, complete


def examine_config(
    given: Any, environment: bool = True
) -> tuple[RobotConfig | None, list[Finding]]:
    """The config, if its shape is right, and all findings, in the order of the passes."""
    whole = complete(given)
    config, findings = shape(whole)
    root = ConfigPath(whole)
    findings += [replace(finding, stage="cross-field") for finding in cross_field(root)]
    if environment:
        good = config if not any(finding.severity == "error" for finding in findings) else None
        findings += [
            replace(finding, stage="environment") for finding in environment_of(root, good)
        ]
    return config, findings


def cross_field(root: ConfigPath) -> Iterator[Finding]:
    yield from parts(root)
    yield from motors(root)
    yield from profile(root)
