"""The vacuum's speed without a network, next to IR-SIM.

The vacuum drives in circles in the bundled apartment with all noise. A simulated second has 110
ticks and 5 rolling scans of 360 beams. There are four variants, from the least to the most work:

silent   no subscriber: ticks are fast-forwarded, scans only counted
computed every tick, inertial reading and scan computed with all noise, but no message built
sensing  every message built at its own time and collected
encoded  every message built and encoded for the wire

IR-SIM has the same map, a robot of the same kind and the same lidar. It scans at every step, so it
makes 5 steps a second instead of 110.
"""

from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from rigless.kernel.simulation import Simulation
from rigless.robots.vacuum.robot import Vacuum
from rigless.robots.vacuum.wire import Control
from rigless.scenario.load import open_target

from . import _irsim
from ._timers import cpu_seconds

ROUNDS = 9
NOISE = (
    "range_stddev_per_m2=0.001",
    "mixed_pixels=0.01",
    "materials=true",
    "quantisation=0.00025",
    "incidence_limit=1.4",
)
SETTINGS = (
    "lidar.enabled=true",
    "imu.gyro_noise.drift_rate=0.01",
    *(f"lidar.noise.{noise}" for noise in NOISE),
)
SCANS = 5
Run = Callable[[int], Any]  # argument: simulated seconds


def measure_indoors(seconds: int) -> dict[str, Any]:
    """Return simulated seconds per CPU second of each variant; they take turns."""
    ways = {
        "silent": _silent(),
        "computed": _computed(),
        "sensing": _sensing(),
        "encoded": _encoded(),
    }
    figures: dict[str, list[float]] = {name: [] for name in ways}
    for run in ways.values():
        run(2)  # numba compiles, caches fill
    for _ in range(ROUNDS):
        for name, run in ways.items():
            figures[name].append(seconds / cpu_seconds(lambda run=run: run(seconds)))
    return {f"{name}_x": median(measured) for name, measured in figures.items()}


def measure_irsim(seconds: int) -> dict[str, Any]:
    try:
        run = _irsim_world()
    except ImportError:
        return {"missing": "pip install ir-sim"}
    return {"sensing_x": median(seconds / cpu_seconds(lambda: run(seconds)) for _ in range(3))}


def _driving(collect: bool, unheard: bool = False) -> Simulation:
    settings = (*SETTINGS, f"sense_unheard={str(unheard).lower()}")
    sim = open_target("vacuum", settings, seed=7, collect=collect).simulation
    sim.send("vacuum", "commands", Control("drive", "configure", {"linear": 0.1, "angular": 0.5}))
    return sim


def _silent() -> Run:
    return _driving(collect=False).run


def _sensing() -> Run:
    sim = _driving(collect=True)

    def run(seconds: int) -> None:
        for _ in range(seconds):
            sim.run(1.0)
            sim.take("vacuum", "telemetry")

    return run


def _encoded() -> Run:
    sim = _driving(collect=False)
    sim.core.recording = True
    sim.core.listeners.output.append(lambda time_ns, output: None)
    return sim.run


def _computed() -> Run:
    return _driving(collect=False, unheard=True).run


def _irsim_world() -> Run:
    robot = _driving(collect=False).robots["vacuum"]
    assert isinstance(robot, Vacuum)
    grid, (x, y, theta) = robot.grid, robot.truth().pose
    pose = (x - grid.origin[0], y - grid.origin[1], theta)
    lidar, size = robot.config.lidar, grid.resolution_m
    world = _irsim.open_world(
        grid.occupied, lidar.num_rays, lidar.max_range, pose, True, 1 / SCANS, size
    )
    velocity = np.array([[0.1], [0.5]])

    def run(seconds: int) -> None:
        for _ in range(seconds * SCANS):
            world.step(velocity)

    return run
