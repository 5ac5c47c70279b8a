"""The vacuum's motors and switches: the drive, the lidar's motor, brushes, pump and LEDs."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from rigless.kernel.faults import Fault
from rigless.motion.diff_drive import body_speeds, wheel_speeds
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.state import VacuumState

POWERED = ("vacuum", "main_brush", "side_brush", "water_pump")  # 0 to 100 %
STOPPED = (0.0, 0.0)
WHEELS = ("wheel_left", "wheel_right")
LOG_EVERY_NS = 10**9  # between events of the velocity
LARGE_LINEAR, LARGE_ANGULAR = 0.05, 0.2  # m/s and rad/s since the last event


class Actuated(Protocol):
    """The part of a robot that its motors use: time, inputs, state, and faults of its wheels."""

    actuated: dict[str, float]

    @property
    def now_ns(self) -> int: ...
    @property
    def input(self) -> Mapping[str, Any]: ...
    @property
    def state(self) -> VacuumState: ...
    def actuate(self, actuator: str, command: float, dt_s: float, full: float) -> float: ...
    def fault(self, target: str, kind: str) -> Fault | None: ...


class Motors:
    """Set and log what turns.

    `note` logs an event as far as the log level allows it. `log_later` calls `log_velocity` after
    some seconds.
    """

    def __init__(
        self,
        robot: Actuated,
        config: VacuumConfig,
        note: Callable[..., None],
        log_later: Callable[[float], None],
    ):
        self._robot, self._config, self._note = robot, config, note
        self._log_later = log_later

    def warm_up(self) -> None:
        """Compile or load the functions that only some commands and faults need."""
        base_m = self._config.robot.wheel_base
        body_speeds(*wheel_speeds(0.0, 0.0, base_m), base_m)

    @property
    def _state(self) -> VacuumState:
        return self._robot.state

    # The drive

    def set_velocity(self, linear: float, angular: float) -> None:
        """Drive at this velocity, within the robot's limits, until the next command."""
        limits = self._config.robot
        linear = min(max(linear, -limits.max_linear_speed), limits.max_linear_speed)
        angular = min(max(angular, -limits.max_angular_speed), limits.max_angular_speed)
        self._state.commanded_ns = self._robot.now_ns
        self._state.command = (linear, angular)
        self.log_velocity()
        self.restore_goal()

    def log_velocity(self) -> None:
        """Log the velocity if it started, stopped or changed much since the last event.

        There is at most one event a second, because a client may send many commands. A timer logs
        a change that comes too early.
        """
        state, now_ns = self._state, self._robot.now_ns
        (linear, angular), (old_linear, old_angular) = state.command, state.logged
        changed = (state.command == STOPPED) != (state.logged == STOPPED) or (
            abs(linear - old_linear) >= LARGE_LINEAR or abs(angular - old_angular) >= LARGE_ANGULAR
        )
        if not changed or state.log_due_ns > now_ns:
            return
        early_ns = state.logged_ns + LOG_EVERY_NS - now_ns
        if early_ns > 0:
            state.log_due_ns = now_ns + early_ns
            self._log_later(early_ns / 1e9)
            return
        text = f"velocity {linear:.3f} m/s, {angular:.3f} rad/s"
        self._note("velocity", text, linear=linear, angular=angular)
        state.logged, state.logged_ns = state.command, now_ns

    def restore_goal(self) -> None:
        """Make the commanded velocity the goal of the body's ramp."""
        goal = STOPPED if self._robot.input["estop"] else self._state.command
        self._state.body[b.GOAL_V], self._state.body[b.GOAL_W] = goal

    def stop_if_silent(self) -> None:
        """Dead man's switch: stop if the last velocity command is too old."""
        silent_ns = self._robot.now_ns - self._state.commanded_ns
        if self._state.command != STOPPED and silent_ns > self._config.deadman_timeout_ms * 1e6:
            self._note("deadman", "no velocity command in time: stopping", "warning")
            self.set_velocity(*STOPPED)

    def apply_faults(self, dt_s: float) -> None:
        """Set the goal to the velocity that the faulty wheels give, if one is faulty."""
        if all(self._robot.fault(wheel, "") is None for wheel in WHEELS):
            return
        limits, body = self._config.robot, self._state.body
        goal = STOPPED if self._robot.input["estop"] else self._state.command
        left, right = wheel_speeds(*goal, limits.wheel_base)
        left = self._robot.actuate("wheel_left", left, dt_s, limits.max_linear_speed)
        right = self._robot.actuate("wheel_right", right, dt_s, limits.max_linear_speed)
        body[b.GOAL_V], body[b.GOAL_W] = body_speeds(left, right, limits.wheel_base)

    def set_slip(self) -> None:
        """Set the share of each wheel's travel that is lost, by its fault."""
        for wheel, index in zip(WHEELS, (b.SLIP_LEFT, b.SLIP_RIGHT), strict=True):
            fault = self._robot.fault(wheel, "slip")
            self._state.body[index] = fault.params["share"] if fault else 0.0

    def remember_speeds(self) -> None:
        """Note the wheels' speeds, from which a fault with a lag begins."""
        body, actuated = self._state.body, self._robot.actuated
        actuated["wheel_left"], actuated["wheel_right"] = wheel_speeds(
            body[b.V], body[b.W], self._config.robot.wheel_base
        )

    # Everything else that is switched

    def set_lidar(self, on: bool) -> None:
        if on != self._state.lidar_on:
            self._state.lidar_on, self._state.lidar_since_ns = on, self._robot.now_ns
            self.set_actuator("lidar", 100.0 if on else 0.0)

    def set_actuator(self, name: str, value: float | None) -> None:
        """Store and log a value; None, an unusable value, changes nothing."""
        if value is None or self._state.actuators.get(name, 0.0) == value:
            return
        self._state.actuators[name] = value
        if self._config.actuators.log_state_changes:
            self._note("actuator", f"{name} = {value:g}", name=name, value=value)

    def stop_all(self) -> None:
        """Emergency stop: wheels, lidar, brushes and pump off."""
        self.set_velocity(*STOPPED)
        self._state.drive_enabled = False
        self.set_lidar(False)
        for name in POWERED:
            self.set_actuator(name, 0.0)
        self._note("emergency-stop", "everything off", "warning")
