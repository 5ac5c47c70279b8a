"""How ghosts move: where each wants to go, and which way it takes. A ghost decides one step ahead, never turns back by itself, and
takes the way that ends nearest to its target; a frightened one takes any."""

import numpy as np

from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.state import GameState, Ghost

START = b.GHOST_SPAWN[b.RED][:2]  # where a ghost is out of its house


def move(ghost: Ghost) -> None:
    """One step, as it was planned."""
    if ghost.place.cell == START and ghost.place.direction != b.DOWN:
        ghost.spawning = False
    if ghost.eaten:
        ghost.eaten, ghost.fright_steps = False, 0
    ghost.fright_steps = max(ghost.fright_steps - 1, 0)
    ghost.place.put(ghost.planned.cell, ghost.planned.direction)


def plan(game: GameState, board: b.Board, ghost: Ghost, random: np.random.Generator) -> None:
    """Decide on the step after the next one."""
    if ghost.place.gone:
        return
    following = ghost.planned
    following.put(ghost.place.ahead(1), ghost.place.direction)
    if ghost.trapped_steps > 0:
        ghost.trapped_steps -= 1
        following.direction = b.BACK[following.direction]
        return
    ways = [way for way in (b.UP, b.LEFT, b.DOWN, b.RIGHT) if _open(board, ghost, way)]
    if not ways:  # a dead end, which the competition's maze does not have
        following.direction = b.BACK[following.direction]
        return
    if ghost.fright_steps > 1:
        following.direction = ways[int(random.integers(len(ways)))]
        return
    target = _target(game, ghost)
    following.direction = min(
        ways, key=lambda way: _apart(following.ahead(1, way), target)
    )  # of equal ones the first


def _open(board: b.Board, ghost: Ghost, way: int) -> bool:
    if way == b.BACK[ghost.planned.direction]:
        return False
    cell = ghost.planned.ahead(1, way)
    if ghost.spawning and (b.in_house(*cell) or cell == b.HOUSE_EXIT):
        return True
    return not board.wall_at(*cell)


def _target(game: GameState, ghost: Ghost) -> tuple[int, int]:
    if ghost.spawning and START not in (ghost.place.cell, ghost.planned.cell):
        return START
    if game.last_mode == b.SCATTER:
        return b.SCATTER_TARGET[ghost.colour]
    pacman = game.pacman
    match ghost.colour:
        case b.PINK:
            return pacman.ahead(4)
        case b.CYAN:  # as far beyond the cell two ahead of Pacman as red is before it
            row, column = pacman.ahead(2)
            red = game.ghosts[b.RED].place
            return 2 * row - red.row, 2 * column - red.column
        case b.ORANGE if _apart(ghost.place.cell, pacman.cell) < b.SHY_CELLS**2:
            return b.SCATTER_TARGET[b.ORANGE]
        case _:
            return pacman.cell


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
