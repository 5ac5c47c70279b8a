"""A match: the game server's clock, the overhead camera that sees the robot and tells the game which cell it is in, and a referee
who puts the robot back after a life or a level. So the loop is closed: pose → camera → game → client → wheels."""

from typing import TYPE_CHECKING, Any

from rigless.kernel.ports import Link
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import every, on
from rigless.robots.pacbot import body as body_places
from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.frame import Frame, GameCommand, frame_of
from rigless.robots.pacbot.game.rules import Game
from rigless.robots.pacbot.game.state import fresh_game
from rigless.worlds.maze import MazeWorld

if TYPE_CHECKING:
    from rigless.robots.pacbot.config import PacbotConfig
    from rigless.robots.pacbot.state import PacbotState

MOST_WAITING = 100  # commands between two ticks; the real server's queue is as long
MOVES = {"w": b.UP, "a": b.LEFT, "s": b.DOWN, "d": b.RIGHT}


class Match:
    """The part of the Pacbot that plays; mixed into it."""

    if TYPE_CHECKING:
        config: PacbotConfig
        state: PacbotState
        name: str
        world: Any
        after: Any
        begin_at: Any
        count: Any
        emit: Any
        event: Any
        obey: Any
        random: Any
        wanted: Any

    board: b.Board | None = None

    def start_match(self) -> None:
        settings = self.config.game
        if not settings.enabled:
            return
        maze = self.world.maze if isinstance(self.world, MazeWorld) else None
        if maze is None or not b.Board.fits(maze):
            what = f"the game needs a maze of {b.COLUMNS} by {b.ROWS} cells with pellets"
            raise InputError(Problem(self.name, what, "maze=arena or maze=full"))
        self.board = b.Board(maze)
        self.state.game = fresh_game(self.board, settings.ghosts)
        if settings.referee_s > 0:
            self.after(settings.referee_s, self.kick_off)

    def game(self) -> Game:
        """The rules over the state as it is now."""
        assert self.board is not None
        assert self.state.game is not None
        return Game(
            self.state.game,
            self.board,
            self.random("ghosts"),
            lambda code, text: self.event(code, text),
        )

    @every(lambda config: config.game.rate_hz if config.game.enabled else 0)
    def play(self) -> None:
        state, game = self.state, self.game()
        was = game.state.mode
        game.begin_tick()
        if (
            was != b.PAUSED and game.state.mode == b.PAUSED and game.state.lives > 0
        ):  # the rules did that
            self.call_referee()
        if self.wanted("game"):
            self.emit("game", self.frame())
        waiting, state.said = state.said, []
        for letter, row, column in waiting:
            self.do(game, letter, row, column)
        game.end_tick()

    def frame(self) -> Frame:
        assert self.state.game is not None
        return frame_of(self.state.game)

    def do(self, game: Game, letter: str, row: int, column: int) -> None:
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

    @on(GameCommand)
    def hear(self, message: GameCommand, link: Link) -> None:
        """Commands are done at the next tick, after its frame has gone out."""
        nowhere = message.letter == "x" and not (
            0 <= message.row < b.ROWS and 0 <= message.column < b.COLUMNS
        )
        if nowhere or message.letter not in (*MOVES, *"pPrRx"):
            self.count("game_refused")
        else:
            self.say(message.letter, message.row, message.column)

    def say(self, letter: str, row: int = -1, column: int = -1) -> None:
        if self.state.game is None or len(self.state.said) >= MOST_WAITING:
            self.count("game_refused")
        else:
            self.state.said.append((letter, row, column))

    # The camera

    @every(lambda config: config.game.camera.rate_hz if config.game.enabled else 0)
    def look(self) -> None:
        """See the robot from above; the report comes later."""
        assert self.board is not None
        camera, body = self.config.game.camera, self.state.body
        x_m, y_m = body.item(body_places.X), body.item(body_places.Y)
        if camera.noise_stddev_m > 0:
            off = self.random("camera").normal(0.0, camera.noise_stddev_m, 2)
            x_m, y_m = x_m + float(off[0]), y_m + float(off[1])
        cell = self.board.nearest(x_m, y_m)
        if cell is not None:
            self.after(camera.delay_s, self.report, *cell)

    def report(self, row: int, column: int) -> None:
        self.state.reported = (row, column)
        self.say("x", row, column)

    # The referee

    def call_referee(self) -> None:
        if self.config.game.referee_s > 0:
            self.after(self.config.game.referee_s, self.kick_off)

    def kick_off(self) -> None:
        """The robot stands at its start, at rest, and the game goes on."""
        body = self.state.body
        maze = self.world.maze if isinstance(self.world, MazeWorld) else None
        body[body_places.X : body_places.THETA + 1] = self.begin_at(maze)
        body[body_places.VX : body_places.U + 4] = 0.0
        self.obey((0.0, 0.0, 0.0, 0.0))
        self.say("P")
        self.event("game-kick-off", "the referee has put the robot at its start: play")
