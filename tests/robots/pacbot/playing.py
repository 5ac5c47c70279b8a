"""A game without a robot, on the competition's board, with ghosts that choose predictably."""

from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.frame import GameCodec, frame_of, write_frame
from rigless.robots.pacbot.game.rules import Game
from rigless.robots.pacbot.game.state import fresh_game
from rigless.worlds.bundled import find_maze
from rigless.worlds.mazes.maze_file import load_maze

BOARD = b.Board(load_maze(find_maze("arena")))
MOVES = {"w": b.UP, "a": b.LEFT, "s": b.DOWN, "d": b.RIGHT}


class LastWay:
    """A stand-in for a random stream."""

    def integers(self, count):
        return count - 1


class Table:
    """A game, tick by tick; its events are in `events`."""

    def __init__(self, ghosts=4):
        self.events = []
        self.state = fresh_game(BOARD, ghosts)
        self.game = Game(self.state, BOARD, LastWay(), lambda code, text: self.events.append(code))

    def tick(self, *messages):
        """Do one tick with these client commands, and return its frame."""
        game = self.game
        game.begin_tick()
        frame = write_frame(frame_of(self.state))
        for message in messages:
            for command in GameCodec().decode(message):
                match command.letter:
                    case "p":
                        game.pause()
                    case "P":
                        game.play()
                    case "r" | "R":
                        game.restart()
                    case "x":
                        game.locate(command.row, command.column)
                    case letter:
                        game.move(MOVES[letter])
        game.end_tick()
        return frame

    def steps(self, count):
        """Let the ghosts make this many steps."""
        for _ in range(count * self.state.ticks_per_step):
            self.tick()

    def playing(self):
        self.tick(b"P")
        return self

    def put(self, row, column):
        """Put Pacman into a cell without side effects."""
        self.state.pacman.put((row, column))
