"""Whether a config is good to boot with: the same verdict every time, in three passes, with all that can be told at once.

The shape of each key (`checks_shape`); what keys say about each other (`checks_motors`, `checks_parts`, `checks_profile`); what this machine must have for it
(`checks_environment`). What one pass finds wrong, the next does not look at. Codes stay as they are once they are out: programs read them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rigless.kernel.validation import Finding
from rigless.robots.agv.checks_environment import environment_of
from rigless.robots.agv.checks_motors import motors
from rigless.robots.agv.checks_parts import parts
from rigless.robots.agv.checks_profile import profile
from rigless.robots.agv.checks_shape import shape
from rigless.robots.agv.config import RobotConfig, complete
from rigless.robots.agv.place import Place


def examine_config(
    given: Any, environment: bool = True
) -> tuple[RobotConfig | None, list[Finding]]:
    """The config, if its shape is right, and all findings, in the order of the passes."""
    whole = complete(given)
    config, findings = shape(whole)
    root = Place(whole)
    findings += [replace(finding, stage="cross-field") for finding in cross_field(root)]
    if environment:
        good = config if not any(finding.severity == "error" for finding in findings) else None
        findings += [
            replace(finding, stage="environment") for finding in environment_of(root, good)
        ]
    return config, findings


def cross_field(root: Place) -> Iterator[Finding]:
    yield from parts(root)
    yield from motors(root)
    yield from profile(root)
