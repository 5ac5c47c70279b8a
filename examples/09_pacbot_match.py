"""A match against the ghosts: camera → game server → planner → wheels, all in virtual time.

The planner knows the game's frames and the robot's encoders. It goes to the nearest pellet on a
path clear of ghosts; a referee puts the robot back when one has caught it.
"""

from collections import deque

import rigless
from rigless.robots.pacbot.wire import Command, Encoders
from rigless.worlds import find_maze, load_maze

MAZE = load_maze(find_maze("arena"))
OPEN = {(30 - row, column) for row, column in zip(*(~MAZE.cells).nonzero(), strict=True)}
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1))
M_PER_TICK = 2 * 3.14159265 * 0.025 / 1000
GHOST_DISTANCE = 4  # cells to keep from a ghost


def next_cell(frame, here):
    """Return the first cell of the path to the nearest pellet, or any safe neighbour."""
    ghosts = [(g.place.row, g.place.column) for g in frame.ghosts if not g.fright_steps]
    first, queue = {here: here}, deque([here])
    while queue:
        row, column = cell = queue.popleft()
        if cell != here and frame.pellets[row] >> column & 1:
            return first[cell]
        for near in ((row + down, column + right) for down, right in NEIGHBOURS):
            clear = all(abs(near[0] - g[0]) + abs(near[1] - g[1]) >= GHOST_DISTANCE for g in ghosts)
            if clear and near in OPEN and near not in first:
                first[near] = near if cell == here else first[cell]
                queue.append(near)
    return next((cell for cell in first if first[cell] == cell != here), here)


sim = rigless.load("pacbot", seed=4, settings=["game.enabled=true", "game.referee_s=1"])
x, y = MAZE.centre(*MAZE.start)
before = [0.0] * 4
for tick in range(1, 24 * 90 + 1):
    sim.run(1 / 24)
    *_, frame = sim.take("pacbot", "game")
    *_, encoders = (m for m in sim.take("pacbot", "sensors") if isinstance(m, Encoders))
    ticks = list(encoders.ticks.values())
    north, south, east, west = (b - a for a, b in zip(before, ticks, strict=True))
    x, y = x + (north - south) / 2 * M_PER_TICK, y + (west - east) / 2 * M_PER_TICK
    before = ticks
    if frame.mode == 0:  # paused: the referee has put the robot back
        x, y = MAZE.centre(*MAZE.start)
    row, column = next_cell(frame, (round(30.5 - y / 0.0889), round(x / 0.0889 - 0.5)))
    goal_x, goal_y = MAZE.centre(30 - row, column)
    right, ahead = (min(max(8 * error, -1), 1) for error in (goal_x - x, goal_y - y))
    for motor, speed in enumerate((right, -right, -ahead, ahead)):
        sim.send("pacbot", "commands", Command("move", motor, speed=speed))
    if tick % (24 * 15) == 0:
        eaten = 244 - sum(map(int.bit_count, frame.pellets))
        score = f"{frame.score:5} points   {eaten:3} pellets   {frame.lives} lives"
        print(f"{sim.now_s:3.0f} s   {score}")
