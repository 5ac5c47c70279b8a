"""Weld cells: what stands around a robot arm, by name. From YAML (cell_file.py) or built in Python. The frame is the robot's base."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rigless.worlds.frames import Matrix
from rigless.worlds.solids import Solid


@dataclass(frozen=True, eq=False)
class Thing:
    """A solid in the cell. Links closer to it than the margin collide with it, except those named in `ignore`."""

    solid: Solid
    margin_m: float = 0.0
    colour: str = ""  # as #rrggbb; empty: the page's choice
    ignore: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.solid.name


@dataclass(frozen=True, eq=False)
class Cell:
    """`margin_m` is for all links and things; `work` is the frame that poses of a program are told in."""

    name: str = "empty"
    things: tuple[Thing, ...] = ()
    margin_m: float = 0.0
    work: Matrix = field(default_factory=lambda: np.eye(4))

    @staticmethod
    def load(path: str | Path) -> "Cell":
        """The cell of a YAML file, or the shipped one of that name. InputError tells all that is wrong with it."""
        from rigless.worlds.bundled import find_cell
        from rigless.worlds.cell_file import read_cell

        return read_cell(find_cell(path))

    def adding(self, *things: Thing) -> "Cell":
        """The cell with more in it; what had one of the names is replaced."""
        new = {thing.name for thing in things}
        return replace(self, things=(*(one for one in self.things if one.name not in new), *things))

    def without(self, *names: str) -> "Cell":
        return replace(self, things=tuple(one for one in self.things if one.name not in names))

    def __getitem__(self, name: str) -> Thing:
        for thing in self.things:
            if thing.name == name:
                return thing
        raise KeyError(name)
