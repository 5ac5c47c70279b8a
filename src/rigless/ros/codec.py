"""The codec of a robot's ROS port: messages on named topics to CDR and back."""

from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec import Struct

from rigless.kernel.ports import Channel, Port, WireError
from rigless.ros import cdr
from rigless.ros.definitions import definition
from rigless.ros.topics import Node, Topic
from rigless.ros.types import type_name

DOMAIN = "domain/"  # address of a ROS port: ROS_DOMAIN_ID of the environment; domain/5 is 5


class Published(Struct, frozen=True):
    """A message on a topic. `topic` is the robot's own name for it."""

    CARRIES: ClassVar[str] = "message"
    topic: str
    message: Any


@dataclass
class RosCodec:
    """The codec of one link. It has no state; the node is in its class (see `codec_of`)."""

    node: ClassVar[Node]
    names: ClassVar[dict[str, str]]  # the robot's name of a topic → its name on the wire
    subscribed: ClassVar[dict[str, Topic]]  # by name on the wire
    published: ClassVar[dict[str, Topic]]

    def decode(self, data: bytes, subject: str = "") -> list[Published]:
        topic = self.subscribed.get(subject)
        if topic is None:
            raise WireError(
                f"the robot does not subscribe to the topic {subject[:80]!r}", hang_up=False
            )
        try:
            return [Published(topic.name, cdr.decode(topic.type, data))]
        except ValueError as error:
            raise WireError(f"{subject}: {error}", hang_up=False) from None

    def encode(self, message: Published) -> tuple[str, bytes]:
        return self.names[message.topic], cdr.encode(message.message)

    def channel(self, subject: str) -> Channel | None:
        """Return how a topic is stored in recordings."""
        topic = self.published.get(subject) or self.subscribed.get(subject)
        if topic is None:
            return None
        return Channel(subject, type_name(topic.type), "ros2msg", definition(topic.type), "cdr")


def codec_of(node: Node) -> type[RosCodec]:
    """Return the codec class of a node.

    Snapshots hold codecs, so everything that is not plain data is in the class.
    """
    names = {topic.name: node.full_name(topic.name) for topic in node.topics}
    by_direction = [
        {names[topic.name]: topic for topic in node.topics if topic.direction == direction}
        for direction in ("in", "out")
    ]
    return type(
        "RosCodec",
        (RosCodec,),
        {"node": node, "names": names, "subscribed": by_direction[0], "published": by_direction[1]},
    )


def ros_port(node: Node, name: str = "dds", transport: str = "dds") -> Port:
    """Return the port on which a robot is a ROS node."""
    emits = tuple(topic.type for topic in node.topics if topic.direction == "out")
    return Port(
        name, codec_of(node), transport, DOMAIN, "message", options={"node": node}, emits=emits
    )
