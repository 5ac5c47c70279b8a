"""The core: the status, and the streams about the whole robot: heartbeat, state and telemetry.

The status follows from facts (status.py). Each reason for it is a condition: it is published as an
event when it begins and when it ends, and listed in the state's `errors` while it holds.
"""

import copy
from typing import Any, Literal, cast

from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.link.state_size import MANY, fitting
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.commands import Commands
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.settings import Settings
from rigless.robots.agv.modules.status import Facts, derive, may_drive
from rigless.robots.agv.services import Services
from rigless.robots.agv.state import AgvState

SOONEST_NS = 50_000_000  # least time between two states

Level = Literal["WARNING", "ERROR", "FATAL"]

# By the first word of the reason: severity of its event, level in the state (empty: not listed),
# message, and hint.
CONDITIONS: dict[str, tuple[m.Severity, str, str, str]] = {
    "NATS_DISCONNECTED": (
        "WARNING",
        "ERROR",
        "backend unreachable",
        "retrying; check that the NATS server is running",
    ),
    "DRIVE_MOTOR_ERROR": (
        "CRITICAL",
        "FATAL",
        "a drive motor is in error",
        "remove the cause, then send RESET_MOTOR",
    ),
    "DRIVE_MOTOR_DISCONNECTED": (
        "CRITICAL",
        "FATAL",
        "a drive motor does not respond",
        "check its wiring, then send RESET_MOTOR",
    ),
    "REQUIRED_PART_LOST": (
        "CRITICAL",
        "FATAL",
        "a required input or device does not respond",
        "check its wiring",
    ),
    "BATTERY_EMPTY": ("CRITICAL", "FATAL", "the battery is empty", "charge it"),
    "ESTOP": ("ERROR", "ERROR", "an emergency stop is pressed", "release it"),
    "OBSTACLE": (
        "WARNING",
        "WARNING",
        "an obstacle is ahead",
        "the robot continues when the path is clear",
    ),
    "TRAFFIC_HOLD": ("INFO", "", "held by traffic control", ""),
    "ZONE_BLOCK": ("INFO", "", "the path enters a blocked zone", ""),
    "MANUAL_HOLD": ("INFO", "", "paused by command", ""),
    "FUNCTIONAL_MOTOR_ERROR": (
        "ERROR",
        "WARNING",
        "a motor is in error",
        "remove the cause, then send RESET_MOTOR",
    ),
    "FUNCTIONAL_MOTOR_DISCONNECTED": (
        "ERROR",
        "WARNING",
        "a motor does not respond",
        "check its wiring, then send RESET_MOTOR",
    ),
    "FUNCTIONAL_MOTOR_MISSING": (
        "WARNING",
        "WARNING",
        "a limit sensor names a motor that the config does not have",
        "add the motor to motors, or remove its limit sensors",
    ),
}


class Core:
    def __init__(
        self,
        services: Services,
        state: AgvState,
        config: RobotConfig,
        machine: Machine,
        publisher: Publisher,
        events: Events,
        settings: Settings,
        jobs: Jobs,
        commands: Commands,
    ):
        self._services, self._all, self._state = services, state, state.core
        self._machine, self._publisher, self._events = machine, publisher, events
        self._settings, self._jobs, self._commands = settings, jobs, commands
        self._mode, self._tick_hz = config.runtime.mode, config.runtime.tickHz
        self._many = len(config.motors) > MANY
        self._facts: tuple[Any, ...] | None = None

    # Status

    def forget(self) -> None:
        """Derive the status again at the next `watch`, even if no fact has changed."""
        self._facts = None

    def watch(self) -> None:
        """Derive the status again if any fact has changed since the last call."""
        link, traffic, body = self._all.link, self._all.traffic, self._all.machine
        lost = self._machine.lost if self._services.faults or body.remote.lost else []
        facts = (
            link.transport_up,
            link.cut,
            link.connection,
            body.ills,
            body.codes,
            lost,
            body.estop,
            body.obstacle_stop,
            len(traffic.holds),
            traffic.blocked,
            self._state.paused,
            body.soc <= 0.0,
        )
        if facts == self._facts:
            return
        self._facts = copy.deepcopy(facts)
        self.update_status()
        self._machine.drive_allowed = self._state.may_drive

    def update_status(self) -> None:
        """Derive the status, and publish the conditions that begin or end with it."""
        state, before = self._state, self._state.status
        facts = self._gather()
        status, reasons = derive(facts)
        if facts.connected:
            self._publisher.mark_connected()
        policy = self._settings.effective.runtime.healthPolicy
        state.may_drive = may_drive(status, policy.allowDriveInWarning)
        if state.may_drive:
            self._commands.may_begin()
        if (status, reasons) == (before, state.reasons):
            return
        gone = [reason for reason in state.reasons if reason not in reasons]
        come = [reason for reason in reasons if reason not in state.reasons]
        state.status, state.reasons, state.changed = status, reasons, True
        for reason in gone:
            self._events.clear(reason)
        for reason in come:
            word, _, part = reason.partition(":")
            if word == "NATS_DISCONNECTED" and not self._publisher.was_connected:
                continue  # expected before the first connection of a boot
            severity, _, message, _ = CONDITIONS[word]
            text = f"{message}: {part}" if part else message
            self._events.raise_(reason, word, severity, part or "robot", text)
        if before == "OFFLINE" != status:
            self._commands.back_online()

    def _gather(self) -> Facts:
        machine, traffic, effective = self._machine, self._all.traffic, self._settings.effective
        ills = machine.motors.ills()
        return Facts(
            connected=self._publisher.connected,
            require_nats=effective.runtime.healthPolicy.requireNatsForMotion,
            drive=tuple(f"{ill}:{axis.motor_id}" for axis, ill in ills if axis.role == "DRIVE"),
            lost=tuple(machine.lost),
            estop=effective.safety.stopOnEstop and machine.estop != "NONE",
            obstacle=machine.obstacle_stop,
            held=bool(traffic.holds),
            zones=tuple(traffic.blocked),
            manual=self._state.paused,
            functional=(
                *(f"{ill}:{axis.motor_id}" for axis, ill in ills if axis.role != "DRIVE"),
                *(f"MISSING:{motor_id}" for motor_id in machine.motors.missing),
            ),
            empty=machine.battery[0] <= 0.0,
        )

    # Streams

    def after_tick(self) -> None:
        """Publish what the machine noticed in this tick, and the state if it has changed."""
        state, body = self._state, self._all.machine
        for device, code in body.scans:
            self._jobs.scanned(device, code)
            data = {"code": code, "deviceId": device}
            self._events.publish("BARCODE_READ", "INFO", device, f"read {code[:80]}", data)
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
            cast(m.Status, self._state.status),
            self._mode,
            publisher.uptime_s(),
            round(1000.0 / self._settings.effective.streams.heartbeatHz),
            self._all.link.outbox_depth,
            self._all.settings.version,
            round(self._services.input["lost_s"] * self._tick_hz),
        )
        publisher.publish("heartbeat", heartbeat)

    def publish_state(self) -> None:
        state, publisher = self._state, self._publisher
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
        if len(left_out) > self._state.left_out:
            self._state.left_out = len(left_out)
            what = f"the state exceeds the size of a message; left out: {'; '.join(left_out)}"
            data = {"leftOut": left_out}
            self._events.publish("STATE_TOO_LARGE", "WARNING", "state", what, data)
        return message

    def _state_message(self) -> m.State:
        state, machine, traffic = self._state, self._machine, self._all.traffic
        (v, omega), (soc, charging) = machine.drive.velocity, machine.battery
        active, manual = self._all.task.active, ["MANUAL"] if state.paused else []
        return m.State(
            status=cast(m.Status, state.status),
            statusReasons=state.reasons,
            pose=machine.drive.pose_message(),
            velocity=m.Velocity(round(v, 4), round(omega, 4)),
            driving=machine.drive.driving,
            safety=m.Safety(machine.estop, machine.obstacle_stop, machine.field_violation),
            holds=[*traffic.holds, *traffic.blocked, *manual],
            motors=machine.motors.healths(),
            errors=self.errors() if state.reasons else [],
            missingFunctionKeys=machine.motors.missing_functions,
            commandId=self._commands.current(),
            taskId=active.taskId if active is not None else None,
            battery=m.BatteryState(round(soc, 4), charging) if self._mode == "MOCK" else None,
        )

    def errors(self) -> list[m.Fault]:
        """Return the reasons that count as errors, with a hint each."""
        found = []
        for reason in self._state.reasons:
            word, _, part = reason.partition(":")
            _, level, message, hint = CONDITIONS[word]
            if level:
                refs = [m.Ref("motorId" if "MOTOR" in word else "part", part)] if part else []
                text = f"{message}: {part}" if part else message
                found.append(m.Fault(word, cast(Level, level), refs, text, hint))
        return found

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
        state, given = self._state, self._services.input
        lost_s, late_ms = float(given["lost_s"]), float(given["late_ms"])
        gone_s, state.lost_s = max(lost_s - state.lost_s, 0.0), lost_s
        return round(1000.0 / self._tick_hz + late_ms + 1000.0 * gone_s, 3)
