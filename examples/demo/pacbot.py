"""Play matches of Pacbot: `python pacbot.py COMMANDS_URL GAME_URL`.

The game server's frames come by WebSocket, as at the competition; motor commands and encoder
readings go over ZeroMQ. The planner takes the shortest path to a pellet that keeps clear of ghosts.
Place and heading come from the encoders, and the frames have the cell that the camera sees. The
robot keeps its heading, and goes to the middle of a corridor before it drives along it. After the
last life a new match begins.
"""

import random
import sys
from collections import deque
from contextlib import suppress
from math import copysign, cos, sin, tau

import zmq
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from rigless.robots.pacbot.game.frame import Frame, read_frame
from rigless.worlds import find_maze, load_maze

MAZE = load_maze(find_maze("arena"))
OPEN = {(30 - row, column) for row, column in zip(*(~MAZE.cells).nonzero(), strict=True)}
CELL_M, M_PER_TICK, ARM_M = 0.0889, tau * 0.025 / 1000, 0.075
ASIDE_M = 0.012  # further from the middle of a corridor the robot does not drive along it
GHOST_DISTANCE = 4  # cells to keep from a ghost
PUSH, STILL_M = 0.08, 0.0006  # a command that moves the robot; motion per frame when it stands
CONTACT_M = CELL_M - 0.075  # from the middle of a corridor to the place where the robot touches
SEEN_M = CELL_M / 2 + 0.012  # the robot moves by 12 mm until the next frame
STUCK = 12  # frames
OVER = 24 * 4  # paused frames after which the match is over: the referee waits a second only
Cell = tuple[int, int]


def neighbours(cell: Cell) -> list[Cell]:
    row, column = cell
    near = ((row - 1, column), (row, column - 1), (row + 1, column), (row, column + 1))
    return [cell for cell in near if cell in OPEN]


def next_cell(frame: Frame, here: Cell) -> Cell:
    """Return the first cell of the path to the nearest pellet, or else away from the ghosts."""
    ghosts = [(g.place.row, g.place.column) for g in frame.ghosts if not g.fright_steps]

    def distance(cell: Cell) -> int:
        return min((abs(cell[0] - g[0]) + abs(cell[1] - g[1]) for g in ghosts), default=99)

    first, queue = {here: here}, deque([here])
    while queue:
        row, column = cell = queue.popleft()
        if cell != here and frame.pellets[row] >> column & 1:
            return first[cell]
        for near in neighbours(cell):
            if near not in first and distance(near) >= GHOST_DISTANCE:
                first[near] = near if cell == here else first[cell]
                queue.append(near)
    return max([here, *neighbours(here)], key=distance)


class Player:
    def __init__(self, commands: zmq.Socket):
        self.commands = commands
        self.ticks: list[float] | None = None
        self.speeds: dict[int, float] = {}
        self.stuck = 0  # frames without motion in spite of a command
        self.waits = False  # for the referee, who puts the robot at its start
        self.x, self.y = MAZE.centre(*MAZE.start)
        self.heading = 0.0
        self.wanted = (0.0, 0.0)  # the last command, to the east and to the north

    def request(self, **fields: object) -> dict:
        self.commands.send_json(fields)
        return self.commands.recv_json()

    def drive(self, right: float, ahead: float, turn: float = 0.0) -> None:
        """Set a velocity in the body frame, each part from -1 to 1; turn is counter-clockwise."""
        wheels = (right - turn, -right - turn, -ahead - turn, ahead - turn)
        for motor, wanted in enumerate(wheels):
            speed = round(min(max(wanted, -1.0), 1.0), 2)
            if speed != self.speeds.get(motor):
                self.request(command="move", id=motor, params={"speed": speed})
                self.speeds[motor] = speed

    def locate(self, frame: Frame) -> Cell:
        """Follow the place by the encoders; return the cell in rows and columns of the game."""
        readings = self.request(command="sensors")["encoders"]
        ticks = [readings[wheel] for wheel in ("north", "south", "east", "west")]
        north, south, east, west = (b - a for a, b in zip(self.ticks or ticks, ticks, strict=True))
        right, ahead = (north - south) / 2 * M_PER_TICK, (west - east) / 2 * M_PER_TICK
        self.heading -= (north + south + east + west) / 4 * M_PER_TICK / ARM_M
        dx = cos(self.heading) * right - sin(self.heading) * ahead
        dy = sin(self.heading) * right + cos(self.heading) * ahead
        self.ticks, self.x, self.y = ticks, self.x + dx, self.y + dy
        pushes = max(map(abs, self.speeds.values()), default=0.0) > PUSH
        self.stuck = self.stuck + 1 if pushes and abs(dx) + abs(dy) < STILL_M else 0
        if frame.pacman.row < 31:
            self.correct(frame.pacman.row, frame.pacman.column)
        return round(30.5 - self.y / CELL_M), round(self.x / CELL_M - 0.5)

    def correct(self, row: int, column: int) -> None:
        """Limit the place to the cell that the camera sees, and between its walls."""
        x, y = MAZE.centre(30 - row, column)
        if self.stuck == STUCK:  # it touches the wall that it is driven against
            east, north = self.wanted
            if abs(east) > abs(north):
                self.x = x + copysign(CONTACT_M, east)
            else:
                self.y = y + copysign(CONTACT_M, north)
        elif self.stuck > 2 * STUCK:
            self.x, self.y = (at + random.uniform(-0.5, 0.5) * CELL_M for at in (x, y))
            self.stuck = 0
        ways = {(near[0] - row, near[1] - column) for near in neighbours((row, column))}
        room_x = SEEN_M if ways & {(0, 1), (0, -1)} else CONTACT_M
        room_y = SEEN_M if ways & {(1, 0), (-1, 0)} else CONTACT_M
        self.x = min(max(self.x, x - room_x), x + room_x)
        self.y = min(max(self.y, y - room_y), y + room_y)

    def play(self, frame: Frame) -> None:
        here = self.locate(frame)
        if frame.mode == 0:  # paused: the referee puts the robot at its start, with motors off
            self.waits = frame.lives > 0
            self.speeds.clear()
            self.drive(0.0, 0.0)
            return
        if self.waits:
            self.waits, (self.x, self.y), self.heading = False, MAZE.centre(*MAZE.start), 0.0
        here = here if here in OPEN else nearest(here)
        row, column = next_cell(frame, here)
        goal_x, goal_y = MAZE.centre(30 - row, column)
        east, north = (
            min(max(8 * error, -1.0), 1.0) for error in (goal_x - self.x, goal_y - self.y)
        )
        if row != here[0] and abs(goal_x - self.x) > ASIDE_M:
            north = 0.0
        elif column != here[1] and abs(goal_y - self.y) > ASIDE_M:
            east = 0.0
        self.wanted = (east, north)
        c, s = cos(self.heading), sin(self.heading)
        self.drive(c * east + s * north, c * north - s * east, -self.heading)


def nearest(cell: Cell) -> Cell:
    return min(OPEN, key=lambda other: abs(cell[0] - other[0]) + abs(cell[1] - other[1]))


def newest_frame(game: ClientConnection) -> Frame:
    """Wait for a frame; skip those that came while the last one was handled."""
    data = game.recv()
    with suppress(TimeoutError):
        while True:
            data = game.recv(timeout=0)
    return read_frame(data)


def main(commands_url: str, game_url: str) -> None:
    with zmq.Context() as context, context.socket(zmq.REQ) as commands, connect(game_url) as game:
        commands.linger, commands.rcvtimeo = 0, 5000
        commands.req_relaxed = commands.req_correlate = 1  # a request may follow a lost reply
        commands.connect(commands_url)
        player, paused, score = Player(commands), 0, 0
        print("playing", flush=True)
        try:
            while True:
                frame = newest_frame(game)
                paused = paused + 1 if frame.mode == 0 else 0
                if paused == OVER:
                    print(f"match over: {score} points, level {frame.level}", flush=True)
                    player.waits = False  # the robot stays where it is
                    game.send(b"r")  # restart
                    game.send(b"P")  # play
                score = frame.score
                player.play(frame)
        except (zmq.Again, ConnectionClosed, TimeoutError) as error:
            sys.exit(f"the robot or the game does not answer: {error}")
        except KeyboardInterrupt:
            player.drive(0.0, 0.0)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main(*sys.argv[1:3])
