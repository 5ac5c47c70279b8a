"""The cost of recording, next to the bare MCAP writer.

A robot emits a small message at 1000 Hz and runs as fast as possible: without a subscriber (nothing
is encoded), with one subscriber (encoded and discarded), and with a Recorder that writes a file.
The bare MCAP writer writes the same number of payloads of the same size. Figures are CPU
microseconds per message; the modes take turns.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import IO, Any

from mcap.writer import CompressionType, Writer

from rigless.kernel.inputs import LOCAL, Connect
from rigless.kernel.plain import to_json
from rigless.kernel.ports import Port
from rigless.kernel.recording import Recorder
from rigless.kernel.recording.entries import OutputRecord
from rigless.kernel.recording.mcap_writer import CHUNK_BYTES
from rigless.kernel.robot import Robot, every
from rigless.kernel.simulation import Simulation

from ._timers import cpu_seconds

ROUNDS = 15
HZ = 1000
PERIOD_NS = 1_000_000_000 // HZ


@dataclass(frozen=True)
class Reading:
    time_ns: int
    left_ticks: int
    right_ticks: int
    volts: float


@dataclass
class ReadingCodec:
    def decode(self, data: bytes) -> list[Reading]:
        return []

    def encode(self, message: Reading) -> bytes:
        return b"%d %d %d %.3f\n" % (
            message.time_ns,
            message.left_ticks,
            message.right_ticks,
            message.volts,
        )


class Talker(Robot):
    ports = (Port("readings", ReadingCodec, transport="memory", address="readings"),)

    @every(HZ)
    def talk(self) -> None:
        n = self.now_ns // PERIOD_NS
        self.emit("readings", Reading(self.now_ns, n * 17, n * 19, 14.4 - n * 1e-6))


def measure_recording(messages: int) -> dict[str, float]:
    modes: dict[str, Callable[[int, IO[bytes]], Any]] = {
        "unheard": _unheard,
        "heard": _heard,
        "recorded": _recorded,
        "bare_mcap": _bare_mcap,
    }
    times_us: dict[str, list[float]] = {mode: [] for mode in modes}
    sizes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            for mode, work in modes.items():
                path = Path(folder, mode)
                with path.open("wb") as stream:
                    seconds = cpu_seconds(lambda work=work, stream=stream: work(messages, stream))
                times_us[mode].append(seconds / messages * 1e6)
                sizes[mode] = path.stat().st_size
    typical_us = {mode: median(measured) for mode, measured in times_us.items()}
    return {
        "unrecorded_messages_per_s": 1e6 / typical_us["unheard"],
        "encoded_messages_per_s": 1e6 / typical_us["heard"],
        "recorded_messages_per_s": 1e6 / typical_us["recorded"],
        "added_us": typical_us["recorded"] - typical_us["unheard"],
        "encoding_us": typical_us["heard"] - typical_us["unheard"],
        "bare_mcap_us": typical_us["bare_mcap"],
        "ratio_to_bare_mcap": (typical_us["recorded"] - typical_us["heard"])
        / typical_us["bare_mcap"],
        "bytes_per_message": sizes["recorded"] / messages,
    }


def _unheard(messages: int, stream: IO[bytes]) -> None:
    Simulation([Talker("robot")], collect=False).run_until(messages * PERIOD_NS)


def _heard(messages: int, stream: IO[bytes]) -> None:
    sim = Simulation([Talker("robot")], collect=False)
    sim.apply(Connect("robot", "readings", LOCAL, "local", "local"))
    sim.run_until(messages * PERIOD_NS)


def _recorded(messages: int, stream: IO[bytes]) -> None:
    sim = Simulation([Talker("robot")], collect=False)
    recorder = Recorder(sim, stream)
    sim.run_until(messages * PERIOD_NS)
    recorder.close()


def _bare_mcap(messages: int, stream: IO[bytes]) -> None:
    reading = Reading(messages * PERIOD_NS, messages * 17, messages * 19, 14.4)
    payload = to_json(OutputRecord(-1, "", ReadingCodec().encode(reading), reading))
    writer = Writer(stream, chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD)
    writer.start()
    channel = writer.register_channel(
        "/robot/readings/out", "json", writer.register_schema("reading", "", b"")
    )
    for n in range(messages):
        writer.add_message(channel, n * PERIOD_NS, payload, n * PERIOD_NS, n)
    writer.finish()
