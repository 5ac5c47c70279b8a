"""Recordings: the inputs and outputs of a simulation in an MCAP file that Foxglove opens.

Topics: `/<robot>/<port>/in` and `/out` (JSON: the bytes on the wire in base64, and their message),
`/<robot>/truth`, `/<robot>/events` (Foxglove log entries) and `/rigless/control` (virtual inputs,
faults, obstacles). Log times are simulated time.

Further topics below `/rigless/` show maps, poses and bodies in Foxglove (`foxglove`). They are
derived from the rest and are not replayed.

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
from typing import IO

import msgspec
import numpy as np

from rigless.kernel import inputs as inp
from rigless.kernel.events import Event
from rigless.kernel.loop.listeners import Output
from rigless.kernel.plain import to_json
from rigless.kernel.ports import Channel, WireError
from rigless.kernel.recording.entries import (
    CONTROL,
    HOST_EVENTS,
    event_topic,
    foreign_channel,
    has_one_topic,
    input_entry,
    json_schema,
    log_entry,
    output_data,
    output_entry,
    truth_topic,
)
from rigless.kernel.recording.foxglove.pictures import PICTURE_HZ, PREFIX, Pictures
from rigless.kernel.recording.mcap_writer import McapWriter
from rigless.kernel.simulation import Simulation

FORMAT = "1"
SNAPSHOT = "snapshot"
CHECKSUM = "checksum"  # MCAP has none for metadata
TRUTH_HZ = 20.0


def is_derived(topic: str) -> bool:
    """Return True for a topic that shows the run to viewers and follows from the other topics."""
    return topic.startswith(f"{PREFIX}/") and topic not in (CONTROL, HOST_EVENTS)


def metadata_checksum(metadata: Mapping[str, str]) -> str:
    """Return the checksum of the metadata of a recording, without the checksum itself."""
    pairs = sorted((key, value) for key, value in metadata.items() if key != CHECKSUM)
    return f"{zlib.crc32(msgspec.json.encode(pairs)):08x}"


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

    needs_all_outputs = True

    def __init__(
        self,
        simulation: Simulation,
        stream: IO[bytes],
        truth_hz: float = TRUTH_HZ,
        picture_hz: float = PICTURE_HZ,
    ):
        self.messages = 0
        self.failed = ""
        self._sim = simulation
        self._stream = stream
        self._writer = McapWriter(stream, f"rigless {version('rigless')}")
        self._writer.add_metadata("rigless", self._metadata())
        fresh = simulation.now_ns == 0 and simulation.core.pristine
        if not fresh:
            self._writer.add_attachment(
                simulation.now_ns,
                SNAPSHOT,
                "application/octet-stream",
                simulation.snapshot().to_bytes(),
            )
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._outputs: dict[tuple[str, str], int] = {}  # channels of ports that have one topic
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
        self._pictures = Pictures(simulation) if picture_hz > 0 else None
        if self._pictures is not None:
            simulation.core.sample(picture_hz, self._picture)
        self.flush()

    def flush(self) -> None:
        """Write everything up to now to the file, so that a kill does not lose it."""
        if self.failed:
            return
        try:
            self._writer.flush()
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        """Stop recording and finish the file. The stream stays open."""
        listeners = self._sim.core.listeners
        listeners.input.remove(self._input)
        listeners.output.remove(self._output)
        listeners.event.remove(self._event)
        self._sim.core.stop_sampling(self._truth)
        self._sim.core.stop_sampling(self._picture)
        self._sim.core.update_recording()
        if self.failed:
            return
        try:
            # first, so that the end record is the last one
            self._writer.flush()
            self._writer.add_metadata("rigless.end", {"end_ns": str(self._sim.now_ns)})
            self._writer.finish()
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
            number = self._channels.get(key)
            if number is None:
                number = self._channels[key] = register()
            self._append(number, time_ns, data)
        except OSError as error:
            self._give_up(error)

    def _append(self, number: int, time_ns: int, data: bytes) -> None:
        self.messages += 1
        self._writer.add_message(number, time_ns, data, self.messages & 0xFFFFFFFF)

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
            self._schemas[schema] = self._writer.add_schema(
                schema, "jsonschema", json_schema(schema)
            )
        return self._writer.add_channel(topic, "json", self._schemas[schema])

    def _write_foreign(
        self, given: Channel, time_ns: int, data: bytes, place: dict[str, str]
    ) -> None:
        """Write a message in the format of its channel. Robot and port are in the metadata."""

        def register() -> int:
            if given.schema not in self._schemas:
                text = given.definition.encode()
                self._schemas[given.schema] = self._writer.add_schema(
                    given.schema, given.encoding, text
                )
            metadata = {**place, **given.metadata}
            return self._writer.add_channel(
                given.topic, given.format, self._schemas[given.schema], metadata
            )

        self._add(f"{'/'.join(place.values())}//{given.topic}", time_ns, data, register)

    def _write_copy(self, time_ns: int, given: inp.Arrive) -> None:
        """Write an input in the format of its channel, if it can be decoded."""
        channel = foreign_channel(self._sim, given.robot, given.port, given.subject)
        if channel is None:
            return
        try:
            self._sim.core.links.encoders[given.robot, given.port].decode(given.data, given.subject)
        except WireError:
            return
        place = {"robot": given.robot, "port": given.port, "direction": "heard"}
        self._write_foreign(channel, time_ns, given.data, place)

    def _input(self, time_ns: int, given: inp.AnyInput, source: str) -> None:
        topic, schema, data = input_entry(given, source)
        self._write(topic, schema, time_ns, data)
        if isinstance(given, inp.Arrive):
            self._write_copy(time_ns, given)

    def _output(self, time_ns: int, output: Output) -> None:
        robot, port, link, data, subject, message, _, _ = output
        known = self._outputs.get((robot, port))
        if known is not None:
            if not self.failed:
                try:
                    self._append(known, time_ns, output_data(link, subject, data, message))
                except OSError as error:
                    self._give_up(error)
            return
        channel = foreign_channel(self._sim, output.robot, output.port, output.subject)
        if channel is not None:
            place = {"robot": output.robot, "port": output.port, "direction": "out"}
            self._write_foreign(channel, time_ns, output.data, place)
            return
        topic, schema, data = output_entry(output)
        self._write(topic, schema, time_ns, data)
        if has_one_topic(self._sim, output) and topic in self._channels:
            self._outputs[output.robot, output.port] = self._channels[topic]

    def _event(self, time_ns: int, event: Event) -> None:
        self._write(event_topic(event), "foxglove.Log", time_ns, log_entry(time_ns, event))

    def _truth(self) -> None:
        for robot in self._sim.core.stepped:
            data = to_json(robot.truth())
            self._write(truth_topic(robot.name), "rigless.Truth", self._sim.now_ns, data)

    def _picture(self) -> None:
        assert self._pictures is not None
        now_ns = self._sim.now_ns
        for topic, schema, data in self._pictures.take():
            self._write(topic, schema, now_ns, data)


def record_to_bytes(simulation: Simulation, seconds: float, truth_hz: float = TRUTH_HZ) -> bytes:
    """Run for a time and return the recording. Equal simulations and seeds give equal bytes."""
    stream = io.BytesIO()
    recorder = Recorder(simulation, stream, truth_hz)
    simulation.run(seconds)
    recorder.close()
    return stream.getvalue()
