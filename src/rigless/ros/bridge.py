"""A robot as a ROS node beside its own wire, as the bridge that people run in front of such robots would make it one.

It knows only what is on the robot's wire, and exists only where the config asks for it (`ros: true`, `rigless run vacuum --ros`).
"""

import math
import re
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, field_validator, model_validator

from rigless.kernel.ports import Link, Port
from rigless.kernel.robot import Config, VirtualInput, on
from rigless.ros.codec import Published, ros_port
from rigless.ros.messages import Clock, Header, Time, Twist
from rigless.ros.topics import Node, Topic, name_problem

PORT = "ros"
LATEST_S = 2**31 - 1  # what a stamp can hold
NOT_PROVIDED = (-1.0, *(0.0,) * 8)  # an IMU's covariance of what it does not measure
UNKNOWN = 1e6  # the variance of an axis that is not measured beside others that are
EPOCH = {
    "epoch_s": VirtualInput(0.0, "what ROS stamps count from, in seconds since 1970", by_host=True)
}


class RosConfig(Config):
    """[ours] the node; its commands time out as those of most bases do."""

    enabled: bool = False
    node_name: str = Field("", description="default: the robot's name")
    namespace: str | None = Field(
        None, description="default: none for a robot called as its kind, else the robot's name"
    )
    remaps: dict[str, str] = {}
    clock: bool = Field(
        False, description="/clock too, for nodes with use_sim_time; stamps are then simulated time"
    )
    cmd_vel_timeout_s: Annotated[float, Field(ge=0, le=1e6)] = Field(
        0.5, description="stop this long after the last; 0: never"
    )

    @model_validator(mode="before")
    @classmethod
    def asked_for(cls, data: Any) -> Any:
        """`true` is enough, and whoever says how it shall be wants it."""
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
    """What such robots have in common; mixed into them. They give `ros_topics()`, `ros_drive(v, side, w)` and `ros_static()`."""

    if TYPE_CHECKING:
        config: Any
        state: Any
        name: str
        now_ns: int
        input: dict[str, Any]
        after: Any
        emit: Any
        wanted: Any
        ros_topics: Any
        ros_drive: Any
        ros_static: Any

    @cached_property
    def ros_ports(self) -> tuple[Port, ...]:
        if not self.config.ros.enabled:
            return ()
        topics = (Topic("cmd_vel", Twist, "in"), *self.ros_topics())
        clock = (Topic("/clock", Clock, "out"),) if self.config.ros.clock else ()
        name = self.config.ros.node_name or _token(self.name)
        node = Node(name, topics + clock, self.ros_namespace, dict(self.config.ros.remaps))
        return (ros_port(node, PORT),)

    @property
    def ros_namespace(self) -> str:
        given: str | None = self.config.ros.namespace
        own = "" if self.name == type(self).__name__.lower() else _token(self.name)
        return own if given is None else given

    def ros_wanted(self) -> bool:
        return bool(self.config.ros.enabled and self.wanted(PORT))

    def ros_say(self, topic: str, message: Any) -> None:
        self.emit(PORT, Published(topic, message))

    def ros_frame(self, name: str) -> str:
        """Frames of robots in a namespace have it before their names, so that all fit into one tree."""
        space = self.ros_namespace.strip("/")
        return f"{space}/{name}" if space else name

    def ros_stamp(self, time_ns: int) -> Time:
        epoch_ns = (
            0 if self.config.ros.clock else round(max(self.input.get("epoch_s", 0.0), 0.0) * 1e9)
        )
        sec, nanosec = divmod(epoch_ns + max(time_ns, 0), 1_000_000_000)
        return Time(min(sec, LATEST_S), nanosec)

    def ros_header(self, frame: str, time_ns: int | None = None) -> Header:
        return Header(
            self.ros_stamp(self.now_ns if time_ns is None else time_ns), self.ros_frame(frame)
        )

    def ros_tick(self) -> None:
        if self.config.ros.clock:
            self.ros_say("/clock", Clock(self.ros_stamp(self.now_ns)))

    def ros_greet(self) -> None:
        """Somebody has come: what is kept for late joiners is said (once; the transport keeps it)."""
        self.ros_say("/tf_static", self.ros_static())

    @on(Published)
    def ros_hear(self, message: Published, link: Link) -> None:
        twist = message.message
        speeds = twist.linear.x, twist.linear.y, twist.angular.z
        if not all(map(math.isfinite, speeds)):
            return
        self.state.ros.commands += 1
        self.ros_drive(*speeds)
        if self.config.ros.cmd_vel_timeout_s:
            self.after(self.config.ros.cmd_vel_timeout_s, self.ros_timeout, self.state.ros.commands)

    def ros_timeout(self, number: int) -> None:
        """A command is too old, unless another has come since."""
        if number == self.state.ros.commands:
            self.ros_drive(0.0, 0.0, 0.0)


def _token(name: str) -> str:
    token = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{token}" if token[:1].isdigit() else token
