"""Maze files as Pacbot teams write them: JSON with rows of 0 (open) and 1 (wall).

Row 0 is the bottom, at y = 0. There are two forms: {"name", "description", "cell_size", "grid"},
and the older {"width", "height", "maze"}. Three more keys are our own: "start" is the
[row, column] of the start cell; "walls": "lines" takes half a cell off every wall, so that faces
are at the centres of wall cells and passages are two cells wide, as in the competition's arena;
"pellets" are rows of 0 (none), 1 (pellet) and 2 (large pellet).
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.documents import Document, parse_json
from rigless.kernel.problems import InputError, did_you_mean
from rigless.worlds.mazes.maze import CELL_SIZE_M, Maze
from rigless.worlds.text_file import read_text

MAX_BYTES, MAX_SIDE = 4_000_000, 500
MAX_PROBLEMS = 20  # reported of one key
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


def is_maze(data: Any) -> bool:
    """Return True if a JSON document is a maze, correct or not."""
    return isinstance(data, dict) and ("grid" in data or "maze" in data)


def is_maze_text(path: Path) -> bool:
    """Return True if a file that is not valid JSON was probably meant to be a maze."""
    try:
        text = read_text(path, MAX_BYTES, "")
    except InputError:
        return False
    return '"grid"' in text or '"maze"' in text


def load_maze(path: str | Path) -> Maze:
    """Read the maze in a file. Raises InputError with all problems of the file."""
    return maze_of(read_json(Path(path)))


def read_json(path: Path) -> Document:
    """Read a JSON file. Raises InputError if it is not JSON."""
    document = parse_json(read_text(path, MAX_BYTES, "give a smaller maze"), str(path))
    document.problems = [
        replace(problem, what=f"is not valid JSON: {problem.what}", fix=problem.fix or _FIX)
        for problem in document.problems
    ]
    if document.data is None and document.problems:
        raise InputError(document.problems)
    return document


def maze_of(document: Document) -> Maze:
    """Build the maze of a JSON document. Raises InputError with all problems."""
    if not is_maze(document.data):
        raise InputError(
            document.problem((), "is not a maze: it has neither 'grid' nor 'maze'", _FIX)
        )
    reader = _Reader(document)
    cells, size = reader.cells(), reader.cell_size()
    start = reader.start(cells)
    pellets = reader.pellets(cells)
    texts = {key: reader.text(key) for key in ("name", "description")}
    thin = reader.thin()
    if document.problems or cells is None or start is None:
        raise InputError(sorted(document.problems, key=lambda problem: problem.line))
    name = texts["name"] or Path(document.file).stem
    return Maze(name, texts["description"], cells, size, thin, start, pellets)


def _first_choice(cells: NDArray[np.bool_]) -> tuple[int, int]:
    height, width = cells.shape
    centre, first = (height // 2, width // 2), int(np.argmin(cells))
    return centre if not cells[centre] else (first // width, first % width)


class _Reader:
    """Checks the keys of a maze's document, and reports problems to it."""

    def __init__(self, document: Document):
        self.document, self.data = document, document.data
        for key in self.data:
            if key not in KEYS:
                self.document.report((key,), f"unknown key {key!r}", did_you_mean(key, KEYS))
        if "grid" in self.data and "maze" in self.data:
            self.document.report(("maze",), "there is a 'grid' and a 'maze'", "keep one of them")

    def cells(self) -> NDArray[np.bool_] | None:
        key = "grid" if "grid" in self.data else "maze"
        values = self.rows(key, 1, "0 is open, 1 is wall")
        if values is None:
            return None
        if values.all():
            self.document.report((key,), "there is no open cell", "let at least one cell be 0")
            return None
        return values.astype(bool)

    def rows(self, key: str, highest: int, meaning: str) -> NDArray[np.uint8] | None:
        """Return a rectangle of integers from 0 to `highest`, or None after reporting problems."""
        rows, before = self.data[key], len(self.document.problems)
        if not isinstance(rows, list) or not any(isinstance(row, list) for row in rows):
            fix = f"{meaning}: [[1, 1, 1], [1, 0, 1], [1, 1, 1]]"
            self.document.report((key,), "is not a list of rows", fix)
            return None
        lengths = Counter(len(row) for row in rows if isinstance(row, list))
        width = lengths.most_common(1)[0][0]
        if not 1 <= width <= MAX_SIDE or len(rows) > MAX_SIDE:
            what = f"has {len(rows)} rows of {width} cells"
            self.document.report((key,), what, f"from 1 to {MAX_SIDE} of each")
            return None
        if key != "pellets":
            self.size(key, width, len(rows))
        for number in range(len(rows)):
            if len(self.document.problems) - before >= MAX_PROBLEMS:
                what = f"rows from {number} on are not checked after so many problems"
                self.document.report((key, number), what)
                return None
            self.row(key, number, width, highest, meaning)
        return None if len(self.document.problems) > before else np.array(rows, np.uint8)

    def size(self, key: str, width: int, height: int) -> None:
        for name, actual in (("width", width), ("height", height)):
            given = self.data.get(name, actual)
            if given != actual or isinstance(given, bool):
                what = f"is {given!r}, but the rows of {key!r} make {actual}"
                self.document.report((name,), what, f'"{name}": {actual}')

    def row(self, key: str, number: int, width: int, highest: int, meaning: str) -> None:
        """Report a row of another width than the others, and each of its invalid values once."""
        row = self.data[key][number]
        if not isinstance(row, list):
            self.document.report((key, number), "is not a row", f"a list of {width} cells")
            return
        if len(row) != width:
            what = f"has {len(row)} cells, and other rows have {width}"
            self.document.report((key, number), what, "make them equal")
        wrong: dict[str, list[int]] = {}
        for column, value in enumerate(row):
            if type(value) is not int or not 0 <= value <= highest:
                shown = repr(value) if len(repr(value)) < 40 else type(value).__name__
                wrong.setdefault(shown, []).append(column)
        for shown, columns in list(wrong.items())[:MAX_PROBLEMS]:
            times = f" ({len(columns)} times in this row)" if len(columns) > 1 else ""
            what = f"{shown} is not from 0 to {highest}{times}"
            self.document.report((key, number, columns[0]), what, meaning)

    def cell_size(self) -> float:
        size = self.data.get("cell_size", CELL_SIZE_M)
        if isinstance(size, bool) or not isinstance(size, int | float) or not 0.01 <= size <= 10:
            what = "is not a number of metres from 0.01 to 10"
            self.document.report(("cell_size",), what, '"cell_size": 0.3')
            return CELL_SIZE_M
        return float(size)

    def start(self, cells: NDArray[np.bool_] | None) -> tuple[int, int] | None:
        """Return the given start; else the centre cell if it is open, else the first open cell."""
        if "start" not in self.data:
            return None if cells is None else _first_choice(cells)
        given = self.data["start"]
        if isinstance(given, list) and len(given) == 2 and all(type(n) is int for n in given):
            if cells is None:  # it cannot be checked further
                return None
            row, column = given
            height, width = cells.shape
            if 0 <= row < height and 0 <= column < width and not cells[row, column]:
                return row, column
        what = "is not the [row, column] of an open cell"
        self.document.report(("start",), what, "rows count from the bottom, from 0")
        return None

    def thin(self) -> bool:
        walls = self.data.get("walls", "cells")
        if walls not in ("cells", "lines"):
            self.document.report(("walls",), "is neither 'cells' nor 'lines'", '"walls": "cells"')
        return bool(walls == "lines")

    def pellets(self, cells: NDArray[np.bool_] | None) -> NDArray[np.uint8] | None:
        if "pellets" not in self.data:
            return None
        pellets = self.rows("pellets", 2, "0 is none, 1 a pellet, 2 a large one")
        if pellets is None or cells is None:
            return pellets
        if pellets.shape != cells.shape or (pellets[cells] > 0).any():
            fix = "give as many rows and columns as the maze has, with 0 on walls"
            self.document.report(("pellets",), "do not lie on the open cells", fix)
        return pellets

    def text(self, key: str) -> str:
        value = self.data.get(key, "")
        if not isinstance(value, str) or len(value) > 1000:
            self.document.report((key,), "is not a short text", f'"{key}": "…"')
            return ""
        return value
