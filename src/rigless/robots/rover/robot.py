"""A ROS 2 rover: drive, encoders and IMU a hundred times a second, a GPS fix ten times.

Topics and messages are in wire.py, every number in config.py, motion in body.py.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rigless.kernel.body import Body
from rigless.kernel.documents import Document
from rigless.kernel.drawing import View
from rigless.kernel.events import Severity
from rigless.kernel.fleet import FleetMember
from rigless.kernel.inputs import SetInput
from rigless.kernel.plain import pack, unpack
from rigless.kernel.ports import Connected, Link, Port
from rigless.kernel.robot import Defaults, Robot, VirtualInput, every, on
from rigless.kernel.timing.rate import Rate, to_ns
from rigless.kernel.world import World
from rigless.motion.contact import STOP, Contact, Touch
from rigless.motion.diff_drive import wrap
from rigless.robots.rover import body as b
from rigless.robots.rover import wire
from rigless.robots.rover.arrays import make_constants
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.faults import sense_encoders, sense_imu
from rigless.robots.rover.gps import Receiver
from rigless.robots.rover.ins import Ins, resolve
from rigless.robots.rover.motors import Motors
from rigless.robots.rover.native import read_native
from rigless.robots.rover.readings import ImuReading, encoder_message, imu_message, stamp
from rigless.robots.rover.state import Fix, RoverState, Truth
from rigless.robots.rover.tf.frames import frames_of, planar_transform
from rigless.robots.rover.tf.mounting import Mounting
from rigless.robots.rover.tf.transforms import plain
from rigless.ros.codec import Published, ros_port
from rigless.ros.messages import Clock, Header, Imu, TFMessage, Time, Twist, TwistStamped
from rigless.ros.rosout import Entry, add_entry, log_message
from rigless.sensors.geodesy import Topocentric
from rigless.sensors.gps import antenna
from rigless.sensors.noise import block, normal
from rigless.worlds.bundled import find_map
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.maps import load_map
from rigless.worlds.placement import check_start

NEAR_M = 1e-3  # closer to a wall or a robot it ticks by itself
MAX_COORDINATE = 1e9  # of a teleport, in m and rad
LATEST_EPOCH_S = 2e9  # stamps have 31 bits of seconds


class Rover(Robot, FleetMember):
    Config = RoverConfig
    State = RoverState
    config: RoverConfig
    state: RoverState
    sensors = ("enc_vx", "enc_wz", "imu_yaw", "imu_wz", "imu_accel", "gps")
    actuators = ("drive", "steering")
    own_faults = {"enc_vel": ("off",), "imu": ("off",), "gps": ("no_fix", "float", "fixed", "jump")}
    random_streams = ("encoder", "imu", "gps", "ins")  # in the order of their keys in body.py
    event_codes = (
        "transform-missing", "transform-refused", "transform-found", "collision", "bad-teleport",
        "bad-command", "cmd-vel-timeout", "odom-tf-taken",
    )  # fmt: skip
    metric_names = ("collisions", "transforms_forgotten")

    def __init__(
        self, name: str, config: Any = None, start_pose: tuple[float, float, float] | None = None
    ):
        super().__init__(name, resolve(config or RoverConfig()), start_pose)

    @cached_property
    def inputs(self) -> Mapping[str, VirtualInput]:  # type: ignore[override]
        config, epoch = self.config, "origin of stamps, in seconds since 1970"
        key = "" if config.use_sim_time or config.publish_clock else "publish_clock"
        return {
            "estop": VirtualInput(False, "stops the drive, whatever is commanded"),
            "teleport": VirtualInput("", "x, y and yaw (m, m, rad) to move to, such as 1 2 0.5"),
            "epoch_s": VirtualInput(0.0, epoch, by_host=True, clock_key=key),
        }

    @cached_property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        port = ros_port(wire.node_of(self.config, self.name))
        line = wire.drive_line(self.config, self.name)
        return (replace(port, example=line, example_label="drive a curve"),)

    @classmethod
    def read_file(cls, path: Path) -> Document | None:
        return read_native(path)

    def defaults(self) -> Defaults:
        if not self.config.map_file:
            return Defaults(World(), world_name="open ground")
        path = find_map(self.config.map_file)
        return Defaults(GridWorld(load_map(path)), world_name=str(path.resolve()))

    def start(self) -> None:
        config, state, gps = self.config, self.state, self.config.gps
        self.const = make_constants(config)
        self.plane = Topocentric(
            gps.origin_latitude_deg, gps.origin_longitude_deg, gps.origin_altitude_m
        )
        self.contact = Contact(self.world.grid) if isinstance(self.world, GridWorld) else None
        self.motors, self.mounting = Motors(self, config), Mounting(self, config)
        self.frames = frames_of(config, self.name)
        self.receiver = Receiver(self, config, self.plane, self.const, self.send_fix)
        self.ins = Ins(self, config.vn300, self.const) if config.vn300 is not None else None
        self._reading: ImuReading = (None, None, None)  # of this tick
        self._imu_out, self._imu_scratch = np.zeros(5), np.zeros(16)
        self._period_ns = math.ceil(10**9 / config.high_hz)
        self._fix_every = config.fix_every
        state.keys = np.array([self.noise_key(part) for part in self.random_streams])
        home = self.start_body()
        pose = self.placed((home.x, home.y, home.theta))
        check_start(self, home.at(*pose[:2]), ("start_x_m", "start_y_m"))
        self.place(*pose)
        state.body[b.ODO_X : b.ODO_YAW + 1] = state.body[b.X : b.YAW + 1]
        state.body[b.BIAS] = config.imu.gyro_bias_radps
        self.start_drifts()
        self.mounting.start()
        self.warm_up()

    def start_body(self) -> Body:
        config = self.config
        pose = self.start_pose or (config.start_x_m, config.start_y_m, config.imu.initial_yaw_rad)
        return Body(*pose, config.radius_m)

    def start_drifts(self) -> None:
        """Draw the initial drifts from their steady state, where the config says so.

        They use tick 0 of the noise.
        """
        enc, gps, state = self.config.enc_vel, self.config.gps, self.state
        if enc.drift_start == "stationary":
            v, w, _, _ = block(state.keys[b.ENCODER], 0, 0)
            state.body[b.SCALE_V] = enc.vx_drift_std * normal(v)
            state.body[b.SCALE_W] = enc.wz_drift_std * normal(w)
            state.covariance[3, 3] = enc.vx_drift_std**2
            state.covariance[4, 4] = enc.wz_drift_std**2
        if gps.drift_start == "stationary":
            x, y, _, _ = block(state.keys[b.GPS], 0, 0)
            state.body[b.DRIFT_X] = gps.drift_std_m * normal(x)
            state.body[b.DRIFT_Y] = gps.drift_std_m * normal(y)

    def warm_up(self) -> None:
        """Compile (or load from numba's cache) a step and the readings, so that no run stalls."""
        saved = pack(self.state)
        self.step_many(1)
        self.truth()
        self.state = unpack(saved, RoverState)
        self._reading = self.read_imu()
        self.imu_message(Header())
        b.read_ins_speed(self.state.body, self.const, self.state.keys, 0)

    # Motion, at the high rate

    @every(lambda config: config.high_hz, fast_forward="move_many", look_ahead="look_ahead")
    def move(self) -> None:
        state, body = self.state, self.state.body
        state.ticks += 1
        self.motors.update_goal()
        before = body[b.X], body[b.Y]
        b.advance(body, self.const)
        if self.contact is not None:
            self.collide(self.contact, *before)
        b.measure(body, self.const, state.keys, state.ticks)
        encoders_alive = sense_encoders(self, body) if self.faults else True
        b.reckon(body, self.const, state.covariance)
        if self.faults or self.wanted("dds"):
            self.publish(encoders_alive)
        if self._fix_every and state.ticks % self._fix_every == 0:
            self.receiver.take_fix()
        if self.ins is not None and self.wanted("dds"):
            self.publish_ins(self.ins)

    @every(lambda config: 0 if config.fix_every else config.low_hz)
    def take_fix(self) -> None:
        """Do a GPS tick that does not coincide with a tick of `move`."""
        self.receiver.take_fix()

    def send_fix(self, *fix: Any) -> None:
        self.receiver.send(*fix)

    @classmethod
    def look_ahead(cls, rovers: Sequence["Rover"], times: int) -> int:
        """Return how many of the next ticks emit nothing and touch nothing, for all rovers."""
        for rover in rovers:
            times = rover.silent_ticks(times)
            if times < 1:
                return 0
        worlds = {id(rover.world): rover.world for rover in rovers}
        for world in worlds.values():
            if isinstance(world, GridWorld):
                members = [rover for rover in rovers if rover.world is world]
                for rover, room_m in zip(members, world.rooms_m(members), strict=True):
                    times = rover.ticks_within(room_m - NEAR_M, times)
        return times

    def silent_ticks(self, times: int) -> int:
        """Return how many of the next ticks need no event and no message.

        Stop before the command times out, and before a fix that cannot be skipped.
        """
        state, gps, fix_every = self.state, self.config.gps, self._fix_every
        if self.faults or self.wanted("dds"):
            return 0
        if not state.stale:
            times = min(times, self.motors.timeout_in_ns // self._period_ns + 1)
        single_fixes = gps.outages_s or gps.fix_schedule or gps.latency_s or not state.gps_mounted
        if fix_every and single_fixes:
            times = min(times, fix_every - 1 - state.ticks % fix_every)
        return max(times, 0)

    def ticks_within(self, room_m: float, times: int) -> int:
        """Return the number of ticks, at most `times`, in which it moves no farther than this.

        The speed stays between the present one and the command's.
        """
        speed_mps = max(abs(self.state.body.item(b.V)), abs(self.state.command[0]))
        step_m = speed_mps * self.config.high_rate_update_period_s
        return max(int(min(times, room_m / step_m)), 0) if step_m else times

    def move_many(self, times: int) -> int:
        """Do this many ticks at once, as `look_ahead` allows it; return their number."""
        self.motors.update_goal()
        self.step_many(times)
        self.state.hit = False
        return times

    def step_many(self, times: int) -> None:
        state, position, scale = self.state, np.zeros(3), self.config.gps.scale.fix
        b.step_many(
            state.body, state.covariance, self.const, state.mount, state.keys, state.ticks,
            times, self._fix_every, scale, position, state.track,
        )  # fmt: skip
        state.ticks += times
        fixes = state.ticks // self._fix_every if self._fix_every else 0
        if fixes > state.fixes:
            state.fixes = fixes
            epoch_ns = Rate(self.config.high_hz).due_ns(fixes * self._fix_every)
            east, north, up = position.tolist()
            state.fix = Fix(east, north, up, self.receiver.variance(scale), "fix", epoch_ns)

    def collide(self, contact: Contact, x_m: float, y_m: float) -> None:
        """Stop the body, which came from (x_m, y_m), at what it touches; the wheels stall."""
        state, body, dt = self.state, self.state.body, self.config.high_rate_update_period_s
        assert isinstance(self.world, GridWorld)
        contact.surround(*self.world.around(self))
        step = body[b.X] - x_m, body[b.Y] - y_m
        moved = contact.move((x_m, y_m), self.config.radius_m, step, STOP)
        if moved.hit:
            dx, dy = moved.x_m - x_m, moved.y_m - y_m
            distance_m = math.sqrt(dx * dx + dy * dy)
            body[b.ODOMETER] += distance_m - abs(body[b.V]) * dt
            speed = math.copysign(distance_m / dt, body[b.V])
            body[b.ACCEL] += (speed - body[b.V]) / dt
            body[b.V] = speed
            body[b.X], body[b.Y] = moved.x_m, moved.y_m
            state.touch = (*moved.point_m, *moved.normal)
            if not state.hit:
                self.count("collisions")
                x, y = moved.point_m
                self.event("collision", f"contact at ({x:.2f}, {y:.2f})")
        state.hit = moved.hit

    def footprint(self) -> tuple[float, float, float]:
        return self.state.body.item(b.X), self.state.body.item(b.Y), self.config.radius_m

    def heading_rad(self) -> float:
        return self.state.body.item(b.YAW)

    @property
    def can_relocate(self) -> bool:
        return True

    def relocate(self, x_m: float, y_m: float, theta_rad: float) -> None:
        """Stand at another pose. Dead reckoning and gyro do not notice it."""
        self.place(x_m, y_m, theta_rad)
        self.state.body[[b.V, b.W, b.ACCEL, b.ALPHA]] = 0.0

    def place(self, x_m: float, y_m: float, yaw_rad: float) -> None:
        self.state.body[b.X], self.state.body[b.Y], self.state.body[b.YAW] = x_m, y_m, wrap(yaw_rad)

    # Readings

    def publish(self, encoders_alive: bool) -> None:
        """Publish the messages of a tick, all with one stamp."""
        config, state = self.config, self.state
        time = stamp(config, state, self.now_ns)
        if state.imu_mounted or self.ins is not None:
            self._reading = self.read_imu()
        imu = self.imu_message(Header(time, self.frames.imu)) if state.imu_mounted else None
        if not self.wanted("dds"):
            return
        if state.ticks == 1:  # for a recording without peers
            self.publish_static_transforms()
        if state.log and self.links("dds"):
            self.publish_log()
        if config.publish_clock:
            self.emit("dds", Published("/clock", Clock(time)))
        if encoders_alive:
            header = Header(time, self.frames.base)
            message = encoder_message(header, config.enc_vel, state.body)
            self.emit("dds", Published("enc_vel", message))
        if imu is not None:
            self.emit("dds", Published("imu", imu))
        pose_and_speeds = state.body[: b.W + 1].tolist()
        header = Header(time, self.frames.map)
        truth = wire.ground_truth(header, self.frames.ground_truth, *pose_and_speeds)
        for topic in config.ground_truth_topics:
            self.emit("dds", Published(topic, truth))
        self.publish_transforms(time)

    def publish_log(self) -> None:
        """Publish the pending events on /rosout."""
        config, state = self.config, self.state
        for entry in state.log:
            message = log_message(entry, stamp(config, state, entry.time_ns), config.node_name)
            self.emit("dds", Published("/rosout", message))
        state.log.clear()

    def publish_static_transforms(self) -> None:
        """Publish the transforms of the config; the transport keeps them for late subscribers."""
        if transforms := self.mounting.static_transforms():
            self.emit("dds", Published("/tf_static", TFMessage(transforms)))

    def publish_transforms(self, time: Time) -> None:
        """Publish the true pose in the map, and the dead-reckoned pose in the odometry frame."""
        frames, state, body = self.frames, self.state, self.state.body.tolist()
        true_pose = body[b.X], body[b.Y], body[b.YAW]
        moved = [planar_transform(time, frames.map, frames.ground_truth, *true_pose)]
        if self.config.publish_odom_tf and not state.odom_tf_taken:
            reckoned = body[b.ODO_X], body[b.ODO_Y], body[b.ODO_YAW]
            moved.append(planar_transform(time, frames.odom, frames.base, *reckoned))
        self.emit("dds", Published("/tf", TFMessage(tuple(moved))))

    def imu_message(self, header: Header) -> Imu | None:
        """Return the IMU's message of this tick, or None if the IMU is off."""
        if self.fault("imu", "off") is not None:
            return None
        config, mount, scratch = self.config, self.state.mount, self._imu_scratch
        reading, now_ns = self._reading, self.now_ns
        return imu_message(header, config.imu, config.vn300, reading, mount, now_ns, scratch)

    def publish_ins(self, ins: Ins) -> None:
        """Publish velocity and odometry of the INS, after the fix of this tick."""
        time = stamp(self.config, self.state, self.now_ns)
        found = ins.messages(time, self.frames.map, self.frames.gps, self._reading)
        for topic, message in found.items():
            self.emit("dds", Published(topic, message))

    def read_imu(self) -> ImuReading:
        """Return yaw from magnetic north, yaw rate and acceleration; None if not measured."""
        state = self.state
        b.read_imu(state.body, self.const, state.mount, state.keys, state.ticks, self._imu_out)
        yaw, rate, *accel = self._imu_out.tolist()
        return sense_imu(self, yaw, rate, accel) if self.faults else (yaw, rate, accel)

    def event(self, code: str, text: str, /, severity: Severity = "info", **data: Any) -> None:
        super().event(code, text, severity, **data)
        add_entry(self.state.log, Entry(self.now_ns, severity, code, text))

    # Messages and inputs

    @on(Connected)
    def connect(self, message: Connected, link: Link) -> None:
        self.publish_static_transforms()

    @on(Published)
    def accept_published(self, message: Published, link: Link) -> None:
        match message.message:
            case Twist() as twist:
                self.motors.accept_command(twist)
            case TwistStamped() as stamped:
                self.motors.accept_command(stamped.twist)
            case TFMessage() as transforms if message.topic == "/tf":
                self.yield_odom_tf(transforms)
            case TFMessage() as transforms:
                self.mounting.accept(transforms)

    def yield_odom_tf(self, message: TFMessage) -> None:
        """Stop publishing the transform to the base if another node, such as a filter, does."""
        base, state = plain(self.frames.base), self.state
        others = [each for each in message.transforms if plain(each.child_frame_id) == base]
        if others and not state.odom_tf_taken:
            state.odom_tf_taken = True
            parent = plain(others[0].header.frame_id)[:60]
            text = f"another node publishes {parent} → {base}: the rover no longer does"
            self.event("odom-tf-taken", text)

    @on(SetInput)
    def set_input(self, message: SetInput, link: Link) -> None:
        if message.name == "epoch_s":
            self.state.epoch_ns = to_ns(min(max(self.input["epoch_s"], 0.0), LATEST_EPOCH_S))
        elif message.name == "teleport":
            self.teleport(self.input["teleport"])

    def teleport(self, text: str) -> None:
        """Move to "x y yaw" at once; yaw may be left out."""
        try:
            parts = (*text.replace(",", " ").split(), "0")[:3]
            x, y, yaw = [float(part) for part in parts]
        except ValueError:
            x = y = yaw = math.nan
        if max(abs(x), abs(y), abs(yaw)) < MAX_COORDINATE:
            self.place(x, y, yaw)
        elif text:
            text = f"{text[:60]!r} is not a pose; write x, y and yaw"
            self.event("bad-teleport", text, "warning")

    # The panel and ground truth

    def status(self) -> str:
        status = super().status()
        return "waiting" if status == "ok" and self.mounting.missing() else status

    def view(self) -> View:
        from rigless.robots.rover.view import RoverView

        return RoverView(self)

    def truth(self) -> Truth:
        state, body = self.state, self.state.body.tolist()
        x, y, yaw = body[b.X], body[b.Y], body[b.YAW]
        odometry = (body[b.ODO_X], body[b.ODO_Y], body[b.ODO_YAW])
        antenna_x, antenna_y = state.mount[b.GPS_AT : b.GPS_AT + 2].tolist()
        east, north = antenna(x, y, yaw, antenna_x, antenna_y)
        fix = state.fix
        has_fix = fix.epoch_ns >= 0
        return Truth(
            pose=(x, y, yaw),
            velocity=(body[b.V], body[b.W]),
            acceleration=(body[b.ACCEL], body[b.V] * body[b.W]),
            place=self.plane.to_geodetic(x, y),
            odometry=odometry,
            odometry_error_m=math.hypot(odometry[0] - x, odometry[1] - y),
            encoder_scale_errors=(body[b.SCALE_V], body[b.SCALE_W]),
            gyro_bias_radps=body[b.BIAS],
            gps_drift_m=(body[b.DRIFT_X], body[b.DRIFT_Y]),
            gps_error_m=math.hypot(fix.east_m - east, fix.north_m - north) if has_fix else 0.0,
            fix=fix.kind,
            waiting_for=self.mounting.missing(),
            contacts=[Touch(*state.touch)] if state.hit else [],
            distance_m=body[b.ODOMETER],
        )
