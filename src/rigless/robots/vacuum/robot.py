"""A CRL-200S robot vacuum behind the SangamIO daemon's wire.

Motion and sensors run 110 times a second, the lidar five times. Every byte is in wire.py, every
number in config.py, the physics in body.py and lidar.py.
"""

import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rigless.kernel.body import Body
from rigless.kernel.documents import Document
from rigless.kernel.drawing import View
from rigless.kernel.events import Severity
from rigless.kernel.faults import Cleared, Injected, Param
from rigless.kernel.fleet import FleetMember
from rigless.kernel.inputs import SetInput
from rigless.kernel.ports import Connected, Disconnected, Link, Port
from rigless.kernel.problems import Problem
from rigless.kernel.robot import Defaults, Robot, VirtualInput, every, on
from rigless.motion.contact import MOVED, Touch
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.arrays import CLIFFS, SWITCHES, make_arrays
from rigless.robots.vacuum.clients import Clients
from rigless.robots.vacuum.commands import Commands
from rigless.robots.vacuum.config import VacuumConfig, notes
from rigless.robots.vacuum.faults import Measured, apply_faults, apply_scan_faults
from rigless.robots.vacuum.lidar.scanner import Scanner
from rigless.robots.vacuum.motors import WHEELS, Motors
from rigless.robots.vacuum.native import read_native
from rigless.robots.vacuum.power import drain, is_docked, read_power
from rigless.robots.vacuum.protobuf.encoder import pack_bins
from rigless.robots.vacuum.ros import TOPICS, RosBridge
from rigless.robots.vacuum.state import Truth, VacuumState
from rigless.robots.vacuum.wire import (
    CommandCodec,
    Control,
    DeviceVersion,
    Ignored,
    ProtocolSync,
    Scan,
    Shutdown,
    Status,
    TelemetryCodec,
    as_u16,
)
from rigless.ros.bridge import PORT as ROS_PORT
from rigless.ros.bridge import Bridge
from rigless.ros.codec import Published
from rigless.worlds.bundled import find_map
from rigless.worlds.grid_world import NO_BOXES, NO_DISCS, GridWorld
from rigless.worlds.maps import load_map
from rigless.worlds.placement import check_start

# A frame: drive at 0.125 m/s and 0.5 rad/s.
CIRCLE_LINE = (
    "rigless send {robot} commands --hex '00 00 00 32 1a 30 0a 2e 0a 05 64 72 69 76 65 12 25 08 03"
    " 12 10 0a 07 61 6e 67 75 6c 61 72 12 05 35 00 00 00 3f"
    " 12 0f 0a 06 6c 69 6e 65 61 72 12 05 35 00 00 00 3e'"
)
ENCODER_WRAP = 1 << 16


class Vacuum(Robot, FleetMember):
    Config = VacuumConfig
    State = VacuumState
    config: VacuumConfig
    state: VacuumState
    buttons = {
        "start_button": VirtualInput(0, "1 while pressed"),
        "dock_button": VirtualInput(0, "1 while pressed"),
        "dustbox_attached": VirtualInput(True, "the dust box is in place"),
    }
    sensors = (
        "gyro", "accel", "tilt", "encoder_left", "encoder_right", "lidar",
        "bumper_left", "bumper_right", "battery", *(f"cliff_{name}" for name in CLIFFS),
    )  # fmt: skip
    actuators = WHEELS
    own_faults = {wheel: {"slip": {"share": Param(0.5, 0.0, 1.0)}} for wheel in WHEELS}
    random_streams = ("wheels", "imu", "lidar", "encoder_phase")
    event_codes = (
        "client-connected", "client-gone", "client-rejected", "query", "unknown-component",
        "bad-command", "velocity", "actuator", "deadman", "emergency-stop", "protocol-sync",
        "shutdown", "collision", "bumper", "cliff", "docked", "undocked", "pose",
    )  # fmt: skip
    metric_names = ("collisions", "ignored_frames")

    @property
    def inputs(self) -> Mapping[str, VirtualInput]:  # type: ignore[override]
        estop = VirtualInput(False, "cuts the power of the wheels, whatever is commanded")
        return {**self.buttons, "estop": estop, **self.ros.bridge.inputs}

    @property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        bind = self.config.network.bind_address
        host = bind.rpartition(":")[0] or "127.0.0.1"
        telemetry = (Status, Scan, DeviceVersion)
        return (
            Port(
                "commands",
                CommandCodec,
                transport="tcp",
                address=bind,
                example=CIRCLE_LINE,
                example_label="drive a slow arc",
                emits=telemetry,
            ),
            Port(
                "telemetry",
                TelemetryCodec,
                transport="udp",
                address=f"{host}:0",
                kind="datagram",
                direction="out",
                emits=telemetry,
            ),
            *self.ros.bridge.ports,
        )

    @cached_property
    def ros(self) -> RosBridge:
        bridge = Bridge(self, self.config.ros, TOPICS, self.drive_by_ros, self.ros_timeout)
        return RosBridge(bridge, self, self.config)

    @classmethod
    def read_file(cls, path: Path) -> Document | None:
        return read_native(path)

    @classmethod
    def check_config(cls, given: Any) -> tuple[Any, list[Problem]]:
        config, findings = super().check_config(given)
        return config, [*findings, *(notes(config, given) if config is not None else ())]

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
        self.arrays = make_arrays(config, self.grid)
        self.motors = Motors(self, config, self.note, self.log_velocity_later)
        self.clients = Clients(self, config, self.note)
        self.commands = Commands(config, self.motors, self.clients, self.note)
        self.scanner = Scanner(config, self.arrays, self.grid)
        self._scratch, self._imu = np.zeros(MOVED), np.zeros(9, np.int64)
        self._drift_rate = config.imu.gyro_noise.drift_rate
        fixed = config.sensors.battery.model == "fixed" and config.dock is None
        self._power = read_power(config, state) if fixed else None  # None: it changes
        state.keys = np.array([self.noise_key(part) for part in ("wheels", "imu", "lidar")])
        home = self._home()
        pose = self.placed((home.x, home.y, home.theta))
        check_start(self, home.at(*pose[:2]), ("start_x", "start_y"), solid=self.is_solid)
        state.body[[b.X, b.Y, b.THETA]] = pose
        state.body[[b.ODO_X, b.ODO_Y, b.ODO_THETA]] = pose
        state.body[b.TILT_Z] = 1.0
        state.trail = np.tile((0.0, *pose), (self.arrays.trail_size, 1))
        state.lidar_on = config.lidar.enabled
        state.energy_wh = config.sensors.battery.capacity_wh * config.sensors.battery.level / 100
        for name in self.buttons:
            self.input[name] = getattr(config.sensors, name)
        if config.encoder.noise.quantization_noise:
            state.phases = tuple(self.random("encoder_phase").random(2).tolist())
        if config.log_level == "verbose":
            self.after(config.log_interval_s, self.log_pose)
        self.warm_up()

    def warm_up(self) -> None:
        """Compile (or load from numba's cache) a tick and a scan, so that no live run stalls."""
        body = self.state.body.copy()
        self.tick(body, self.state.trail.copy(), NO_DISCS, NO_BOXES)
        self.tick_many(body, 0)
        self.motors.warm_up()
        self.scanner.beam_count(self.state, 0)
        if self.config.sensors.battery.model == "discharge":
            drain(self.arrays.power, self.state, 0.0)
        TelemetryCodec().encode(self.readings())
        self.scanner.scan(self.state, 1, NO_DISCS, NO_BOXES)
        angles, ranges, qualities = self.scanner.points
        TelemetryCodec().encode(Scan(0, angles[:1], ranges[:1], qualities[:1]))

    # Motion, every 1/110 s

    @every(lambda config: config.imu.update_rate_hz, fast_forward="move_many")
    def move(self) -> None:
        state, config = self.state, self.config
        state.ticks += 1
        if config.deadman_timeout_ms:
            self.motors.stop_if_silent()
        if self.faults:
            self.motors.apply_faults(self.arrays.const[b.DT])
        flags = self.tick(state.body, state.trail, *self.around())
        state.trail_at = (state.trail_at + 1) % len(state.trail)
        if flags != state.flags:
            self.log_contacts(flags)
            state.flags = flags
        if self._power is None:
            if config.sensors.battery.model == "discharge":
                drain(self.arrays.power, state, self.arrays.const[b.DT])
            if config.dock is not None:
                self.log_dock()
        listening, bridged = self.clients.listening, config.ros.enabled
        if listening or bridged:
            status = self.status_message()
            if listening:
                self.clients.send(status)
            if bridged:
                self.ros.publish_status(status)

    def move_many(self, times: int) -> int:
        """Do up to `times` ticks at once if nothing can be emitted; return their number."""
        if self.wanted("telemetry") or self.config.ros.enabled:
            return 0
        state, config = self.state, self.config
        alone = len(self.all_robots) == 1 and not self.world.state.obstacles
        busy = self.faults or state.over_tcp or config.deadman_timeout_ms or config.dock
        if busy or not alone or config.sensors.battery.model != "fixed":
            return 0
        done = self.tick_many(state.body, times)
        state.ticks += done
        state.trail_at = (state.trail_at + done) % len(state.trail)
        return done

    def tick(self, body: Any, trail: Any, discs: Any, boxes: Any) -> int:
        """Do a tick of the body, and read the inertial sensors."""
        state, arrays, grid = self.state, self.arrays, self.grid
        flags: int = b.tick_and_sense(
            body, arrays.const, grid.occupied, arrays.clear, grid.cliff, discs, boxes,
            arrays.carpets, arrays.cliff_sensors, state.keys, state.ticks, self._scratch, trail,
            state.trail_at, arrays.gyro_axes, arrays.accel_axes, arrays.deviations, arrays.biases,
            self._drift_rate * self.now_ns / 1e9, self._imu,
        )  # fmt: skip
        return flags

    def tick_many(self, body: Any, times: int) -> int:
        state, arrays, grid, config = self.state, self.arrays, self.grid, self.config
        return b.tick_many(
            body, arrays.const, grid.occupied, arrays.clear, grid.cliff, NO_DISCS, NO_BOXES,
            arrays.carpets, arrays.cliff_sensors, state.keys, state.ticks, self._scratch, times,
            state.flags, state.trail, state.trail_at, config.sense_unheard, arrays.gyro_axes,
            arrays.accel_axes, arrays.deviations, arrays.biases, self._drift_rate, self._imu,
        )  # fmt: skip

    def around(self) -> tuple[Any, Any]:
        """Return the discs and boxes that move in this robot's world, in cells."""
        assert isinstance(self.world, GridWorld)
        return self.world.around(self)

    def footprint(self) -> tuple[float, float, float]:
        return self.state.body[b.X], self.state.body[b.Y], self.config.robot.robot_radius

    def heading_rad(self) -> float:
        return self.state.body.item(b.THETA)

    @property
    def is_solid(self) -> bool:
        """True if walls, obstacles and other robots stop it."""
        return self.config.robot.collision_mode != "passthrough"

    def why_no_collisions(self) -> str:
        return "" if self.is_solid else "robot.collision_mode = 'passthrough' lets it pass walls"

    def body(self) -> Body | None:
        return super().body() if self.is_solid else None

    can_relocate = True

    def relocate(self, x_m: float, y_m: float, theta_rad: float) -> None:
        """Stand at another pose. Odometry, encoders and gyro do not notice it."""
        state = self.state
        state.body[[b.X, b.Y, b.THETA]] = x_m, y_m, theta_rad
        state.body[[b.V, b.W, b.REAL_V, b.REAL_W]] = 0.0
        state.trail[:, 1:] = x_m, y_m, theta_rad  # the lidar's turn is as from here

    def start_body(self) -> Body | None:
        return self._home() if self.is_solid else None

    def _home(self) -> Body:
        """Return the body at the configured start."""
        config = self.config
        pose = self.start_pose or (config.start_x, config.start_y, config.start_theta)
        return Body(*pose, config.robot.robot_radius)

    @on(SetInput)
    def set_input(self, given: SetInput, link: Link) -> None:
        if given.name == "estop":
            self.motors.restore_goal()

    @on(Cleared)
    def clear_faults(self, message: Cleared, link: Link) -> None:
        self.motors.restore_goal()
        self.motors.set_slip()

    @on(Injected)
    def inject_fault(self, message: Injected, link: Link) -> None:
        self.motors.remember_speeds()
        self.motors.set_slip()

    # The lidar, at each turn

    @every(lambda config: config.lidar.scan_rate_hz)
    def sweep(self) -> None:
        state = self.state
        if not state.lidar_on:
            return
        state.scans += 1
        state.scanned_ns = self.now_ns
        listening, bridged = self.clients.listening, self.ros.bridge.wanted
        if not (listening or bridged or self.config.sense_unheard):
            return
        count = self.scan_now(self.scanner.beam_count(state, self.now_ns))
        if not (listening or bridged):
            return
        points: list[Any] = [part[:count].copy() for part in self.scanner.points]
        if self.faults and not apply_scan_faults(self, points):
            return
        angles, ranges, qualities = points
        packed = None
        if self.config.scan_packed:
            packed = pack_bins(angles, ranges, qualities, self.config.lidar.num_rays)
        scan = Scan(self.clients.timestamp_us(), angles, ranges, qualities, packed)
        if listening:
            self.clients.send(scan)
        if bridged:
            self.ros.publish_scan(scan)

    def scan_now(self, beams: int) -> int:
        """Cast the last turn again with this many beams; return the number of points."""
        return self.scanner.scan(self.state, beams, *self.around())

    def cast_beams(self) -> Any:
        """Return the beams of the last turn in the world, also those without an echo."""
        return self.scanner.beams(self.state, *self.around())

    def beams(self) -> Any:
        beams = self.cast_beams()[self.scanner.echoes]
        return beams if self.state.lidar_on and self.state.scans and self._sees() else beams[:0]

    def _sees(self) -> bool:
        """Return False while a fault keeps new scans from being sent."""
        if not self.faults:
            return True
        robot = self.read_only_copy()
        points: list[Any] = [part.copy() for part in self.scanner.points]
        return robot.fault("lidar", "stuck") is None and apply_scan_faults(robot, points)

    # Readings

    def readings(self) -> Status:
        """Read all sensors now."""
        state, arrays, drift = self.state, self.arrays, self._drift_rate * self.now_ns / 1e9
        b.read_imu(
            state.body, arrays.const, arrays.gyro_axes, arrays.accel_axes, arrays.deviations,
            arrays.biases, drift, state.keys[1], state.ticks, self._imu,
        )  # fmt: skip
        return self.status_message()

    def status_message(self) -> Status:
        """Return the sensors' message, after the inertial sensors were read."""
        state, given = self.state, self.input
        left = math.floor(state.body.item(b.LEFT_TICKS) + state.phases[0])
        right = math.floor(state.body.item(b.RIGHT_TICKS) + state.phases[1])
        bumpers, cliffs = SWITCHES[state.flags & ~b.HIT]
        power = self._power or read_power(self.config, state)
        imu: Any = self._imu.tolist()
        voltage = power.voltage
        if self.faults:
            measured = Measured(imu, left, right, bumpers, cliffs, voltage)
            imu, left, right, bumpers, cliffs, voltage = apply_faults(self, measured)
        return Status(  # type: ignore[call-arg]
            self.clients.timestamp_us(), left % ENCODER_WRAP, right % ENCODER_WRAP, power.level,
            as_u16(given["start_button"]), as_u16(given["dock_button"]), *imu, voltage,
            *bumpers, *cliffs, power.charging, power.docked, given["dustbox_attached"],
        )  # fmt: skip

    # Clients and their commands

    @on(Connected)
    def connect(self, message: Connected, link: Link) -> None:
        if link.port == ROS_PORT:
            self.motors.set_lidar(True)  # as a bridge does when it starts
            self.ros.greet()
        else:
            self.clients.accept(link)

    @on(Disconnected)
    def disconnect(self, message: Disconnected, link: Link) -> None:
        if self.clients.forget(link) and self.config.stop_on_disconnect:
            self.motors.set_velocity(0.0, 0.0)

    @on(Control)
    def control(self, message: Control, link: Link) -> None:
        self.commands.execute(message, link, self.state)

    @on(ProtocolSync)
    def wake(self, message: ProtocolSync, link: Link) -> None:
        self.note("protocol-sync", "the MCU is awake")

    @on(Shutdown)
    def shut_down(self, message: Shutdown, link: Link) -> None:
        self.motors.stop_all()
        self.note("shutdown", "shut down by command")

    @on(Ignored)
    def ignore(self, message: Ignored, link: Link) -> None:
        self.count("ignored_frames")  # no event: there can be thousands in one packet

    def event(self, code: str, text: str, /, severity: Severity = "info", **data: Any) -> None:
        super().event(code, text, severity, **data)
        self.ros.bridge.log(code, text, severity)

    @on(Published)
    def accept_ros(self, message: Published, link: Link) -> None:
        self.ros.bridge.accept_command(message.message)

    def drive_by_ros(self, forward: float, left: float, turn: float) -> None:
        self.motors.set_velocity(forward, turn)

    def ros_timeout(self, number: int) -> None:
        self.ros.bridge.expire_command(number)

    # Events

    def note(self, code: str, text: str, severity: Severity = "info", **data: Any) -> None:
        """Log an event that the log level "minimal" leaves out, unless it is a warning."""
        if severity != "info" or self.config.log_level != "minimal":
            self.event(code, text, severity, **data)

    def log_velocity_later(self, seconds: float) -> None:
        self.after(seconds, self.log_velocity)

    def log_velocity(self) -> None:
        self.motors.log_velocity()

    def log_contacts(self, flags: int) -> None:
        """Log new contacts, bumpers and cliffs, at every log level: expectations need them."""
        body, fresh = self.state.body, flags & ~self.state.flags
        if fresh & b.HIT:
            self.count("collisions")
            x, y = body.item(b.TOUCH_X), body.item(b.TOUCH_Y)
            self.event("collision", f"contact at ({x:.3f}, {y:.3f})", x=x, y=y)
        for bit, name in ((b.BUMP_LEFT, "left"), (b.BUMP_RIGHT, "right")):
            if fresh & bit:
                self.event("bumper", f"bumper {name} pressed", side=name)
        for bit, name in enumerate(CLIFFS):
            if fresh & b.CLIFF_FIRST << bit:
                self.event("cliff", f"cliff under {name}", sensor=name)

    def log_dock(self) -> None:
        docked = is_docked(self.config, self.state)
        if docked != self.state.docked:
            self.state.docked = docked
            self.note(*(("docked", "on the dock") if docked else ("undocked", "off the dock")))

    def log_pose(self) -> None:
        """Log pose and speeds, and set the timer for the next time (log level verbose)."""
        body, (x, y, theta) = self.state.body, self.state.body[[b.X, b.Y, b.THETA]].tolist()
        speeds = f"{body[b.V]:.3f} m/s, {body[b.REAL_W]:.3f} rad/s"
        text = f"pose ({x:.3f}, {y:.3f}, {theta:.3f}), {speeds}, flags {self.state.flags:#x}"
        self.event("pose", text, "debug", x=x, y=y, theta=theta)
        self.after(self.config.log_interval_s, self.log_pose)

    # The panel and ground truth

    def view(self) -> View:
        from rigless.robots.vacuum.view import VacuumView

        return VacuumView(self)

    def truth(self) -> Truth:
        state, power = self.state, read_power(self.config, self.state)
        body, flags = state.body.tolist(), state.flags
        scanning = state.lidar_on and state.scans > 0
        if scanning:
            self.scan_now(self.config.lidar.num_rays)
        touch = Touch(*body[b.TOUCH_X : b.TOUCH_Y + 1], *body[b.NORMAL_X : b.NORMAL_Y + 1])
        return Truth(
            pose=(body[b.X], body[b.Y], body[b.THETA]),
            velocity=(body[b.REAL_V], body[b.REAL_W]),
            contacts=[touch] if flags & b.HIT else [],
            odometry=(body[b.ODO_X], body[b.ODO_Y], body[b.ODO_THETA]),
            bumpers=(bool(flags & b.BUMP_LEFT), bool(flags & b.BUMP_RIGHT)),
            cliffs=SWITCHES[flags & ~b.HIT][1],
            battery=power.level,
            charging=power.charging,
            docked=power.docked,
            lidar_on=state.lidar_on,
            distance_m=body[b.ODOMETER],
            ranges=self.scanner.ranges.tolist() if scanning else [],
        )
