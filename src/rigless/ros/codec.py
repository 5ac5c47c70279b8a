"""The codec of a robot's ROS port: messages on named topics to CDR and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec import Struct

from rigless.kernel.loop.behaviour import message_from
from rigless.kernel.ports import Channel, Port, WireError
from rigless.kernel.problems import InputError, Problem, did_you_mean, unknown
from rigless.ros import cdr
from rigless.ros.definitions import definition
from rigless.ros.layout import Array, Sequence, shapes
from rigless.ros.layout import Struct as Part
from rigless.ros.quality import QUALITY, offered_quality
from rigless.ros.topics import Node, Topic
from rigless.ros.types import type_name

EXAMPLE = "for example: type: Published, topic: cmd_vel, message: {linear: {x: 0.5}}"
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

    def compose(self, type_name: str, fields: Mapping[str, Any]) -> Published:
        """Return a message for one of the robot's own topics. Raises InputError.

        The type is that of a ROS message, such as Twist; `topic` selects a topic if several have
        this type, else it is the first. The type Published has the fields topic and message.
        """
        topics = {topic.name: topic for topic in self.subscribed.values()}
        fields = dict(fields)
        name = fields.pop("topic", None)
        if name is not None and (not isinstance(name, str) or name not in topics):
            raise unknown("subscribed topic", str(name), topics)
        if type_name == Published.__name__:
            if name is None or not isinstance(fields.get("message"), Mapping):
                raise InputError(Problem(type_name, "it needs a topic and a message", EXAMPLE))
            return Published(name, message_of(topics[name].type, fields["message"]))
        fitting = [topic for topic in topics.values() if topic.type.__name__ == type_name]
        if not fitting:
            kinds = dict.fromkeys(topic.type.__name__ for topic in topics.values())
            raise unknown("message type", type_name, kinds)
        topic = next((topic for topic in fitting if topic.name == name), fitting[0])
        if name not in (None, topic.name):
            what = f"the topic {name} has messages of the type {topics[name].type.__name__}"
            raise InputError(Problem(type_name, what))
        return Published(topic.name, message_of(topic.type, fields))

    def accepted_types(self) -> dict[str, type]:
        """Return the types of the messages that the robot subscribes to, by name."""
        return {topic.type.__name__: topic.type for topic in self.subscribed.values()}

    def encode(self, message: Published) -> tuple[str, bytes]:
        return self.names[message.topic], cdr.encode(message.message)

    def encode_request(self, message: Published) -> tuple[str, bytes]:
        return self.encode(message)

    def request_subjects(self) -> list[str]:
        """Return the topics that the robot subscribes to."""
        return list(self.subscribed)

    def subjects(self) -> list[str]:
        """Return the topics that `channel` describes."""
        return [*self.published, *self.subscribed]

    def channel(self, subject: str) -> Channel | None:
        """Return how a topic is stored in recordings."""
        topic = self.published.get(subject) or self.subscribed.get(subject)
        if topic is None:
            return None
        quality = {QUALITY: offered_quality(topic)}
        text = definition(topic.type)
        return Channel(subject, type_name(topic.type), "ros2msg", text, "cdr", quality)


def message_of(kind: type, fields: Mapping[str, Any]) -> Any:
    """Return a message with these fields. Fields inside fields are checked too."""
    _check_parts(kind, fields, kind.__name__)
    return message_from(kind, fields)


def _check_parts(kind: type, fields: Mapping[str, Any], where: str) -> None:
    """Raise InputError if a part of the message has a field that its type does not have."""
    known = dict(shapes(kind))
    for name, value in fields.items():
        if name not in known:
            what = f"unknown field {name!r}"
            raise InputError(Problem(where, what, did_you_mean(name, known)))
        shape, values = known[name], [value]
        if isinstance(shape, Sequence):
            shape, values = shape.item, [*value] if isinstance(value, list | tuple) else []
        if isinstance(shape, Part):
            for part in values:
                if isinstance(part, Mapping):
                    _check_parts(shape.type, part, f"{where}.{name}")
        elif (
            isinstance(shape, Array)
            and isinstance(value, list | tuple)
            and len(value) != shape.length
        ):
            what = f"{len(value)} numbers, not {shape.length}"
            raise InputError(Problem(f"{where}.{name}", what))


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
