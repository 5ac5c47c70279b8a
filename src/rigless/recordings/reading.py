"""Reads recordings, whole ones and those cut off by a kill."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from mcap.records import Attachment, Channel, Chunk, DataEnd, Message, Metadata
from mcap.stream_reader import StreamReader, breakup_chunk

from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import FORMAT, SNAPSHOT, InputRecord
from rigless.kernel.snapshot import Snapshot


class Record(NamedTuple):
    topic: str
    time_ns: int
    data: bytes

    @property
    def robot(self) -> str:
        return self.topic.split("/")[1]

    @property
    def port(self) -> str:
        return self.topic.split("/")[2]

    @property
    def direction(self) -> str:
        """'in' or 'out' for what went over a port; empty for truth, events and control."""
        parts = self.topic.split("/")
        return parts[3] if len(parts) == 4 else ""

    def fields(self) -> Any:
        return msgspec.json.decode(self.data)

    def input(self) -> InputRecord:
        source = msgspec.json.decode(self.data)["source"]
        return InputRecord(source, msgspec.json.decode(self.data, type=inp.AnyInput))


@dataclass
class Recording:
    """A recording file: its metadata, and its records in the order they were written."""

    path: Path
    metadata: dict[str, str] = field(default_factory=dict)
    snapshot: Snapshot | None = None
    end_ns: int | None = None  # None: the recording was cut off

    @classmethod
    def open(cls, path: str | Path) -> "Recording":
        """Read what the file says about itself; InputError if it is not one of ours."""
        recording = cls(Path(path))
        try:
            there = recording.path.is_file()
        except (OSError, ValueError):  # a name that no file system takes
            there = False
        if not there:
            raise InputError(
                Problem(str(path), "there is no such recording", "make one with: rigless run TARGET --record F.mcap")
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
            raise InputError(Problem(str(path), what, "record it again with: rigless run TARGET --record F.mcap"))
        return recording

    def __iter__(self) -> Iterator[Record]:
        return self._read()

    def _read(self) -> Iterator[Record]:
        topics: dict[int, str] = {}
        try:
            with self.path.open("rb") as stream:
                for item in StreamReader(stream, emit_chunks=True, record_size_limit=2**30).records:
                    match item:
                        case Chunk():  # we write messages in chunks only, and each has a checksum
                            yield from _messages(item, topics)
                        case DataEnd():
                            return  # what follows is an index
                        case Metadata(name="rigless"):
                            self.metadata = dict(item.metadata)
                        case Metadata(name="rigless.end"):
                            self.end_ns = int(item.metadata["end_ns"])
                        case Attachment() if item.name == SNAPSHOT:
                            self.snapshot = Snapshot.from_bytes(item.data)
        except InputError:
            raise  # the snapshot is damaged: what follows cannot be repeated
        except Exception as error:  # a parser may raise anything on a file that is cut off, damaged or not MCAP at all
            if not self.metadata:
                raise InputError(
                    Problem(str(self.path), f"this is not a readable MCAP file: {error}", "is it the right file?")
                ) from None
            return  # what came before the cut is good: every chunk has a checksum


def _messages(chunk: Chunk, topics: dict[int, str]) -> Iterator[Record]:
    for item in breakup_chunk(chunk, validate_crc=True):
        if isinstance(item, Channel):
            topics[item.id] = item.topic
        elif isinstance(item, Message):
            yield Record(topics[item.channel_id], item.log_time, item.data)
