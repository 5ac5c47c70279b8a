"""Worlds that robots move in: occupancy grids, mazes and weld cells, with exact ray casting.

grid = rigless.worlds.load_map(rigless.worlds.find_map("apartment"))
ranges = grid.cast([(0.0, 0.0, 0.0)], [0.0, 1.57], max_range_m=8.0)
"""

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rigless.worlds.bundled import (
        bundled_cells,
        bundled_maps,
        bundled_mazes,
        find_cell,
        find_map,
        find_maze,
    )
    from rigless.worlds.cells.cell import Cell
    from rigless.worlds.maps import load_map
    from rigless.worlds.mazes.maze_file import load_maze

__all__ = [
    "Cell",
    "bundled_cells",
    "bundled_maps",
    "bundled_mazes",
    "find_cell",
    "find_map",
    "find_maze",
    "load_map",
    "load_maze",
]

_HOMES = {
    "Cell": "rigless.worlds.cells.cell",
    "find_cell": "rigless.worlds.bundled",
    "find_map": "rigless.worlds.bundled",
    "find_maze": "rigless.worlds.bundled",
    "load_map": "rigless.worlds.maps",
    "load_maze": "rigless.worlds.mazes.maze_file",
    "bundled_cells": "rigless.worlds.bundled",
    "bundled_maps": "rigless.worlds.bundled",
    "bundled_mazes": "rigless.worlds.bundled",
}


def __getattr__(name: str) -> Any:
    """Import a name on first use, because numba and PyYAML are slow to import."""
    if name.startswith("shipped_"):
        new = name.replace("shipped_", "bundled_")
        warnings.warn(f"rigless.worlds.{name} is now {new}", DeprecationWarning, stacklevel=2)
        name = new
    if name not in _HOMES:
        raise AttributeError(f"module 'rigless.worlds' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
