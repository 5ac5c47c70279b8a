"""The streams about the whole robot: heartbeat, state and telemetry, and what a tick noticed."""

from typing import cast

from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.link.state_size import MANY, fitting
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.commands import Commands
from rigless.robots.agv.modules.core import errors_of
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.settings import Settings
from rigless.robots.agv.services import Services
from rigless.robots.agv.state import CoreState, TaskState, TrafficState

SOONEST_NS = 50_000_000  # least time between two states


class Streams:
    def __init__(
        self,
        services: Services,
        core: CoreState,
        task: TaskState,
        traffic: TrafficState,
        config: RobotConfig,
        machine: Machine,
        publisher: Publisher,
        events: Events,
        settings: Settings,
        jobs: Jobs,
        commands: Commands,
    ):
        self._services, self._core, self._task, self._traffic = services, core, task, traffic
        self._machine, self._publisher, self._events = machine, publisher, events
        self._settings, self._jobs, self._commands = settings, jobs, commands
        self._mode, self._tick_hz = config.runtime.mode, config.runtime.tickHz
        self._many = len(config.motors) > MANY

    def after_tick(self) -> None:
        """Publish what the machine noticed in this tick, and the state if it has changed."""
        state, body = self._core, self._machine.state
        for device, code in body.scans:
            self._jobs.scanned(device, code)
            data = {"code": code, "deviceId": device}
            self._events.publish("BARCODE_READ", "INFO", device, f"read {code[:80]}", data)
        for data in body.collisions:
            what = f"{data['kind']} {data['other']}" if data["kind"] != "wall" else "a wall"
            text = (
                f"collision with {what} at ({data['x']:g}, {data['y']:g}), "
                f"closing at {data['closingMps']:g} m/s"
            )
            self._services.count("collisions")
            self._events.publish("COLLISION", "ERROR", "bumper", text, data)
        for code, severity, source, message, data in body.notices:
            self._events.notice(code, cast(m.Severity, severity), source, message, data)
        if state.rate_limits:
            self._events.report_suppressed()
        if state.changed and self._services.now_ns - state.state_ns >= SOONEST_NS:
            self.publish_state()

    def publish_heartbeat(self) -> None:
        publisher = self._publisher
        if not publisher.wanted():
            publisher.skip("heartbeat")
            return
        heartbeat = m.Heartbeat(
            cast(m.Status, self._core.status),
            self._mode,
            publisher.uptime_s(),
            round(1000.0 / self._settings.effective.streams.heartbeatHz),
            publisher.outbox_depth,
            self._settings.version,
            round(self._services.input["lost_s"] * self._tick_hz),
        )
        publisher.publish("heartbeat", heartbeat)

    def publish_state(self) -> None:
        state, publisher = self._core, self._publisher
        state.changed, state.state_ns = False, self._services.now_ns
        wanted = publisher.wanted()
        # STATE_TOO_LARGE does not depend on subscribers, so a large state is always made.
        message = self._fitting_state() if wanted or self._many else None
        if wanted:
            publisher.publish("state", message)
        else:
            publisher.skip("state")

    def _fitting_state(self) -> m.State:
        """Return the state, reduced to what fits into a message."""
        message, left_out = fitting(self._state_message())
        if len(left_out) > self._core.left_out:
            self._core.left_out = len(left_out)
            what = f"the state exceeds the size of a message; left out: {'; '.join(left_out)}"
            data = {"leftOut": left_out}
            self._events.publish("STATE_TOO_LARGE", "WARNING", "state", what, data)
        return message

    def _state_message(self) -> m.State:
        state, machine, traffic = self._core, self._machine, self._traffic
        (v, omega), (soc, charging) = machine.drive.velocity, machine.battery
        active, manual = self._task.active, ["MANUAL"] if state.paused else []
        return m.State(
            status=cast(m.Status, state.status),
            statusReasons=state.reasons,
            pose=machine.drive.pose_message(),
            velocity=m.Velocity(round(v, 4), round(omega, 4)),
            driving=machine.drive.driving,
            safety=m.Safety(machine.estop, machine.obstacle_stop, machine.field_violation),
            holds=[*traffic.holds, *traffic.blocked, *manual],
            motors=machine.motors.healths(),
            errors=errors_of(state.reasons),
            missingFunctionKeys=machine.motors.missing_functions,
            commandId=self._commands.current(),
            taskId=active.taskId if active is not None else None,
            battery=self._battery(soc, charging) if self._mode == "MOCK" else None,
            load=self._load(),
        )

    def _battery(self, soc: float, charging: bool) -> m.BatteryState:
        return m.BatteryState(round(soc, 4), charging, self._machine.state.charger or None)

    def _load(self) -> m.LoadState | None:
        """Return the load on the robot."""
        state = self._machine.state
        if not state.load_id or state.load_size_m is None:
            return None
        size_m = *state.load_size_m, state.load_height_m
        return m.LoadState(state.load_id, state.load_type, *size_m, state.load_kg)

    def publish_telemetry(self) -> None:
        publisher, machine = self._publisher, self._machine
        if not publisher.wanted():
            publisher.skip("telemetry")
            return
        soc, charging = machine.battery
        # The state of a real battery is unknown.
        battery = {"soc": round(soc, 4), "charging": charging} if self._mode == "MOCK" else {}
        loop = {"p99Ms": self._tick_ms()}
        telemetry = m.Telemetry(
            machine.motors.readings(), battery, machine.io(), machine.devices(), loop
        )
        publisher.publish("telemetry", telemetry)

    def _tick_ms(self) -> float:
        """Return the 99th percentile of the tick period, plus time lost since the last telemetry.

        Both are measured by the host.
        """
        state, given = self._core, self._services.input
        lost_s, late_ms = float(given["lost_s"]), float(given["late_ms"])
        gone_s, state.lost_s = max(lost_s - state.lost_s, 0.0), lost_s
        return round(1000.0 / self._tick_hz + late_ms + 1000.0 * gone_s, 3)
