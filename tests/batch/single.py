"""Single simulations and batches that get the same commands, and their comparison."""

from typing import Any

import numpy as np

from rigless.kernel.timing.rate import Rate
from rigless.robots.pacbot.config import WHEELS
from rigless.robots.pacbot.wire import Speeds
from rigless.robots.rover.faults import MAX_READING
from rigless.robots.vacuum.wire import Control, Scan, Status
from rigless.ros.messages import Twist, Vector3
from rigless.scenario.load import build_raw
from rigless.scenario.source import Source

PORTS = {"vacuum": "telemetry", "pacbot": "sensors", "rover": "dds"}


class Single:
    """One simulation. Its last messages on the wire are in `last`, by their type."""

    def __init__(self, kind: str, config: dict[str, Any], seed: int):
        self.kind = kind
        raw = {"name": kind, "robots": [{"kind": kind, "config": config}]}
        self.sim = build_raw(raw, Source(), (), seed).simulation
        self.robot: Any = self.sim.robots[kind]
        self.last: dict[type, Any] = {}
        self.ticks = 0
        hz = {
            "vacuum": lambda c: c.imu.update_rate_hz,
            "pacbot": lambda c: c.physics_hz,
            "rover": lambda c: c.high_hz,
        }[kind](self.robot.config)
        self.rate = Rate(hz)
        if kind == "vacuum":  # the upstream mock does not drive without it
            self.sim.send("vacuum", "commands", Control("drive", "enable", {}))

    def send(self, command: Any) -> None:
        numbers = [float(number) for number in command]
        if self.kind == "vacuum":
            config = {"linear": numbers[0], "angular": numbers[1]}
            self.sim.send("vacuum", "commands", Control("drive", "configure", config))
        elif self.kind == "pacbot":
            self.robot.accept_serial(Speeds(**dict(zip(WHEELS, numbers, strict=True))), None)
        else:
            twist = Twist(Vector3(numbers[0], 0.0, 0.0), Vector3(0.0, 0.0, numbers[1]))
            self.sim.send("rover", "dds", twist)

    def advance(self, ticks: int) -> None:
        self.ticks += ticks
        self.sim.run_until(self.rate.due_ns(self.ticks))
        if self.kind != "rover":
            for message in self.sim.take(self.kind, PORTS[self.kind]):
                self.last[type(message)] = message


def same_vacuum(single: Single, robots: Any, i: int) -> None:
    """Check that robot i has the single robot's state and last messages, bit for bit."""
    state, batch = single.robot.state, robots.state
    assert state.body.tobytes() == batch.bodies[i].tobytes()
    assert (state.energy_wh, state.flags) == (batch.energy_wh[i], batch.counters[i, 2])
    scans, readings = robots.scan(), robots.readings()
    if Status in single.last:
        status, imu = single.last[Status], readings.imu[i].tolist()
        assert [status.gyro_x, status.gyro_y, status.gyro_z] == imu[:3]
        assert [status.accel_x, status.accel_y, status.accel_z] == imu[3:6]
        assert [status.tilt_x, status.tilt_y, status.tilt_z] == imu[6:]
        assert [status.wheel_left, status.wheel_right] == readings.encoders[i].tolist()
        assert [status.bumper_left, status.bumper_right] == robots.bumpers[i].tolist()
    if Scan in single.last:
        scan, seen = single.last[Scan], scans.qualities[i] > 0
        assert scan.angles.tobytes() == scans.angles[i][seen].tobytes()
        assert scan.distances.tobytes() == scans.distances_m[i][seen].tobytes()
        assert scan.qualities.tobytes() == scans.qualities[i][seen].tobytes()
    else:
        assert not scans.qualities[i].any()


def same_pacbot(single: Single, robots: Any, i: int) -> None:
    state, scans = single.robot.state, robots.scan()
    assert state.body.tobytes() == robots.state.bodies[i].tobytes()
    assert state.ranges.tobytes() == scans.ranges_m[i].tobytes()
    assert state.rays.tobytes() == robots.state.rays[i].tobytes()
    assert list(state.encoders) == scans.encoders[i].tolist()
    assert list(state.imu) == scans.imu[i].tolist()
    assert state.hit == robots.contacts[i]


def same_rover(single: Single, robots: Any, i: int) -> None:
    state, scans, batch = single.robot.state, robots.scan(), robots.state
    assert state.body.tobytes() == batch.bodies[i].tobytes()
    assert state.covariance.tobytes() == batch.covariances[i].tobytes()
    assert state.hit == robots.contacts[i]
    yaw, rate, accel = single.robot.read_imu()
    read = [yaw or 0.0, rate or 0.0, *(accel or (0.0, 0.0, 0.0))]  # a silent sensor reads 0
    assert np.clip(read, -MAX_READING, MAX_READING).tolist() == scans.imu[i].tolist()
    fix = state.fix
    if fix.epoch_ns >= 0:
        assert [fix.east_m, fix.north_m, fix.up_m] == scans.fixes_m[i].tolist()
        assert fix.kind == ("fix", "float", "fixed", "none")[scans.fix_kinds[i]]


SAME = {"vacuum": same_vacuum, "pacbot": same_pacbot, "rover": same_rover}


def random_commands(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    low, high = {
        "vacuum": ((-0.1, -2.0), (0.4, 2.0)),
        "pacbot": ((-1.2,) * 4, (1.2,) * 4),
        "rover": ((-0.5, -1.0), (1.5, 1.0)),
    }[kind]
    return rng.uniform(low, high, (n, len(low)))
