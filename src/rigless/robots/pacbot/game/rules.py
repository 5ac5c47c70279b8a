"""The rules of the game.

At every tick: a step of the ghosts if one is due, then the frame is sent, then clients' commands
are executed, then time advances unless the game is paused. The order is that of the competition's
engine (Pacbot-2), so that a client sees the same frames.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game import ghosts as g
from rigless.robots.pacbot.game.state import GameState, Ghost, fresh_game, fresh_ghosts

AROUND = (b.DOWN, b.RIGHT, b.UP, b.LEFT)  # the order of the path search
EventLog = Callable[[str, str], None]


@dataclass
class Game:
    """The rules over a `state`. `log` gets the code and text of each event."""

    state: GameState
    board: b.Board
    random: np.random.Generator
    log: EventLog

    # Time

    def begin_tick(self) -> None:
        """Do a step of the ghosts if one is due; the frame is sent after it."""
        state = self.state
        if state.ticked and state.ticks % state.ticks_per_step == 0:
            for ghost in state.ghosts:
                g.move(ghost)
            if state.pacman.gone and state.lives > 0:
                state.pacman.put(b.PACMAN_SPAWN[:2], b.PACMAN_SPAWN[2])
            if state.pause_next:
                self.pause()
                state.pause_next = False
            self._collide()
            self._count_step()
            self._plan()

    def end_tick(self) -> None:
        state = self.state
        state.ticked = state.mode != b.PAUSED
        if state.ticked and state.ticks < b.LAST_TICK:
            if state.ticks == b.LAST_TICK - 1:
                self.pause()
                self.log("game-long", "the tick counter of the frames is full: paused for good")
            state.ticks += 1

    def pause(self) -> None:
        state = self.state
        if state.mode != b.PAUSED:
            state.resumes_as, state.mode = state.mode, b.PAUSED

    def play(self) -> None:
        state = self.state
        if state.mode == b.PAUSED and state.lives > 0 and state.ticks < b.LAST_TICK:
            state.mode = state.resumes_as

    def restart(self) -> None:
        """Start a new game, paused, with the ghosts in place."""
        self.state.__dict__.update(fresh_game(self.board, self.state.active_ghosts).__dict__)
        for ghost in self.state.ghosts:
            g.move(ghost)
        self._count_step()
        self._plan()

    def _plan(self) -> None:
        for ghost in self.state.ghosts:
            g.plan(self.state, self.board, ghost, self.random)

    def _count_step(self) -> None:
        state = self.state
        if state.mode_steps == 0:
            other = b.CHASE if state.last_mode == b.SCATTER else b.SCATTER
            if state.mode == b.PAUSED:
                state.resumes_as = other
            else:
                state.mode = other
            state.mode_steps = b.MODE_STEPS[other]
            self._turn_back()
        if state.level_steps == 0:
            self._speed_up()
            state.level_steps = b.PENALTY_STEPS
            self.log("game-penalty", "the level is taking long: the ghosts speed up")
        if state.pellets_left >= b.ANGRY_AT[0]:
            state.mode_steps = max(state.mode_steps - 1, 0)
        state.level_steps = max(state.level_steps - 1, 0)
        state.fruit_steps = max(state.fruit_steps - 1, 0)

    def _speed_up(self) -> None:
        self.state.ticks_per_step = max(1, self.state.ticks_per_step - b.FASTER)

    # Pacman

    def move(self, direction: int) -> None:
        """Move Pacman one cell, if the game is running and there is no wall."""
        state, pacman = self.state, self.state.pacman
        if self._may_move():
            cell = pacman.ahead(1, direction)
            pacman.direction = direction
            if not self.board.wall_at(*cell):
                pacman.put(cell)
                self._eat()
        if not state.pacman.gone:
            self._collide()

    def locate(self, row: int, column: int) -> None:
        """Move Pacman to the cell of a camera report: along a path, or by a jump if it is far."""
        if (
            not self._may_move()
            or self.board.wall_at(row, column)
            or self.state.pacman.cell == (row, column)
        ):
            return
        path = self._path_to((row, column))
        if path is None or len(path) > b.LONGEST_PATH:
            self.state.pacman.put((row, column))
            self._eat()
            self._collide()
            return
        for direction in path:
            self.move(direction)

    def _may_move(self) -> bool:
        state = self.state
        return state.mode != b.PAUSED and not state.pause_next and not state.pacman.gone

    def _path_to(self, goal: tuple[int, int]) -> list[int] | None:
        """Return the directions of a shortest path from Pacman's cell, or None."""
        start = self.state.pacman.cell
        came: dict[tuple[int, int], int] = {start: b.NONE}
        queue = deque([start])
        while queue and goal not in came:
            row, column = queue.popleft()
            for direction in AROUND:
                cell = row + b.STEP[direction][0], column + b.STEP[direction][1]
                if cell not in came and not self.board.wall_at(*cell):
                    came[cell] = direction
                    queue.append(cell)
        if goal not in came:
            return None
        path: list[int] = []
        while goal != start:
            direction = came[goal]
            path.append(direction)
            goal = goal[0] - b.STEP[direction][0], goal[1] - b.STEP[direction][1]
        return path[::-1]

    # Pellets, fruit, ghosts and lives

    def _eat(self) -> None:
        state, (row, column) = self.state, self.state.pacman.cell
        if state.fruit_steps > 0 and (row, column) == b.FRUIT:
            state.fruit_steps = 0
            self._score(b.FRUIT_POINTS)
            self.log("game-fruit", f"fruit eaten: {b.FRUIT_POINTS} points")
        if not state.pellets[row] >> column & 1:
            return
        state.pellets[row] &= ~(1 << column)
        state.pellets_left -= 1
        if self.board.super_pellets[row] >> column & 1:
            self._frighten()
            self._score(b.SUPER_POINTS)
        else:
            self._score(b.PELLET_POINTS)
        if state.pellets_left in b.FRUIT_AT and state.fruit_steps == 0:
            state.fruit_steps = b.FRUIT_STEPS
        if state.pellets_left in b.ANGRY_AT:
            self._speed_up()
            state.mode, state.mode_steps = b.CHASE, b.MODE_STEPS[b.CHASE]
        elif state.pellets_left == 0:
            self._next_level()

    def _score(self, points: int) -> None:
        self.state.score = min(self.state.score + points, b.HIGHEST_SCORE)

    def _frighten(self) -> None:
        self.state.combo = 0
        for ghost in self.state.ghosts:
            ghost.fright_steps = b.FRIGHT_STEPS
        self._turn_back()

    def _turn_back(self) -> None:
        """Reverse the ghosts: one that is trapped for a step reverses."""
        for ghost in self.state.ghosts:
            ghost.trapped_steps = ghost.trapped_steps or 1

    def _collide(self) -> None:
        state = self.state
        met = [
            ghost
            for ghost in state.ghosts
            if ghost.place.cell == state.pacman.cell and not ghost.eaten
        ]
        if state.pacman.gone or not met:
            return
        if any(ghost.fright_steps == 0 for ghost in met):
            self._die()
            return
        for ghost in met:
            self._swallow(ghost)

    def _swallow(self, ghost: Ghost) -> None:
        points = b.GHOST_POINTS << self.state.combo
        self.state.combo += 1
        self._score(points)
        ghost.spawning = ghost.eaten = True
        ghost.place.leave()
        home = b.GHOST_SPAWN[b.PINK if ghost.colour == b.RED else ghost.colour]
        ghost.planned.put(home[:2], b.UP)
        self.log("game-ghost", f"the {b.COLOURS[ghost.colour]} ghost is eaten: {points} points")

    def _die(self) -> None:
        state = self.state
        state.lives -= 1
        if state.pellets_left > b.ANGRY_AT[0]:
            state.mode, state.mode_steps = b.SCATTER, b.MODE_STEPS[b.SCATTER]
        self._clear_board()
        if state.lives == 0:
            self.log("game-over", f"game over: {state.score} points at level {state.level}")
        else:
            self.log("game-life", f"a ghost caught Pacman: {state.lives} lives left")

    def _next_level(self) -> None:
        state = self.state
        state.mode, state.mode_steps, state.level_steps = (
            b.SCATTER,
            b.MODE_STEPS[b.SCATTER],
            b.LEVEL_STEPS,
        )
        self._clear_board()
        again = fresh_game(self.board)
        state.pellets, state.pellets_left = again.pellets, again.pellets_left
        state.level = min(state.level + 1, b.HIGHEST_LEVEL)
        state.ticks_per_step = max(1, b.TICKS_PER_STEP - b.FASTER * (state.level - 1))
        self.log("game-level", f"level {state.level} begins with {state.score} points")

    def _clear_board(self) -> None:
        """Take everything off the board until the next step, which also pauses the game."""
        state = self.state
        state.pause_next, state.fruit_steps, state.combo = True, 0, 0
        state.pacman.leave()
        eaten = [ghost.eaten for ghost in state.ghosts]
        state.ghosts = fresh_ghosts(state.active_ghosts)
        for ghost, was in zip(state.ghosts, eaten, strict=True):
            ghost.eaten = was
        if state.lives == 0:  # the final picture: they face the player, except orange
            for ghost in state.ghosts:
                ghost.planned.direction = b.LEFT if ghost.colour == b.ORANGE else b.NONE
