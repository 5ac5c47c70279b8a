"""What the rover is told: speeds, which grow old, and what people set by hand."""

import math

from rigless.kernel.inputs import SetInput
from rigless.kernel.ports import Link
from rigless.kernel.rate import to_ns
from rigless.kernel.robot import on
from rigless.motion.diff_drive import clamp, wrap
from rigless.robots.rover import body as b
from rigless.robots.rover.mounting import Mounting
from rigless.ros.codec import Published
from rigless.ros.messages import TFMessage, Twist, TwistStamped

FASTEST = 1e3  # m/s and rad/s: no command is larger, so that numbers stay numbers
FARTHEST = 1e9
FULL_V, FULL_W = 1.0, 1.0  # what a runaway drive does where the config sets no limit
LATEST_EPOCH_S = 2e9  # stamps have 31 bits of seconds


class Commands(Mounting):
    timeout_ns: int

    @on(Published)
    def hear(self, message: Published, link: Link) -> None:
        """What comes on a topic; what is sent to the robot by its name comes as it is."""
        match message.message:
            case Twist() as twist:
                self.obey(twist, link)
            case TwistStamped() as stamped:
                self.obey_stamped(stamped, link)
            case TFMessage() as transforms:
                self.hear_transforms(transforms, link)

    @on(TwistStamped)
    def obey_stamped(self, message: TwistStamped, link: Link) -> None:
        self.obey(message.twist, link)

    @on(Twist)
    def obey(self, message: Twist, link: Link) -> None:
        v, w = message.linear.x, message.angular.z
        if not (math.isfinite(v) and math.isfinite(w)):
            self.event(
                "bad-command", f"cmd_vel is not a number: linear.x {v}, angular.z {w}", "warning"
            )
            return
        limits = self.config.limits
        self.state.command = (
            clamp(v, limits.linear_mps or FASTEST),
            clamp(w, limits.angular_radps or FASTEST),
        )
        self.state.commanded_ns, self.state.stale = self.now_ns, False

    @on(SetInput)
    def set(self, message: SetInput, link: Link) -> None:
        if message.name == "epoch_s":
            self.state.epoch_ns = to_ns(min(max(self.input["epoch_s"], 0.0), LATEST_EPOCH_S))
        elif message.name == "teleport":
            try:
                x, y, yaw = [
                    float(part)
                    for part in (*self.input["teleport"].replace(",", " ").split(), "0")[:3]
                ]
            except ValueError:
                x = y = yaw = math.nan
            if max(abs(x), abs(y), abs(yaw)) < FARTHEST:
                self.place(x, y, yaw)
            elif self.input["teleport"]:
                self.event(
                    "bad-teleport",
                    f"{self.input['teleport'][:60]!r} is no place; write x, y and yaw",
                    "warning",
                )

    def heed(self) -> None:
        """The speeds to go to at this tick: those commanded, unless they are too old, or stopped, or the drive is faulty."""
        state, config = self.state, self.config
        if not state.stale and self.now_ns - state.commanded_ns > self.timeout_ns:
            state.stale = True
            if state.command != (0.0, 0.0):
                self.event(
                    "cmd-vel-timeout", f"no cmd_vel for {config.cmd_vel_timeout_s:g} s: stopping"
                )
        v, w = (0.0, 0.0) if state.stale or self.input["estop"] else state.command
        if self.faults:
            dt = config.high_rate_update_period_s
            v = self.actuate("drive", v, dt, config.limits.linear_mps or FULL_V)
            w = self.actuate("steering", w, dt, config.limits.angular_radps or FULL_W)
        state.body[b.GOAL_V], state.body[b.GOAL_W] = v, w

    def place(self, x_m: float, y_m: float, yaw_rad: float) -> None:
        self.state.body[b.X], self.state.body[b.Y], self.state.body[b.YAW] = x_m, y_m, wrap(yaw_rad)
