"""The core: status, and what the robot says of itself as a whole: heartbeat, state, telemetry and events.

What the status is made of are conditions. One that begins is told by an event, in the state's `errors` and to people; when it ends the
same event is told again with `clearedAt`. Events of one code that come fast are told once a second, with how many there were.
"""

import copy
from typing import TYPE_CHECKING, Any, Literal, cast

from rigless.kernel.events import Severity as KernelSeverity
from rigless.robots.agv import messages as m
from rigless.robots.agv.link.state_size import MANY, fitting
from rigless.robots.agv.modules.status import Facts, derive, may_drive
from rigless.robots.agv.state import Flood, Raised

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

SECOND_NS = 1_000_000_000
SOONEST_NS = 50_000_000  # between two states, however much changes

Level = Literal["WARNING", "ERROR", "FATAL"]

# What holds, by the first word of the reason: severity of its event, level in the state (empty: no error), and what to do about it.
CONDITIONS: dict[str, tuple[m.Severity, str, str, str]] = {
    "NATS_DISCONNECTED": ("WARNING", "ERROR", "there is no way to the backend", "it is tried for ever; look at the server"),
    "DRIVE_MOTOR_ERROR": ("CRITICAL", "FATAL", "a drive motor is in error", "send RESET_MOTOR when its fault is gone"),
    "DRIVE_MOTOR_DISCONNECTED": ("CRITICAL", "FATAL", "a drive motor does not answer", "look at its wiring, then RESET_MOTOR"),
    "REQUIRED_PART_LOST": ("CRITICAL", "FATAL", "a required input or device does not answer", "look at its wiring"),
    "BATTERY_EMPTY": ("CRITICAL", "FATAL", "the battery is empty", "charge it"),
    "ESTOP": ("ERROR", "ERROR", "an emergency stop is pressed", "release it"),
    "OBSTACLE": ("WARNING", "WARNING", "something is in the way", "it goes on when the way is clear"),
    "TRAFFIC_HOLD": ("INFO", "", "the traffic holds the robot", ""),
    "ZONE_BLOCK": ("INFO", "", "the way leads into a blocked zone", ""),
    "MANUAL_HOLD": ("INFO", "", "the robot is paused", ""),
    "FUNCTIONAL_MOTOR_ERROR": ("ERROR", "WARNING", "a motor is in error", "send RESET_MOTOR when its fault is gone"),
    "FUNCTIONAL_MOTOR_DISCONNECTED": ("ERROR", "WARNING", "a motor does not answer", "look at its wiring, then RESET_MOTOR"),
}  # fmt: skip
TO_PEOPLE: dict[str, KernelSeverity] = {
    "INFO": "info",
    "WARNING": "warning",
    "ERROR": "error",
    "CRITICAL": "critical",
}


class Core:
    def __init__(self, robot: "Agv"):
        self.robot = robot
        self.mode = robot.config.runtime.mode
        self._many = len(robot.config.motors) > MANY
        self._facts: tuple[Any, ...] | None = None

    # Status

    def forget(self) -> None:
        """The state is another: what was found out from the last one does not count."""
        self._facts = None

    def watch(self) -> None:
        """Once a tick: the status by what is the case now."""
        robot, state = self.robot, self.robot.state
        core = state.core
        body = state.machine
        lost = robot.machine.lost if robot.faults or body.remote.lost else []
        facts = (core.reported, core.cut, core.link, body.ills, body.codes, lost, body.estop, body.obstacle_stop,
                 len(state.traffic.holds), state.traffic.blocked, state.commands.paused, body.soc <= 0.0)  # fmt: skip
        if facts == self._facts:
            return
        self._facts = copy.deepcopy(facts)
        self.judge()
        robot.machine.drive_allowed = robot.may_drive

    def judge(self) -> None:
        robot, state = self.robot, self.robot.state
        core, before = state.core, state.core.status
        facts = self.facts()
        status, reasons = derive(facts)
        core.met = core.met or facts.connected
        robot.may_drive = may_drive(
            status, robot.effective.runtime.healthPolicy.allowDriveInWarning
        )
        if robot.may_drive:
            robot.commands.may_begin()
        if (status, reasons) == (before, core.reasons):
            return
        gone = [reason for reason in core.reasons if reason not in reasons]
        come = [reason for reason in reasons if reason not in core.reasons]
        core.status, core.reasons, core.changed = status, reasons, True
        for reason in gone:
            self.clear(reason)
        for reason in come:
            word, _, part = reason.partition(":")
            if word == "NATS_DISCONNECTED" and not core.met:
                continue  # before the first connection of a boot it is no news
            severity, _, message, _ = CONDITIONS[word]
            self.raise_(
                reason, word, severity, part or "robot", f"{message}: {part}" if part else message
            )
        if before == "OFFLINE" != status:
            robot.commands.back_on_line()

    def facts(self) -> Facts:
        robot, state, machine = self.robot, self.robot.state, self.robot.machine
        effective = robot.effective
        ills = machine.ills()
        return Facts(
            connected=robot.publisher.connected,
            require_nats=effective.runtime.healthPolicy.requireNatsForMotion,
            drive=tuple(f"{ill}:{axis.motor_id}" for axis, ill in ills if axis.role == "DRIVE"),
            lost=tuple(machine.lost),
            estop=effective.safety.stopOnEstop and machine.estop != "NONE",
            obstacle=machine.obstacle_stop,
            held=bool(state.traffic.holds),
            zones=tuple(state.traffic.blocked),
            manual=state.commands.paused,
            functional=tuple(
                f"{ill}:{axis.motor_id}" for axis, ill in ills if axis.role != "DRIVE"
            ),
            empty=machine.battery[0] <= 0.0,
        )

    # Events

    def raise_(self, key: str, code: str, severity: m.Severity, source: str, message: str) -> None:
        """A condition begins."""
        robot = self.robot
        held = Raised(
            robot.publisher.event_id(), code, severity, source, message, robot.publisher.now()
        )
        robot.state.core.conditions[key] = held
        robot.publisher.publish(
            "events", m.Event(held.eventId, code, severity, source, message, {}, held.raisedAt)
        )
        robot.event(code.lower().replace("_", "-"), message, TO_PEOPLE[severity], source=source)

    def clear(self, key: str) -> None:
        """A condition ends."""
        robot = self.robot
        held = robot.state.core.conditions.pop(key, None)
        if held is not None:
            severity = cast(m.Severity, held.severity)
            robot.publisher.publish("events", m.Event(held.eventId, held.code, severity, held.source, held.message, {},
                                              held.raisedAt, robot.publisher.now()))  # fmt: skip
            robot.event(
                f"{held.code.lower().replace('_', '-')}-cleared",
                f"no more: {held.message}",
                source=held.source,
            )

    def notice(
        self,
        code: str,
        severity: m.Severity,
        source: str,
        message: str,
        data: dict[str, Any] | None = None,
    ) -> None:
        """Something happened."""
        floods, now_ns = self.robot.state.core.floods, self.robot.now_ns
        flood = floods.get(code)
        if flood is not None and now_ns < flood.until_ns:
            flood.more, flood.severity = flood.more + 1, severity
            return
        floods[code] = Flood(now_ns + SECOND_NS)
        self._tell(code, severity, source, message, data or {})

    def _tell(
        self, code: str, severity: m.Severity, source: str, message: str, data: dict[str, Any]
    ) -> None:
        voice = self.robot.publisher
        voice.publish(
            "events", m.Event(voice.event_id(), code, severity, source, message, data, voice.now())
        )
        self.robot.event(
            code.lower().replace("_", "-"), message, TO_PEOPLE[severity], source=source, about=data
        )

    def drain(self) -> None:
        """What was held back of events that came too fast."""
        floods, now_ns = self.robot.state.core.floods, self.robot.now_ns
        for code, flood in list(floods.items()):
            if now_ns >= flood.until_ns:
                del floods[code]
                if flood.more:
                    floods[code] = Flood(now_ns + SECOND_NS)
                    message = f"{flood.more} more in the last second"
                    self._tell(
                        code,
                        cast(m.Severity, flood.severity),
                        "robot",
                        message,
                        {"count": flood.more},
                    )

    # Saying

    def after_tick(self) -> None:
        """What the machine noticed in this tick, and the state if it must be told at once."""
        robot, core, body = self.robot, self.robot.state.core, self.robot.state.machine
        if body.scans:
            for device, code in body.scans:
                robot.jobs.scanned(device, code)
                self._tell(
                    "BARCODE_READ",
                    "INFO",
                    device,
                    f"read {code[:80]}",
                    {"code": code, "deviceId": device},
                )
        if body.notices:
            for code, severity, source, message, data in body.notices:
                self.notice(code, cast(m.Severity, severity), source, message, data)
        if core.floods:
            self.drain()
        if core.changed and robot.now_ns - core.state_ns >= SOONEST_NS:
            self.tell_state()

    def tell_heartbeat(self) -> None:
        robot, state = self.robot, self.robot.state
        if not robot.publisher.wanted():
            robot.publisher.skip("heartbeat")
            return
        interval_ms = round(1000.0 / robot.effective.streams.heartbeatHz)
        overruns = round(robot.input["lost_s"] * robot.config.runtime.tickHz)
        beat = m.Heartbeat(cast(m.Status, state.core.status), self.mode, robot.publisher.uptime_s(), interval_ms, state.core.outbox_depth,
                           state.settings.version, overruns)  # fmt: skip
        robot.publisher.publish("heartbeat", beat)

    def tell_state(self) -> None:
        core = self.robot.state.core
        core.changed, core.state_ns = False, self.robot.now_ns
        wanted = self.robot.publisher.wanted()
        told = (
            self._told() if wanted or self._many else None
        )  # what has to be left out is told whoever listens
        if wanted:
            self.robot.publisher.publish("state", told)
        else:
            self.robot.publisher.skip("state")

    def _told(self) -> m.State:
        """The state, as much of it as a message may hold."""
        core = self.robot.state.core
        told, left_out = fitting(self.state())
        if len(left_out) > core.left_out:
            core.left_out = len(left_out)
            what = (
                f"all of the state is more than a message may hold; left out: {'; '.join(left_out)}"
            )
            self._tell("STATE_TOO_LARGE", "WARNING", "state", what, {"leftOut": left_out})
        return told

    def state(self) -> m.State:
        robot, state, machine = self.robot, self.robot.state, self.robot.machine
        core, (v, omega), (soc, charging) = state.core, machine.velocity, machine.battery
        return m.State(
            status=cast(m.Status, core.status),
            statusReasons=core.reasons,
            pose=robot.pose(),
            velocity=m.Velocity(round(v, 4), round(omega, 4)),
            driving=machine.driving,
            safety=m.Safety(machine.estop, machine.obstacle_stop, machine.field_violation),
            holds=self.holds(),
            motors=machine.healths(),
            errors=self.errors() if core.reasons else [],
            missingFunctionKeys=machine.missing_functions,
            commandId=robot.commands.current(),
            taskId=state.task.active.taskId if state.task.active is not None else None,
            battery=m.BatteryState(round(soc, 4), charging) if self.mode == "MOCK" else None,
        )

    def holds(self) -> list[str]:
        state = self.robot.state
        manual = ["MANUAL"] if state.commands.paused else []
        return [*state.traffic.holds, *state.traffic.blocked, *manual]

    def errors(self) -> list[m.Fault]:
        found = []
        for reason in self.robot.state.core.reasons:
            word, _, part = reason.partition(":")
            _, level, message, hint = CONDITIONS[word]
            if level:
                refs = [m.Ref("motorId" if "MOTOR" in word else "part", part)] if part else []
                found.append(
                    m.Fault(
                        word,
                        cast(Level, level),
                        refs,
                        f"{message}: {part}" if part else message,
                        hint,
                    )
                )
        return found

    def tell_telemetry(self) -> None:
        robot, machine = self.robot, self.robot.machine
        if not robot.publisher.wanted():
            robot.publisher.skip("telemetry")
            return
        soc, charging = machine.battery
        battery = (
            {"soc": round(soc, 4), "charging": charging} if self.mode == "MOCK" else {}
        )  # nobody knows of a real one
        loop = {"p99Ms": self._tick_ms()}
        robot.publisher.publish(
            "telemetry",
            m.Telemetry(machine.readings(), battery, machine.io(), machine.devices(), loop),
        )

    def _tick_ms(self) -> float:
        """From a tick to the next, 99 of 100 times, by what the host has measured; and what the computer could not keep up with since the last telemetry."""
        core, given = self.robot.state.core, self.robot.input
        lost_s, late_ms = float(given["lost_s"]), float(given["late_ms"])
        gone_s, core.lost_s = max(lost_s - core.lost_s, 0.0), lost_s
        return round(1000.0 / self.robot.config.runtime.tickHz + late_ms + 1000.0 * gone_s, 3)
