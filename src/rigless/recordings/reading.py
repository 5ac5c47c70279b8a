"""Reads recordings, whole ones and those cut off by a kill, and finds the first difference between two."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from mcap.exceptions import EndOfFile, McapError
from mcap.records import Attachment, Channel, Message, Metadata
from mcap.stream_reader import StreamReader

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
        if not recording.path.is_file():
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
                for item in StreamReader(stream, validate_crcs=True, record_size_limit=2**30).records:
                    match item:
                        case Channel():
                            topics[item.id] = item.topic
                        case Message():
                            yield Record(topics[item.channel_id], item.log_time, item.data)
                        case Metadata(name="rigless"):
                            self.metadata = dict(item.metadata)
                        case Metadata(name="rigless.end"):
                            self.end_ns = int(item.metadata["end_ns"])
                        case Attachment() if item.name == SNAPSHOT:
                            self.snapshot = Snapshot.from_bytes(item.data)
        except EndOfFile:
            return  # cut off: all that came before has been given
        except (McapError, ValueError, KeyError, OSError, EOFError, OverflowError, MemoryError) as error:
            if not self.metadata:
                raise InputError(
                    Problem(str(self.path), f"this is not a readable MCAP file: {error}", "is it the right file?")
                ) from None
            return  # damaged or cut inside a record: what came before it is good


class Difference(NamedTuple):
    """The first place where two recordings part."""

    topic: str
    time_ns: int
    field: str
    left: Any
    right: Any

    def __str__(self) -> str:
        parts = self.topic.strip("/").split("/")
        place = f"robot {parts[0]}, " + (f"port {parts[1]} ({parts[2]})" if len(parts) == 3 else parts[-1])
        return f"{place}, at {self.time_ns / 1e9:.6f} s, field {self.field or '(all)'}: {_short(self.left)} against {_short(self.right)}"


MISSING = "(nothing)"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."


def first_field(left: Any, right: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """The first field in which two JSON values differ, depth first; decoded fields before raw bytes."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}, key=lambda key: (key in ("wire", "data"), key)):
            found = first_field(left.get(key, MISSING), right.get(key, MISSING), f"{path}.{key}" if path else str(key))
            if found:
                return found
        return None
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = zip(left, right, strict=True)
        return next((found for i, (a, b) in enumerate(pairs) if (found := first_field(a, b, f"{path}[{i}]"))), None)
    return None if left == right and type(left) is type(right) else (path, left, right)


def compare(left: list[Record], right: list[Record]) -> Difference | None:
    """The earliest difference between the records of one topic each, or of all topics of two recordings."""
    topics = {record.topic: None for record in (*left, *right)}
    best: Difference | None = None
    for topic in topics:
        a = [record for record in left if record.topic == topic]
        b = [record for record in right if record.topic == topic]
        found = _first_in_topic(topic, a, b)
        if found and (best is None or found.time_ns < best.time_ns):
            best = found
    return best


def _first_in_topic(topic: str, left: list[Record], right: list[Record]) -> Difference | None:
    for a, b in zip(left, right, strict=False):
        if a.time_ns != b.time_ns:
            return Difference(topic, min(a.time_ns, b.time_ns), "time", a.time_ns, b.time_ns)
        if a.data != b.data:
            where = first_field(a.fields(), b.fields()) or ("", a.data, b.data)
            return Difference(topic, a.time_ns, *where)
    if len(left) != len(right):
        longer = left if len(left) > len(right) else right
        first = longer[min(len(left), len(right))]
        sides = (first.fields(), MISSING) if longer is left else (MISSING, first.fields())
        return Difference(topic, first.time_ns, "", *sides)
    return None
