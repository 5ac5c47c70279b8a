"""The welder's own part of the panel's API."""

from typing import Any


def program_desk(host: Any, robot: str) -> Any:
    """Return the programs of one welder."""
    from rigless.robots.welder.panel.desk import WelderDesk

    return WelderDesk(host, robot)
