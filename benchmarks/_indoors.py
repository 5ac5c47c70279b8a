"""A simulated second of the vacuum without a network: 110 ticks and 5 rolling scans of 360 beams in the shipped apartment, with
all noise, while it drives in circles. In four ways, from the least to the most work:

silent   nobody listens: ticks are skimmed, scans only counted
models   every tick, inertial reading and scan computed, but nothing told: the numba functions alone
sensing  as messages, each made at its own time and collected
encoded  as messages, each encoded as it goes on the wire

Beside them IR-SIM with the same map, a robot of the same kind and the same lidar; it scans at every step, so it is let off with
5 steps a second instead of 110."""

from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from numba import njit

from rigless.kernel.simulation import Simulation
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.robot import Vacuum
from rigless.robots.vacuum.scanner import scan
from rigless.robots.vacuum.wire import Control
from rigless.scenario.load import open_target
from rigless.worlds.grid_world import NO_BOXES, NO_DISCS

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
SETTINGS = ("lidar.enabled=true", "imu.gyro_noise.drift_rate=0.01", *(f"lidar.noise.{noise}" for noise in NOISE))
SCANS = 5
Run = Callable[[int], Any]  # so many simulated seconds


def measure_indoors(seconds: int) -> dict[str, Any]:
    """Simulated seconds a CPU second of each way; they take turns."""
    ways = {"silent": _silent(), "models": _models(), "sensing": _sensing(), "encoded": _encoded()}
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


def _driving(collect: bool) -> Simulation:
    sim = open_target("vacuum", SETTINGS, seed=7, collect=collect).simulation
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
    sim.recording = True
    sim.listeners.output.append(lambda time_ns, output: None)
    return sim.run


def _models() -> Run:
    """What the robot computes when asked for everything, in the same order, on its own arrays."""
    robot = _driving(collect=False).robots["vacuum"]
    assert isinstance(robot, Vacuum)
    state, arrays, grid, config = robot.state, robot.arrays, robot.grid, robot.config
    ticks = round(config.imu.update_rate_hz / SCANS)
    readings, truth = np.empty((ticks, 9), np.int64), np.empty(config.lidar.num_rays)

    def run(seconds: int) -> None:
        for _ in range(seconds * SCANS):
            _tick_and_read(
                state.body, arrays.const, grid.occupied, arrays.clear, grid.cliff, NO_DISCS, NO_BOXES, arrays.carpets,
                arrays.cliff_sensors, state.keys, state.ticks, np.zeros(8), state.trail, state.trail_at, arrays.gyro_axes,
                arrays.accel_axes, arrays.deviations, arrays.biases, config.imu.gyro_noise.drift_rate, readings,
            )  # fmt: skip
            state.ticks, state.trail_at = state.ticks + ticks, (state.trail_at + ticks) % len(state.trail)
            state.scans += 1
            end_s = state.ticks * arrays.const[b.DT]
            scan(
                arrays.setup, grid.squares, grid.material, NO_DISCS, NO_BOXES, state.trail, state.trail_at,
                end_s - 1 / SCANS, end_s, arrays.angles, arrays.cosines, arrays.sines, state.keys[2], state.scans,
                config.lidar.num_rays, *robot._points, truth,
            )  # fmt: skip

    return run


@njit(cache=True, error_model="numpy")
def _tick_and_read(
    body: Any, const: Any, occupied: Any, clear: Any, cliff: Any, discs: Any, boxes: Any, carpets: Any, cliff_sensors: Any,
    keys: Any, number: int, scratch: Any, trail: Any, trail_at: int, gyro_axes: Any, accel_axes: Any, deviations: Any,
    biases: Any, drift_rate: float, readings: Any,
) -> int:  # fmt: skip
    flags = 0
    for i in range(readings.shape[0]):
        now = number + i + 1
        flags |= b.tick(
            body, const, occupied, clear, cliff, discs, boxes, carpets, cliff_sensors, keys[0], now, scratch
        )
        b.leave_trail(trail, (trail_at + i) % trail.shape[0], body, now * const[b.DT])
        drift = drift_rate * now * const[b.DT]
        b.read_imu(body, const, gyro_axes, accel_axes, deviations, biases, drift, keys[1], now, readings[i])
    return flags


def _irsim_world() -> Run:
    robot = _driving(collect=False).robots["vacuum"]
    assert isinstance(robot, Vacuum)
    grid, (x, y, theta) = robot.grid, robot.truth().pose
    pose = (x - grid.origin[0], y - grid.origin[1], theta)
    lidar, size = robot.config.lidar, grid.resolution_m
    world = _irsim.open_world(grid.occupied, lidar.num_rays, lidar.max_range, pose, True, 1 / SCANS, size)
    velocity = np.array([[0.1], [0.5]])

    def run(seconds: int) -> None:
        for _ in range(seconds * SCANS):
            world.step(velocity)

    return run
