"""Drive a robot without knowing it: feed its ports samples and collect its output.

Samples come from the golden folder. `<port>-<what>.in` is what a peer sends on a stream or
datagram port; `<port>/<subject>.in` is the payload of a message (%2F is a slash in the subject).
Other files, such as `.out`, are not input. A port without samples gets fixed random bytes.

As a script (SEED TARGET GOLDEN) it prints the digest of a recording, for the check that another
process makes the same one.
"""

import hashlib
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from rigless.kernel import inputs as inp
from rigless.kernel.ports import Port, WireError
from rigless.kernel.recording import Recorder
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.testing.subject import Subject

MS = 1_000_000
FIRST_MS, EVERY_MS = 150, 130  # arrival of samples: between two ticks of most rates, spread out
BROKEN = "protocol error"  # in place of the messages after one

Split = Callable[[bytes], list[bytes]]
Outputs = list[tuple[int, str, int, str, bytes]]


@dataclass(frozen=True)
class Sample:
    """Something that a peer sends on a port."""

    port: Port
    data: bytes
    subject: str = ""


def random_numbers(key: int | str) -> np.random.Generator:
    """Return a generator that gives the same numbers in every run."""
    if isinstance(key, str):
        key = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8])
    return np.random.Generator(np.random.Philox(key))


def input_ports(robot: Robot) -> list[Port]:
    return [port for port in robot.ports if port.direction != "out"]


def samples(subject: Subject, robot: Robot) -> list[Sample]:
    """Return the samples of a robot, port by port in turn."""
    lists = [_samples_of(port, subject.golden) for port in input_ports(robot)]
    return [
        column[row]
        for row in range(max(map(len, lists), default=0))
        for column in lists
        if row < len(column)
    ]


def _samples_of(port: Port, golden: Path) -> list[Sample]:
    streams = [Sample(port, path.read_bytes()) for path in sorted(golden.glob(f"{port.name}-*.in"))]
    messages = [
        Sample(port, path.read_bytes(), unquote(path.stem))
        for path in sorted((golden / port.name).glob("*.in"))
    ]
    return streams + messages or [Sample(port, data, "sample") for data in noise(port.name)]


def noise(name: str, count: int = 4, length: int = 60) -> Iterator[bytes]:
    """Yield the same random bytes each time; half of them are printable lines."""
    rng = random_numbers(name)
    for n in range(count):
        low, high = ((32, 127), (0, 256))[n % 2]
        yield rng.integers(low, high, length, dtype=np.uint8).tobytes() + b"\n"


def connect(sim: Simulation, robot: Robot) -> dict[str, int]:
    """Connect a peer to each port that takes input and return the links by port."""
    links = {}
    for number, port in enumerate(input_ports(robot), 1):
        links[port.name] = number
        sim.apply(
            inp.Connect(robot.name, port.name, number, f"10.0.0.9:{4000 + number}", "10.0.0.1:1")
        )
    return links


def whole(data: bytes) -> list[bytes]:
    return [data]


def one_by_one(data: bytes) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


def at_random(seed: int) -> Split:
    rng = random_numbers(seed)

    def split(data: bytes) -> list[bytes]:
        cuts = sorted(rng.integers(0, len(data) + 1, size=3))
        return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]

    return split


def feed(sim: Simulation, robot: Robot, subject: Subject, split: Split = whole) -> int:
    """Connect peers that send the samples one after the other; return the end of it in ns."""
    links = connect(sim, robot)
    at_ns = sim.now_ns + FIRST_MS * MS
    for sample in samples(subject, robot):
        pieces = split(sample.data) if sample.port.kind == "stream" else [sample.data]
        for piece in pieces:
            link = links[sample.port.name]
            sim.schedule(
                at_ns, inp.Arrive(robot.name, sample.port.name, link, piece, sample.subject)
            )
        at_ns += EVERY_MS * MS
    return at_ns


def tap(sim: Simulation, robot: Robot) -> Outputs:
    """Return a list that collects each output as (time, port, link, subject, bytes)."""
    seen: Outputs = []

    def note(at_ns: int, output: Any) -> None:
        if output.robot == robot.name:
            seen.append((at_ns, output.port, output.link, output.subject, output.data))

    sim.core.listeners.output.append(note)
    return seen


def events(sim: Simulation, robot: Robot) -> list[tuple[int, str, str]]:
    return [
        (event.time_ns, event.code, event.text) for event in sim.events if event.robot == robot.name
    ]


def session(
    subject: Subject, seed: int = 1, steps: Iterable[float] = (3.0,), split: Split = whole
) -> bytes:
    """Return the recording of a fresh robot fed its samples, advanced in these steps (s)."""
    sim, robot = subject.load(seed)
    stream = io.BytesIO()
    recorder = Recorder(sim, stream)
    feed(sim, robot, subject, split)
    for step in steps:
        sim.run(step)
    recorder.close()
    return stream.getvalue()


def decoded(port: Port, pieces: Iterable[bytes], subject: str = "", codec: Any = None) -> list[Any]:
    """Return the messages that a codec finds in these pieces, ended by BROKEN at a WireError."""
    codec = codec or port.codec()
    found: list[Any] = []
    try:
        for piece in pieces:
            for message in codec.decode(piece, *([subject] if port.kind == "message" else [])):
                found.append(message)  # noqa: PERF402  # messages before the error count
    except WireError:
        found.append(BROKEN)
    return found


if __name__ == "__main__":
    subject_of_script = Subject.of(sys.argv[2], sys.argv[3])
    print(hashlib.sha256(session(subject_of_script, int(sys.argv[1]))).hexdigest())
