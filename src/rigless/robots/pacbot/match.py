"""A match: the game server's clock, the overhead camera, and the referee.

The camera reports the cell that the robot is in; the referee puts the robot back after a life or a
level. That closes the loop: pose → camera → game → client → wheels.
"""

from collections.abc import Callable
from dataclasses import dataclass

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.robots.pacbot import body as body_places
from rigless.robots.pacbot.config import Game as GameConfig
from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.frame import Frame, GameCommand, frame_of
from rigless.robots.pacbot.game.rules import Game
from rigless.robots.pacbot.game.state import fresh_game
from rigless.robots.pacbot.motors import STOPPED, Motors
from rigless.robots.pacbot.state import PacbotState
from rigless.worlds.mazes.maze import Maze

FRAME_PORTS = ("game", "game_tcp")
MAX_QUEUED = 100  # commands between two ticks; the real server's queue is as long
MOVES = {"w": b.UP, "a": b.LEFT, "s": b.DOWN, "d": b.RIGHT}
Pose = tuple[float, float, float]


@dataclass(frozen=True)
class MatchTimers:
    """The robot's methods for the timers of a match; they call the match's methods."""

    report: Callable[[int, int], None]
    kick_off: Callable[[], None]


def board_of(maze: Maze | None, robot: str) -> b.Board:
    """Return the game's board. Raises InputError if the maze is not the competition's."""
    if maze is None or not b.Board.fits(maze):
        what = f"the game needs a maze of {b.COLUMNS} by {b.ROWS} cells with pellets"
        raise InputError(Problem(robot, what, "maze=arena or maze=full"))
    return b.Board(maze)


class Match:
    """Play the game over the robot's state. `home` is the pose that the referee puts it at."""

    def __init__(
        self,
        robot: Robot,
        config: GameConfig,
        board: b.Board,
        home: Pose,
        motors: Motors,
        timers: MatchTimers,
    ):
        self._robot, self._config, self.board, self._home = robot, config, board, home
        self._motors, self._timers = motors, timers
        self._state.game = fresh_game(board, config.ghosts)
        self._call_referee()

    @property
    def _state(self) -> PacbotState:
        return self._robot.state

    def _game(self) -> Game:
        """Return the rules over the present state."""
        assert self._state.game is not None
        return Game(self._state.game, self.board, self._robot.random("ghosts"), self._robot.event)

    def frame(self) -> Frame:
        assert self._state.game is not None
        return frame_of(self._state.game)

    # The game server

    def play(self) -> None:
        """Advance the game by a tick, and execute the commands since the last one."""
        state, game = self._state, self._game()
        mode_before = game.state.mode
        game.begin_tick()
        paused_by_rules = mode_before != b.PAUSED and game.state.mode == b.PAUSED
        if paused_by_rules and game.state.lives > 0:
            self._call_referee()
        for port in FRAME_PORTS:
            if self._robot.wanted(port):
                self._robot.emit(port, self.frame())
        commands, state.game_commands = state.game_commands, []
        for letter, row, column in commands:
            _execute(game, letter, row, column)
        game.end_tick()

    def accept(self, message: GameCommand) -> None:
        """Queue a client's command for the next tick, after its frame; count a bad one."""
        outside = message.letter == "x" and not (
            0 <= message.row < b.ROWS and 0 <= message.column < b.COLUMNS
        )
        if outside or message.letter not in (*MOVES, *"pPrRx"):
            self._robot.count("game_refused")
        else:
            self._queue(message.letter, message.row, message.column)

    def _queue(self, letter: str, row: int = -1, column: int = -1) -> None:
        if len(self._state.game_commands) >= MAX_QUEUED:
            self._robot.count("game_refused")
        else:
            self._state.game_commands.append((letter, row, column))

    # The camera

    def look(self) -> None:
        """Take a picture from above; its report comes after the camera's delay."""
        camera, body = self._config.camera, self._state.body
        x_m, y_m = body.item(body_places.X), body.item(body_places.Y)
        if camera.noise_stddev_m > 0:
            error = self._robot.random("camera").normal(0.0, camera.noise_stddev_m, 2)
            x_m, y_m = x_m + float(error[0]), y_m + float(error[1])
        cell = self.board.nearest(x_m, y_m)
        if cell is not None:
            self._robot.after(camera.delay_s, self._timers.report, *cell)

    def report(self, row: int, column: int) -> None:
        """Set the game's Pacman to the cell that the camera saw."""
        self._state.reported = (row, column)
        self._queue("x", row, column)

    # The referee

    def _call_referee(self) -> None:
        if self._config.referee_s > 0:
            self._robot.after(self._config.referee_s, self._timers.kick_off)

    def kick_off(self) -> None:
        """Put the robot at its start, at rest, and resume the game."""
        body = self._state.body
        body[body_places.X : body_places.THETA + 1] = self._home
        body[body_places.VX : body_places.U + 4] = 0.0
        self._motors.set(*STOPPED)
        self._queue("P")
        self._robot.event("game-kick-off", "the referee put the robot at its start: play")


def _execute(game: Game, letter: str, row: int, column: int) -> None:
    match letter:
        case "p":
            game.pause()
        case "P":
            game.play()
        case "r" | "R":
            game.restart()
        case "x":
            game.locate(row, column)
        case _:
            game.move(MOVES[letter])
