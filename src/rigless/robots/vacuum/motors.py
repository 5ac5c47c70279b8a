"""The vacuum's motors and switches: the drive, the lidar's motor, brushes, pump and LEDs."""

from collections.abc import Callable

from rigless.kernel.robot import Robot
from rigless.motion.diff_drive import body_speeds, wheel_speeds
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.state import VacuumState

POWERED = ("vacuum", "main_brush", "side_brush", "water_pump")  # 0 to 100 %
STOPPED = (0.0, 0.0)


class Motors:
    """Set and log what turns. `note` logs an event as far as the log level allows it."""

    def __init__(self, robot: Robot, config: VacuumConfig, note: Callable[..., None]):
        self._robot, self._config, self._note = robot, config, note

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
        if (linear, angular) != self._state.command:
            text = f"velocity {linear:.3f} m/s, {angular:.3f} rad/s"
            self._note("velocity", text, linear=linear, angular=angular)
        self._state.command = (linear, angular)
        self.restore_goal()

    def restore_goal(self) -> None:
        """Make the commanded velocity the goal of the body's ramp."""
        self._state.body[b.GOAL_V], self._state.body[b.GOAL_W] = self._state.command

    def stop_if_silent(self) -> None:
        """Dead man's switch: stop if the last velocity command is too old."""
        silent_ns = self._robot.now_ns - self._state.commanded_ns
        if self._state.command != STOPPED and silent_ns > self._config.deadman_timeout_ms * 1e6:
            self._note("deadman", "no velocity command in time: stopping", "warning")
            self.set_velocity(*STOPPED)

    def apply_faults(self, dt_s: float) -> None:
        """Set the goal to the velocity that the faulty wheels give."""
        limits, body = self._config.robot, self._state.body
        left, right = wheel_speeds(*self._state.command, limits.wheel_base)
        left = self._robot.actuate("wheel_left", left, dt_s, limits.max_linear_speed)
        right = self._robot.actuate("wheel_right", right, dt_s, limits.max_linear_speed)
        body[b.GOAL_V], body[b.GOAL_W] = body_speeds(left, right, limits.wheel_base)

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
