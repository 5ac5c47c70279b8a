"""A client of the vacuum's TCP port that drives it, as apps of the real robot do."""

import asyncio
from typing import Any, Literal
from urllib.parse import urlsplit

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.goals.driver import Driver
from rigless.panel.goals.steering import Command, Vehicle
from rigless.robots.vacuum.robot import Vacuum
from rigless.robots.vacuum.wire import CommandCodec, Control

CONNECT_S = 5.0
SHARE = 0.9  # of the full speed


def vehicle_of(robot: Vacuum) -> Vehicle:
    """Return the vacuum as the driver sees it."""
    body = robot.config.robot
    return Vehicle(body.robot_radius, SHARE * body.max_linear_speed, SHARE * body.max_angular_speed)


def make_driver(host: Host, robot: str) -> Driver:
    """Return the driver of one robot."""
    return Driver(
        host,
        robot,
        lambda: vehicle_of(host.sim.robot(robot, Vacuum)),
        lambda: VacuumClient(host, robot),
    )


class VacuumClient:
    """One connection to the port `commands`. Telemetry is not read."""

    def __init__(self, host: Host, robot: str):
        self._host, self._robot = host, robot
        self._writer: asyncio.StreamWriter | None = None
        self._reader: asyncio.StreamReader | None = None
        self._codec = CommandCodec()

    async def open(self) -> None:
        url = urlsplit(self._host.address(self._robot, "commands"))
        if url.scheme != "tcp" or not url.port:
            what = "its port is not open in this run"
            raise InputError(Problem(f"{self._robot}/commands", what, "run it without --fast"))
        connect = asyncio.open_connection(url.hostname, url.port)
        self._reader, self._writer = await asyncio.wait_for(connect, CONNECT_S)
        self._write("enable", {})

    async def send(self, command: Command) -> None:
        if self._reader is None or self._reader.at_eof():
            raise ConnectionError("the robot has closed it")
        self._write("configure", {"linear": command.forward_mps, "angular": command.turn_radps})

    def _write(self, action: Literal["enable", "configure"], config: dict[str, Any]) -> None:
        assert self._writer is not None
        self._writer.write(self._codec.encode_request(Control("drive", action, config)))

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
