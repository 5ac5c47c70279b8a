"""The game's state: plain data, part of the Pacbot's state."""

from dataclasses import dataclass, field

from rigless.robots.pacbot.game import board as b


@dataclass
class Place:
    row: int
    column: int
    direction: int = b.NONE

    @property
    def cell(self) -> tuple[int, int]:
        return self.row, self.column

    @property
    def gone(self) -> bool:
        return self.cell == b.NOWHERE

    def ahead(self, cells: int, direction: int | None = None) -> tuple[int, int]:
        down, right = b.STEP[self.direction if direction is None else direction]
        return self.row + cells * down, self.column + cells * right

    def put(self, cell: tuple[int, int], direction: int | None = None) -> None:
        self.row, self.column = cell
        if direction is not None:
            self.direction = direction

    def leave(self) -> None:
        self.put(b.NOWHERE, b.NONE)


@dataclass
class Ghost:
    colour: int
    place: Place
    planned: Place  # its cell and direction after the next step
    trapped_steps: int = 0
    fright_steps: int = 0
    spawning: bool = True
    eaten: bool = False


def fresh_ghosts(active: int) -> list[Ghost]:
    """Return all four ghosts; inactive ones are never on the board."""
    spawns = [*b.GHOST_SPAWN[:active], *[(*b.NOWHERE, b.NONE)] * (4 - active)]
    steps = b.TRAPPED_STEPS
    return [
        Ghost(colour, Place(*b.NOWHERE), Place(*spawn), steps[colour])
        for colour, spawn in enumerate(spawns)
    ]


@dataclass
class GameState:
    pellets: list[int]  # by row, column n in bit n
    pellets_left: int
    ticks: int = 0
    ticks_per_step: int = b.TICKS_PER_STEP
    mode: int = b.PAUSED
    resumes_as: int = b.SCATTER  # the mode after a pause
    pause_next: bool = False  # pause at the next step: Pacman was caught, or a level is done
    mode_steps: int = b.MODE_STEPS[b.SCATTER]
    level_steps: int = b.LEVEL_STEPS
    score: int = 0
    level: int = 1
    lives: int = b.LIVES
    combo: int = 0  # ghosts eaten since the last super pellet
    fruit_steps: int = 0
    ticked: bool = True  # time advanced at the last tick
    pacman: Place = field(default_factory=lambda: Place(*b.PACMAN_SPAWN))
    active_ghosts: int = 4
    ghosts: list[Ghost] = field(default_factory=lambda: fresh_ghosts(4))

    @property
    def last_mode(self) -> int:
        """The mode, or the mode before the pause."""
        return self.resumes_as if self.mode == b.PAUSED else self.mode


def fresh_game(board: b.Board, active_ghosts: int = 4) -> GameState:
    left = sum(row.bit_count() for row in board.pellets)
    return GameState(
        list(board.pellets), left, active_ghosts=active_ghosts, ghosts=fresh_ghosts(active_ghosts)
    )
