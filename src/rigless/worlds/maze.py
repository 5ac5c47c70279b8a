"""Mazes as Pacbot teams write them: JSON with rows of 0 (open) and 1 (wall), of which row 0 is the bottom, at y = 0.

Two shapes are read: {"name", "description", "cell_size", "grid"}, and the older {"width", "height", "maze"}. Three more keys are
ours: "start" is the [row, column] to begin in; "walls": "lines" takes half a cell off every wall, so that faces are on the
centres of wall cells and passages are two cells wide, as in the competition's arena; "pellets" are rows of 0, 1 and 2 (large).
Whatever is beyond the edge is wall: nothing leaves a maze.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.world import Obstacle
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld

CELL_SIZE_M = 0.3  # of a file that does not say
MOST_BYTES, LONGEST_SIDE = 4_000_000, 500
KEYS = (
    "name",
    "description",
    "cell_size",
    "grid",
    "width",
    "height",
    "maze",
    "start",
    "walls",
    "pellets",
)
_FIX = 'a maze is {"name": "mine", "cell_size": 0.3, "grid": [[1, 1, 1], [1, 0, 1], [1, 1, 1]]}'


@dataclass(frozen=True)
class Maze:
    name: str
    description: str
    cells: NDArray[np.bool_]  # True is wall; row 0 is the bottom
    cell_size_m: float
    thin: bool  # walls end at the centres of their cells
    start: tuple[int, int]  # row, column
    pellets: NDArray[np.uint8] | None

    @cached_property
    def grid(self) -> Grid:
        size, rings = self.cell_size_m, 2
        walls = np.pad(self.cells, rings, constant_values=True)
        if not self.thin:
            return Grid(walls, size, (-rings * size, -rings * size, 0.0))
        between = (
            walls[:-1, :-1] & walls[:-1, 1:] & walls[1:, :-1] & walls[1:, 1:]
        )  # from centre to centre
        return Grid(between, size, ((0.5 - rings) * size, (0.5 - rings) * size, 0.0))

    def centre(self, row: int, column: int) -> tuple[float, float]:
        """x and y of a cell's centre in metres."""
        return (column + 0.5) * self.cell_size_m, (row + 0.5) * self.cell_size_m


class MazeWorld(GridWorld):
    """A world whose walls are a maze's."""

    wall_height_m = 0.1

    def __init__(self, maze: Maze, obstacles: dict[str, Obstacle] | None = None):
        self.maze = maze
        super().__init__(maze.grid, obstacles)


def is_maze(data: Any) -> bool:
    """Whether a JSON document means to be a maze, good or bad."""
    return isinstance(data, dict) and ("grid" in data or "maze" in data)


def load_maze(path: str | Path) -> Maze:
    """The maze in a file. Raises InputError with everything that is wrong with it: file, key, reason, fix."""
    return maze_of(read_json(Path(path)), str(path))


def read_json(path: Path) -> Any:
    """A JSON file as data; InputError if it is none."""
    file = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InputError(
                Problem("", f"is longer than {MOST_BYTES} bytes", "give a smaller maze", file)
            )
        return json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise InputError(
            Problem("", f"cannot be read: {error.strerror}", "check the path", file)
        ) from None
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        raise InputError(
            Problem("", f"is not JSON: {getattr(error, 'msg', error)}", _FIX, file, line)
        ) from None


def maze_of(data: Any, file: str = "") -> Maze:
    """The maze in a JSON document."""
    if not is_maze(data):
        raise InputError(Problem("", "is not a maze: it has neither 'grid' nor 'maze'", _FIX, file))
    reading = _Reading(data, file)
    cells, size, start = reading.cells(), reading.cell_size(), None
    if cells is not None:
        start = reading.start(cells)
    pellets = reading.pellets(cells)
    texts = {key: reading.text(key) for key in ("name", "description")}
    thin = reading.thin()
    if reading.problems or cells is None or start is None:
        raise InputError(reading.problems)
    name = texts["name"] or Path(file).stem
    return Maze(name, texts["description"], cells, size, thin, start, pellets)


class _Reading:
    """One document, and all that is wrong with it."""

    def __init__(self, data: Mapping[str, Any], file: str):
        self.data, self.file = data, file
        self.problems: list[Problem] = []
        for key in data:
            if key not in KEYS:
                self.blame(key, f"unknown key {key!r}", did_you_mean(key, KEYS))
        if "grid" in data and "maze" in data:
            self.blame("maze", "there is a 'grid' and a 'maze'", "keep one of them")

    def blame(self, where: str, what: str, fix: str = "") -> None:
        self.problems.append(Problem(where, what, fix, self.file))

    def cells(self) -> NDArray[np.bool_] | None:
        key = "grid" if "grid" in self.data else "maze"
        values = self.rows(key, 1, "0 is open, 1 is wall")
        if values is None:
            return None
        for name, found in (("width", values.shape[1]), ("height", values.shape[0])):
            said = self.data.get(name, found)
            if said != found or isinstance(said, bool):
                self.blame(
                    name, f"is {said!r}, but the rows of {key!r} make {found}", f'"{name}": {found}'
                )
        if values.all():
            self.blame(key, "there is no open cell", "let at least one cell be 0")
            return None
        return values.astype(bool)

    def rows(self, key: str, most: int, meaning: str) -> NDArray[np.uint8] | None:
        """A rectangle of whole numbers from 0 to `most`, or None with the reason told."""
        rows = self.data[key]
        if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
            self.blame(
                key, "is not a list of rows", f"{meaning}: [[1, 1, 1], [1, 0, 1], [1, 1, 1]]"
            )
            return None
        width = len(rows[0])
        if not 1 <= width <= LONGEST_SIDE or len(rows) > LONGEST_SIDE:
            self.blame(
                key, f"has {len(rows)} rows of {width} cells", f"from 1 to {LONGEST_SIDE} of each"
            )
            return None
        for number, row in enumerate(rows):
            if len(row) != width:
                self.blame(
                    f"{key}[{number}]",
                    f"has {len(row)} cells, and the first row {width}",
                    "make them equal",
                )
                return None
            for column, value in enumerate(row):
                if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
                    shown = repr(value) if len(repr(value)) < 40 else type(value).__name__
                    self.blame(
                        f"{key}[{number}][{column}]", f"{shown} is not from 0 to {most}", meaning
                    )
                    return None
        return np.array(rows, np.uint8)

    def cell_size(self) -> float:
        size = self.data.get("cell_size", CELL_SIZE_M)
        if isinstance(size, bool) or not isinstance(size, int | float) or not 0.01 <= size <= 10:
            self.blame("cell_size", "is not a number of metres from 0.01 to 10", '"cell_size": 0.3')
            return CELL_SIZE_M
        return float(size)

    def start(self, cells: NDArray[np.bool_]) -> tuple[int, int] | None:
        """Where it says; else the centre cell if that is open, else the first open cell."""
        height, width = cells.shape
        if "start" not in self.data:
            centre = height // 2, width // 2
            first = int(np.argmin(cells))
            return centre if not cells[centre] else (first // width, first % width)
        given = self.data["start"]
        whole = (
            isinstance(given, list)
            and len(given) == 2
            and all(type(value) is int for value in given)
        )
        if (
            not whole
            or not (0 <= given[0] < height and 0 <= given[1] < width)
            or cells[given[0], given[1]]
        ):
            self.blame(
                "start",
                "is not the [row, column] of an open cell",
                "rows count from the bottom, from 0",
            )
            return None
        return given[0], given[1]

    def thin(self) -> bool:
        walls = self.data.get("walls", "cells")
        if walls not in ("cells", "lines"):
            self.blame("walls", "is neither 'cells' nor 'lines'", '"walls": "cells"')
        return bool(walls == "lines")

    def pellets(self, cells: NDArray[np.bool_] | None) -> NDArray[np.uint8] | None:
        if "pellets" not in self.data:
            return None
        found = self.rows("pellets", 2, "0 is none, 1 a pellet, 2 a large one")
        if (
            found is not None
            and cells is not None
            and (found.shape != cells.shape or (found[cells] > 0).any())
        ):
            self.blame(
                "pellets",
                "do not lie on the open cells",
                "give as many rows and columns as the maze has",
            )
        return found

    def text(self, key: str) -> str:
        value = self.data.get(key, "")
        if not isinstance(value, str) or len(value) > 1000:
            self.blame(key, "is not a short text", f'"{key}": "…"')
            return ""
        return value
