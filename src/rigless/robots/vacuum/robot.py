"""A CRL-200S robot vacuum behind the SangamIO daemon's wire: what happens 110 times a second, at each turn of the lidar, and on
each command. Protocol facts are in wire.py, numbers in config.py, physics in body.py and lidar.py."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rigless.kernel.drawing import View
from rigless.kernel.events import Severity
from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.ports import Link, Port
from rigless.kernel.robot import Defaults, Robot, VirtualInput, every, on
from rigless.motion.contact import MOVED, Touch
from rigless.motion.diff_drive import body_speeds, wheel_speeds
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.arrays import CLIFFS, Arrays, make_arrays
from rigless.robots.vacuum.clients import Clients
from rigless.robots.vacuum.commands import Commands
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.lidar import scan
from rigless.robots.vacuum.native import read_native
from rigless.robots.vacuum.power import Power
from rigless.robots.vacuum.ros import RosBridge
from rigless.robots.vacuum.state import Truth, VacuumState
from rigless.robots.vacuum.wire import CommandCodec, Scan, Status, TelemetryCodec
from rigless.robots.vacuum.wire_fast import pack_bins
from rigless.ros.bridge import EPOCH
from rigless.sensors.noise import block, noise_key, normal
from rigless.worlds.bundled import find_map
from rigless.worlds.grid_world import NO_BOXES, NO_DISCS, GridWorld
from rigless.worlds.maps import load_map

EPOCH_US = 1_700_000_000_000_000  # where timestamps start, so that a run can be repeated; they advance with simulated time
# A frame for the drive, 0.125 m/s and 0.5 rad/s, as the shell's printf writes it.
CIRCLE_LINE = (
    r"printf '\0\0\000\62\032\60\12\56\12\5drive\22\45\10\3\22\20\12\7angular\22\005\65\0\0\0\77"
    r"\22\17\12\6linear\22\005\65\0\0\0\76' | nc -w 1 {host} {port}"
)
ENCODER_WRAP = 1 << 16
WILDEST = 1e9  # no fault makes a reading larger, so that the wire can carry it
# Bumpers and cliffs, by the flags of a tick.
SWITCHES: list[tuple[Any, Any]] = [
    (
        (bool(flags & b.BUMP_LEFT), bool(flags & b.BUMP_RIGHT)),
        tuple(bool(flags & b.CLIFF_FIRST << bit) for bit in range(4)),
    )
    for flags in range(b.HIT)
]
MOTOR = 1 << 20  # the index of the lidar motor's draw, beyond those of the beams


class Vacuum(Commands, Clients, Power, RosBridge, Robot):
    Config = VacuumConfig
    State = VacuumState
    config: VacuumConfig
    state: VacuumState
    buttons = {
        "start_button": VirtualInput(0, "1 while pressed"),
        "dock_button": VirtualInput(0, "1 while pressed"),
        "dustbox_attached": VirtualInput(True, "the dust box is in place"),
    }
    sensors = ("gyro", "accel", "tilt", "encoder_left", "encoder_right", "lidar", "bumper_left", "bumper_right", "battery",
               *(f"cliff_{name}" for name in CLIFFS))  # fmt: skip
    actuators = ("wheel_left", "wheel_right")

    @property
    def inputs(self) -> Mapping[str, VirtualInput]:  # type: ignore[override]
        return {**self.buttons, **(EPOCH if self.config.ros.enabled else {})}

    @property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        bind = self.config.network.bind_address
        host = bind.rpartition(":")[0] or "127.0.0.1"
        return (
            Port("commands", CommandCodec, transport="tcp", address=bind, example=CIRCLE_LINE),
            Port(
                "telemetry",
                TelemetryCodec,
                transport="udp",
                address=f"{host}:0",
                kind="datagram",
                direction="out",
            ),
            *self.ros_ports,
        )

    @classmethod
    def read_file(cls, path: Path) -> Mapping[str, Any] | None:
        return read_native(path)

    def defaults(self) -> Defaults:
        path = find_map(self.config.map_file)
        return Defaults(
            GridWorld(load_map(path)),
            self.config.speed_factor,
            self.config.random_seed,
            str(path.resolve()),
        )

    def start(self) -> None:
        assert isinstance(self.world, GridWorld), "a vacuum needs a world with a map"
        config, state = self.config, self.state
        self.grid = self.world.grid
        self.arrays: Arrays = make_arrays(config, self.grid)
        state.keys = np.array(
            [
                noise_key(self.simulation.seed, f"{self.name}/{part}")
                for part in ("wheels", "imu", "lidar")
            ]
        )
        self._scratch, self._imu = np.zeros(MOVED), np.zeros(9, np.int64)
        count = config.lidar.num_rays
        self._ranges = np.full(count, np.inf)
        self._points = (
            np.empty(count, np.float32),
            np.empty(count, np.float32),
            np.empty(count, np.uint8),
        )
        x, y, theta = self.start_pose or (config.start_x, config.start_y, config.start_theta)
        for place_x, place_y, place_theta in ((b.X, b.Y, b.THETA), (b.ODO_X, b.ODO_Y, b.ODO_THETA)):
            state.body[place_x], state.body[place_y], state.body[place_theta] = x, y, theta
        state.body[b.TILT_Z] = 1.0
        state.trail = np.tile((0.0, x, y, theta), (self.arrays.trail_size, 1))
        state.lidar_on = config.lidar.enabled
        state.energy_wh = config.sensors.battery.capacity_wh * config.sensors.battery.level / 100
        self.input["dustbox_attached"] = config.sensors.dustbox_attached
        self.input["start_button"], self.input["dock_button"] = (
            config.sensors.start_button,
            config.sensors.dock_button,
        )
        if config.encoder.noise.quantization_noise:
            state.phases = tuple(self.random("encoder_phase").random(2).tolist())
        if config.log_level == "verbose":
            self.after(config.log_interval_s, self.tell)
        self.warm_up()

    def warm_up(self) -> None:
        """Have numba compile (or load from its cache) what a tick and a scan need, so that no live run stalls on it."""
        arrays, grid, body = self.arrays, self.grid, self.state.body.copy()
        b.tick(body, arrays.const, grid.occupied, arrays.clear, grid.cliff, NO_DISCS, NO_BOXES, arrays.carpets,
               arrays.cliff_sensors, self.state.keys[0], 0, self._scratch)  # fmt: skip
        self.tick_many(body, 0)
        TelemetryCodec().encode(self.readings())
        angles, ranges, qualities = self._points
        scan(arrays.setup, grid.squares, grid.material, NO_DISCS, NO_BOXES, self.state.trail, 0, 0.0, 0.0, arrays.angles,
             arrays.cosines, arrays.sines, self.state.keys[2], 0, 1, angles, ranges, qualities, np.empty(1))  # fmt: skip
        TelemetryCodec().encode(Scan(0, angles[:1], ranges[:1], qualities[:1]))

    # Motion and sensors

    @every(lambda config: config.imu.update_rate_hz, fast_forward="move_many")
    def move(self) -> None:
        state, arrays = self.state, self.arrays
        state.ticks += 1
        if self.config.deadman_timeout_ms:
            self.watch_commands()
        if self.faults:
            self.drive_faulty()
        discs, boxes = self.around()
        flags = b.tick(
            state.body, arrays.const, self.grid.occupied, arrays.clear, self.grid.cliff, discs, boxes,
            arrays.carpets, arrays.cliff_sensors, state.keys[0], state.ticks, self._scratch,
        )  # fmt: skip
        b.leave_trail(state.trail, state.trail_at, state.body, state.ticks * arrays.const[b.DT])
        state.trail_at = (state.trail_at + 1) % len(state.trail)
        if flags != state.flags:
            self.report_changes(flags)
            state.flags = flags
        if self.config.sensors.battery.model == "discharge":
            self.drain()
        if self.config.dock is not None:
            self.watch_dock()
        heard = self.wanted("telemetry") or state.over_tcp
        if heard or self.config.ros.enabled:
            status = self.readings()
            if heard:
                self.send(status)
            if self.config.ros.enabled:
                self.ros_status(status)

    def move_many(self, times: int) -> int:
        """Many ticks in one go, while nothing is to be told to anybody."""
        if self.wanted("telemetry") or self.config.ros.enabled:
            return 0
        state, config = self.state, self.config
        alone = len(self.simulation.robots) == 1 and not self.world.state.obstacles
        quiet = not (self.faults or state.over_tcp or config.deadman_timeout_ms or config.dock)
        if not (alone and quiet and config.sensors.battery.model == "fixed"):
            return 0
        done = self.tick_many(state.body, times)
        state.ticks += done
        state.trail_at = (state.trail_at + done) % len(state.trail)
        return done

    def tick_many(self, body: Any, times: int) -> int:
        state, arrays, grid, config = self.state, self.arrays, self.grid, self.config
        return b.tick_many(
            body, arrays.const, grid.occupied, arrays.clear, grid.cliff, NO_DISCS, NO_BOXES, arrays.carpets,
            arrays.cliff_sensors, state.keys, state.ticks, self._scratch, times, state.flags, state.trail, state.trail_at,
            config.sense_unheard, arrays.gyro_axes, arrays.accel_axes, arrays.deviations, arrays.biases,
            config.imu.gyro_noise.drift_rate, self._imu,
        )  # fmt: skip

    @every(lambda config: config.lidar.scan_rate_hz)
    def sweep(self) -> None:
        state = self.state
        if not state.lidar_on:
            return
        state.scans += 1
        state.scanned_ns = self.now_ns
        heard, bridged = self.wanted("telemetry") or state.over_tcp, self.ros_wanted()
        if not (heard or bridged or self.config.sense_unheard):
            return
        count = self.scan_now(self.beams())
        if not (heard or bridged):
            return
        angles, ranges, qualities = self._points
        points: list[Any] = [angles[:count].copy(), ranges[:count].copy(), qualities[:count].copy()]
        if self.faults and not self.sense_lidar(points):
            return
        turn, reach, quality = points
        packed = (
            pack_bins(turn, reach, quality, self.config.lidar.num_rays)
            if self.config.scan_packed
            else None
        )
        found = Scan(self.timestamp_us(), turn, reach, quality, packed)
        if heard:
            self.send(found)
        if bridged:
            self.ros_scan(found)

    def scan_now(self, beams: int) -> int:
        """The last turn of the lidar: its points go to `_points`, their number is given, every beam's truth is in `_ranges`."""
        state, arrays, grid = self.state, self.arrays, self.grid
        discs, boxes = self.around()
        end_s = state.scanned_ns / 1e9
        self._ranges[:] = np.inf
        return scan(
            arrays.setup, grid.squares, grid.material, discs, boxes, state.trail, state.trail_at,
            end_s - 1.0 / self.config.lidar.scan_rate_hz, end_s, arrays.angles, arrays.cosines, arrays.sines,
            state.keys[2], state.scans, beams, *self._points, self._ranges,
        )  # fmt: skip

    def sense_lidar(self, points: list[Any]) -> bool:
        """Faults change the points; False: there is no scan. A stuck lidar sends one and the same scan."""
        stuck = self.fault("lidar", "stuck")
        if stuck is not None:
            points[:] = [part.copy() for part in stuck.memory.setdefault("points", list(points))]
            return True
        distances = self.sense("lidar", points[1].astype(float))
        if distances is None:
            return False
        seen = distances > 0  # what is not is an invalid point, and those are never sent
        points[:] = (
            points[0][seen],
            np.minimum(distances[seen], WILDEST).astype(np.float32),
            points[2][seen],
        )
        return True

    def beams(self) -> int:
        """How many beams this turn has: all, fewer while the motor spins up or runs slow."""
        lidar, count = self.config.lidar, self.config.lidar.num_rays
        share = 1.0
        if lidar.speed_jitter:
            share = 1.0 + lidar.speed_jitter * normal(
                block(self.state.keys[2], self.state.scans, MOTOR)[0]
            )
        if lidar.cold_start_s:
            share = min(share, (self.now_ns - self.state.lidar_since_ns) / 1e9 / lidar.cold_start_s)
        return max(0, min(count, int(count * share)))

    def around(self) -> tuple[Any, Any]:
        """What moves in the world besides this robot, in cells."""
        assert isinstance(self.world, GridWorld)
        return self.world.around(self)

    def footprint(self) -> tuple[float, float, float]:
        return self.state.body[b.X], self.state.body[b.Y], self.config.robot.robot_radius

    def drive_faulty(self) -> None:
        """Wheel faults change what the wheels are told; the body then follows."""
        state, robot, dt = self.state, self.config.robot, self.arrays.const[b.DT]
        left, right = wheel_speeds(*self.goal(), robot.wheel_base)
        left = self.actuate("wheel_left", left, dt, robot.max_linear_speed)
        right = self.actuate("wheel_right", right, dt, robot.max_linear_speed)
        state.body[b.GOAL_V], state.body[b.GOAL_W] = body_speeds(left, right, robot.wheel_base)

    @on(Cleared)
    def drive_well(self, message: Cleared, link: Link) -> None:
        self.state.body[b.GOAL_V], self.state.body[b.GOAL_W] = self.goal()

    @on(Injected)
    def remember_wheels(self, message: Injected, link: Link) -> None:
        body, base = self.state.body, self.config.robot.wheel_base
        self.actuated["wheel_left"], self.actuated["wheel_right"] = wheel_speeds(
            body[b.V], body[b.W], base
        )

    def readings(self) -> Status:
        state, arrays, config = self.state, self.arrays, self.config
        drift = config.imu.gyro_noise.drift_rate * self.now_ns / 1e9
        b.read_imu(state.body, arrays.const, arrays.gyro_axes, arrays.accel_axes, arrays.deviations, arrays.biases, drift,
                   state.keys[1], state.ticks, self._imu)  # fmt: skip
        imu: Any = self._imu.tolist()
        left = math.floor(state.body.item(b.LEFT_TICKS) + state.phases[0])
        right = math.floor(state.body.item(b.RIGHT_TICKS) + state.phases[1])
        bumpers, cliffs = SWITCHES[state.flags & ~b.HIT]
        voltage, level, charging, docked = self.power()
        if self.faults:
            imu, left, right, bumpers, cliffs, voltage = self.sense_all(
                imu, left, right, bumpers, cliffs, voltage
            )
        return Status(  # type: ignore[call-arg]
            self.timestamp_us(), left % ENCODER_WRAP, right % ENCODER_WRAP, level, self.button("start_button"),
            self.button("dock_button"), *imu, voltage, *bumpers, *cliffs, charging, docked, self.input["dustbox_attached"],
        )  # fmt: skip

    def button(self, name: str) -> int:
        return min(max(self.input[name], 0), 0xFFFF)

    def sense_all(
        self, imu: Any, left: int, right: int, bumpers: Any, cliffs: Any, voltage: float
    ) -> Any:
        """The readings through the faults of their sensors; a silent encoder holds, the others read zero."""
        whole: list[int] = []
        for name, values in (("gyro", imu[0:3]), ("accel", imu[3:6]), ("tilt", imu[6:9])):
            sensed = self.sense(name, np.array(values, float))
            whole += (
                [0, 0, 0]
                if sensed is None
                else np.clip(np.rint(sensed), -32768, 32767).astype(int).tolist()
            )
        left, right = (
            self.sense_encoder("encoder_left", left),
            self.sense_encoder("encoder_right", right),
        )
        names = ("left", "right")
        bumped = tuple(
            bool(self.sense(f"bumper_{name}", hit))
            for name, hit in zip(names, bumpers, strict=True)
        )
        fell = tuple(
            bool(self.sense(f"cliff_{name}", seen))
            for name, seen in zip(CLIFFS, cliffs, strict=True)
        )
        volts = min(max(self.sense("battery", voltage) or 0.0, -WILDEST), WILDEST)
        return whole, left, right, bumped, fell, volts

    def sense_encoder(self, name: str, ticks: int) -> int:
        sensed, fault = self.sense(name, ticks), self.fault(name)
        if fault is None:
            return ticks
        if sensed is not None:
            fault.memory["held"] = int(min(max(sensed, -WILDEST), WILDEST))
        held: int = fault.memory.setdefault(
            "held", ticks
        )  # off, or a dropped reading: the counter stands
        return held

    def timestamp_us(self) -> int:
        return EPOCH_US + self.now_ns // 1000

    # What it says

    def note(self, code: str, text: str, severity: Severity = "info", **data: Any) -> None:
        """An event, as far as the log level wants it: minimal has warnings only."""
        if severity != "info" or self.config.log_level != "minimal":
            self.event(code, text, severity, **data)

    def report_changes(self, flags: int) -> None:
        body, fresh = self.state.body, flags & ~self.state.flags
        if fresh & b.HIT:
            self.count("collisions")
            x, y = body[b.TOUCH_X], body[b.TOUCH_Y]
            self.note(
                "collision", f"touches something at ({x:.3f}, {y:.3f})", x=float(x), y=float(y)
            )
        for bit, name in ((b.BUMP_LEFT, "left"), (b.BUMP_RIGHT, "right")):
            if fresh & bit:
                self.note("bumper", f"bumper {name} pressed", side=name)
        for bit, name in enumerate(CLIFFS):
            if fresh & b.CLIFF_FIRST << bit:
                self.note("cliff", f"cliff under {name}", sensor=name)

    def tell(self) -> None:
        """What verbose adds: where it is and what it senses, every so often."""
        body, x, y, theta = self.state.body, *self.truth().pose
        text = f"pose ({x:.3f}, {y:.3f}, {theta:.3f}), {body[b.V]:.3f} m/s, {body[b.W]:.3f} rad/s, flags {self.state.flags:#x}"
        self.event("pose", text, "debug", x=x, y=y, theta=theta)
        self.after(self.config.log_interval_s, self.tell)

    def view(self) -> View:
        from rigless.robots.vacuum.view import VacuumView

        return VacuumView(self)

    def truth(self) -> Truth:
        state = self.state
        body, flags = state.body.tolist(), state.flags
        if state.lidar_on and state.scans:
            self.scan_now(self.config.lidar.num_rays)
        touching = (
            [Touch(*body[b.TOUCH_X : b.TOUCH_Y + 1], *body[b.NORMAL_X : b.NORMAL_Y + 1])]
            if flags & b.HIT
            else []
        )
        return Truth(
            pose=(body[b.X], body[b.Y], body[b.THETA]),
            velocity=(body[b.REAL_V], body[b.W]),
            contacts=touching,
            odometry=(body[b.ODO_X], body[b.ODO_Y], body[b.ODO_THETA]),
            bumpers=(bool(flags & b.BUMP_LEFT), bool(flags & b.BUMP_RIGHT)),
            cliffs=tuple(bool(flags & b.CLIFF_FIRST << bit) for bit in range(4)),  # type: ignore[arg-type]
            battery=self.power()[1],
            charging=self.power()[2],
            docked=self.power()[3],
            lidar_on=self.state.lidar_on,
            distance_m=body[b.ODOMETER],
            ranges=self._ranges.tolist() if state.lidar_on and state.scans else [],
        )
