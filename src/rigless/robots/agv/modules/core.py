"""The core: the status of the robot.

The status follows from facts (status.py). Each reason for it is a condition: it is published as an
event when it begins and when it ends, and listed in the state's `errors` while it holds.
"""

import copy
from typing import Any, Literal, cast

from rigless.robots.agv import messages as m
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.commands import Commands
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.modules.settings import Settings
from rigless.robots.agv.modules.status import Facts, derive, may_drive
from rigless.robots.agv.state import CoreState, TrafficState

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
    "ESTOP": (
        "ERROR",
        "ERROR",
        "an emergency stop was pressed",
        "release it, then send RESUME or CLEAR_FAULT",
    ),
    "COLLISION_STOP": (
        "ERROR",
        "ERROR",
        "stopped by a collision",
        "make room, then send RESUME or CLEAR_FAULT",
    ),
    "OBSTACLE": (
        "WARNING",
        "WARNING",
        "an obstacle is ahead",
        "the robot continues when the path is clear",
    ),
    "TRAFFIC_HOLD": ("INFO", "", "held by traffic control", ""),
    "ZONE_BLOCK": ("INFO", "", "the path enters a blocked zone", ""),
    "MANUAL_HOLD": ("INFO", "", "paused by command", ""),
    "NATS_NOT_STORED": (
        "WARNING",
        "WARNING",
        "the backend does not store messages of this robot",
        "look at the limits of its stream: nats stream info",
    ),
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
        state: CoreState,
        traffic: TrafficState,
        machine: Machine,
        publisher: Publisher,
        events: Events,
        settings: Settings,
        commands: Commands,
    ):
        self._state, self._traffic = state, traffic
        self._machine, self._publisher, self._events = machine, publisher, events
        self._settings, self._commands = settings, commands
        self._facts: tuple[Any, ...] | None = None

    def forget(self) -> None:
        """Derive the status again at the next `watch`, even if no fact has changed."""
        self._facts = None

    def watch(self) -> None:
        """Derive the status again if any fact has changed since the last call."""
        traffic, body = self._traffic, self._machine.state
        facts = (
            self._publisher.link_facts,
            body.motor_faults,
            body.codes,
            self._machine.lost,
            body.estop,
            body.obstacle_stop,
            body.collided,
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
        # A full stream is no reason to stand, whatever the policy on unhealthy motors is.
        allowed = policy.allowDriveInWarning or not facts.functional
        state.may_drive = may_drive(status, allowed)
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
            detail = self._publisher.refused if word == "NATS_NOT_STORED" else part
            text = f"{message}: {detail}" if detail else message
            self._events.raise_(reason, word, severity, part or "robot", text)
        if before == "OFFLINE" != status:
            self._commands.back_online()

    def _gather(self) -> Facts:
        machine, traffic, effective = self._machine, self._traffic, self._settings.effective
        faulty = machine.motors.faulty()
        return Facts(
            connected=self._publisher.connected,
            require_nats=effective.runtime.healthPolicy.requireNatsForMotion,
            drive=tuple(
                f"{fault}:{axis.motor_id}" for axis, fault in faulty if axis.role == "DRIVE"
            ),
            lost=tuple(machine.lost),
            estop=effective.safety.stopOnEstop and machine.estop != "NONE",
            collided=machine.state.collided,
            obstacle=machine.obstacle_stop,
            held=bool(traffic.holds),
            zones=tuple(traffic.blocked),
            manual=self._state.paused,
            functional=(
                *(f"{fault}:{axis.motor_id}" for axis, fault in faulty if axis.role != "DRIVE"),
                *(f"MISSING:{motor_id}" for motor_id in machine.motors.missing),
            ),
            empty=machine.battery[0] <= 0.0,
            refused=bool(self._publisher.refused),
        )


def errors_of(reasons: list[str]) -> list[m.Fault]:
    """Return the reasons that count as errors, with a hint each."""
    found = []
    for reason in reasons:
        word, _, part = reason.partition(":")
        _, level, message, hint = CONDITIONS[word]
        if level:
            refs = [m.Ref("motorId" if "MOTOR" in word else "part", part)] if part else []
            text = f"{message}: {part}" if part else message
            found.append(m.Fault(word, cast(Level, level), refs, text, hint))
    return found
