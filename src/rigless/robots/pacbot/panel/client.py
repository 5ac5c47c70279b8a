"""A client of the Pacbot's ZeroMQ port that drives it: a request for each motor."""

import asyncio
import math

import zmq
import zmq.asyncio

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.motion.omni import wheel_speeds
from rigless.panel.goals.driver import Driver
from rigless.panel.goals.steering import Command, Vehicle
from rigless.robots.pacbot.match import FRAME_PORTS
from rigless.robots.pacbot.robot import Pacbot
from rigless.robots.pacbot.wire import Command as MotorCommand
from rigless.robots.pacbot.wire import CommandCodec

REPLY_S = 5.0
SHARE = 0.8  # of the full speed


def vehicle_of(robot: Pacbot) -> Vehicle:
    """Return the Pacbot as the driver sees it. Its forward is to the left of its x axis."""
    body = robot.config.body
    return Vehicle(
        body.radius_m,
        SHARE * body.wheel_speed_mps,
        SHARE * body.turn_speed_radps,
        sideways=True,
        near_m=0.01,
        heading_rad=0.5 * math.pi,
    )


def make_driver(host: Host, robot: str) -> Driver:
    """Return the driver of one robot."""
    return Driver(
        host,
        robot,
        lambda: vehicle_of(host.sim.robot(robot, Pacbot)),
        lambda: PacbotClient(host, robot),
        FRAME_PORTS,
    )


class PacbotClient:
    """A REQ socket on the port `commands`."""

    def __init__(self, host: Host, robot: str):
        self._host, self._robot = host, robot
        self._context: zmq.asyncio.Context | None = None
        self._socket: zmq.asyncio.Socket | None = None
        self._codec = CommandCodec()
        self._sent: dict[int, float] = {}

    async def open(self) -> None:
        url = self._host.address(self._robot, "commands")
        if not url.startswith("tcp:"):
            what = "its port is not open in this run"
            raise InputError(Problem(f"{self._robot}/commands", what, "run it without --fast"))
        self._context = zmq.asyncio.Context()
        self._socket = self._context.socket(zmq.REQ)
        self._socket.set(zmq.LINGER, 0)
        self._socket.connect(url)

    async def send(self, command: Command) -> None:
        config = self._host.sim.robot(self._robot, Pacbot).config
        body, repeats = config.body, config.motors.watchdog_s > 0
        turn = command.turn_radps / body.turn_speed_radps
        full = body.wheel_speed_mps
        unscaled = wheel_speeds(-command.left_mps / full, command.forward_mps / full, turn, 1.0)
        scale = max(1.0, *(abs(speed) for speed in unscaled))
        for motor, speed in enumerate(round(speed / scale, 3) for speed in unscaled):
            if repeats or self._sent.get(motor) != speed:
                await self._request(MotorCommand("move", motor, speed=speed))
                self._sent[motor] = speed

    async def _request(self, command: MotorCommand) -> None:
        assert self._socket is not None
        await self._socket.send(self._codec.encode_request(command))
        await asyncio.wait_for(self._socket.recv(), REPLY_S)

    async def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._context is not None:
            self._context.term()
            self._context = None
