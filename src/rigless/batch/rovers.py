"""N rovers that advance together, each with the bits of a single simulation with its seed."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.batch.batch import Batch, rate_numbers
from rigless.batch.engines import Task
from rigless.batch.templates import noise_keys
from rigless.kernel.elementary import sin_cos
from rigless.kernel.timing.rate import to_ns
from rigless.motion.diff_drive import wrap
from rigless.robots.rover import batch
from rigless.robots.rover import body as b
from rigless.robots.rover.config import Gps
from rigless.robots.rover.faults import MAX_READING
from rigless.robots.rover.motors import FULL_V, FULL_W, MAX_SPEED
from rigless.robots.rover.robot import Rover
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld

Floats = NDArray[np.float64]
KINDS = ("fix", "float", "fixed", "none")
COLUMNS = {"imu_yaw": slice(0, 1), "imu_wz": slice(1, 2), "imu_accel": slice(2, 5)}


class RoverScans(NamedTuple):
    """The readings of each rover, a row per robot.

    `encoders` is (m/s, rad/s), `imu` is yaw, yaw rate and three accelerations, `fixes_m` is east,
    north and up of the last fix, and `fix_kinds` its index in `rigless.batch.rovers.KINDS`.
    """

    encoders: Floats
    imu: Floats
    fixes_m: Floats
    fix_kinds: NDArray[np.int64]


class Rovers(Batch):
    """N rovers of one config, advanced by one call; see `Vacuums`.

    Commands are those of cmd_vel (m/s, rad/s). Without a map they drive on open ground.
    """

    kind, map_key = "rover", "map_file"
    command_names = ("m/s", "rad/s")
    sensor_counters = {**dict.fromkeys(COLUMNS, batch.TICKS), "gps": batch.FIXES}
    keeping = {"gps": ("off",)}  # the last fix
    pose_index = b.X
    _advance = Task(batch.advance, batch.advance_many)
    _drifts = Task(batch.begin, batch.begin_many)
    _sense = Task(batch.sense, batch.sense_many)

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._readings = batch.Readings(self._xp.empty((self.n, 5)))

    def _grids(self) -> list[Grid]:
        return [_grid_of(template) for template in self._templates]

    def _make_robots(self, chosen: NDArray[np.int64], seeds: NDArray[np.int64]) -> batch.Robots:
        states, n = [template.state for template in self._templates], len(seeds)
        counters = np.zeros((n, batch.COUNTERS), np.int64)
        counters[:, batch.STALE], counters[:, batch.FIX_KIND] = 1, batch.NO_FIX
        return batch.Robots(
            bodies=np.array([state.body for state in states])[chosen],
            covariances=np.array([state.covariance for state in states])[chosen],
            mounts=np.array([state.mount for state in states])[chosen],
            keys=noise_keys(self.template.name, ("encoder", "imu", "gps", "ins"), seeds),
            commands=np.zeros((n, 2)),
            faults=np.zeros((n, 2, 2)),
            fixes=np.zeros((n, 3)),
            counters=counters,
            maps=chosen,
        )

    def _make_model(self) -> batch.Model:
        shared = self._shared
        return batch.Model(
            const=np.array([template.const for template in self._templates]),
            grids=np.array([_place_of(grid) for grid in self._grids()]),
            limits=np.array([_limits(template) for template in self._templates], float),
            outages=shared("gps.outages_s", lambda robot: _outages(robot.config.gps)),
            schedule=shared("gps.fix_schedule", lambda robot: _schedule(robot.config.gps)),
            scales=shared("gps.scale", lambda robot: _scales(robot.config.gps)),
            discs=np.empty((0, 3)),
            boxes=np.empty((0, 5)),
            rates=shared("rates", _rates),
        )

    def _begin(self, rows: NDArray[np.int64]) -> None:
        parts = self._xp.asarray(rows), self._robots, self._model
        self._engine.run(self._drifts, (len(rows),), *parts)

    @property
    def tick_s(self) -> float:
        """The period of a tick in seconds."""
        return float(self._templates[0].const[b.DT])

    def _limited(self, commands: Any) -> Any:
        most = self._model.limits[self._robots.maps][:, (batch.MOST_V, batch.MOST_W)]
        return self._xp.clip(commands, -most, most)

    def readings(self) -> batch.Readings:
        """Return the IMU's numbers. The array is reused by the next call."""
        self._read()
        imu = self._readings.imu
        for name, columns in COLUMNS.items() if self._sensors else ():
            for rows, _, values in self._faulty(name, imu[:, columns]):
                imu[rows, columns] = 0.0 if values is None else _limited(values)
        return self._readings

    def _read(self) -> None:
        self._engine.run(self._sense, (self.n,), self._robots, self._model, self._readings)

    def scan(self) -> RoverScans:
        """Return encoders, IMU and the last fix. The IMU's array is reused by the next call."""
        self.readings()
        robots = self.sensed_state
        encoders = robots.bodies[:, b.ENC_V : b.ENC_W + 1]
        kinds = robots.counters[:, batch.FIX_KIND]
        return RoverScans(encoders, self._readings.imu, robots.fixes, kinds)

    @property
    def sensed_state(self) -> batch.Robots:
        """The state, with fixes as faults of the receiver leave them."""
        robots = self._robots
        if "gps" not in self._sensors:
            return robots
        fixes, counters = robots.fixes.copy(), robots.counters.copy()
        for rows, _, values in self._faulty("gps", robots.fixes):
            if values is None:
                kept = self._sensors["gps"].held(rows)
                fixes[rows], counters[rows, batch.FIX_KIND] = kept[:, :3], kept[:, 3]
            else:
                fixes[rows] = _limited(values[:, :3])
        return robots._replace(fixes=fixes, counters=counters)

    def _measured(self, sensor: str) -> NDArray[Any]:
        if sensor == "gps":
            return _with_kinds(self._robots)
        self._read()
        return self._readings.imu[:, COLUMNS[sensor]]

    def _returned(self, sensor: str) -> NDArray[Any]:
        return _with_kinds(self.sensed_state)

    @property
    def odometry(self) -> Floats:
        """Poses that follow from the encoders, one row (x, y, yaw) per robot."""
        return self._robots.bodies[:, b.ODO_X : b.ODO_YAW + 1]

    @property
    def velocities(self) -> Floats:
        """True velocities, one row (m/s, rad/s) per robot."""
        return self._robots.bodies[:, b.V : b.W + 1]

    @property
    def contacts(self) -> NDArray[np.bool_]:
        return self._robots.counters[:, batch.HIT] != 0

    def place(self, starts: ArrayLike, which: ArrayLike | None = None) -> None:
        """Put robots at rest at these poses (x, y, yaw), as if they had started there."""
        rows = self._rows(which)
        poses = np.array(starts, float).reshape(-1, 3)
        poses[:, 2] = [wrap(yaw) for yaw in poses[:, 2]]
        bodies, moved = self._robots.bodies, self._xp.asarray(poses)
        bodies[rows, b.X : b.YAW + 1] = moved
        bodies[rows, b.ODO_X : b.ODO_YAW + 1] = moved


def _limited(values: Floats) -> Floats:
    return np.clip(values, -MAX_READING, MAX_READING)


def _with_kinds(robots: batch.Robots) -> Floats:
    """Return fixes with a column for their kinds."""
    return np.column_stack((robots.fixes, robots.counters[:, batch.FIX_KIND]))


def _grid_of(robot: Rover) -> Grid:
    """Return the grid of a rover's world; one free cell for open ground."""
    return robot.world.grid if isinstance(robot.world, GridWorld) else Grid([[False]], 1.0)


def _place_of(grid: Grid) -> tuple[float, ...]:
    sine, cosine = sin_cos(grid.origin[2])
    return grid.resolution_m, grid.origin[0], grid.origin[1], cosine, sine


def _limits(robot: Rover) -> tuple[float, ...]:
    config, limits = robot.config, robot.config.limits
    enc, gps = config.enc_vel, config.gps
    return (
        to_ns(config.cmd_vel_timeout_s),
        limits.linear_mps or FULL_V,
        limits.angular_radps or FULL_W,
        config.radius_m,
        enc.vx_drift_std if enc.drift_start == "stationary" else -1.0,
        enc.wz_drift_std,
        gps.drift_std_m if gps.drift_start == "stationary" else -1.0,
        isinstance(robot.world, GridWorld),
        limits.linear_mps or MAX_SPEED,
        limits.angular_radps or MAX_SPEED,
    )


def _outages(gps: Gps) -> Floats:
    return np.array(gps.outages_s, float).reshape(-1, 2)


def _schedule(gps: Gps) -> Floats:
    rows = [(entry.at_s, KINDS.index(entry.fix)) for entry in gps.fix_schedule]
    return np.array(rows, float).reshape(-1, 2)


def _scales(gps: Gps) -> Floats:
    return np.array([*(getattr(gps.scale, kind) for kind in KINDS[:-1]), 0.0], float)


def _rates(robot: Rover) -> NDArray[np.int64]:
    config = robot.config
    return np.array([*rate_numbers(config.high_hz, config.low_hz), config.fix_every])
