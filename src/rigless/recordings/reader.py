"""Reads recordings, complete or truncated by a kill."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from mcap.records import Attachment, Channel, Chunk, DataEnd, Message, Metadata, Schema
from mcap.stream_reader import StreamReader, breakup_chunk

from rigless.kernel import inputs as inp
from rigless.kernel.plain import to_builtins
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import FORMAT, SNAPSHOT, InputRecord
from rigless.kernel.snapshot import Snapshot
from rigless.ros import cdr
from rigless.ros.types import type_of


class Record(NamedTuple):
    """One message of a recording.

    Messages in a foreign format (ROS) have their own topic after `/<robot>/<port>/<direction>`, and
    the name of their schema.
    """

    topic: str
    time_ns: int
    data: bytes
    schema: str = ""

    @property
    def robot(self) -> str:
        return self.topic.split("/")[1]

    @property
    def port(self) -> str:
        return self.topic.split("/")[2]

    @property
    def direction(self) -> str:
        """'in' or 'out' for messages of a port (or a copy of an input); else ""."""
        parts = self.topic.split("/")
        return parts[3] if len(parts) >= 4 else ""

    @property
    def subject(self) -> str:
        """The foreign topic, or ""."""
        return "/" + self.topic.split("/", 4)[4] if self.schema else ""

    def fields(self) -> Any:
        if not self.schema:
            return msgspec.json.decode(self.data)
        fields: dict[str, Any] = {
            "subject": self.subject,
            "wire": base64.b64encode(self.data).decode(),
        }
        try:
            fields["message"] = to_builtins(cdr.decode(type_of(self.schema), self.data))
        except (KeyError, ValueError):
            return fields  # corrupted by a fault
        return fields

    def wire(self) -> tuple[bytes, str]:
        """Return the bytes of an output and their subject."""
        if self.schema:
            return self.data, self.subject
        fields = self.fields()
        return base64.b64decode(fields["wire"]), fields["subject"]

    def input(self) -> InputRecord:
        source = msgspec.json.decode(self.data)["source"]
        return InputRecord(source, msgspec.json.decode(self.data, type=inp.AnyInput))


@dataclass
class Recording:
    """A recording file: its metadata, and its records in the order they were written."""

    path: Path
    metadata: dict[str, str] = field(default_factory=dict)
    snapshot: Snapshot | None = None
    end_ns: int | None = None  # None: the recording is truncated

    @classmethod
    def open(cls, path: str | Path) -> "Recording":
        """Read the metadata of a recording. Raises InputError if the file is not one."""
        recording = cls(Path(path))
        try:
            there = recording.path.is_file()
        except (OSError, ValueError):  # not a valid file name
            there = False
        if not there:
            raise InputError(
                Problem(
                    str(path),
                    "there is no such recording",
                    "make one with: rigless run TARGET --record F.mcap",
                )
            )
        for _ in recording._read():
            pass
        if recording.metadata.get("format") != FORMAT:
            found = recording.metadata.get("format")
            what = (
                f"recording format {found} is not {FORMAT}"
                if found
                else "this is no rigless recording (or it was cut off before it began)"
            )
            raise InputError(
                Problem(str(path), what, "record it again with: rigless run TARGET --record F.mcap")
            )
        return recording

    def __repr__(self) -> str:
        end = "cut off" if self.end_ns is None else f"to {self.end_ns / 1e9:g} s"
        return f"<Recording {self.path.name} {end}, seed {self.metadata.get('seed', '?')}>"

    def __iter__(self) -> Iterator[Record]:
        return self._read()

    def _read(self) -> Iterator[Record]:
        topics: dict[int, tuple[str, str]] = {}
        schemas: dict[int, str] = {}
        try:
            with self.path.open("rb") as stream:
                for item in StreamReader(stream, emit_chunks=True, record_size_limit=2**30).records:
                    match item:
                        case Chunk():  # all messages are in chunks with a checksum
                            yield from _messages(item, topics, schemas)
                        case DataEnd():
                            return  # the index follows
                        case Metadata(name="rigless"):
                            self.metadata = dict(item.metadata)
                        case Metadata(name="rigless.end"):
                            self.end_ns = int(item.metadata["end_ns"])
                        case Attachment() if item.name == SNAPSHOT:
                            self.snapshot = Snapshot.from_bytes(item.data)
        except InputError:
            raise  # the snapshot is damaged, so a replay is impossible
        except Exception as error:  # the parser may raise anything on a damaged file
            if not self.metadata:
                raise InputError(
                    Problem(
                        str(self.path),
                        f"this is not a readable MCAP file: {error}",
                        "is it the right file?",
                    )
                ) from None
            return  # chunks before the truncation are good: they have checksums


def _messages(
    chunk: Chunk, topics: dict[int, tuple[str, str]], schemas: dict[int, str]
) -> Iterator[Record]:
    for item in breakup_chunk(chunk, validate_crc=True):
        if isinstance(item, Schema):
            schemas[item.id] = item.name
        elif isinstance(item, Channel):
            topics[item.id] = _named(item, schemas)
        elif isinstance(item, Message):
            topic, schema = topics[item.channel_id]
            yield Record(topic, item.log_time, item.data, schema)


def _named(channel: Channel, schemas: dict[int, str]) -> tuple[str, str]:
    if channel.message_encoding == "json":
        return channel.topic, ""
    place = channel.metadata
    return f"/{place['robot']}/{place['port']}/{place['direction']}{channel.topic}", schemas[
        channel.schema_id
    ]
