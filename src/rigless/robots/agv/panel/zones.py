"""Blocked zones for one AGV, sent over NATS as traffic control sends them."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.robots.agv.panel.backend import Backend
from rigless.robots.agv.robot import Agv

SEQS = count(1)
LEASE = timedelta(days=365)  # a control must have an end


class ZoneDesk:
    """Blocks and releases zones for one robot."""

    def __init__(self, host: Host, robot: str):
        self._host, self._robot = host, robot
        self._backend = Backend(host, robot)

    async def block(self, name: str, zone: dict[str, Any]) -> None:
        """Forbid a zone, in the format of traffic.control. Raises InputError."""
        agv = self._host.sim.robot(self._robot, Agv)
        if not agv.config.capabilities.supportedModules.traffic:
            what = "its configuration has no traffic module (supportedModules.traffic)"
            raise InputError(Problem(self._robot, what, "set it to true"))
        await self._send(name, "ZONE_BLOCK", zone=zone)

    async def release(self, name: str) -> None:
        """Allow a zone again."""
        await self._send(name, "RELEASE")

    async def _send(self, name: str, kind: str, **more: Any) -> None:
        until = f"{datetime.now(UTC) + LEASE:%Y-%m-%dT%H:%M:%SZ}"
        control = {"controlId": _control(name), "kind": kind, "seq": next(SEQS), **more}
        control["validUntil"] = until
        await self._backend.publish("traffic.control", control)

    def holds(self, name: str) -> bool:
        """Return True if the robot has taken the zone as blocked."""
        return _control(name) in self._host.sim.robot(self._robot, Agv).state.traffic.zones

    async def close(self) -> None:
        await self._backend.close()


def _control(name: str) -> str:
    return f"panel-{name}"
