"""Findings of the checks for a changed config."""

from rigless.robots import agv
from rigless.robots.agv.checks.examine import examine_config
from rigless.scenario.requirements import check_with_environment

from .configs import changed

PROFILE = "runtime.simulationProfile"
REAL = {"runtime.mode": "REAL"}


def check(given):
    """Return the config and all findings, also those about this computer."""
    return check_with_environment(agv.Robot, given)


def findings(changes, environment=False):
    return check(changed(changes))[1] if environment else examine_config(changed(changes))[1]
