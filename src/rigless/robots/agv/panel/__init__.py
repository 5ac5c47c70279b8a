"""The AGV's own part of the panel's API."""

from typing import Any


def goal_desk(host: Any, robot: str) -> Any:
    """Return the desk that sends one AGV to places."""
    from rigless.robots.agv.panel.desk import AgvDesk
    from rigless.robots.agv.panel.order_desk import OrderDesk

    given = host.sim.robots[robot].config.vda5050
    return AgvDesk(host, robot) if given is None or given.nats else OrderDesk(host, robot)


def zone_desk(host: Any, robot: str) -> Any:
    """Return the desk that blocks zones for one AGV."""
    from rigless.robots.agv.panel.zones import ZoneDesk

    return ZoneDesk(host, robot)
