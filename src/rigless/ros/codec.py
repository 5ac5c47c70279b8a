"""The codec of a robot's ROS port: messages on named topics to CDR and back."""

from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec import Struct

from rigless.kernel.ports import Channel, Port, WireError
from rigless.ros import cdr
from rigless.ros.definitions import definition
from rigless.ros.topics import Node, Topic
from rigless.ros.types import type_name

DOMAIN = "domain/"  # the address of a ROS port: the domain that the environment names; domain/5 is number 5


class Published(Struct, frozen=True):
    """A message on a topic, which goes by the name that the robot gave it."""

    CARRIES: ClassVar[str] = "message"
    topic: str
    message: Any


@dataclass
class RosCodec:
    """One a link, and it remembers nothing; what it knows of the node is in its class (see `codec_of`)."""

    node: ClassVar[Node]
    names: ClassVar[dict[str, str]]  # the robot's name of a topic → that on the wire
    heard: ClassVar[dict[str, Topic]]  # by name on the wire
    said: ClassVar[dict[str, Topic]]

    def decode(self, data: bytes, subject: str = "") -> list[Published]:
        topic = self.heard.get(subject)
        if topic is None:
            raise WireError(f"nobody listens to the topic {subject[:80]!r}", hang_up=False)
        try:
            return [Published(topic.name, cdr.decode(topic.type, data))]
        except ValueError as error:
            raise WireError(f"{subject}: {error}", hang_up=False) from None

    def encode(self, message: Published) -> tuple[str, bytes]:
        return self.names[message.topic], cdr.encode(message.message)

    def channel(self, subject: str) -> Channel | None:
        """How what goes over a topic is kept in recordings."""
        topic = self.said.get(subject) or self.heard.get(subject)
        if topic is None:
            return None
        return Channel(subject, type_name(topic.type), "ros2msg", definition(topic.type), "cdr")


def codec_of(node: Node) -> type[RosCodec]:
    """The codec class of a node; snapshots hold codecs, so what is not plain data is in the class."""
    names = {topic.name: node.full_name(topic.name) for topic in node.topics}
    by_direction = [
        {names[topic.name]: topic for topic in node.topics if topic.direction == direction}
        for direction in ("in", "out")
    ]
    return type(
        "RosCodec",
        (RosCodec,),
        {"node": node, "names": names, "heard": by_direction[0], "said": by_direction[1]},
    )


def ros_port(node: Node, name: str = "dds", transport: str = "dds") -> Port:
    """The port on which a robot is a ROS node."""
    return Port(name, codec_of(node), transport, DOMAIN, "message", options={"node": node})
