"""A weld cell as a world: static objects around an arm."""

from pathlib import Path

from rigless.kernel.world import World
from rigless.worlds.cells.cell import Cell


class CellWorld(World):
    """The world of a robot arm."""

    def __init__(self, cell: Cell):
        super().__init__()
        self.cell = cell

    @classmethod
    def load(cls, path: str | Path) -> "CellWorld":
        """Read a cell from a YAML file, or the bundled cell of that name.

        Raises InputError with all problems of the file.
        """
        return cls(Cell.load(path))
