"""What each command does, after the real driver; `mock_compat` follows the upstream mock where that differs."""

import math
from typing import TYPE_CHECKING, Any

from rigless.kernel.ports import Link
from rigless.kernel.robot import on
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.wire import Control, Ignored, ProtocolSync, Shutdown

if TYPE_CHECKING:
    from rigless.robots.vacuum.config import VacuumConfig
    from rigless.robots.vacuum.state import VacuumState

POWERED = ("vacuum", "main_brush", "side_brush", "water_pump")  # 0 to 100 %
SWITCHED = ("cliff_ir", "main_board", "mcu", "charger")
QUERIED = ("imu", "compass")


class Commands:
    """The command half of the vacuum; mixed into it."""

    if TYPE_CHECKING:
        config: VacuumConfig
        state: VacuumState
        now_ns: int
        note: Any
        open_telemetry: Any
        drop_telemetry: Any
        tell_version: Any
        count: Any

    @on(Control)
    def control(self, message: Control, link: Link) -> None:
        if message.id == "drive":
            self.drive(message)
        elif message.id == "lidar":
            self.switch_lidar(message)
        elif message.id in POWERED:
            self.power_component(message)
        elif message.id == "led":
            if message.action == "configure":
                self.set_actuator("led", _number(message, "state", 0.0, 18.0))
        elif message.id in SWITCHED:
            self.set_actuator(message.id, {"enable": 1.0, "disable": 0.0}.get(message.action))
        elif message.id in QUERIED:
            self.note("query", f"{message.id} {message.action}")
        elif message.id == "telemetry":
            self.route_telemetry(message, link)
        else:
            self.note("unknown-component", f"there is no component {message.id[:64]!r}", "warning")

    def drive(self, message: Control) -> None:
        compat = self.config.mock_compat
        match message.action:
            case "enable":
                self.state.drive_enabled = True
                self.set_actuator("drive_mode", _number(message, "mode", 0.0, 255.0, 2.0))
            case "disable":
                self.state.drive_enabled = False
                self.set_velocity(0.0, 0.0)
            case "reset" if not compat:
                self.stop_everything()
            case "configure" if not compat or self.state.drive_enabled:
                speeds = self.wanted_speeds(message)
                if speeds is None:
                    self.note(
                        "bad-command",
                        f"drive: no usable velocity in {sorted(message.config)}",
                        "warning",
                    )
                else:
                    self.set_velocity(*speeds)

    def wanted_speeds(self, message: Control) -> tuple[float, float] | None:
        """Velocity as linear and angular, or as left and right wheel; both of a pair must be there."""
        given = {
            key: value
            for key, value in message.config.items()
            if isinstance(value, int | float)
            and not isinstance(value, bool)
            and math.isfinite(value)
        }
        if "linear" in given and "angular" in given:
            return float(given["linear"]), float(given["angular"])
        if "left" in given and "right" in given and not self.config.mock_compat:
            left, right = float(given["left"]), float(given["right"])
            return 0.5 * (left + right), (right - left) / self.config.robot.wheel_base
        return None

    def set_velocity(self, linear: float, angular: float) -> None:
        """The command, within the robot's limits, until another comes."""
        robot = self.config.robot
        linear = min(max(linear, -robot.max_linear_speed), robot.max_linear_speed)
        angular = min(max(angular, -robot.max_angular_speed), robot.max_angular_speed)
        self.state.commanded_ns = self.now_ns
        if (linear, angular) != self.goal():
            self.note(
                "velocity",
                f"velocity {linear:.3f} m/s, {angular:.3f} rad/s",
                linear=linear,
                angular=angular,
            )
        self.state.command = (linear, angular)
        self.state.body[b.GOAL_V], self.state.body[b.GOAL_W] = linear, angular

    def goal(self) -> tuple[float, float]:
        return self.state.command

    def watch_commands(self) -> None:
        quiet_ns = self.now_ns - self.state.commanded_ns
        if self.goal() != (0.0, 0.0) and quiet_ns > self.config.deadman_timeout_ms * 1e6:
            self.note("deadman", "no velocity command in time: stopping", "warning")
            self.set_velocity(0.0, 0.0)

    def stop_everything(self) -> None:
        """RESET of the drive is an emergency stop: wheels, lidar and all that turns."""
        self.set_velocity(0.0, 0.0)
        self.state.drive_enabled = False
        self.turn_lidar(False)
        for name in POWERED:
            self.set_actuator(name, 0.0)
        self.note("emergency-stop", "everything off", "warning")

    def switch_lidar(self, message: Control) -> None:
        match message.action:
            case "enable":
                self.turn_lidar(True)
                self.set_actuator("lidar_pwm", _number(message, "pwm", 0.0, 100.0))
            case "disable":
                self.turn_lidar(False)
            case "configure" if self.config.mock_compat:
                self.turn_lidar(True)
            case "configure":
                self.note("bad-command", "lidar: CONFIGURE does nothing; use ENABLE", "warning")

    def turn_lidar(self, on: bool) -> None:
        if on != self.state.lidar_on:
            self.state.lidar_on, self.state.lidar_since_ns = on, self.now_ns
            self.set_actuator("lidar", 100.0 if on else 0.0)

    def power_component(self, message: Control) -> None:
        match message.action:
            case "enable":
                self.set_actuator(message.id, 100.0)
            case "disable":
                self.set_actuator(message.id, 0.0)
            case "configure":
                self.set_actuator(message.id, _number(message, "speed", 0.0, 100.0))

    def set_actuator(self, name: str, value: float | None) -> None:
        """Keep and log a state; None, an unusable value, changes nothing."""
        if value is None or self.state.actuators.get(name, 0.0) == value:
            return
        self.state.actuators[name] = value
        if self.config.actuators.log_state_changes:
            self.note("actuator", f"{name} = {value:g}", name=name, value=value)

    def route_telemetry(self, message: Control, link: Link) -> None:
        """Our extension for clients behind NAT: ENABLE puts telemetry on this TCP connection, DISABLE back on UDP."""
        if link.id not in self.state.clients:
            return
        if message.action == "enable" and link.id not in self.state.over_tcp:
            self.drop_telemetry(link)
            self.state.over_tcp.append(link.id)
            self.tell_version(link)
        elif message.action == "disable" and link.id in self.state.over_tcp:
            self.drop_telemetry(link)
            self.open_telemetry(link)

    @on(ProtocolSync)
    def wake(self, message: ProtocolSync, link: Link) -> None:
        self.note("protocol-sync", "the MCU is awake")

    @on(Shutdown)
    def shut_down(self, message: Shutdown, link: Link) -> None:
        self.stop_everything()
        self.note("shutdown", "shut down by command")

    @on(Ignored)
    def ignore(self, message: Ignored, link: Link) -> None:
        self.count(
            "ignored_frames"
        )  # there can be thousands in one packet; a line each would drown the log


def _number(
    message: Control, key: str, low: float, high: float, default: float | None = None
) -> float | None:
    """A number of the config within its limits; the default if it is missing, None if it is no number."""
    value = message.config.get(key, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return None
    return min(max(float(value), low), high)
