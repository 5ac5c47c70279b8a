"""The Pacbot's commands: one motor by JSON, or a key or a tile by command string."""

from collections.abc import Callable
from typing import Any

from rigless.kernel.robot import Robot
from rigless.robots.pacbot.config import WHEELS, PacbotConfig
from rigless.robots.pacbot.motors import Motors
from rigless.robots.pacbot.wire import Command, Reply
from rigless.worlds.mazes.maze import CELL_SIZE_M, MazeWorld

STOPPED = 0.01  # [wire] a smaller speed is reported as stopped
KEYS = {
    "w": (0, 1, 0),
    "s": (0, -1, 0),
    "a": (-1, 0, 0),
    "d": (1, 0, 0),
    "q": (0, 0, 1),
    "e": (0, 0, -1),
}  # right, forward, turn
TILES = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
STOPS = ("", "stop", "x")


def command_motor(message: Command, config: PacbotConfig, motors: Motors) -> Reply:
    """Set the speed of the motor that a command names by id or pins, and return the reply."""
    echo: dict[str, Any] = {"command": message.command}
    if message.id is not None:
        echo["id"] = message.id
        unknown = f"Unknown motor id: {message.id}"
        wheel = WHEELS[message.id] if 0 <= message.id < len(WHEELS) else None
    else:
        echo |= {"pin1": message.pin1, "pin2": message.pin2}
        unknown = f"Unknown motor pins ({message.pin1}, {message.pin2})"
        pins = {message.pin1, message.pin2}
        wheel = next((name for name in WHEELS if set(getattr(config.pins, name)) == pins), None)
    if wheel is None:
        return Reply("warning", unknown, echo)
    speed = min(max(float(message.speed), -1.0), 1.0)
    motors.drive({wheel: speed})
    return Reply("ok", f"{wheel} {_motion(speed)}", echo, wheel)


def _motion(speed: float) -> str:
    if abs(speed) < STOPPED:
        return "stopped"
    return f"{'forward' if speed > 0 else 'backward'} at {abs(speed)}"


class Words:
    """Execute command strings: a key until the next command, or a move by one tile."""

    def __init__(
        self, robot: Robot, config: PacbotConfig, motors: Motors, end_tile: Callable[[int], None]
    ):
        self._robot, self._config, self._motors, self._end_tile = robot, config, motors, end_tile

    def execute(self, text: str) -> None:
        word = text.lower()
        if word in KEYS:
            self._motors.drive_body(*KEYS[word])
        elif word in TILES:
            self._move_one_tile(*TILES[word])
        elif word in STOPS:
            self._motors.drive_body(0, 0, 0)
        else:
            self._robot.event("unknown-word", f"unknown command string {text!r}", "warning")

    def _move_one_tile(self, right: int, forward: int) -> None:
        """Drive one cell in `tile_s`; take longer if that needs more than full speed."""
        world, body, motors = self._robot.world, self._config.body, self._config.motors
        size_m = world.maze.cell_size_m if isinstance(world, MazeWorld) else CELL_SIZE_M
        distance_m = size_m * (1 + body.damping_per_s * motors.tau_s)
        share = distance_m / (self._config.tile_s * body.wheel_speed_mps)
        speed = min(share, 1.0)
        self._motors.drive_body(speed * right, speed * forward, 0)
        duration_s = self._config.tile_s * share / speed
        self._robot.after(duration_s, self._end_tile, self._robot.state.move)

    def end_tile(self, move: int) -> None:
        """Stop at the end of a tile, unless there was another command since."""
        if move == self._robot.state.move:
            self._motors.drive_body(0, 0, 0)
