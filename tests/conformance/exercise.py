"""Drives any robot without knowing it: finds its ports, feeds them sample bytes, and collects all that comes out.

Samples come from `tests/robots/<name>/golden/`, where a robot has them: `<port>-<what>.in` is what a peer sends on a stream
or datagram port, `<port>/<subject>.in` the payload of a message (%2F is a slash in the subject); other files (`.out`) are not input. A
port without samples gets bytes from a fixed random stream. A robot that is exact unless told otherwise has the settings that
give it noise in `golden/settings`, one `key=value` a line. RIGLESS_CONFORMANCE=FOLDER[:FOLDER] adds robots of your own to the suite.

As a script, SEED TARGET…, it prints the digest of a recording of each, for the test that another process makes the same ones.
"""

import hashlib
import io
import os
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
from rigless.scenario import kinds
from rigless.scenario.build import build
from rigless.scenario.load import open_target
from rigless.scenario.model import Scenario

ROOT = Path(__file__).resolve().parents[2]
THERMOSTAT = str(ROOT / "examples" / "thermostat")
MS = 1_000_000
FIRST_MS, EVERY_MS = (
    150,
    130,
)  # when samples arrive: between two ticks of most rates, and spread out

Split = Callable[[bytes], list[bytes]]
Outputs = list[tuple[int, str, int, str, bytes]]


def targets() -> list[str]:
    """Every installed robot, the outside one of the examples, and those that the environment names."""
    own = [folder for folder in os.environ.get("RIGLESS_CONFORMANCE", "").split(":") if folder]
    return [*kinds.installed(), THERMOSTAT, *own]


def name_of(target: str) -> str:
    return kinds.default_name(target)


def folder_of(target: str) -> Path:
    return Path(target) if kinds.is_folder(target) else ROOT / "src" / "rigless" / "robots" / target


def load(target: str, seed: int = 1, collect: bool = False) -> tuple[Simulation, Robot]:
    """A fresh simulation of one robot that encodes all it says, and the robot."""
    sim = open_target(target, settings(target), seed, collect).simulation
    sim.recording = True
    return sim, sim.robot(name_of(target))


def golden_of(name: str) -> Path:
    return ROOT / "tests" / "robots" / name / "golden"


def settings(target: str) -> list[str]:
    file = golden_of(name_of(target)) / "settings"
    return file.read_text("utf-8").splitlines() if file.is_file() else []


def among(
    target: str, others: Iterable[dict[str, Any]], first: bool, seed: int = 1
) -> tuple[Simulation, Robot]:
    """The robot with neighbours before or after it."""
    config = load(target)[1].config.model_dump(mode="json")
    mine: dict[str, Any] = {"kind": target, "name": name_of(target), "config": config}
    robots = [mine, *others] if first else [*others, mine]
    sim = build(Scenario.model_validate({"robots": robots}), seed=seed, collect=False).simulation
    sim.recording = True
    return sim, sim.robot(name_of(target))


@dataclass(frozen=True)
class Sample:
    """Something that a peer sends on a port."""

    port: Port
    data: bytes
    subject: str = ""


def in_ports(robot: type[Robot] | Robot) -> list[Port]:
    return [port for port in robot.ports if port.direction != "out"]


def samples(robot: Robot, golden: Path | None = None) -> list[Sample]:
    """What to feed a robot, port by port in turn."""
    golden = golden or golden_of(robot.name)
    lists = [_of_port(port, golden) for port in in_ports(robot)]
    return [
        column[row]
        for row in range(max(map(len, lists), default=0))
        for column in lists
        if row < len(column)
    ]


def _of_port(port: Port, golden: Path) -> list[Sample]:
    streams = [Sample(port, path.read_bytes()) for path in sorted(golden.glob(f"{port.name}-*.in"))]
    messages = [
        Sample(port, path.read_bytes(), unquote(path.stem))
        for path in sorted((golden / port.name).glob("*.in"))
    ]
    return streams + messages or [Sample(port, data, "sample") for data in noise(port.name)]


def noise(name: str, count: int = 4, length: int = 60) -> Iterator[bytes]:
    """The same random bytes each time; half of them printable lines."""
    rng = np.random.Generator(
        np.random.Philox(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]))
    )
    for n in range(count):
        low, high = ((32, 127), (0, 256))[n % 2]
        yield rng.integers(low, high, length, dtype=np.uint8).tobytes() + b"\n"


def connect(sim: Simulation, robot: Robot) -> dict[str, int]:
    """A peer on each port that takes input; gives port → link."""
    links = {}
    for number, port in enumerate(in_ports(robot), 1):
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
    rng = np.random.Generator(np.random.Philox(seed))

    def split(data: bytes) -> list[bytes]:
        cuts = sorted(rng.integers(0, len(data) + 1, size=3))
        return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]

    return split


def feed(
    sim: Simulation, robot: Robot, split: Split = whole, given: list[Sample] | None = None
) -> int:
    """Connect peers and let them send the samples, one after the other; gives the time in ns when all have come."""
    links = connect(sim, robot)
    at_ns = sim.now_ns + FIRST_MS * MS
    for sample in samples(robot) if given is None else given:
        pieces = split(sample.data) if sample.port.kind == "stream" else [sample.data]
        for piece in pieces:
            link = links[sample.port.name]
            sim.schedule(
                at_ns, inp.Arrive(robot.name, sample.port.name, link, piece, sample.subject)
            )
        at_ns += EVERY_MS * MS
    return at_ns


def tap(sim: Simulation, robot: Robot) -> Outputs:
    """A list to which each output of the robot is added as (time, port, link, subject, bytes)."""
    seen: Outputs = []

    def note(at_ns: int, output: Any) -> None:
        if output.robot == robot.name:
            seen.append((at_ns, output.port, output.link, output.subject, output.data))

    sim.listeners.output.append(note)
    return seen


def events(sim: Simulation, robot: Robot) -> list[tuple[int, str, str]]:
    return [
        (event.time_ns, event.code, event.text) for event in sim.events if event.robot == robot.name
    ]


def session(
    target: str, seed: int = 1, steps: Iterable[float] = (3.0,), split: Split = whole
) -> bytes:
    """The recording of a fresh robot that is fed its samples, advanced in these steps (s)."""
    sim, robot = load(target, seed)
    stream = io.BytesIO()
    recorder = Recorder(sim, stream)
    feed(sim, robot, split)
    for step in steps:
        sim.run(step)
    recorder.close()
    return stream.getvalue()


def decoded(port: Port, pieces: Iterable[bytes], subject: str = "", codec: Any = None) -> list[Any]:
    """The messages that a codec finds in these pieces; 'hung up' is the last of them where it breaks the protocol."""
    codec = codec or port.codec()
    found: list[Any] = []
    try:
        for piece in pieces:
            for message in codec.decode(piece, *([subject] if port.kind == "message" else [])):
                found.append(message)  # noqa: PERF402  # what came before the break counts
    except WireError:
        found.append("hung up")
    return found


if __name__ == "__main__":
    for chosen in sys.argv[2:]:
        print(hashlib.sha256(session(chosen, int(sys.argv[1]))).hexdigest())
