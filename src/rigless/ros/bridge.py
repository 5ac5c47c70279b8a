"""A ROS node for a robot whose own wire is not ROS, as a bridge in front of the real robot is one.

The node uses only what is on the robot's wire. It exists if the config enables it (`ros: true`,
`rigless run vacuum --ros`).
"""

import math
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from rigless.kernel.events import Severity
from rigless.kernel.robot import Config, Robot, VirtualInput
from rigless.ros import rosout
from rigless.ros.codec import Published, ros_port
from rigless.ros.messages import Clock, Header, Time, Twist
from rigless.ros.parameters import parameters_of
from rigless.ros.topics import Node, Topic, name_problem

PORT = "ros"
LATEST_S = 2**31 - 1  # the largest `sec` of a stamp
NOT_PROVIDED = (-1.0, *(0.0,) * 8)  # the IMU's covariance of a quantity that it does not measure
UNKNOWN = 1e6  # the variance of an axis that is not measured
EPOCH_HELP = "origin of ROS stamps, in seconds since 1970"
EPOCH = {"epoch_s": VirtualInput(0.0, EPOCH_HELP, by_host=True, clock_key="ros.clock")}
SIMULATED = {"epoch_s": VirtualInput(0.0, EPOCH_HELP, by_host=True)}  # stamps count from 0


class RosConfig(Config):
    """[ours] the ROS node. Its commands time out, as on most bases."""

    enabled: bool = False
    node_name: str = Field("", description="default: the robot's name")
    namespace: str | None = Field(
        None, description="default: none if the robot's name is its kind, else the robot's name"
    )
    remaps: dict[str, str] = {}
    clock: bool = Field(
        False, description="publish /clock for nodes with use_sim_time; stamps are simulated time"
    )
    cmd_vel_timeout_s: Annotated[float, Field(ge=0, le=1e6)] = Field(
        0.5, description="stop this long after the last cmd_vel; 0: never"
    )

    @model_validator(mode="before")
    @classmethod
    def asked_for(cls, data: Any) -> Any:
        """`ros: true` enables the bridge; so does giving any option."""
        if isinstance(data, bool):
            return {"enabled": data}
        return {"enabled": True, **data} if isinstance(data, dict) and data else data

    @field_validator("node_name", "namespace", "remaps")
    @classmethod
    def ros_names(cls, value: Any) -> Any:
        for name in (*value, *value.values()) if isinstance(value, dict) else (value,):
            if name and (problem := name_problem(name)):
                raise ValueError(problem)
        return value


class Bridge:
    """The ROS node of a robot that also has a wire of its own.

    `topics` are the topics that it publishes, `drive` is called with the speeds of a cmd_vel
    (forward and left in m/s, counter-clockwise in rad/s), and `timeout` is the robot's method that
    calls `expire_command`: a timer has to name a method of the robot.
    """

    def __init__(
        self,
        robot: Robot,
        config: RosConfig,
        topics: tuple[Topic, ...],
        drive: Callable[[float, float, float], None],
        timeout: Callable[[int], None],
    ):
        self._robot, self.config, self._drive, self._timeout = robot, config, drive, timeout
        own = "" if robot.name == type(robot).__name__.lower() else _token(robot.name)
        self.namespace = own if self.config.namespace is None else self.config.namespace
        self.ports = (ros_port(self._node(topics), PORT),) if self.config.enabled else ()

    def _node(self, topics: tuple[Topic, ...]) -> Node:
        clock = (Topic("/clock", Clock, "out"),) if self.config.clock else ()
        all_topics = (Topic("cmd_vel", Twist, "in"), *topics, *clock, rosout.TOPIC)
        parameters = parameters_of(self._robot.config)
        remaps = dict(self.config.remaps)
        return Node(self.node_name, all_topics, self.namespace, remaps, parameters)

    @property
    def node_name(self) -> str:
        return self.config.node_name or _token(self._robot.name)

    @property
    def inputs(self) -> dict[str, VirtualInput]:
        """The inputs of the node: the origin of its stamps."""
        if not self.config.enabled:
            return {}
        return SIMULATED if self.config.clock else EPOCH

    @property
    def wanted(self) -> bool:
        """True if the node is enabled and has a subscriber."""
        return self.config.enabled and self._robot.wanted(PORT)

    def publish(self, topic: str, message: Any) -> None:
        self._robot.emit(PORT, Published(topic, message))

    def log(self, code: str, text: str, severity: Severity) -> None:
        """Keep an event for /rosout."""
        if self.config.enabled:
            entry = rosout.Entry(self._robot.now_ns, severity, code, text)
            rosout.add_entry(self._robot.state.ros.log, entry)

    def publish_log(self) -> None:
        """Publish the pending events on /rosout if there is a peer."""
        pending: list[rosout.Entry] = self._robot.state.ros.log
        if not pending or not self._robot.links(PORT):
            return
        for entry in pending:
            stamp = self.stamp(entry.time_ns)
            self.publish("/rosout", rosout.log_message(entry, stamp, self.node_name))
        pending.clear()

    def publish_clock(self) -> None:
        """Publish /clock if the config asks for it."""
        if self.config.clock:
            self.publish("/clock", Clock(self.stamp(self._robot.now_ns)))

    def frame(self, name: str) -> str:
        """Return a frame's name with the namespace before it, so that a fleet shares one tree."""
        space = self.namespace.strip("/")
        return f"{space}/{name}" if space else name

    def stamp(self, time_ns: int) -> Time:
        epoch_s = 0.0 if self.config.clock else max(self._robot.input.get("epoch_s", 0.0), 0.0)
        sec, nanosec = divmod(round(epoch_s * 1e9) + max(time_ns, 0), 1_000_000_000)
        return Time(min(sec, LATEST_S), nanosec)

    def header(self, frame: str, time_ns: int | None = None) -> Header:
        now_ns = self._robot.now_ns if time_ns is None else time_ns
        return Header(self.stamp(now_ns), self.frame(frame))

    def accept_command(self, twist: Twist) -> None:
        """Drive at the speeds of a cmd_vel until its timeout; ignore one that is not finite."""
        speeds = twist.linear.x, twist.linear.y, twist.angular.z
        if not all(map(math.isfinite, speeds)):
            return
        state = self._robot.state.ros
        state.commands += 1
        self._drive(*speeds)
        if self.config.cmd_vel_timeout_s:
            self._robot.after(self.config.cmd_vel_timeout_s, self._timeout, state.commands)

    def expire_command(self, number: int) -> None:
        """Stop if command `number` is still the last one."""
        if number == self._robot.state.ros.commands:
            self._drive(0.0, 0.0, 0.0)


def planar(level: float, yaw: float) -> tuple[float, ...]:
    """Return the 6×6 covariance of motion in the plane."""
    values = (max(level, 1e-9), max(level, 1e-9), UNKNOWN, UNKNOWN, UNKNOWN, max(yaw, 1e-9))
    return tuple(values[row] if row == column else 0.0 for row in range(6) for column in range(6))


def _token(name: str) -> str:
    token = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{token}" if token[:1].isdigit() else token
