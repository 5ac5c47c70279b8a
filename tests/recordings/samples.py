"""Recordings for tests: a live run with clients and faults, and its state at many instants."""

from dataclasses import dataclass
from pathlib import Path

from rigless.kernel import inputs as inp
from rigless.kernel.recording import Recorder
from rigless.kernel.simulation import Simulation
from rigless.scenario.load import open_target

ROOT = Path(__file__).resolve().parents[2]
THERMOSTAT = str(ROOT / "examples" / "thermostat")
BRITTLE = str(ROOT / "tests" / "host" / "brittle")
GOLDEN = ROOT / "tests" / "robots" / "vacuum" / "golden"
MS = 1_000_000
LENGTH_MS = 7000
PORTS = {"thermostat": ("line", "reports"), "vacuum": ("commands", "telemetry")}


@dataclass
class Take:
    """A recording, and the state of the recorded run at some instants."""

    path: Path
    snapshots: dict[int, bytes]
    logs: dict[int, list[str]]


def lines() -> list[bytes]:
    return [
        b"GET\nSU",
        b"BSCRIBE 9000\nSET 2",
        b"4.5\nGET\nxyz\n",
        b"SET 99\nGET\nGET\nGE",
        b"T\n",
    ] * 5


def frames() -> list[bytes]:
    data = b"".join(
        (GOLDEN / f"commands-{name}.in").read_bytes() for name in ("sensors", "drive", "tank")
    )
    return [data[at : at + 40] for at in range(0, len(data), 40)]


def script(robot: str) -> dict[int, list[inp.AnyInput]]:
    """Inputs by ms: at the instant of a tick, several at once, and between ticks."""
    wire, out = PORTS[robot]
    chunks = lines() if robot == "thermostat" else frames()
    sensor = "temperature" if robot == "thermostat" else "gyro"
    given: dict[int, list[inp.AnyInput]] = {
        100: [inp.Connect(robot, wire, 1, "10.0.0.9:4000", "10.0.0.1:1")],
        150: [inp.Inject(robot, out, "delay", {"ms": 180, "jitter_ms": 90})],
        300: [inp.Inject(robot, wire, "delay", {"ms": 120, "jitter_ms": 60}, 3000 * MS)],
        1500: [
            inp.Inject(robot, sensor, "stuck", {}, 2600 * MS),
            inp.Inject(robot, sensor, "noise", {}),
        ],
        4000: [inp.Clear(robot)],
        5000: [inp.Disconnect(robot, wire, 1)],
        5001: [inp.Connect(robot, wire, 2, "10.0.0.9:4001", "10.0.0.1:1")],
    }
    for n, chunk in enumerate(chunks):
        at_ms, link = 170 + n * (LENGTH_MS - 500) // len(chunks), 1
        link = 1 if at_ms <= 5000 else 2
        given.setdefault(at_ms, []).append(inp.Arrive(robot, wire, link, chunk))
    return given


def look(sim: Simulation) -> bytes:
    return sim.snapshot().to_bytes()


def log(sim: Simulation) -> list[str]:
    return [f"{event.time_ns} {event.code} {event.text}" for event in sim.events]


def make_take(target: str, path: Path, begin_ms: int) -> Take:
    """Record a live run from a time on; from time zero the recording needs no snapshot."""
    sim = open_target(target, seed=5, collect=False).simulation
    given, take = script(next(iter(sim.robots))), Take(path, {}, {})
    instants = sorted({*given, *range(0, LENGTH_MS + 1, 173), *(at + 1 for at in given), LENGTH_MS})
    with path.open("wb") as stream:
        recorder = None
        for at_ms in instants:
            if recorder is None and at_ms >= begin_ms:
                sim.run_until(begin_ms * MS)
                sim.events.clear()  # a snapshot does not hold what was said before
                recorder = Recorder(sim, stream)
            sim.run_until(at_ms * MS)
            for what in given.get(at_ms, ()):
                sim.apply(what)
            if recorder is not None:
                take.snapshots[at_ms * MS], take.logs[at_ms * MS] = look(sim), log(sim)
        assert recorder is not None
        recorder.close()
    return take
