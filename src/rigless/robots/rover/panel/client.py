"""A ROS 2 node that drives the rover: it publishes cmd_vel over DDS, as a navigation stack does."""

import asyncio
import os
import time
from typing import Any

from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.topic import Topic as DdsTopic

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.goals.driver import Driver
from rigless.panel.goals.steering import Command, Vehicle
from rigless.robots.rover.robot import Rover
from rigless.robots.rover.view import SPEED_MPS, TURN_RADPS
from rigless.robots.rover.wire import node_of
from rigless.ros import cdr
from rigless.ros.messages import Header, Twist, TwistStamped, Vector3
from rigless.ros.topics import Topic
from rigless.transports.cyclone.participant import quality
from rigless.transports.cyclone.samples import sample_type
from rigless.transports.cyclone.settings import domain_of

DISCOVERY_S = 5.0
POLL_S = 0.02
SHARE = 0.8  # of the full speed
NEAR_M = 0.05


def vehicle_of(robot: Rover) -> Vehicle:
    """Return the rover as the driver sees it."""
    limits = robot.config.limits
    return Vehicle(
        robot.config.radius_m,
        SHARE * (limits.linear_mps or SPEED_MPS),
        SHARE * (limits.angular_radps or TURN_RADPS),
        slow_mps2=0.5 * (limits.linear_mps2 or 1.0),
        near_m=NEAR_M,
    )


def make_driver(host: Host, robot: str) -> Driver:
    """Return the driver of one robot."""
    return Driver(
        host,
        robot,
        lambda: vehicle_of(host.sim.robot(robot, Rover)),
        lambda: RoverClient(host, robot),
    )


class RoverClient:
    """A participant of its own in the rover's domain, with a writer of cmd_vel."""

    def __init__(self, host: Host, robot: str):
        self._host, self._robot = host, robot
        self._writer: Any = None
        self._participant: Any = None
        self._kind: type = Twist

    async def open(self) -> None:
        config = self._host.sim.robot(self._robot, Rover).config
        url = self._host.address(self._robot, "dds")
        if not url.startswith("dds:"):
            what = f"the driver speaks DDS, and the port is {url or 'not open'}"
            raise InputError(Problem(f"{self._robot}/dds", what, "run it with --backend dds"))
        node = node_of(config, self._robot)
        self._kind = TwistStamped if config.twist_stamped else Twist
        topic = Topic(node.full_name("cmd_vel"), self._kind, "in")
        # This process is in the domain already, by the rover itself.
        self._participant = DomainParticipant(domain_of(url.removeprefix("dds://"), os.environ))
        described = DdsTopic(self._participant, f"rt{topic.name}", sample_type(self._kind))
        self._writer = DataWriter(self._participant, described, quality(topic))
        end = time.monotonic() + DISCOVERY_S
        while not self._writer.get_matched_subscriptions():
            if time.monotonic() > end:
                raise ConnectionError(f"nothing subscribes to {topic.name}")
            await asyncio.sleep(POLL_S)

    async def send(self, command: Command) -> None:
        linear, angular = Vector3(command.forward_mps), Vector3(0.0, 0.0, command.turn_radps)
        twist = Twist(linear, angular)
        message = TwistStamped(Header(), twist) if self._kind is TwistStamped else twist
        self._writer.write(sample_type(self._kind).of(cdr.encode(message)))

    async def close(self) -> None:
        self._writer = self._participant = None  # Cyclone closes what nothing refers to
