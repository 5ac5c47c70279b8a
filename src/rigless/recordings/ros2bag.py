"""Export the ROS topics of a recording as a ROS 2 bag: an MCAP file and its metadata.yaml.

The time of a message in the bag is its own stamp. A message without a stamp, such as a cmd_vel, has
the simulated time plus the origin of its robot's stamps.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from mcap.writer import CompressionType, Writer

from rigless.kernel.inputs import SetInput
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording.entries import CONTROL
from rigless.recordings.reader import Recording
from rigless.ros import cdr
from rigless.ros.definitions import definition
from rigless.ros.messages import Clock, TFMessage, Time
from rigless.ros.quality import QUALITY
from rigless.ros.types import type_hash, type_name, type_of

EPOCH = "epoch_s"  # the input that is the origin of a robot's stamps
VERSION = 9  # of rosbag2's metadata: Jazzy and later


class Message(NamedTuple):
    topic: str
    kind: type
    time_ns: int
    data: bytes
    quality: str


@dataclass
class Topic:
    """A topic of the bag, by name and type."""

    name: str
    schema: str
    hash: str
    quality: str
    channel: int
    messages: int = 0


@dataclass
class Bag:
    """The contents of a bag; `corrupt` messages could not be decoded and are left out."""

    topics: dict[tuple[str, type], Topic] = field(default_factory=dict)
    first_ns: int | None = None
    last_ns: int = 0
    corrupt: int = 0

    @property
    def messages(self) -> int:
        return sum(topic.messages for topic in self.topics.values())


def export(recording: Recording, folder: Path) -> Bag:
    """Write the bag to a new folder and return its contents. Raises InputError."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise InputError(Problem(str(folder), "it exists already", "name a new folder")) from None
    except OSError as error:
        raise InputError(Problem(str(folder), f"cannot be made: {error.strerror}")) from None
    file = folder / f"{folder.resolve().name}_0.mcap"
    bag = Bag()
    try:
        with file.open("wb") as stream:
            writer = Writer(stream, compression=CompressionType.ZSTD)
            writer.start(profile="ros2", library=f"rigless {version('rigless')}")
            for message in _messages(recording, bag):
                _write(writer, bag, message)
            if bag.messages:
                text = json.dumps(_information(bag, file.name))
                writer.add_metadata("rosbag2", {"serialized_metadata": text})
            writer.finish()  # type: ignore[no-untyped-call]
        information = {"rosbag2_bagfile_information": _information(bag, file.name)}
        text = json.dumps(information, indent=2)  # JSON is YAML
        (folder / "metadata.yaml").write_text(f"{text}\n")
    except OSError as error:
        _remove(folder, file)
        raise InputError(
            Problem(str(folder), f"cannot be written: {error.strerror or error}")
        ) from None
    except InputError:
        _remove(folder, file)
        raise
    if not bag.messages:
        _remove(folder, file)
        fix = "record a rover, or a vacuum or pacbot with --ros"
        raise InputError(Problem(str(recording.path), "there are no ROS topics in it", fix))
    return bag


def _remove(folder: Path, file: Path) -> None:
    for part in (file, folder / "metadata.yaml"):
        part.unlink(missing_ok=True)
    folder.rmdir()


def _messages(recording: Recording, bag: Bag) -> Iterator[Message]:
    origins_ns: dict[str, int] = {}  # robot → the origin of its stamps
    for record in recording:
        if record.topic == CONTROL:
            given = record.input().given
            if isinstance(given, SetInput) and given.name == EPOCH:
                origins_ns[given.robot] = max(round(given.value * 1e9), 0)
        elif record.schema:
            try:
                kind = type_of(record.schema)
                stamp_ns = _stamp_ns(cdr.decode(kind, record.data))
            except (KeyError, ValueError):
                bag.corrupt += 1
                continue
            if stamp_ns:  # a recording of a part of a run does not hold the origin
                origins_ns.setdefault(record.robot, stamp_ns - record.time_ns)
            time_ns = stamp_ns or record.time_ns + origins_ns.get(record.robot, 0)
            yield Message(record.subject, kind, time_ns, record.data, record.quality)


def _stamp_ns(message: Any) -> int:
    """Return the stamp of a message; 0 if it has none, as static transforms."""
    match message:
        case TFMessage(transforms=(first, *_)):
            stamp = first.header.stamp
        case Clock():
            stamp = message.clock
        case _:
            stamp = getattr(getattr(message, "header", None), "stamp", Time())
    return int(stamp.sec * 1_000_000_000 + stamp.nanosec)


def _write(writer: Writer, bag: Bag, message: Message) -> None:
    key = (message.topic, message.kind)
    topic = bag.topics.get(key)
    if topic is None:
        topic = bag.topics[key] = _topic(writer, message)
    writer.add_message(
        topic.channel, message.time_ns, message.data, message.time_ns, topic.messages
    )
    topic.messages += 1
    bag.first_ns = message.time_ns if bag.first_ns is None else min(bag.first_ns, message.time_ns)
    bag.last_ns = max(bag.last_ns, message.time_ns)


def _topic(writer: Writer, message: Message) -> Topic:
    schema, kind = type_name(message.kind), message.kind
    number = writer.register_schema(schema, "ros2msg", definition(kind).encode())
    metadata = {QUALITY: message.quality, "topic_type_hash": type_hash(kind)}
    channel = writer.register_channel(message.topic, "cdr", number, metadata)
    return Topic(message.topic, schema, type_hash(kind), message.quality, channel)


def _information(bag: Bag, file: str) -> dict[str, Any]:
    """Return the metadata of a bag, as rosbag2 writes it."""
    start = {"nanoseconds_since_epoch": bag.first_ns or 0}
    duration = {"nanoseconds": bag.last_ns - (bag.first_ns or 0)}
    topics = [
        {
            "topic_metadata": {
                "name": topic.name,
                "type": topic.schema,
                "serialization_format": "cdr",
                "offered_qos_profiles": json.loads(topic.quality or "[]"),
                "type_description_hash": topic.hash,
            },
            "message_count": topic.messages,
        }
        for topic in bag.topics.values()
    ]
    parts = {"path": file, "starting_time": start, "duration": duration}
    return {
        "version": VERSION,
        "storage_identifier": "mcap",
        "relative_file_paths": [file],
        "duration": duration,
        "starting_time": start,
        "message_count": bag.messages,
        "topics_with_message_count": topics,
        "compression_format": "",
        "compression_mode": "",
        "files": [{**parts, "message_count": bag.messages}],
        "custom_data": None,
        "ros_distro": "jazzy",
    }
