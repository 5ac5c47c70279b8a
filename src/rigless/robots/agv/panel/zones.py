"""Blocked zones for one AGV, sent over NATS as traffic control sends them."""

from itertools import count
from typing import Any

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.robots.agv.panel.backend import Backend
from rigless.robots.agv.robot import Agv

SEQS = count(1)


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
        control = {"controlId": f"panel-{name}", "kind": kind, "seq": next(SEQS), **more}
        await self._backend.publish("traffic.control", control)

    async def close(self) -> None:
        await self._backend.close()
