"""A ROS 2 rover: what happens a hundred times a second, at each fix of its receiver, and on each message. Topics and messages are in
wire.py, numbers in config.py, motion in body.py; commands.py, readings.py, gps.py and mounting.py are parts of it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rigless.kernel.drawing import View
from rigless.kernel.plain import pack, unpack
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.rate import Rate, to_ns
from rigless.kernel.robot import Defaults, VirtualInput, every
from rigless.kernel.world import World
from rigless.motion.contact import STOP, Contact, Touch, nearest
from rigless.robots.rover import body as b
from rigless.robots.rover import wire
from rigless.robots.rover.arrays import make_constants
from rigless.robots.rover.commands import Commands
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.native import read_native
from rigless.robots.rover.readings import Readings
from rigless.robots.rover.state import Fix, RoverState, Truth
from rigless.ros.codec import ros_port
from rigless.ros.messages import Header
from rigless.sensors.geodesy import Topocentric
from rigless.sensors.gps import antenna
from rigless.sensors.noise import block, noise_key, normal
from rigless.worlds.bundled import find_map
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.maps import load_map


class Rover(Commands, Readings):
    Config = RoverConfig
    State = RoverState
    config: RoverConfig
    state: RoverState
    inputs = {
        "estop": VirtualInput(False, "the drive stands, whatever is commanded"),
        "teleport": VirtualInput("", "x, y and yaw (m, m, rad) to be put at, for example 1 2 0.5"),
        "epoch_s": VirtualInput(0.0, "what stamps count from, in seconds since 1970", by_host=True),
    }
    sensors = ("enc_vx", "enc_wz", "imu_yaw", "imu_wz", "imu_accel", "gps")
    actuators = ("drive", "steering")
    conditions = {"enc_vel": ("off",), "imu": ("off",), "gps": ("no_fix", "float", "fixed", "jump")}

    @cached_property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        return (
            replace(
                ros_port(wire.node_of(self.config, self.name)),
                example=wire.circle_line(self.config, self.name),
            ),
        )

    @classmethod
    def read_file(cls, path: Path) -> Mapping[str, Any] | None:
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
        self.read_out, self.turned = np.zeros(5), np.zeros(16)
        self._period_ns, self.timeout_ns = (
            math.ceil(10**9 / config.high_hz),
            to_ns(config.cmd_vel_timeout_s),
        )
        self._fix_every = config.fix_every
        state.keys = np.array(
            [
                noise_key(self.simulation.seed, f"{self.name}/{part}")
                for part in ("encoder", "imu", "gps")
            ]
        )
        self.place(
            *(self.start_pose or (config.start_x_m, config.start_y_m, config.imu.initial_yaw_rad))
        )
        if self.contact is not None:
            self.check_fit(self.contact)
        state.body[b.ODO_X : b.ODO_YAW + 1] = state.body[b.X : b.YAW + 1]
        state.body[b.BIAS] = config.imu.gyro_bias_radps
        self.begin_drifts()
        self.mount()
        kept = pack(state)
        self.step_many(1)  # so that no live run waits for numba
        self.truth()
        self.state = unpack(kept, RoverState)
        self.imu_message(Header())

    def check_fit(self, contact: Contact) -> None:
        x_m, y_m, radius_m = self.footprint()
        size_m = contact.grid.resolution_m
        x, y = contact.grid.to_cells(x_m, y_m)
        gap = nearest(
            contact.grid.occupied, contact.clear, float(x), float(y), 2 * radius_m / size_m
        )[0]
        if gap * size_m < radius_m:
            what = f"a rover {2 * radius_m:g} m wide does not fit where it starts, at ({x_m:g}, {y_m:g})"
            raise InputError(
                Problem(self.name, what, "another start, a smaller radius_m, or a wider map")
            )

    def begin_drifts(self) -> None:
        """Tick 0 of the noise is where drifts begin that begin in their steady state."""
        enc, gps, state = self.config.enc_vel, self.config.gps, self.state
        if enc.drift_start == "stationary":
            a, c, _, _ = block(state.keys[b.ENCODER], 0, 0)
            state.body[b.SCALE_V], state.body[b.SCALE_W] = (
                enc.vx_drift_std * normal(a),
                enc.wz_drift_std * normal(c),
            )
            state.doubt[3, 3], state.doubt[4, 4] = enc.vx_drift_std**2, enc.wz_drift_std**2
        if gps.drift_start == "stationary":
            a, c, _, _ = block(state.keys[b.GPS], 0, 0)
            state.body[b.DRIFT_X], state.body[b.DRIFT_Y] = (
                gps.drift_std_m * normal(a),
                gps.drift_std_m * normal(c),
            )

    # Motion

    @every(lambda config: config.high_hz, fast_forward="move_many")
    def move(self) -> None:
        state, body = self.state, self.state.body
        state.ticks += 1
        self.heed()
        before = body[b.X], body[b.Y]
        b.advance(body, self.const)
        if self.contact is not None:
            self.collide(self.contact, *before)
        b.measure(body, self.const, state.keys, state.ticks)
        said = self.sense_encoders() if self.faults else True
        b.reckon(body, self.const, state.doubt)
        if self.faults or self.wanted("dds"):
            self.publish(said)
        if self._fix_every and state.ticks % self._fix_every == 0:
            self.fix()

    @every(lambda config: 0 if config.fix_every else config.low_hz)
    def take_fix(self) -> None:
        """For a receiver whose ticks are not among those of `move`."""
        self.fix()

    def move_many(self, times: int) -> int:
        """Many ticks in one go while nobody listens and nothing is to be told: until the command is too old at most."""
        state, gps = self.state, self.config.gps
        if self.faults or self.contact is not None or self.wanted("dds"):
            return 0
        if not state.stale:
            left_ns = state.commanded_ns + self.timeout_ns - self.now_ns
            times = min(times, left_ns // self._period_ns + 1)
        if self._fix_every and (
            gps.outages_s or gps.fix_schedule or gps.latency_s or not state.gps_mounted
        ):
            times = min(
                times, self._fix_every - 1 - state.ticks % self._fix_every
            )  # fixes are taken one by one
        if times < 1:
            return 0
        self.heed()
        self.step_many(times)
        return times

    def step_many(self, times: int) -> None:
        state, place, scale = self.state, np.zeros(3), self.config.gps.scale.fix
        b.step_many(state.body, state.doubt, self.const, state.mount, state.keys, state.ticks, times, self._fix_every, scale,
                    place, state.track)  # fmt: skip
        state.ticks += times
        fixes = state.ticks // self._fix_every if self._fix_every else 0
        if fixes > state.fixes:
            state.fixes = fixes
            epoch_ns = Rate(self.config.high_hz).due_ns(fixes * self._fix_every)
            east, north, up = place.tolist()
            state.fix = Fix(east, north, up, self.fix_variance(scale), "fix", epoch_ns)

    def collide(self, contact: Contact, x_m: float, y_m: float) -> None:
        """What is in the way keeps the body out, and the wheels stall against it."""
        state, body, dt = self.state, self.state.body, self.config.high_rate_update_period_s
        assert isinstance(self.world, GridWorld)
        contact.surround(*self.world.around(self))
        moved = contact.move(
            (x_m, y_m), self.config.radius_m, (body[b.X] - x_m, body[b.Y] - y_m), STOP
        )
        if moved.hit:
            went = math.hypot(moved.x_m - x_m, moved.y_m - y_m)
            body[b.ODOMETER] += went - abs(body[b.V]) * dt
            speed = math.copysign(went / dt, body[b.V])
            body[b.ACCEL] += (speed - body[b.V]) / dt
            body[b.V] = speed
            body[b.X], body[b.Y] = moved.x_m, moved.y_m
            state.touch = (*moved.point_m, *moved.normal)
            if not state.hit:
                self.count("collisions")
                self.event(
                    "collision",
                    f"met something at ({moved.point_m[0]:.2f}, {moved.point_m[1]:.2f})",
                )
        state.hit = moved.hit

    def footprint(self) -> tuple[float, float, float]:
        return self.state.body.item(b.X), self.state.body.item(b.Y), self.config.radius_m

    # To look at

    def status(self) -> str:
        return "fault" if self.faults else "waiting" if self.waiting_for() else "ok"

    def view(self) -> View:
        from rigless.robots.rover.view import RoverView

        return RoverView(self)

    def truth(self) -> Truth:
        state, body = self.state, self.state.body.tolist()
        odometry = (body[b.ODO_X], body[b.ODO_Y], body[b.ODO_YAW])
        mount = state.mount.tolist()
        at = antenna(body[b.X], body[b.Y], body[b.YAW], mount[b.GPS_AT], mount[b.GPS_AT + 1])
        fix = state.fix
        return Truth(
            pose=(body[b.X], body[b.Y], body[b.YAW]),
            velocity=(body[b.V], body[b.W]),
            acceleration=(body[b.ACCEL], body[b.V] * body[b.W]),
            place=self.plane.to_geodetic(body[b.X], body[b.Y]),
            odometry=odometry,
            odometry_error_m=math.hypot(odometry[0] - body[b.X], odometry[1] - body[b.Y]),
            encoder_scale_errors=(body[b.SCALE_V], body[b.SCALE_W]),
            gyro_bias_radps=body[b.BIAS],
            gps_drift_m=(body[b.DRIFT_X], body[b.DRIFT_Y]),
            gps_error_m=math.hypot(fix.east_m - at[0], fix.north_m - at[1])
            if fix.epoch_ns >= 0
            else 0.0,
            fix=fix.kind,
            waiting_for=self.waiting_for(),
            contacts=[Touch(*state.touch)] if state.hit else [],
            distance_m=body[b.ODOMETER],
        )
