"""The rover's drive: the velocity command with its timeout, the e-stop, and drive faults."""

import math

from rigless.kernel.robot import Robot
from rigless.kernel.timing.rate import to_ns
from rigless.motion.diff_drive import clamp
from rigless.robots.rover import body as b
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.state import RoverState
from rigless.ros.messages import Twist

MAX_SPEED = 1e3  # m/s and rad/s: commands are cut here, so that numbers stay finite
FULL_V, FULL_W = 1.0, 1.0  # the speeds of a runaway drive if the config sets no limit


class Motors:
    def __init__(self, robot: Robot, config: RoverConfig):
        self._robot, self._config = robot, config
        self._timeout_ns = to_ns(config.cmd_vel_timeout_s)

    @property
    def _state(self) -> RoverState:
        return self._robot.state

    @property
    def timeout_in_ns(self) -> int:
        """The time until the command times out; negative if it is too old."""
        return self._state.commanded_ns + self._timeout_ns - self._robot.now_ns

    def accept_command(self, message: Twist) -> None:
        """Store the speeds of a cmd_vel, within the limits; refuse what is not finite."""
        v, w = message.linear.x, message.angular.z
        if not (math.isfinite(v) and math.isfinite(w)):
            text = f"cmd_vel is not a number: linear.x {v}, angular.z {w}"
            self._robot.event("bad-command", text, "warning")
            return
        limits, state = self._config.limits, self._state
        linear = clamp(v, limits.linear_mps or MAX_SPEED)
        angular = clamp(w, limits.angular_radps or MAX_SPEED)
        state.command = (linear, angular)
        state.commanded_ns, state.stale = self._robot.now_ns, False

    def update_goal(self) -> None:
        """Set the goal of this tick: the command, or 0 if it is too old or the e-stop is set."""
        state, config = self._state, self._config
        if not state.stale and self.timeout_in_ns < 0:
            state.stale = True
            if state.command != (0.0, 0.0):
                text = f"no cmd_vel for {config.cmd_vel_timeout_s:g} s: stopping"
                self._robot.event("cmd-vel-timeout", text)
        v, w = (0.0, 0.0) if state.stale or self._robot.input["estop"] else state.command
        if self._robot.faults:
            dt_s, limits = config.high_rate_update_period_s, config.limits
            v = self._robot.actuate("drive", v, dt_s, limits.linear_mps or FULL_V)
            w = self._robot.actuate("steering", w, dt_s, limits.angular_radps or FULL_W)
        state.body[b.GOAL_V], state.body[b.GOAL_W] = v, w
