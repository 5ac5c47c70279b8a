"""A weld cell as a world: what stands around an arm, and does not move."""

from pathlib import Path

from rigless.kernel.world import World
from rigless.worlds.cell import Cell


class CellWorld(World):
    def __init__(self, cell: Cell):
        super().__init__()
        self.cell = cell

    @classmethod
    def load(cls, path: str | Path) -> "CellWorld":
        """From a cell's YAML, or the name of a shipped one. InputError tells all that is wrong with it."""
        return cls(Cell.load(path))
