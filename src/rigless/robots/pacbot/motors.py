"""The Pacbot's four motors: wheel commands, the watchdog, and motor faults."""

from rigless.kernel.robot import Robot
from rigless.motion.omni import wheel_speeds
from rigless.robots.pacbot import body as b
from rigless.robots.pacbot.config import WHEELS, PacbotConfig
from rigless.robots.pacbot.state import PacbotState

MOTORS = tuple(f"wheel_{wheel}" for wheel in WHEELS)
STOPPED = (0.0, 0.0, 0.0, 0.0)


class Motors:
    def __init__(self, robot: Robot, config: PacbotConfig):
        self._robot, self._config = robot, config
        wheel_speeds(0.0, 0.0, 0.0, 1.0)  # compile or load it now, so that no live run stalls

    @property
    def _state(self) -> PacbotState:
        return self._robot.state

    def drive(self, speeds: dict[str, float]) -> None:
        """Command some wheels, as shares of full speed; the others keep their commands."""
        state = self._state
        state.move += 1
        state.commanded_ns, state.asleep = self._robot.now_ns, False
        north, south, east, west = (
            speeds.get(wheel, before) for wheel, before in zip(WHEELS, state.commands, strict=True)
        )
        self.set(north, south, east, west)

    def drive_body(self, right: float, forward: float, turn: float) -> None:
        """Command all wheels for a motion in the body's frame, of which 1 is full speed."""
        # With integers, numba would compile it once more.
        speeds = wheel_speeds(float(right), float(forward), float(turn), 1.0)
        self.drive(dict(zip(WHEELS, speeds, strict=True)))

    def set(self, north: float, south: float, east: float, west: float) -> None:
        """Set the commands; the motors follow with their lag."""
        self._state.commands = (north, south, east, west)
        self.restore_goal()

    def restore_goal(self) -> None:
        """Make the commands the goal of the motors; none while the emergency stop is on."""
        self._state.body[b.GOAL : b.GOAL + 4] = self._goals()

    def _goals(self) -> tuple[float, float, float, float]:
        return STOPPED if self._robot.input["estop"] else self._state.commands

    def stop_if_silent(self) -> None:
        """Watchdog: stop if the last command is too old."""
        state, watchdog_s = self._state, self._config.motors.watchdog_s
        silent_ns = self._robot.now_ns - state.commanded_ns
        if not state.asleep and silent_ns >= watchdog_s * 1e9:
            state.asleep = True
            self.set(*STOPPED)
            text = f"no motor command for {watchdog_s:g} s: stopped"
            self._robot.event("watchdog", text, "warning")

    def apply_faults(self) -> None:
        """Set the goals to what faulty motors make of the commands."""
        dt_s = 1.0 / self._config.physics_hz
        for place, (motor, command) in enumerate(zip(MOTORS, self._goals(), strict=True)):
            self._state.body[b.GOAL + place] = self._robot.actuate(motor, command, dt_s)

    def remember_goals(self) -> None:
        """Note the goals, from which a fault with a lag begins."""
        for place, motor in enumerate(MOTORS):
            self._robot.actuated[motor] = self._state.body.item(b.GOAL + place)
