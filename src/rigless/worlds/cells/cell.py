"""Weld cells: the objects around a robot arm. The frame is the robot's base."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rigless.worlds.bundled import find_cell
from rigless.worlds.cells.cell_file import read_cell
from rigless.worlds.cells.solids import Thing
from rigless.worlds.frames import Matrix

__all__ = ["Cell", "Thing"]


@dataclass(frozen=True, eq=False)
class Cell:
    """A weld cell, from YAML (cell_file.py) or built in Python.

    `margin_m` applies to all links and objects; `work` is the frame of a program's poses.
    """

    name: str = "empty"
    things: tuple[Thing, ...] = ()
    margin_m: float = 0.0
    work: Matrix = field(default_factory=lambda: np.eye(4))

    @staticmethod
    def load(path: str | Path) -> "Cell":
        """Read a cell from a YAML file, or the bundled cell of that name.

        Raises InputError with all problems of the file.
        """
        return Cell(*read_cell(find_cell(path)))

    def adding(self, *things: Thing) -> "Cell":
        """Return the cell with more objects. Objects of the same name are replaced."""
        new = {thing.name for thing in things}
        return replace(self, things=(*(one for one in self.things if one.name not in new), *things))

    def without(self, *names: str) -> "Cell":
        """Return the cell without these objects."""
        return replace(self, things=tuple(one for one in self.things if one.name not in names))

    def __getitem__(self, name: str) -> Thing:
        for thing in self.things:
            if thing.name == name:
                return thing
        raise KeyError(name)
