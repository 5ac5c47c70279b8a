"""A config-driven warehouse robot: what happens at each tick, at the rate of each stream, and on each message.

The machine (motors, drive, inputs, safety) is in machine.py. What it does is decided by modules, each with its part of the state and its
messages: core, commands, settings, task, traffic, route and teach. Every byte is in wire.py, every payload in messages.py.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rigless.kernel.drawing import View
from rigless.kernel.fleet import FleetMember
from rigless.kernel.ports import Port
from rigless.kernel.robot import Defaults, VirtualInput, every
from rigless.kernel.validation import Finding, Native
from rigless.kernel.world import World
from rigless.robots.agv import messages as m
from rigless.robots.agv.checks.examine import examine_config
from rigless.robots.agv.config import RobotConfig, with_name
from rigless.robots.agv.link.dispatch import Dispatch
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.link.saved_settings import with_saved_settings
from rigless.robots.agv.machine import sensing
from rigless.robots.agv.machine.hardware_port import hardware_port
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.commands import Commands
from rigless.robots.agv.modules.core import Core
from rigless.robots.agv.modules.forecast import Forecast
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.route import Routing
from rigless.robots.agv.modules.settings import Settings
from rigless.robots.agv.modules.task import Tasks
from rigless.robots.agv.modules.teach import Teach
from rigless.robots.agv.modules.traffic import Traffic
from rigless.robots.agv.motion.chassis import reach_m
from rigless.robots.agv.native import read_native
from rigless.robots.agv.state import AgvState, Truth
from rigless.robots.agv.wire import agv_port
from rigless.worlds.bundled import find_map
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.maps import load_map

TASK_HZ = 1.0  # where the configuration does not say


class Agv(Dispatch, FleetMember):
    Config = RobotConfig
    State = AgvState
    config: RobotConfig
    state: AgvState

    @classmethod
    def read_file(cls, path: Path) -> Native | None:
        return read_native(path)

    @classmethod
    def check_config(
        cls, given: Any, environment: bool = True
    ) -> tuple[RobotConfig | None, list[Finding]]:
        return examine_config(given, environment)

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
    def with_saved_settings(
        cls, config: RobotConfig, saved: Iterable[tuple[str, bytes]]
    ) -> tuple[RobotConfig, list[str]]:
        return with_saved_settings(config, saved)

    @cached_property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        real = hardware_port(self.config)
        return (agv_port(self.config), *([real] if real else []))

    @cached_property
    def inputs(self) -> Mapping[str, VirtualInput]:  # type: ignore[override]
        return {
            **sensing.virtual_inputs(self.config),
            "lost_s": VirtualInput(
                0.0,
                "time that the computer could not keep up with; tickOverruns follow from it",
                0.0,
                1e9,
                by_host=True,
            ),
            "boot_id": VirtualInput(
                "", "which boot this is; empty: made from the seed", by_host=True
            ),
            "epoch_s": VirtualInput(
                0.0,
                "when the simulation began, in seconds since 1970; 0: the year 2026",
                by_host=True,
            ),
            "late_ms": VirtualInput(
                0.0,
                "by how much 99 of 100 ticks are late, at most; p99Ms follows from it",
                0.0,
                1e6,
                by_host=True,
            ),
        }

    @cached_property
    def sensors(self) -> tuple[str, ...]:  # type: ignore[override]
        return sensing.sensors(self.config)

    @cached_property
    def actuators(self) -> tuple[str, ...]:  # type: ignore[override]
        return sensing.actuators(self.config)

    @cached_property
    def conditions(self) -> Mapping[str, tuple[str, ...]]:  # type: ignore[override]
        return sensing.conditions(self.config)

    def defaults(self) -> Defaults:
        profile = self.config.runtime.simulationProfile
        if profile is None or not profile.map:
            return Defaults(
                World(), world_name="warehouse floor"
            )  # not in whatever maze another robot brings
        path = find_map(profile.map)
        return Defaults(GridWorld(load_map(path)), world_name=str(path.resolve()))

    def phase_s(self) -> float:
        profile = self.config.runtime.simulationProfile
        return (profile.phaseS or 0.0) if profile is not None else 0.0

    def start(self) -> None:
        config = self.config
        self.tick_s = 1.0 / config.runtime.tickHz
        self.machine = Machine(self)
        self.publisher, self.jobs, self.forecast = Publisher(self), Jobs(self), Forecast(self)
        self.core, self.commands, self.settings = Core(self), Commands(self), Settings(self)
        self.tasks, self.traffic, self.route, self.teach = (
            Tasks(self),
            Traffic(self),
            Routing(self),
            Teach(self),
        )
        self._enabled = {key for key, on in config.capabilities.supportedModules if on}
        self.publisher.boot()
        self.publisher.set_date()
        self.revive()
        self.core.judge()
        if not self.enabled("traffic"):
            self.set_rate(self.tell_traffic, 0)

    # Time

    @every(lambda config: config.runtime.tickHz)
    def tick(self) -> None:
        state = self.state
        if state is not self._known:
            self.revive()
        if not state.core.booted:
            self._boot()
        self.machine.tick(self.tick_s)
        task, traffic = state.task, state.traffic
        if traffic.zones or traffic.blocked or self.now_ns >= traffic.next_ns:
            self.traffic.tick()
        self.core.watch()
        if state.jobs.by_id and self.jobs.tick() and state.commands.running:
            self.commands.tick()
        if task.active is not None or task.queue or task.unfinished:
            self.tasks.tick()
        self.core.after_tick()

    @every(lambda config: config.streams.heartbeatHz)
    def tell_heartbeat(self) -> None:
        self.core.tell_heartbeat()

    @every(lambda config: config.streams.stateHz)
    def tell_state(self) -> None:
        self.core.tell_state()

    @every(lambda config: config.streams.telemetryHz)
    def tell_telemetry(self) -> None:
        self.core.tell_telemetry()

    @every(lambda config: config.streams.trafficHz)
    def tell_traffic(self) -> None:
        self.traffic.tell()

    @every(lambda config: config.streams.taskHz or TASK_HZ)
    def tell_task(self) -> None:
        self.tasks.tell()

    def _boot(self) -> None:
        """The first words of a boot."""
        self.state.core.booted = True
        if self.enabled("settings"):
            self.settings.report()

    # Settings

    def apply_settings(self) -> None:
        """What was set has changed; streams go on at their new rates."""
        before = self.effective.streams
        self.revive()
        self.machine.resample()
        self.core.judge()
        now, traffic = self.effective.streams, self.enabled("traffic")
        for method, old, new in (
            (self.tell_heartbeat, before.heartbeatHz, now.heartbeatHz),
            (self.tell_state, before.stateHz, now.stateHz),
            (self.tell_telemetry, before.telemetryHz, now.telemetryHz),
            (
                self.tell_traffic,
                before.trafficHz if traffic else 0.0,
                now.trafficHz if traffic else 0.0,
            ),
            (self.tell_task, before.taskHz or TASK_HZ, now.taskHz or TASK_HZ),
        ):
            if old != new:
                self.set_rate(method, new)

    def stop_all(self, why: str) -> None:
        """Everything that moves or waits to move ends."""
        self.tasks.cancel_all(why)
        self.commands.cancel_all(why)
        self.machine.halt()

    # To look at

    def pose(self) -> m.Pose:
        x, y, theta = self.machine.pose
        return m.Pose(round(x, 4), round(y, 4), round(theta, 5), self.machine.map_id)

    def footprint(self) -> tuple[float, float, float] | None:
        if not hasattr(self, "machine"):  # a neighbour that starts before us may look around
            return None
        x, y, _ = self.machine.pose
        return x, y, reach_m(self.config)

    def status(self) -> str:
        return self.state.core.status

    def view(self) -> View:
        from rigless.robots.agv.view import AgvView

        return AgvView(self)

    def truth(self) -> Truth:
        state, machine = self.state, self.machine
        soc, charging = machine.battery
        return Truth(
            pose=machine.pose,
            velocity=machine.velocity,
            odometer_m=machine.odometer_m,
            driving=machine.driving,
            status=state.core.status,
            reasons=list(state.core.reasons),
            held=state.core.status in ("PAUSED", "OFFLINE"),
            battery_soc=soc,
            charging=charging,
            axes={motor: machine.axis_position(motor) for motor in self.jobs.functional},
            command=self.commands.current() or "",
            task=state.task.active.taskId if state.task.active is not None else "",
            settings_version=state.settings.version,
            outbox_depth=state.core.outbox_depth,
        )
