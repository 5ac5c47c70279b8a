"""A match against the ghosts: pose → overhead camera → game server → planner → wheels → pose, all in virtual time.

The planner knows what a team's laptop knows: the game's frames and the robot's encoders. It goes to the nearest pellet on a way
that keeps clear of ghosts; a referee puts the robot back when one has caught it.
"""

import math
from collections import deque

import rigless
from rigless.robots.pacbot.wire import Command, Encoders
from rigless.worlds import find_maze, load_maze

MAZE = load_maze(find_maze("arena"))
OPEN = {
    (30 - row, column) for row, column in zip(*(~MAZE.cells).nonzero(), strict=True)
}  # 0 is the top, in the game
AROUND = ((-1, 0), (0, -1), (1, 0), (0, 1))
M_PER_TICK = 2 * math.pi * 0.025 / 1000
SHY = 4  # cells from a ghost that are no way to go


def next_cell(frame, here):
    """The first cell on the way to the nearest pellet; if no way is safe, any cell beside us that is."""
    ghosts = [ghost.place for ghost in frame.ghosts if not ghost.fright_steps]
    safe = {
        cell
        for cell in OPEN
        if all(abs(cell[0] - g.row) + abs(cell[1] - g.column) >= SHY for g in ghosts)
    }
    first, queue = {here: here}, deque([here])
    while queue:
        row, column = cell = queue.popleft()
        if cell != here and frame.pellets[row] >> column & 1:
            return first[cell]
        for near in ((row + down, column + right) for down, right in AROUND):
            if near in safe and near not in first:
                first[near] = near if cell == here else first[cell]
                queue.append(near)
    return next((cell for cell in first if first[cell] == cell != here), here)


def main() -> None:
    sim = rigless.load("pacbot", seed=4, settings=["game.enabled=true", "game.referee_s=1"])
    at, ticks = MAZE.centre(*MAZE.start), [0.0] * 4
    for tick in range(24 * 90):
        sim.run(1 / 24)
        *_, frame = sim.take("pacbot", "game")
        *_, count = (
            list(said.ticks.values())
            for said in sim.take("pacbot", "sensors")
            if isinstance(said, Encoders)
        )
        north, south, east, west = (now - before for now, before in zip(count, ticks, strict=True))
        at, ticks = (
            (at[0] + (north - south) / 2 * M_PER_TICK, at[1] + (west - east) / 2 * M_PER_TICK),
            count,
        )
        if frame.mode == 0:
            at = MAZE.centre(*MAZE.start)  # the referee's doing
        row, column = next_cell(frame, (round(30.5 - at[1] / 0.0889), round(at[0] / 0.0889 - 0.5)))
        goal = MAZE.centre(30 - row, column)
        right, ahead = (
            min(max(8 * (there - here), -1), 1) for there, here in zip(goal, at, strict=True)
        )
        for motor, speed in enumerate((right, -right, -ahead, ahead)):
            sim.send("pacbot", "commands", Command("move", motor, speed=speed))
        if tick % (24 * 15) == 24 * 15 - 1:
            left = sum(map(int.bit_count, frame.pellets))
            print(
                f"{sim.now_s:3.0f} s   {frame.score:5} points   {244 - left:3} pellets   {frame.lives} lives"
            )


main()
