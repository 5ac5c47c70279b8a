"""N Pacbots that advance together, each with the bits of a single simulation with its seed."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.batch.batch import Batch, rate_numbers
from rigless.batch.engines import Task
from rigless.batch.templates import noise_keys
from rigless.kernel.problems import InputError, Problem
from rigless.robots.pacbot import batch
from rigless.robots.pacbot import body as b
from rigless.robots.pacbot.config import WHEELS
from rigless.robots.pacbot.faults import MAX_READING
from rigless.robots.pacbot.robot import Pacbot

Floats = NDArray[np.float64]
AXES = {"accel": slice(0, 2), "gyro": slice(2, 3)}  # of the IMU's readings
ENCODERS = tuple(f"encoder_{wheel}" for wheel in WHEELS)


class PacbotScans(NamedTuple):
    """The last readings of each Pacbot, a row per robot.

    `ranges_m` and `truth_m` have a column per range sensor, `encoders` one per wheel (north, south,
    east, west). `imu` is (right, forward, turn).
    """

    ranges_m: Floats
    truth_m: Floats
    encoders: Floats
    imu: Floats


class Pacbots(Batch):
    """N Pacbots of one config, advanced by one call; see `Vacuums`.

    Commands are shares of full speed of the wheels (north, south, east, west). `map` is the name or
    the path of a maze, or one for each robot. The game is not played.
    """

    kind, map_key = "pacbot", "maze"
    command_names = ("north", "south", "east", "west")
    keeping = dict.fromkeys(ENCODERS, ("off",))  # the last count
    pose_index = b.X
    _advance = Task(batch.advance, batch.advance_many)
    _first_readings = Task(batch.begin, batch.begin_many)

    @property
    def _tofs(self) -> tuple[str, ...]:
        return tuple(f"tof_{name}" for name in self._templates[0].arrays.names)

    @property
    def sensor_counters(self) -> Mapping[str, int]:  # type: ignore[override]
        """The sensors that can have faults, with the counters that number their readings."""
        ranges = dict.fromkeys(self._tofs, batch.MEASURED)
        return {**ranges, **dict.fromkeys((*ENCODERS, *AXES), batch.READ)}

    def _make_robots(self, chosen: NDArray[np.int64], seeds: NDArray[np.int64]) -> batch.Robots:
        states, n = [template.state for template in self._templates], len(seeds)
        sensors = len(states[0].ranges)
        return batch.Robots(
            bodies=np.array([state.body for state in states])[chosen],
            keys=noise_keys(self.template.name, ("wheels", "imu", "tof"), seeds),
            commands=np.zeros((n, 4)),
            faults=np.zeros((n, 4, 2)),
            ranges=np.zeros((n, sensors)),
            rays=np.zeros((n, sensors, 5)),
            encoders=np.zeros((n, 4)),
            imus=np.zeros((n, 3)),
            counters=np.tile(_first_counters(), (n, 1)),
            maps=chosen,
        )

    def _make_model(self) -> batch.Model:
        if self._templates[0].config.game.enabled:
            fix = "leave game.enabled out, or use rigless/PacbotMatch-v0"
            raise InputError(Problem("game.enabled", "a batch does not play the game", fix))
        arrays = [template.arrays for template in self._templates]
        watchdogs = [[each.config.motors.watchdog_s * 1e9] for each in self._templates]
        return batch.Model(
            const=np.array([each.const for each in arrays]),
            setup=np.array([each.setup for each in arrays]),
            bearings=self._shared("tof.count", lambda robot: robot.arrays.bearings),
            discs=np.empty((0, 3)),
            boxes=np.empty((0, 5)),
            watchdog_ns=np.array(watchdogs),
            rates=self._shared("rates", _rates),
        )

    def _begin(self, rows: NDArray[np.int64]) -> None:
        parts = self._robots, self._model, self._maps
        self._engine.run(self._first_readings, (len(rows),), self._xp.asarray(rows), *parts)

    @property
    def tick_s(self) -> float:
        """The period of a tick in seconds."""
        return float(self._templates[0].arrays.const[b.DT])

    def scan(self) -> PacbotScans:
        """Return the last readings, views of the state unless there are faults of sensors."""
        robots = self._robots
        scans = PacbotScans(robots.ranges, robots.rays[:, :, 4], robots.encoders, robots.imus)
        return self._spoiled(scans) if self._sensors else scans

    def _spoiled(self, scans: PacbotScans) -> PacbotScans:
        """Return readings as faults of the sensors leave them."""
        ranges, truth_m, encoders, imu = scans
        ranges, encoders, imu = ranges.copy(), encoders.copy(), imu.copy()
        reaches = np.array([template.config.tof.max_range_m for template in self._templates])
        for place, name in enumerate(self._tofs):
            for rows, _, values in self._faulty(name, ranges[:, place]):
                silent = reaches[self._robots.maps[rows]]
                ranges[rows, place] = silent if values is None else _limited(values)
        for wheel, name in enumerate(ENCODERS):
            for rows, _, values in self._faulty(name, encoders[:, wheel]):
                kept = self._sensors[name].held(rows) if values is None else _limited(values)
                encoders[rows, wheel] = kept
        for name, axes in AXES.items():
            for rows, _, values in self._faulty(name, imu[:, axes]):
                imu[rows, axes] = 0.0 if values is None else _limited(values)
        return PacbotScans(ranges, truth_m, encoders, imu)

    def _measured(self, sensor: str) -> NDArray[Any]:
        return self._column(sensor, self._robots.ranges, self._robots.encoders, self._robots.imus)

    def _returned(self, sensor: str) -> NDArray[Any]:
        scans = self.scan()
        return self._column(sensor, scans.ranges_m, scans.encoders, scans.imu)

    def _column(self, sensor: str, ranges: Floats, encoders: Floats, imu: Floats) -> Floats:
        if sensor in AXES:
            return imu[:, AXES[sensor]]
        if sensor in ENCODERS:
            return encoders[:, ENCODERS.index(sensor)]
        return ranges[:, self._tofs.index(sensor)]

    @property
    def velocities(self) -> Floats:
        """True velocities in the world, one row (m/s, m/s, rad/s) per robot."""
        return self._robots.bodies[:, b.VX : b.W + 1]

    @property
    def contacts(self) -> NDArray[np.bool_]:
        return self._robots.counters[:, batch.HIT] != 0

    def place(self, starts: ArrayLike, which: ArrayLike | None = None) -> None:
        """Put robots at rest at these poses. Their ranges are measured at the next tick of them."""
        rows = self._rows(which)
        bodies = self._robots.bodies
        bodies[rows, b.X : b.THETA + 1] = self._xp.asarray(starts, dtype=float)
        bodies[rows, b.VX : b.U + 4] = 0.0


def _limited(values: Floats) -> Floats:
    return np.clip(values, -MAX_READING, MAX_READING)


def _first_counters() -> NDArray[np.int64]:
    counters = np.zeros(batch.COUNTERS, np.int64)
    counters[batch.ASLEEP] = 1
    return counters


def _rates(robot: Pacbot) -> NDArray[np.int64]:
    config = robot.config
    return np.array(rate_numbers(config.physics_hz, config.tof.rate_hz, config.sensors_hz))
