"""A config-driven warehouse robot: what happens each tick, on each stream, and on each message.

machine/ moves the robot, simulated or behind real drivers. modules/ decide what it does, one per
group of messages: core, commands, settings, task, traffic, route and teach. link/ connects it to
the backend. Every byte is in wire.py, every payload in messages.py.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rigless.hardware.messages import FROM_DRIVERS, HardwareMessage
from rigless.kernel.body import Body
from rigless.kernel.documents import Document
from rigless.kernel.documents.requirements import Requirement
from rigless.kernel.drawing import View
from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.inputs import SetInput
from rigless.kernel.ports import Connected, Disconnected, Link, Port
from rigless.kernel.problems import Problem
from rigless.kernel.robot import Defaults, VirtualInput, every, on
from rigless.kernel.world import World
from rigless.robots.agv import messages as m
from rigless.robots.agv.checks.examine import examine_config, requirements_of
from rigless.robots.agv.config import RobotConfig, with_name
from rigless.robots.agv.link.host_inputs import HOST_INPUTS
from rigless.robots.agv.link.publisher import PORT, Publisher
from rigless.robots.agv.link.remote_settings import RemoteSettings
from rigless.robots.agv.link.saved_settings import with_saved_settings
from rigless.robots.agv.machine import sensing
from rigless.robots.agv.machine.hardware_port import hardware_port
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.remote import RemoteDrivers
from rigless.robots.agv.modules.commands import RESULTS, Commands
from rigless.robots.agv.modules.core import CONDITIONS, Core
from rigless.robots.agv.modules.events import Events, kernel_codes
from rigless.robots.agv.modules.forecast import Forecast
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.plans import Plans
from rigless.robots.agv.modules.route import Routing
from rigless.robots.agv.modules.settings import Settings
from rigless.robots.agv.modules.status import may_drive
from rigless.robots.agv.modules.streams import Streams
from rigless.robots.agv.modules.task import Tasks
from rigless.robots.agv.modules.teach import Teach
from rigless.robots.agv.modules.traffic import Traffic
from rigless.robots.agv.motion.chassis import reach_m
from rigless.robots.agv.native import read_native
from rigless.robots.agv.profile import InitialPose, SimulationProfile
from rigless.robots.agv.site.site import DEADLOCK, Site
from rigless.robots.agv.state import AgvState, Truth
from rigless.robots.agv.together.large_fleet import LargeFleetMember
from rigless.robots.agv.vda5050 import handlers
from rigless.robots.agv.vda5050.handlers import Vda5050Handlers
from rigless.robots.agv.vda5050.page import view_of
from rigless.robots.agv.vda5050.wire import vda5050_port
from rigless.robots.agv.wire import agv_port
from rigless.worlds.bundled import find_map
from rigless.worlds.layout.world_files import load_world
from rigless.worlds.placement import check_start

TASK_HZ = 1.0  # where the configuration does not say
START = "runtime.simulationProfile.initialPose"
START_KEYS = (f"{START}.x", f"{START}.y")
WAREHOUSES = ((100, "warehouse_100"), (1000, "warehouse_1000"))  # by the size of a fleet


class Agv(Vda5050Handlers, LargeFleetMember):
    Config = RobotConfig
    State = AgvState
    config: RobotConfig
    machine: Machine
    random_streams = ("rule/*",)  # rules of the fault script that have a chance
    event_codes = (*kernel_codes((*CONDITIONS, DEADLOCK)), "task-done", "task-failed")
    metric_names = (*RESULTS, "tasks_done", "tasks_failed", "collisions", "messages_lost")

    @classmethod
    def read_file(cls, path: Path) -> Document | None:
        return read_native(path)

    @classmethod
    def check_config(cls, given: Any) -> tuple[RobotConfig | None, list[Problem]]:
        return examine_config(given)

    @classmethod
    def requirements(cls, given: Any, config: RobotConfig | None) -> list[Requirement]:
        return requirements_of(given, config)

    @classmethod
    def wire_name(cls, config: RobotConfig) -> str:
        return config.identity.robotId

    @classmethod
    def with_name(cls, given: Any, name: str) -> Any:
        return with_name(given, name)

    @classmethod
    def fleet_member(cls, config: RobotConfig, number: int) -> RobotConfig:
        return config.fleet_member(number)

    @classmethod
    def offset_from(cls, config: RobotConfig, others: int) -> RobotConfig:
        return config.offset_from(others)

    @classmethod
    def fleet_config(cls, config: RobotConfig, size: int) -> RobotConfig:
        """Return the config with a warehouse for simulated robots that name no place."""
        profile = config.runtime.simulationProfile or SimulationProfile()
        named = profile.map is not None or profile.initialPose is not None
        if config.runtime.mode != "MOCK" or named or size > WAREHOUSES[-1][0]:
            return config
        return config.with_map(next(name for most, name in WAREHOUSES if size <= most))

    @classmethod
    def with_saved_settings(
        cls,
        config: RobotConfig,
        saved: Iterable[tuple[str, bytes]],
        missing: Callable[[Iterable[Requirement]], list[Problem]],
    ) -> tuple[RobotConfig, list[str]]:
        return with_saved_settings(config, saved, missing)

    @cached_property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        more = vda5050_port(self.config), hardware_port(self.config)
        return (agv_port(self.config), *(port for port in more if port is not None))

    @cached_property
    def inputs(self) -> Mapping[str, VirtualInput]:  # type: ignore[override]
        own = handlers.inputs(self.config)
        return {**sensing.virtual_inputs(self.config), **own, **HOST_INPUTS}

    @cached_property
    def sensors(self) -> tuple[str, ...]:  # type: ignore[override]
        return sensing.sensors(self.config)

    @cached_property
    def actuators(self) -> tuple[str, ...]:  # type: ignore[override]
        return sensing.actuators(self.config)

    @cached_property
    def own_faults(self) -> handlers.OwnFaults:  # type: ignore[override]
        return {**sensing.own_faults(self.config), **handlers.own_faults(self.config)}

    def defaults(self) -> Defaults:
        profile = self.config.runtime.simulationProfile
        if profile is None or not profile.map:
            # Named, so that it is not put into the maze of another robot.
            return Defaults(World(), world_name="warehouse floor")
        path = find_map(profile.map)
        return Defaults(load_world(path)[0], world_name=str(path.resolve()))

    def phase_s(self) -> float:
        profile = self.config.runtime.simulationProfile
        return (profile.phaseS or 0.0) if profile is not None else 0.0

    # Assembly

    def start(self) -> None:
        self._tick_s = 1.0 / self.config.runtime.tickHz
        self._remote_settings = RemoteSettings(self.config)
        self._enabled = {key for key, on in self.config.capabilities.supportedModules if on}
        self.machine = Machine(
            self,
            self.config,
            self._state.machine,
            self.world,
            self._start_pose(),
            self.neighbour_robots,
        )
        self._check_start()
        self._assemble()
        self.publisher.boot()
        self.publisher.set_epoch()
        self.core.update_status()
        if "traffic" not in self._enabled:
            self.set_rate(self.publish_traffic, 0)

    def start_body(self) -> Body | None:
        """Return the circle around the footprint of a simulated robot."""
        if self.config.runtime.mode != "MOCK":
            return None
        return Body(*self._start_pose(), reach_m(self.config))

    def has_own_start(self) -> bool:
        profile = self.config.runtime.simulationProfile
        return self.start_pose is not None or bool(profile and profile.initialPose)

    def row_start(self, others: int) -> tuple[float, float, float]:
        return self.config.row_start(others)

    def _start_pose(self) -> tuple[float, float, float]:
        profile = self.config.runtime.simulationProfile
        start = (profile and profile.initialPose) or InitialPose()
        return self.placed(self.start_pose or (start.x, start.y, start.theta))

    def _check_start(self) -> None:
        """Raise InputError if a simulated robot starts where it cannot be."""
        if self.config.runtime.mode == "MOCK":
            check_start(self, self.body(), START_KEYS)

    @property
    def state(self) -> AgvState:  # type: ignore[override]
        return self._state

    @state.setter
    def state(self, state: AgvState) -> None:
        """Replace the state, as restoring a snapshot does: all parts are made for the new one."""
        self._state = state
        if hasattr(self, "machine"):
            self.machine.bind(state.machine)
            self._assemble()

    def _assemble(self) -> None:
        """Make the modules, each with its part of the state and what it depends on."""
        config, state, machine = self.config, self._state, self.machine
        core, motors, drive = state.core, machine.motors, machine.drive
        mode, tick_s, routes = config.runtime.mode, self._tick_s, "route" in self._enabled
        publisher = Publisher(self, state.link, config, self.seed)
        events = Events(self, core, publisher)
        rules, changed = self._remote_settings, self._settings_changed
        settings = Settings(state.settings, core, config, rules, publisher, changed)
        plans = Plans(config, state.jobs, state.task, motors)
        forecast = Forecast(self, state.jobs, state.route, machine, plans)
        jobs = Jobs(self, state.jobs, core, mode, machine, plans, forecast)
        route = Routing(
            self, state.route, core, routes, drive, publisher, events, plans, jobs, forecast
        )
        plans.check_route, jobs.route = route.check, route
        commands = Commands(
            self, state.commands, core, motors, publisher, plans, jobs, self.stop_all
        )
        self.tasks = Tasks(
            self, state.task, core, tick_s, machine, publisher, events, plans, jobs, forecast
        )
        self.traffic = Traffic(self, state.traffic, core, config, machine, publisher, events, route)
        self.teach = Teach(state.teach, publisher, drive)
        self.core = Core(core, state.traffic, machine, publisher, events, settings, commands)
        self.site = Site(self, state, config, machine, events, route, plans, jobs, self.world)
        seen = core, state.task, state.traffic
        self.streams = Streams(
            self, *seen, config, machine, publisher, events, settings, jobs, commands
        )
        self.publisher, self.events, self.settings = publisher, events, settings
        self.plans, self.forecast, self.jobs = plans, forecast, jobs
        self.route, self.commands = route, commands
        self.vda = self._make_vda(self)
        self._use_settings()

    # Time

    @every(lambda config: config.runtime.tickHz, together="tick_groups")
    def tick(self) -> None:
        state = self._state
        if not state.core.booted:
            self._boot()
        self.machine.tick(self._tick_s)
        self.site.tick()
        task, traffic = state.task, state.traffic
        if traffic.zones or traffic.blocked or self.now_ns >= traffic.next_ns:
            self.traffic.tick()
        self.core.watch()
        if state.jobs.by_id and self.jobs.tick() and state.commands.running:
            self.commands.tick()
        if task.active is not None or task.queue or task.unfinished:
            self.tasks.tick()
        if self.vda is not None:
            self.vda.tick()
        self.streams.after_tick()
        if self.group is not None:
            self.group.sort(self)

    @every(lambda config: config.streams.heartbeatHz)
    def publish_heartbeat(self) -> None:
        self.streams.publish_heartbeat()

    @every(lambda config: config.streams.stateHz)
    def publish_state(self) -> None:
        self.streams.publish_state()

    @every(lambda config: config.streams.telemetryHz)
    def publish_telemetry(self) -> None:
        self.streams.publish_telemetry()

    @every(lambda config: config.streams.trafficHz)
    def publish_traffic(self) -> None:
        self.traffic.publish_state()

    @every(lambda config: config.streams.taskHz or TASK_HZ)
    def publish_task(self) -> None:
        self.tasks.publish_progress()

    def _boot(self) -> None:
        """Publish the first messages of a boot."""
        self._state.core.booted = True
        if "settings" in self._enabled:
            self.settings.report()

    # The link, inputs, faults and real parts

    @on(Connected)
    def link_up(self, message: Connected, link: Link) -> None:
        if link.port == PORT:
            self.publisher.link_up()

    @on(Disconnected)
    def link_down(self, message: Disconnected, link: Link) -> None:
        if link.port == PORT and not self.links(PORT):
            self.publisher.link_down()

    @on(m.LinkReport)
    def link_reported(self, message: m.LinkReport, link: Link) -> None:
        self.publisher.report_transport(message.connected, message.outboxDepth, message.why)

    @on(Injected, Cleared)
    def faults_changed(self, message: Injected | Cleared, link: Link) -> None:
        self.publisher.wire_changed()
        self.machine.resample()
        if self.vda is not None and isinstance(message, Injected):
            self.vda.faulted(message)

    @on(SetInput)
    def input_set(self, message: SetInput, link: Link) -> None:
        if message.name not in HOST_INPUTS:
            self.machine.resample()
        elif message.name == "boot_id":
            self.publisher.boot()
        elif message.name == "epoch_s":
            self.publisher.set_epoch()

    @on(*FROM_DRIVERS)
    def part_reported(self, message: HardwareMessage, link: Link) -> None:
        """Take a message of a real part on the hardware port; the next tick evaluates it."""
        drivers = self.machine.drivers
        if isinstance(drivers, RemoteDrivers):
            drivers.take(message)

    # Messages of the backend

    @on(m.CommandRequest)
    def command_requested(self, message: m.CommandRequest, link: Link) -> None:
        self.core.watch()
        self.commands.receive(message)

    @on(m.SettingsDesired)
    def settings_desired(self, message: m.SettingsDesired, link: Link) -> None:
        if self._accepts("settings", "settings.desired"):
            self.settings.receive(message)

    @on(m.TaskAssign)
    def task_assigned(self, message: m.TaskAssign, link: Link) -> None:
        if self._accepts("task", "task.assign"):
            self.tasks.assign(message)

    @on(m.TaskCancel)
    def task_cancelled(self, message: m.TaskCancel, link: Link) -> None:
        if self._accepts("task", "task.cancel"):
            self.tasks.cancel(message)

    @on(m.TrafficControl)
    def traffic_controlled(self, message: m.TrafficControl, link: Link) -> None:
        if self._accepts("traffic", "traffic.control"):
            self.traffic.receive(message)

    @on(m.RouteResponse)
    def route_answered(self, message: m.RouteResponse, link: Link) -> None:
        if self._accepts("route", "route.response") and self.route.receive(message):
            self.traffic.detour_answered()

    @on(m.TeachStart)
    def teach_started(self, message: m.TeachStart, link: Link) -> None:
        if self._accepts("teach", "teach.start"):
            self.teach.start(message)

    @on(m.TeachRecord)
    def teach_recorded(self, message: m.TeachRecord, link: Link) -> None:
        if self._accepts("teach", "teach.record"):
            self.teach.record(message)

    @on(m.TeachStop)
    def teach_stopped(self, message: m.TeachStop, link: Link) -> None:
        if self._accepts("teach", "teach.stop"):
            self.teach.stop(message)

    @on(m.Malformed)
    def malformed(self, message: m.Malformed, link: Link) -> None:
        if message.type == "command.request":
            self.commands.malformed(message)
        elif message.type == "task.assign" and message.taskId and "task" in self._enabled:
            self.tasks.malformed(message)
        text = f"{message.type}: {message.what}"
        self.events.notice(message.code, "WARNING", message.type, text)

    @on(m.Recalled)
    def recalled(self, message: m.Recalled, link: Link) -> None:
        """Take back a message that an earlier boot of this robot published."""
        self.core.watch()
        if message.type == "command.ack":
            self.commands.recall(message)
        elif message.type == "settings.reported" and "settings" in self._enabled:
            self.settings.recall(message)
        elif message.type.startswith("task.") and "task" in self._enabled:
            self.tasks.recall(message)

    def _accepts(self, module: str, type: str) -> bool:
        """Return True if the module is enabled; if not, publish that it is not supported.

        The status is updated first, so that messages are judged by the present.
        """
        self.core.watch()
        if module not in self._enabled:
            what = f"{type}: supportedModules.{module} is false"
            self.events.notice("NOT_SUPPORTED", "WARNING", type, what)
        return module in self._enabled

    # Changes that concern several modules

    def _settings_changed(self) -> None:
        """Apply changed settings: the machine's limits, the status, and the rates of streams."""
        before = self.settings.effective.streams
        self.settings.refresh()
        self._use_settings()
        self.machine.resample()
        self.core.update_status()
        now, traffic = self.settings.effective.streams, float("traffic" in self._enabled)
        for method, old, new in (
            (self.publish_heartbeat, before.heartbeatHz, now.heartbeatHz),
            (self.publish_state, before.stateHz, now.stateHz),
            (self.publish_telemetry, before.telemetryHz, now.telemetryHz),
            (self.publish_traffic, traffic * before.trafficHz, traffic * now.trafficHz),
            (self.publish_task, before.taskHz or TASK_HZ, now.taskHz or TASK_HZ),
        ):
            if old != new:
                self.set_rate(method, new)

    def _use_settings(self) -> None:
        """Configure the machine and the status by the effective settings."""
        effective, core = self.settings.effective, self._state.core
        self.machine.configure(effective)
        self.core.forget()
        policy = effective.runtime.healthPolicy
        core.may_drive = may_drive(core.status, policy.allowDriveInWarning)

    def stop_all(self, why: str) -> None:
        """Cancel all tasks and commands, and stop the drive."""
        self.tasks.cancel_all(why)
        self.commands.cancel_all(why)
        self.machine.drive.halt()

    # Observation

    def footprint(self) -> tuple[float, float, float] | None:
        if not hasattr(self, "machine"):  # asked by a robot that starts before this one
            return None
        x, y, _ = self.machine.drive.pose
        return x, y, reach_m(self.config)

    @property
    def can_relocate(self) -> bool:
        return self.config.runtime.mode == "MOCK"

    def relocate(self, x_m: float, y_m: float, theta_rad: float) -> None:
        """Stand at another pose, and go on along the path from there."""
        self.machine.relocate(x_m, y_m, theta_rad)

    def corners(self) -> list[tuple[float, float]]:
        return self.machine.protection.corners

    def body(self) -> Body:
        return Body(*self.machine.drive.pose, size_m=self.machine.protection.size_m)

    def status(self) -> str:
        if self.machine.estop_released:
            return "e-stop released"  # and not acknowledged
        return "e-stop" if self.machine.estop != "NONE" else self._state.core.status

    def view(self) -> View:
        return view_of(self)

    def truth(self) -> Truth:
        state, machine = self._state, self.machine
        soc, charging = machine.battery
        return Truth(
            pose=machine.drive.pose,
            velocity=machine.drive.velocity,
            odometer_m=machine.drive.odometer_m,
            driving=machine.drive.driving,
            status=state.core.status,
            reasons=list(state.core.reasons),
            held=state.core.status in ("PAUSED", "OFFLINE"),
            battery_soc=soc,
            charging=charging,
            axes={motor: machine.motors.axis_position(motor) for motor in self.plans.functional},
            command=self.commands.current() or "",
            task=state.task.active.taskId if state.task.active is not None else "",
            settings_version=state.settings.version,
            outbox_depth=state.link.outbox_depth,
        )
