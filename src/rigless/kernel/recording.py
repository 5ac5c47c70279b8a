"""Recordings: the inputs and outputs of a simulation in an MCAP file that Foxglove opens.

Topics: `/<robot>/<port>/in` and `/out` (JSON: the bytes on the wire in base64, and their message),
`/<robot>/truth`, `/<robot>/events` (Foxglove log entries) and `/rigless/control` (virtual inputs,
faults, obstacles). Log times are simulated time.

If the codec of a port has a method `channel`, its messages have topics and schemas of their own,
such as ROS topics in CDR. The inputs of such a port are recorded twice: for replays and for other
readers.

The metadata record `rigless` holds scenario, seed and versions for a replay. A recording that
starts after time zero has a snapshot as an attachment. Nothing in a file depends on real time.
"""

import io
import platform
import zlib
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import IO, Any

import msgspec
import numpy as np
from mcap.writer import CompressionType, Writer

from rigless.kernel import inputs as inp
from rigless.kernel.events import SEVERITIES, Event
from rigless.kernel.listeners import Output
from rigless.kernel.plain import to_builtins, to_json
from rigless.kernel.ports import Channel, WireError
from rigless.kernel.simulation import Simulation

FORMAT = "1"
CONTROL = "/rigless/control"
HOST_EVENTS = "/rigless/events"  # events of the host: lost time, a failure
SNAPSHOT = "snapshot"
CHECKSUM = "checksum"  # MCAP has none for metadata
CHUNK_BYTES = 256 * 1024
TRUTH_HZ = 20.0

_ANY = {"type": "object"}
_BYTES = {"type": "string", "contentEncoding": "base64"}
_NUMBER = {"type": "integer"}
_TEXT = {"type": "string"}
_TIME = {"type": "object", "title": "time", "properties": {"sec": _NUMBER, "nsec": _NUMBER}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "rigless.Input": {
        "input": _TEXT,
        "source": _TEXT,
        "robot": _TEXT,
        "port": _TEXT,
        "link": _NUMBER,
        "data": _BYTES,
        "subject": _TEXT,
    },
    "rigless.Output": {"link": _NUMBER, "subject": _TEXT, "wire": _BYTES, "message": _ANY},
    "rigless.Truth": {},
    "rigless.Control": {"input": _TEXT, "source": _TEXT},
    "foxglove.Log": {
        "timestamp": _TIME,
        "level": _NUMBER,
        "message": _TEXT,
        "name": _TEXT,
        "file": _TEXT,
        "line": _NUMBER,
        "code": _TEXT,
        "data": _ANY,
    },
}


def metadata_checksum(metadata: Mapping[str, str]) -> str:
    """Return the checksum of the metadata of a recording, without the checksum itself."""
    pairs = sorted((key, value) for key, value in metadata.items() if key != CHECKSUM)
    return f"{zlib.crc32(msgspec.json.encode(pairs)):08x}"


class OutputRecord(msgspec.Struct):
    """An output in a recording. Link −1 means all links, 0 a local one."""

    link: int
    subject: str
    wire: bytes
    message: Any = None


class InputRecord(msgspec.Struct):
    """An input with its source. Live inputs are replayed; the scenario repeats its own."""

    source: str
    given: inp.AnyInput


class Recorder:
    """Records a simulation to a stream, from now until `close`.

    with open("run.mcap", "wb") as stream:
        recorder = rigless.Recorder(sim, stream)
        sim.run(seconds=10)
        recorder.close()
    """

    def __init__(self, simulation: Simulation, stream: IO[bytes], truth_hz: float = TRUTH_HZ):
        self.messages = 0
        self.failed = ""
        self._sim = simulation
        self._stream = stream
        self._writer = Writer(
            stream,
            chunk_size=CHUNK_BYTES,
            compression=CompressionType.ZSTD,
            enable_data_crcs=True,
        )
        self._writer.start(profile="", library=f"rigless {version('rigless')}")
        self._writer.add_metadata("rigless", self._metadata())
        fresh = simulation.now_ns == 0 and simulation.core.pristine
        if not fresh:
            self._writer.add_attachment(
                0,
                simulation.now_ns,
                SNAPSHOT,
                "application/octet-stream",
                simulation.snapshot().to_bytes(),
            )
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        listeners = simulation.core.listeners
        listeners.input.append(self._input)
        listeners.output.append(self._output)
        if simulation.now_ns == 0:
            simulation.core.observe_events(self._event)
        else:
            listeners.event.append(self._event)
        simulation.core.recording = True
        if truth_hz > 0:
            simulation.core.sample(truth_hz, self._truth)
        self.flush()

    def flush(self) -> None:
        """Write everything up to now to the file, so that a kill does not lose it."""
        if self.failed:
            return
        try:
            self._writer.flush()  # type: ignore[no-untyped-call]
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        """Stop recording and finish the file. The stream stays open."""
        listeners = self._sim.core.listeners
        listeners.input.remove(self._input)
        listeners.output.remove(self._output)
        listeners.event.remove(self._event)
        self._sim.core.stop_sampling(self._truth)
        self._sim.core.recording = any(
            isinstance(getattr(listener, "__self__", None), Recorder)
            for listener in listeners.output
        )
        if self.failed:
            return
        try:
            # first, so that the end record is the last one
            self._writer.flush()  # type: ignore[no-untyped-call]
            self._writer.add_metadata("rigless.end", {"end_ns": str(self._sim.now_ns)})
            self._writer.finish()  # type: ignore[no-untyped-call]
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    def _metadata(self) -> dict[str, str]:
        metadata = {
            "format": FORMAT,
            "seed": str(self._sim.seed),
            "start_ns": str(self._sim.now_ns),
            "rigless": version("rigless"),
            "python": platform.python_version(),
            "numpy": np.__version__,
            **self._sim.core.origin,
        }
        return {**metadata, CHECKSUM: metadata_checksum(metadata)}

    def _write(self, topic: str, schema: str, time_ns: int, data: bytes) -> None:
        self._add(topic, time_ns, data, lambda: self._register(topic, schema))

    def _add(self, key: str, time_ns: int, data: bytes, register: Callable[[], int]) -> None:
        if self.failed:
            return
        try:
            self._append(key, time_ns, data, register)
        except OSError as error:
            self._give_up(error)

    def _append(self, key: str, time_ns: int, data: bytes, register: Callable[[], int]) -> None:
        channel = self._channels.get(key)
        if channel is None:
            channel = self._channels[key] = register()
        self.messages += 1
        self._writer.add_message(channel, time_ns, data, time_ns, self.messages & 0xFFFFFFFF)

    def _give_up(self, error: OSError) -> None:
        """Stop recording after a disk error. The simulation goes on; an event reports it."""
        self.failed = str(error)
        text = f"recording stopped: {error.strerror or error}"
        self._sim.core.log(
            Event(
                self._sim.now_ns,
                "",
                "recording-failed",
                "critical",
                text,
                {"messages": self.messages},
            )
        )

    def _register(self, topic: str, schema: str) -> int:
        if schema not in self._schemas:
            definition = {"type": "object", "title": schema, "properties": SCHEMAS[schema]}
            self._schemas[schema] = self._writer.register_schema(
                schema, "jsonschema", msgspec.json.encode(definition)
            )
        return self._writer.register_channel(topic, "json", self._schemas[schema])

    def _write_foreign(
        self, given: Channel, time_ns: int, data: bytes, place: dict[str, str]
    ) -> None:
        """Write a message in the format of its channel. Robot and port are in the metadata."""

        def register() -> int:
            if given.schema not in self._schemas:
                text = given.definition.encode()
                self._schemas[given.schema] = self._writer.register_schema(
                    given.schema, given.encoding, text
                )
            metadata = {**place, **given.metadata}
            return self._writer.register_channel(
                given.topic, given.format, self._schemas[given.schema], metadata
            )

        self._add(f"{'/'.join(place.values())}//{given.topic}", time_ns, data, register)

    def _channel(self, robot: str, port: str, subject: str) -> Channel | None:
        describe = getattr(self._sim.core.links.encoders.get((robot, port)), "channel", None)
        found: Channel | None = describe(subject) if describe and subject else None
        return found

    def _write_copy(self, time_ns: int, given: inp.Arrive) -> None:
        """Write an input in the format of its channel, if it can be decoded."""
        channel = self._channel(given.robot, given.port, given.subject)
        if channel is None:
            return
        try:
            self._sim.core.links.encoders[given.robot, given.port].decode(given.data, given.subject)
        except WireError:
            return
        place = {"robot": given.robot, "port": given.port, "direction": "heard"}
        self._write_foreign(channel, time_ns, given.data, place)

    def _input(self, time_ns: int, given: inp.AnyInput, source: str) -> None:
        fields = to_builtins(given)
        if isinstance(given, inp.Connect | inp.Disconnect | inp.Arrive | inp.Send):
            self._write(
                f"/{given.robot}/{given.port}/in",
                "rigless.Input",
                time_ns,
                to_json({"source": source, **fields}),
            )
            if isinstance(given, inp.Arrive):
                self._write_copy(time_ns, given)
        else:
            self._write(CONTROL, "rigless.Control", time_ns, to_json({"source": source, **fields}))

    def _output(self, time_ns: int, output: Output) -> None:
        channel = self._channel(output.robot, output.port, output.subject)
        if channel is not None:
            place = {"robot": output.robot, "port": output.port, "direction": "out"}
            self._write_foreign(channel, time_ns, output.data, place)
            return
        record = OutputRecord(output.link, output.subject, output.data, output.message)
        self._write(
            f"/{output.robot}/{output.port}/out", "rigless.Output", time_ns, to_json(record)
        )

    def _event(self, time_ns: int, event: Event) -> None:
        sec, nsec = divmod(time_ns, 1_000_000_000)
        entry = {
            "timestamp": {"sec": sec, "nsec": nsec},
            "level": SEVERITIES.index(event.severity) + 1,
            "message": event.text,
            "name": event.robot,
            "file": "",
            "line": 0,
            "code": event.code,
            "data": event.data,
        }
        self._write(
            f"/{event.robot}/events" if event.robot else HOST_EVENTS,
            "foxglove.Log",
            time_ns,
            to_json(entry),
        )

    def _truth(self) -> None:
        for name in self._sim.robots:
            self._write(
                f"/{name}/truth", "rigless.Truth", self._sim.now_ns, to_json(self._sim.truth(name))
            )


def record_to_bytes(simulation: Simulation, seconds: float, truth_hz: float = TRUTH_HZ) -> bytes:
    """Run for a time and return the recording. Equal simulations and seeds give equal bytes."""
    stream = io.BytesIO()
    recorder = Recorder(simulation, stream, truth_hz)
    simulation.run(seconds)
    recorder.close()
    return stream.getvalue()
