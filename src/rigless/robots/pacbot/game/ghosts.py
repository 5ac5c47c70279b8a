"""The ghosts' moves: their targets and the directions that they choose.

A ghost plans one step ahead, never reverses by itself, and takes the direction that brings it
nearest to its target. A frightened ghost chooses at random.
"""

import numpy as np

from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.state import GameState, Ghost

START = b.GHOST_SPAWN[b.RED][:2]  # the first cell outside the house


def move(ghost: Ghost) -> None:
    """Do the planned step."""
    if ghost.place.cell == START and ghost.place.direction != b.DOWN:
        ghost.spawning = False
    if ghost.eaten:
        ghost.eaten, ghost.fright_steps = False, 0
    ghost.fright_steps = max(ghost.fright_steps - 1, 0)
    ghost.place.put(ghost.planned.cell, ghost.planned.direction)


def plan(game: GameState, board: b.Board, ghost: Ghost, random: np.random.Generator) -> None:
    """Plan the step after the next one."""
    if ghost.place.gone:
        return
    following = ghost.planned
    following.put(ghost.place.ahead(1), ghost.place.direction)
    if ghost.trapped_steps > 0:
        ghost.trapped_steps -= 1
        following.direction = b.BACK[following.direction]
        return
    directions = [way for way in (b.UP, b.LEFT, b.DOWN, b.RIGHT) if _open(board, ghost, way)]
    if not directions:  # a dead end, which the competition's maze does not have
        following.direction = b.BACK[following.direction]
        return
    if ghost.fright_steps > 1:
        following.direction = directions[int(random.integers(len(directions)))]
        return
    target = _target(game, ghost)
    # min() takes the first of equal ones.
    following.direction = min(
        directions, key=lambda way: _distance2(following.ahead(1, way), target)
    )


def may_steer(board: b.Board, ghost: Ghost, direction: int) -> bool:
    """Return True if the rules leave a ghost this direction after its planned step."""
    forward = ghost.place.direction
    if ghost.place.gone or ghost.spawning or ghost.fright_steps > 1:
        return False
    reversed_by_rules = ghost.planned.direction == b.BACK[forward]
    if ghost.trapped_steps > 0 or reversed_by_rules or direction == b.BACK[forward]:
        return False
    return not board.wall_at(*ghost.planned.ahead(1, direction))


def steer(board: b.Board, ghost: Ghost, direction: int) -> None:
    """Change a ghost's planned direction, if the rules leave it this one."""
    if may_steer(board, ghost, direction):
        ghost.planned.direction = direction


def _open(board: b.Board, ghost: Ghost, direction: int) -> bool:
    if direction == b.BACK[ghost.planned.direction]:
        return False
    cell = ghost.planned.ahead(1, direction)
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
        case b.ORANGE if _distance2(ghost.place.cell, pacman.cell) < b.SHY_CELLS**2:
            return b.SCATTER_TARGET[b.ORANGE]
        case _:
            return pacman.cell


def _distance2(a: tuple[int, int], c: tuple[int, int]) -> int:
    """Return the square of the distance between two cells."""
    return (a[0] - c[0]) ** 2 + (a[1] - c[1]) ** 2
