"""Read recordings: complete or cut off by a kill. A damaged one is refused with the place."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
from mcap.records import Attachment, Channel, Message, Metadata, Schema

from rigless.kernel import inputs as inp
from rigless.kernel.loop.links import ALL
from rigless.kernel.plain import to_builtins
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import (
    CHECKSUM,
    FORMAT,
    SNAPSHOT,
    InputRecord,
    is_derived,
    metadata_checksum,
)
from rigless.kernel.snapshot import Snapshot
from rigless.recordings.mcap_records import DamageError, NotMcapError, RawRecord, Records, parse
from rigless.ros import cdr
from rigless.ros.quality import QUALITY
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
    quality: str = ""  # of service, if it is a ROS topic: see rigless.ros.quality

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
        """Return the content as plain values. Raises InputError if it is not JSON."""
        if not self.schema:
            try:
                return msgspec.json.decode(self.data)
            except ValueError as error:
                raise self._unreadable(error) from None
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
        try:
            return base64.b64decode(fields["wire"]), str(fields["subject"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._unreadable(error) from None

    def link(self) -> int:
        """Return the link that an output went to; ALL for every link of its port."""
        return ALL if self.schema else int(self.fields().get("link", ALL))

    def input(self) -> InputRecord:
        """Return the input of a record. Raises InputError if it is not one."""
        try:
            source = msgspec.json.decode(self.data)["source"]
            return InputRecord(source, msgspec.json.decode(self.data, type=inp.AnyInput))
        except (KeyError, TypeError, ValueError) as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> InputError:
        what = f"the record at {self.time_ns / 1e9:.6f} s cannot be read: {error!r}"
        return InputError(Problem(self.topic, what, "record it again"))


@dataclass
class Recording:
    """A recording file: its metadata, and its records in the order they were written.

    recording = rigless.Recording.open("run.mcap")
    events = [record for record in recording if record.topic == "/vacuum/events"]
    """

    path: Path
    metadata: dict[str, str] = field(default_factory=dict)
    snapshot: Snapshot | None = None
    end_ns: int | None = None  # None: the recording was cut off
    records: int = 0
    last_ns: int = 0  # the time of the last record
    missing: str = ""  # for a file that was cut off: the part that is missing

    @classmethod
    def open(cls, path: str | Path) -> "Recording":
        """Read and check a recording. Raises InputError if it is damaged or not a recording."""
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
        for record in recording._read():
            recording.records += 1
            recording.last_ns = max(recording.last_ns, record.time_ns)
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
        """Read the file from its beginning; fill in the metadata on the way."""
        count, last_ns = 0, 0
        try:
            with self.path.open("rb") as stream:
                for record in _File(stream, self).records():
                    yield record
                    count, last_ns = count + 1, max(last_ns, record.time_ns)
        except DamageError as error:
            good = f"; the {count} records before it end at {last_ns / 1e9:.6f} s" if count else ""
            fix = "copy it again from its origin, or record it again"
            raise InputError(Problem(str(self.path), f"{error}{good}", fix)) from None
        except NotMcapError:
            what = "this is not a readable MCAP file"
            raise InputError(
                Problem(str(self.path), what, "check that it is the right file")
            ) from None
        except OSError as error:
            what = f"cannot be read: {error.strerror}"
            raise InputError(Problem(str(self.path), what)) from None


class _File:
    """One pass over a file: schemas and channels as they appear, and the number of messages."""

    def __init__(self, stream: IO[bytes], recording: Recording):
        self._records = Records(stream)
        self._recording = recording
        self._topics: dict[int, tuple[str, str, str]] = {}
        self._schemas: dict[int, str] = {}
        self._derived: set[int] = set()  # channels that follow from the others
        self._messages = 0
        self._gap: DamageError | None = None  # the place of the first missing message
        self._end_ns: int | None = None

    def records(self) -> Iterator[Record]:
        for raw in self._records:
            for item in parse(raw):
                match item:
                    case Message():
                        record = self._message(raw, item)
                        if item.channel_id not in self._derived:
                            yield record
                    case Schema():
                        self._schemas[item.id] = item.name
                    case Channel():
                        self._topics[item.id] = self._topic(raw, item)
                        if item.message_encoding == "json" and is_derived(item.topic):
                            self._derived.add(item.id)
                    case Metadata():
                        self._metadata(raw, item)
                    case Attachment() if item.name == SNAPSHOT:
                        self._recording.snapshot = Snapshot.from_bytes(item.data)
        self._finish()

    def _message(self, raw: RawRecord, item: Message) -> Record:
        self._messages += 1
        if self._gap is None and item.sequence != self._messages & 0xFFFFFFFF:
            self._gap = DamageError(raw.at, f"records are missing before number {item.sequence}")
        if item.channel_id not in self._topics:
            raise DamageError(raw.at, f"a record belongs to no channel ({item.channel_id})")
        topic, schema, quality = self._topics[item.channel_id]
        return Record(topic, item.log_time, item.data, schema, quality)

    def _topic(self, raw: RawRecord, item: Channel) -> tuple[str, str, str]:
        try:
            return _named(item, self._schemas)
        except KeyError as error:
            raise DamageError(raw.at, f"the channel {item.topic} has no {error}") from None

    def _metadata(self, raw: RawRecord, item: Metadata) -> None:
        if item.name == "rigless":
            found = self._recording.metadata = dict(item.metadata)
            if CHECKSUM in found and found[CHECKSUM] != metadata_checksum(found):
                raise DamageError(raw.at, "the checksum of the metadata differs")
        elif item.name == "rigless.end":
            text = item.metadata.get("end_ns", "")
            if not (text.isascii() and text.isdigit() and len(text) < 20):
                raise DamageError(raw.at, f"{text!r} is not the time of the end")
            self._end_ns = int(text)

    def _finish(self) -> None:
        """Judge the end of the file. Without checksums of the whole, more must be right."""
        recording, cut_at = self._recording, self._records.cut_at
        if self._records.ended:
            recording.end_ns = self._end_ns
            if self._end_ns is None:
                recording.missing = "the time of its end is not in it"
            elif cut_at is not None:
                recording.missing = "only its index is missing"
            return
        recording.end_ns = None
        if self._gap is not None:
            raise self._gap
        if recording.metadata and CHECKSUM not in recording.metadata:
            raise DamageError(cut_at or 0, "the end is missing, and the metadata has no checksum")
        if recording.metadata.get("start_ns", "0") != "0" and recording.snapshot is None:
            raise DamageError(cut_at or 0, "it was cut off before its snapshot")
        lost = self._records.size - (cut_at or 0)
        unread = f", and {lost} bytes of an unfinished record were not read" if lost else ""
        recording.missing = f"its end is missing{unread}"


def _named(channel: Channel, schemas: dict[int, str]) -> tuple[str, str, str]:
    """Return the topic of a channel, its schema if it is foreign, and its quality of service."""
    if channel.message_encoding == "json":
        return channel.topic, "", ""
    place = channel.metadata
    topic = f"/{place['robot']}/{place['port']}/{place['direction']}{channel.topic}"
    return topic, schemas[channel.schema_id], place.get(QUALITY, "")
