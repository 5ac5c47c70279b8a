"""Processor time and memory of robots in virtual time."""

import gc
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from rigless.kernel.fleet import FleetMember
from rigless.kernel.inputs import Connect
from rigless.kernel.simulation import Simulation
from rigless.scenario.load import open_target

SETTLE_S = 0.5
GAP_M = 2.0  # between robots in one aisle
PER_WORLD = {"vacuum": 4, "pacbot": 4, "rover": 100}  # robots that share a world
SEES = "config.runtime.simulationProfile.robotsAreObstacles = true"
MEMORY = """
import sys
from pathlib import Path
from rigless.scenario.load import open_target

def rss():
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * 4  # KiB

kind, count, each = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
kept = [open_target(kind, ["count=2"], collect=False)]
kept[0].simulation.run(0.1)
before = rss()
for _ in range(count // each):
    kept.append(open_target(kind, [f"count={each}"], collect=False))
    kept[-1].simulation.run(0.1)
print((rss() - before) / (count // each * each))
"""


def cost_us(kind: str, count: int, seconds: float) -> float:
    """Return microseconds of processor time that one robot costs in a simulated second.

    AGVs are on an open plane, where all of them drive, however many there are. Other robots
    are in several worlds, since a maze or an apartment has room for a few only.
    """
    each = min(count, PER_WORLD.get(kind, count))
    plane = ["world.map=open"] if kind == "agv" else []
    return _cost_us(
        [
            open_target(kind, [f"count={each}", *plane], seed=n + 1, collect=False).simulation
            for n in range(-(-count // each))
        ],
        seconds,
    )


def aisle(count: int, seconds: float) -> float:
    """Return the same for AGVs that drive in one aisle, one behind the other."""
    entries = [
        f'[[robots]]\nkind = "agv"\nname = "r{n}"\nstart = {{ x = {-GAP_M * n}, y = 0 }}\n{SEES}\n'
        for n in range(count)
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "aisle.toml"
        path.write_text("".join(entries))
        return _cost_us([open_target(path, collect=False).simulation], seconds)


def _cost_us(sims: list[Simulation], seconds: float) -> float:
    for sim in sims:
        _begin(sim)
    gc.collect()
    gc.freeze()  # as `rigless run` does
    begin, first = time.process_time(), sims[0]
    begin_ns = first.now_ns
    while time.process_time() - begin < seconds or first.now_ns == begin_ns:
        for sim in sims:
            sim.run(0.5)
    gc.unfreeze()
    took_s, simulated_s = time.process_time() - begin, (first.now_ns - begin_ns) / 1e9
    return took_s / simulated_s / sum(len(sim.robots) for sim in sims) * 1e6


def _begin(sim: Simulation) -> None:
    """Let all robots work for a moment, with all messages encoded."""
    sim.core.recording = True
    for robot in sim.robots.values():
        if any(port.name == "nats" for port in robot.ports):  # AGVs are silent without a backend
            sim.apply(Connect(robot.name, "nats", 1, "bench", robot.name))
        if isinstance(robot, FleetMember):
            robot.exercise()
    sim.run(SETTLE_S)


def memory_kib(kind: str, count: int) -> float:
    """Return the memory of one robot, measured in a process of its own."""
    each = str(min(count, PER_WORLD.get(kind, count)))
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, kind, str(count), each], stdout=subprocess.PIPE, check=True
    )
    return float(done.stdout)
