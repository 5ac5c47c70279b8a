"""The vacuum's component commands, as the real driver executes them.

`mock_compat` follows the upstream mock where it differs.
"""

import math
from collections.abc import Callable
from typing import TypeGuard

from rigless.kernel.ports import Link
from rigless.robots.vacuum.clients import Clients
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.motors import POWERED, Motors
from rigless.robots.vacuum.state import VacuumState
from rigless.robots.vacuum.wire import Control

SWITCHED = ("cliff_ir", "main_board", "mcu", "charger")
QUERIED = ("imu", "compass")


class Commands:
    """Execute component commands by setting motors and routing telemetry."""

    def __init__(
        self, config: VacuumConfig, motors: Motors, clients: Clients, note: Callable[..., None]
    ):
        self._config, self._motors, self._clients, self._note = config, motors, clients, note

    def execute(self, message: Control, link: Link, state: VacuumState) -> None:
        motors = self._motors
        if message.id == "drive":
            self._drive(message, state)
        elif message.id == "lidar":
            self._lidar(message)
        elif message.id in POWERED:
            self._power(message)
        elif message.id == "led":
            if message.action == "configure":
                motors.set_actuator("led", _number(message, "state", 0.0, 18.0))
        elif message.id in SWITCHED:
            motors.set_actuator(message.id, {"enable": 1.0, "disable": 0.0}.get(message.action))
        elif message.id in QUERIED:
            self._note("query", f"{message.id} {message.action}")
        elif message.id == "telemetry":
            self._clients.route_telemetry(message.action, link)
        else:
            text = f"unknown component {message.id[:64]!r}"
            self._note("unknown-component", text, "warning")

    def _drive(self, message: Control, state: VacuumState) -> None:
        compat = self._config.mock_compat
        match message.action:
            case "enable":
                state.drive_enabled = True
                self._motors.set_actuator("drive_mode", _number(message, "mode", 0.0, 255.0, 2.0))
            case "disable":
                state.drive_enabled = False
                self._motors.set_velocity(0.0, 0.0)
            case "reset" if not compat:
                self._motors.stop_all()
            case "configure" if not compat or state.drive_enabled:
                velocity = self._velocity(message)
                if velocity is None:
                    text = f"drive: no usable velocity in {sorted(message.config)}"
                    self._note("bad-command", text, "warning")
                else:
                    self._motors.set_velocity(*velocity)

    def _velocity(self, message: Control) -> tuple[float, float] | None:
        """Return the velocity that is given as linear and angular, or as left and right wheel."""
        numbers = {key: float(value) for key, value in message.config.items() if _is_number(value)}
        if "linear" in numbers and "angular" in numbers:
            return numbers["linear"], numbers["angular"]
        if "left" in numbers and "right" in numbers and not self._config.mock_compat:
            left, right = numbers["left"], numbers["right"]
            return 0.5 * (left + right), (right - left) / self._config.robot.wheel_base
        return None

    def _lidar(self, message: Control) -> None:
        match message.action:
            case "enable":
                self._motors.set_lidar(True)
                self._motors.set_actuator("lidar_pwm", _number(message, "pwm", 0.0, 100.0))
            case "disable":
                self._motors.set_lidar(False)
            case "configure" if self._config.mock_compat:
                self._motors.set_lidar(True)
            case "configure":
                self._note("bad-command", "lidar: CONFIGURE does nothing; use ENABLE", "warning")

    def _power(self, message: Control) -> None:
        match message.action:
            case "enable":
                self._motors.set_actuator(message.id, 100.0)
            case "disable":
                self._motors.set_actuator(message.id, 0.0)
            case "configure":
                self._motors.set_actuator(message.id, _number(message, "speed", 0.0, 100.0))


def _number(
    message: Control, key: str, low: float, high: float, default: float | None = None
) -> float | None:
    """Return a number of the command's config within limits, or None if it is not a number."""
    value = message.config.get(key, default)
    return min(max(float(value), low), high) if _is_number(value) else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
