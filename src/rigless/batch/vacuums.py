"""N vacuums that advance together, each with the bits of a single simulation with its seed."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.batch.batch import Batch, rate_numbers
from rigless.batch.engines import Task
from rigless.batch.templates import noise_keys, noise_of
from rigless.robots.vacuum import batch
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.batch import scans
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.faults import MAX_READING, limit_axes, limit_distances
from rigless.robots.vacuum.robot import Vacuum

Floats = NDArray[np.float64]

AXES = {"gyro": slice(0, 3), "accel": slice(3, 6), "tilt": slice(6, 9)}  # of the IMU's readings
ENCODERS = ("encoder_left", "encoder_right")
BUMPERS = ("bumper_left", "bumper_right")
BITS = np.array([b.BUMP_LEFT, b.BUMP_RIGHT])


class VacuumScans(NamedTuple):
    """The last turn of each lidar, a row per robot and a column per beam.

    Quality is 0 and distance is 0 where a beam has no echo. `truth_m` is the true range, inf for
    none.
    """

    angles: NDArray[np.float32]
    distances_m: NDArray[np.float32]
    qualities: NDArray[np.uint8]
    truth_m: Floats


class VacuumReadings(NamedTuple):
    """Inertial sensors and encoders, a row per robot, as on the wire.

    `imu` is gyro, accelerometer and tilt in their 16-bit units. `encoders` is (left, right).
    """

    imu: NDArray[np.int64]
    encoders: NDArray[np.int64]


class Vacuums(Batch):
    """N vacuums of one config, advanced by one call.

        robots = rigless.batch.Vacuums(1000, seeds=range(1000))
        robots.step(np.full((1000, 2), (0.2, 0.5)), ticks=22)
        robots.poses, robots.scan().distances_m, robots.bumpers

    Robot i has the numbers of `rigless.load("vacuum", seed=seeds[i])` bit for bit, whatever n is.
    The lidar is on from the start. For the parameters see `Batch`.
    """

    kind, map_key = "vacuum", "map_file"
    command_names = ("m/s", "rad/s")
    own_kinds = ("slip",)
    sensor_counters = {
        "lidar": batch.SCANS,
        **dict.fromkeys((*BUMPERS, *ENCODERS, *AXES), batch.TICKS),
    }
    holding = dict.fromkeys(ENCODERS, ("off",))  # a silent encoder holds its count
    pose_index = b.X
    _advance = Task(batch.advance, batch.advance_many)
    _scan = Task(scans.beam, scans.scan_many, axes=2)
    _sense = Task(batch.sense, batch.sense_many)

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.beams = len(self._model.angles)
        made = (np.float32, np.float32, np.uint8, np.float64)
        empty = self._xp.empty
        self._scans = scans.Scans(*(empty((self.n, self.beams), dtype) for dtype in made))
        self._seen = VacuumScans(*self._scans)
        self._readings = batch.Readings(empty((self.n, 9), np.int64), empty((self.n, 2), np.int64))

    def _make_robots(self, chosen: NDArray[np.int64], seeds: NDArray[np.int64]) -> batch.Robots:
        states, name = [template.state for template in self._templates], self.template.name
        n, config = len(seeds), self._templates[0].config
        phases = np.full((n, 2), 0.5)
        if config.encoder.noise.quantization_noise:
            phases = np.array([noise_of(s, f"{name}/encoder_phase").random(2) for s in seeds])
        return batch.Robots(
            bodies=np.array([state.body for state in states])[chosen],
            trails=np.array([state.trail for state in states])[chosen],
            keys=noise_keys(name, ("wheels", "imu", "lidar"), seeds),
            energy_wh=np.array([state.energy_wh for state in states])[chosen],
            phases=phases,
            commands=np.zeros((n, 2)),
            faults=np.zeros((n, 2, 2)),
            counters=np.zeros((n, batch.COUNTERS), np.int64),
            maps=chosen,
        )

    def _make_model(self) -> batch.Model:
        arrays, shared = [template.arrays for template in self._templates], self._shared
        return batch.Model(
            const=np.array([each.const for each in arrays]),
            setup=np.array([each.setup for each in arrays]),
            carpets=shared("carpets", lambda robot: robot.arrays.carpets),
            cliff_sensors=shared("cliffs", lambda robot: robot.arrays.cliff_sensors),
            power=np.array([each.power for each in arrays]),
            angles=shared("lidar.num_rays", lambda robot: robot.arrays.angles),
            cosines=shared("lidar.angle_offset", lambda robot: robot.arrays.cosines),
            sines=shared("lidar.angle_offset", lambda robot: robot.arrays.sines),
            discs=np.empty((0, 3)),
            boxes=np.empty((0, 5)),
            gyro_axes=shared("frame_transforms", lambda robot: robot.arrays.gyro_axes),
            accel_axes=shared("frame_transforms", lambda robot: robot.arrays.accel_axes),
            deviations=np.array([each.deviations for each in arrays]),
            biases=np.array([each.biases for each in arrays]),
            limits=np.array([_limits(template.config) for template in self._templates], float),
            rates=shared("rates", _rates),
        )

    @property
    def tick_s(self) -> float:
        """The period of a tick in seconds."""
        return float(self._templates[0].arrays.const[b.DT])

    def _limited(self, commands: Any) -> Any:
        most = self._model.limits[self._robots.maps][:, (batch.TOP_MPS, batch.TOP_RADPS)]
        return self._xp.clip(commands, -most, most)

    def _apply_own(self, rows: Any, place: int, kind: str, params: dict[str, Any]) -> None:
        share = params["share"] if kind == "slip" else 0.0
        self._robots.bodies[rows, (b.SLIP_LEFT, b.SLIP_RIGHT)[place]] = share

    def scan(self) -> VacuumScans:
        """Return the last turn of each lidar. The arrays are reused by the next call."""
        self._cast()
        if self._sensors:
            self._spoil_scans()
        return self._seen

    def _cast(self) -> None:
        parts = self._robots, self._model, self._maps, self._scans
        self._engine.run(self._scan, (self.n, self.beams), *parts)

    def readings(self) -> VacuumReadings:
        """Return inertial sensors and encoders. The arrays are reused by the next call."""
        self._read()
        if self._sensors:
            self._spoil_readings()
        return VacuumReadings(*self._readings)

    def _read(self) -> None:
        self._engine.run(self._sense, (self.n,), self._robots, self._model, self._readings)

    @property
    def odometry(self) -> Floats:
        """Poses that follow from the encoders, one row (x, y, theta) per robot."""
        return self._robots.bodies[:, b.ODO_X : b.ODO_THETA + 1]

    @property
    def velocities(self) -> Floats:
        """True velocities, one row (m/s, rad/s) per robot."""
        return self._robots.bodies[:, b.REAL_V : b.REAL_W + 1]

    @property
    def bumpers(self) -> NDArray[np.bool_]:
        """Pressed bumpers, one row (left, right) per robot."""
        flags = self._robots.counters[:, batch.FLAGS, None]
        pressed: NDArray[np.bool_] = (flags & self._xp.asarray(BITS)) != 0
        for column, name in enumerate(BUMPERS if self._sensors else ()):
            for rows, _, values in self._faulty(name, pressed[:, column]):
                pressed[rows, column] = False if values is None else values != 0
        return pressed

    @property
    def sensed_state(self) -> batch.Robots:
        """The state, with the flags of bumpers as their faults leave them."""
        if not self._sensors:
            return self._robots
        counters = self._robots.counters.copy()
        counters[:, batch.FLAGS] &= ~BITS.sum()
        counters[:, batch.FLAGS] |= self.bumpers @ BITS
        return self._robots._replace(counters=counters)

    @property
    def contacts(self) -> NDArray[np.bool_]:
        return (self._robots.counters[:, batch.FLAGS] & b.HIT) != 0

    def place(self, starts: ArrayLike, which: ArrayLike | None = None) -> None:
        """Put robots at rest at these poses (x, y, theta), as if they had started there."""
        rows = self._rows(which)
        poses, bodies = self._xp.asarray(starts, dtype=float), self._robots.bodies
        bodies[rows, b.X : b.THETA + 1] = poses
        bodies[rows, b.ODO_X : b.ODO_THETA + 1] = poses
        self._robots.trails[rows, :, 1:] = poses.reshape(-1, 1, 3)

    # Faults of sensors, on arrays of numpy

    def _ticks_to_reading(self, sensor: str) -> int:
        if sensor != "lidar":
            return 1
        counters = self._robots.counters[self._sensors[sensor].waiting]
        return max(int((counters[:, batch.SCAN_TICK] - counters[:, batch.TICKS]).min()), 1)

    def _measured(self, sensor: str) -> NDArray[Any]:
        if sensor == "lidar":
            self._cast()
            return np.stack(self._scans[:3], axis=1, dtype=np.float32)
        if sensor in ENCODERS:
            return self._counts(ENCODERS.index(sensor))
        if sensor in AXES:
            self._read()
            return self._readings.imu[:, AXES[sensor]].astype(float)
        return (self._robots.counters[:, batch.FLAGS] & BITS[BUMPERS.index(sensor)]) != 0

    def _counts(self, wheel: int) -> NDArray[np.int64]:
        """Return an encoder's counts before they are cut to 16 bits."""
        ticks = self._robots.bodies[:, (b.LEFT_TICKS, b.RIGHT_TICKS)[wheel]]
        return np.floor(ticks + self._robots.phases[:, wheel]).astype(np.int64)

    def _spoil_scans(self) -> None:
        angles, distances, qualities, _ = self._scans
        for rows, kind, values in self._faulty("lidar", distances.astype(float)):
            if kind == "stuck":
                angles[rows], distances[rows], qualities[rows] = values.swapaxes(0, 1)
            elif values is None:
                distances[rows], qualities[rows] = 0.0, 0
            else:
                limited, valid = limit_distances(values)
                valid &= qualities[rows] > 0
                distances[rows] = np.where(valid, limited, 0.0)
                qualities[rows] = np.where(valid, qualities[rows], 0)

    def _spoil_readings(self) -> None:
        imu, encoders = self._readings
        for name, axes in AXES.items():
            for rows, _, values in self._faulty(name, imu[:, axes].astype(float)):
                imu[rows, axes] = 0 if values is None else limit_axes(values)
        for wheel, name in enumerate(ENCODERS):
            for rows, _, values in self._faulty(name, self._counts(wheel)):
                sensed = self._sensors[name].held(rows) if values is None else values
                limited = np.clip(sensed, -MAX_READING, MAX_READING).astype(np.int64)
                encoders[rows, wheel] = limited % 65536


def _limits(config: VacuumConfig) -> tuple[float, ...]:
    lidar, robot = config.lidar, config.robot
    return (
        config.deadman_timeout_ms * 1e6, robot.wheel_base, robot.max_linear_speed,
        robot.max_angular_speed, lidar.speed_jitter, lidar.cold_start_s,
        config.imu.gyro_noise.drift_rate,
    )  # fmt: skip


def _rates(robot: Vacuum) -> NDArray[np.int64]:
    config = robot.config
    return np.array(rate_numbers(config.imu.update_rate_hz, config.lidar.scan_rate_hz))
