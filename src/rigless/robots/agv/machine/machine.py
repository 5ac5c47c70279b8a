"""The machine below the modules: motors, drive, inputs, devices, safety and battery. SI units.

A tick runs the profile's script, samples inputs, applies safety, moves the motors, updates the
pose, and reads markers. While nothing moves and nothing has changed, a tick costs almost nothing.
All else here follows from the configuration, or can be made again from the state.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, cast

import numpy as np

from rigless.kernel.compiled import compiled
from rigless.kernel.robot import Robot
from rigless.kernel.world import World
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.battery import Battery
from rigless.robots.agv.machine.motor_bank import MotorBank
from rigless.robots.agv.machine.path import DrivePath
from rigless.robots.agv.machine.protection import Protection
from rigless.robots.agv.machine.remote import make_drivers
from rigless.robots.agv.machine.scripts import Scripts
from rigless.robots.agv.machine.sensing import Sensing, on_edges
from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.motion.chassis import make_chassis
from rigless.robots.agv.profile import InitialPose, SimulationProfile
from rigless.robots.agv.services import MachineServices

Pose = tuple[float, float, float]
Estop = Literal["NONE", "MANUAL", "REMOTE"]
SETTLE_S = 1.0  # period of updates of battery and temperatures at rest


@compiled
def go(
    drive: m.Array,
    path: m.Array,
    const: m.Array,
    motors: m.Array,
    wheels: m.Array,
    limits: m.Array,
    edges: m.Array,
    on: m.Array,
    limit: float,
    room: float,
    warmth: float,
    dt: float,
) -> int:
    """Run a tick of a machine without faulty motors, in one call."""
    d.steer(drive, path, const, motors, wheels, limit, room, dt)
    busy = m.tick(motors, limits, warmth, dt)
    return _arrive(drive, path, const, motors, wheels, edges, on, limit, busy, dt)


@compiled
def _arrive(
    drive: m.Array,
    path: m.Array,
    const: m.Array,
    motors: m.Array,
    wheels: m.Array,
    edges: m.Array,
    on: m.Array,
    limit: float,
    busy: bool,
    dt: float,
) -> int:
    """Update the pose after the motors have moved.

    The result has 1 if something still moves or has a target, and 2 if a limit sensor has changed.
    """
    going = d.advance(drive, path, const, motors, wheels, dt)
    stands = drive[d.V] == 0.0 and drive[d.OMEGA] == 0.0
    moving = busy or (going and not (stands and limit == 0.0))
    return (1 if moving else 0) + (2 if on_edges(motors, edges, on) else 0)


class Machine:
    """The machine of one robot. Modules use its `motors` and `drive`.

    `start_pose` overrides that of the profile. `neighbours` returns all robots of its world.
    """

    def __init__(
        self,
        services: MachineServices,
        config: RobotConfig,
        state: MachineState,
        world: World,
        start_pose: Pose | None,
        neighbours: Callable[[], list[Robot]],
    ):
        profile = config.runtime.simulationProfile or SimulationProfile()
        self._services = services
        self.version = 0  # of the limits and constants
        self.limits = m.limits_of(config)
        self.dt_s = 1.0 / config.runtime.tickHz
        self.drivers = make_drivers(services, config, self.limits)
        self.const, self.wheels = make_chassis(config, profile, self.limits)
        self.motors = MotorBank(services, config, self.drivers, self.limits)
        self.drive = DrivePath(self.const)
        self.protection = Protection(
            services, config, profile, world, self.drive, self.const, neighbours
        )
        self.bind(state)
        self._required = [entry.ioId for entry in config.io.digitalInputs if entry.required]
        self._required += [device.deviceId for device in config.io.devices if device.required]
        self._profile = profile
        self.configure(config)
        self.sensing = Sensing(services, config, self.limits)
        self.scripts = Scripts(services, profile, self.sensing)
        self._battery = Battery(profile.battery if config.runtime.mode == "MOCK" else None)
        self._world = world
        self._simulated = config.runtime.mode == "MOCK"
        self._begin(config, profile, start_pose)

    def bind(self, state: MachineState) -> None:
        """Use this state from now on: the state is replaced when a snapshot is restored."""
        self.state = state
        self.drivers.bind(state)
        self.motors.bind(state)
        self.drive.bind(state)
        self.protection.bind(state)

    def configure(self, config: RobotConfig) -> None:
        """Apply what may change at run time: safety, and the speeds and accelerations of motors.

        Call `resample` afterwards to apply the new safety to the state.
        """
        safety = config.safety
        self._stop_on_estop = safety.stopOnEstop
        self.motors.stop_on_estop = safety.stopOnEstop
        self.limits[:] = m.limits_of(config)  # in place: drivers share it
        self.const[:] = make_chassis(config, self._profile, self.limits)[0]
        self.protection.configure(config)
        self.version += 1

    @property
    def sees_walls(self) -> bool:
        """True if the walls of a map are obstacles to the robot."""
        return self.protection.has_walls

    def resample(self) -> None:
        """Read all inputs at the next tick; call it after an input was set."""
        self.state.sampled = False
        self.state.changes += 1

    def _begin(
        self, config: RobotConfig, profile: SimulationProfile, start_pose: Pose | None
    ) -> None:
        state, count = self.state, len(config.motors)
        state.motors = m.at_rest(self.limits)
        state.codes, state.latched, state.reset_ns = [""] * count, [""] * count, [-1] * count
        state.motor_faults = [""] * count
        state.outputs = {entry.ioId: False for entry in config.io.digitalOutputs}
        start = profile.initialPose or InitialPose()
        state.soc, state.map_id = self._battery.initial_soc, start.mapId
        pose = start_pose or (start.x, start.y, start.theta)
        self.sensing.begin(state)
        self.scripts.begin(state)
        self._warm_up()
        self.drive.place(*pose)

    def _warm_up(self) -> None:
        """Compile or load the numba functions, so that no live run waits for them."""
        state = self.state
        drive, path, motors = state.drive.copy(), np.zeros((1, d.PATH_SIZE)), state.motors.copy()
        d.begin(drive, path, self.const, True)
        edges, on = self.sensing.edges, state.edges.copy()
        d.steer(drive, path, self.const, motors, self.wheels, 0.0, math.inf, self.dt_s)
        m.tick(motors, self.limits, 0.0, self.dt_s)
        m.plan(motors, self.limits, self.dt_s)  # by itself, as with motor faults
        m.move(motors, self.limits, motors[:, m.REF].copy(), 0.0, self.dt_s)
        _arrive(drive, path, self.const, motors, self.wheels, edges, on, 0.0, False, self.dt_s)
        go(
            drive,
            path,
            self.const,
            motors,
            self.wheels,
            self.limits,
            edges,
            on,
            0.0,
            math.inf,
            0.0,
            self.dt_s,
        )
        d.stretch(drive, path, self.const)
        self.protection.warm_up(state)
        self.scripts.moved(state, math.inf, 0.0, math.inf, 0.0)

    # Tick

    def tick(self, dt_s: float) -> None:
        state = self.state
        if state.scans:
            state.scans = []
        if state.notices:
            state.notices = []
        if state.collisions:
            state.collisions = []
        now_ns = self._services.now_ns
        if now_ns >= state.due_ns and self.scripts.run(state, now_ns):
            self._look(state)
            self.state.wake()
        protection = self.protection
        if protection.feel(state, now_ns):
            self._collide(state)
        if not state.moving and protection.disturbed(now_ns):
            self._look_around(state)
        changed = self.drivers.changed()
        if changed or not state.sampled:
            self._sample(state)
        if not (state.moving or changed):
            state.rest_s += dt_s
            if state.rest_s >= SETTLE_S:
                self._settle(state)
            return
        if state.rest_s:
            self._settle(state)
        self._move(state, dt_s, now_ns, changed)

    def _move(self, state: MachineState, dt_s: float, now_ns: int, changed: bool) -> None:
        drive, path, motors, protection = state.drive, state.path, state.motors, self.protection
        sees = protection.watches(state)
        room = protection.look(state, self.sensing, now_ns) if sees else math.inf
        limit = state.speed_limit
        if (
            not state.drive_allowed
            or state.obstacle_stop
            or state.collided
            or (any(state.motor_faults) and self.motors.drive_fault)
            or state.soc <= 0.0
            or (self._stop_on_estop and state.estop != "NONE")
        ):
            limit = 0.0
        x, y = (drive[d.X], drive[d.Y]) if len(state.over) else (0.0, 0.0)
        edges, drivers = self.sensing.edges, self.drivers
        if not changed:
            done = go(
                drive,
                path,
                self.const,
                motors,
                self.wheels,
                self.limits,
                edges,
                state.edges,
                limit,
                room,
                drivers.warmth,
                dt_s,
            )
        else:
            d.steer(drive, path, self.const, motors, self.wheels, limit, room, dt_s)
            busy = drivers.step(dt_s)
            done = _arrive(
                drive, path, self.const, motors, self.wheels, edges, state.edges, limit, busy, dt_s
            )
        state.moving = done % 2 == 1
        protection.moved()
        state.changes += 1
        if len(state.over):
            self.scripts.moved(state, x, y, drive[d.X], drive[d.Y])
        if self.scripts.watches_distance:
            self.scripts.driven(state, drive[d.ODOMETER], now_ns)
        if done >= 2:
            self.sensing.sample(state)
        if changed:
            self.motors.watch(state)
        self._battery.use(state, dt_s, drive.item(d.V))

    def _sample(self, state: MachineState) -> None:
        """Read the inputs, and let continue what they allow."""
        self.sensing.sample(state)
        self._settle(state)
        state.charging = bool(self._services.input.get("charging", False)) or bool(state.charger)
        self._freeze(state, self.motors.frozen())
        self._look(state)
        state.sampled = True
        self.state.wake()

    def _settle(self, state: MachineState) -> None:
        """Update battery and temperatures for the time since the last update."""
        seconds, state.rest_s = state.rest_s, 0.0
        if seconds:
            self.drivers.rest(seconds)
            self._battery.use(state, seconds, 0.0)
            state.changes += 1

    def _freeze(self, state: MachineState, on: bool) -> None:
        """Stop the axes while the e-stop is pressed, and let them continue afterwards."""
        if on:
            for i, axis in enumerate(self.motors.axes.values()):
                if axis.role != "DRIVE" and state.motors[i, m.MODE] == m.MOVE:
                    state.frozen[i] = float(state.motors[i, m.GOAL])
                    self.drivers.stop(i)
        elif state.frozen:
            going, state.frozen = state.frozen, {}
            for i, goal in going.items():
                self.drivers.move(i, goal)

    # Safety

    def _look_around(self, state: MachineState) -> None:
        """Look for obstacles while the robot stands: they may have moved."""
        stopped = state.obstacle_stop
        self._look(state)
        if stopped != state.obstacle_stop:
            self.state.wake()

    def _look(self, state: MachineState) -> float:
        """Update the distance to the nearest obstacle. Return how far the robot may drive."""
        return self.protection.look(state, self.sensing, self._services.now_ns)

    def _collide(self, state: MachineState) -> None:
        """Stop at a contact: a simulated robot at once, a real one within its limits."""
        if self._simulated:
            self.relocate(*self.drive.pose)
        state.wake()

    def relocate(self, x_m: float, y_m: float, theta_rad: float) -> None:
        """Stand at another pose, and go on along the path from there."""
        self.protection.moved()
        wheels = self.wheels[:, d.WHEEL].astype(int)
        self.state.motors[wheels, m.VELOCITY] = self.state.motors[wheels, m.REF] = 0.0
        self.drive.relocate(x_m, y_m, theta_rad)

    @property
    def estop(self) -> Estop:
        """The emergency stop: pressed, or released and not acknowledged yet."""
        return cast(Estop, self.state.estop)

    @property
    def estop_released(self) -> bool:
        """True while a released emergency stop waits to be acknowledged."""
        return self.state.estop != "NONE" and self.state.pressed == "NONE"

    def acknowledge(self) -> None:
        """End a collision, and an emergency stop that is not pressed: motion may continue."""
        self.state.collided = False
        self.sensing.acknowledge(self.state)
        self.resample()

    @property
    def obstacle_stop(self) -> bool:
        return self.state.obstacle_stop

    @property
    def field_violation(self) -> bool:
        return self.state.field_violation

    @property
    def obstacle_m(self) -> float:
        return self.state.obstacle_m

    @property
    def drive_allowed(self) -> bool:
        return self.state.drive_allowed

    @drive_allowed.setter
    def drive_allowed(self, allowed: bool) -> None:
        """Come to rest and keep the path, or go on along it."""
        if allowed != self.state.drive_allowed:
            self.state.drive_allowed = allowed
            self.state.wake()

    # Inputs, outputs, devices, power

    def set_output(self, io_id: str, value: bool) -> None:
        state = self.state
        if io_id not in state.outputs:
            raise ValueError(
                f"there is no output {io_id!r}: {', '.join(state.outputs) or 'none at all'}"
            )
        if state.outputs[io_id] != value:
            state.outputs[io_id] = value
            state.changes += 1

    def inputs(self) -> dict[str, bool]:
        return self.state.inputs

    def outputs(self) -> dict[str, bool]:
        return self.state.outputs

    @property
    def lost(self) -> list[str]:
        """Required inputs and devices that do not respond."""
        state, faults = self.state, self._services.faults
        if not (faults or state.remote.lost):
            return []
        silent = {fault.target for fault in faults if fault.kind == "off"}
        return [name for name in self._required if name in silent or name in state.remote.lost]

    def io(self) -> dict[str, bool]:
        return {**self.state.inputs, **self.state.outputs}

    def devices(self) -> dict[str, Any]:
        return self.sensing.read_devices(self.state)

    @property
    def scans(self) -> list[tuple[str, str]]:
        return self.state.scans

    @property
    def notices(self) -> list[tuple[str, str, str, str, dict[str, Any]]]:
        return self.state.notices

    @property
    def battery(self) -> tuple[float, bool]:
        return self.state.soc, self.state.charging

    def battery_knobs(self) -> tuple[float, ...]:
        """Return the constants of the battery for a group of robots."""
        return self._battery.knobs()

    def command_began(self, command: str) -> None:
        """Start the faults that wait for a command of this type."""
        self.scripts.command_began(command, self._services.now_ns)
