"""The Pacbot's own part of the panel's API."""

from typing import Any


def goal_desk(host: Any, robot: str) -> Any:
    """Return the driver of one Pacbot."""
    from rigless.robots.pacbot.panel.client import make_driver

    return make_driver(host, robot)
