"""What robots move in: occupancy grids, mazes, exact ray casting, map and maze files; weld cells."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rigless.worlds.cell import Cell
    from rigless.worlds.maps import load_map
    from rigless.worlds.maze import load_maze
    from rigless.worlds.shipped import (
        find_cell,
        find_map,
        find_maze,
        shipped_cells,
        shipped_maps,
        shipped_mazes,
    )

__all__ = [
    "Cell",
    "find_cell",
    "find_map",
    "find_maze",
    "load_map",
    "load_maze",
    "shipped_cells",
    "shipped_maps",
    "shipped_mazes",
]

_HOMES = {
    "Cell": "rigless.worlds.cell",
    "find_cell": "rigless.worlds.shipped",
    "find_map": "rigless.worlds.shipped",
    "find_maze": "rigless.worlds.shipped",
    "load_map": "rigless.worlds.maps",
    "load_maze": "rigless.worlds.maze",
    "shipped_cells": "rigless.worlds.shipped",
    "shipped_maps": "rigless.worlds.shipped",
    "shipped_mazes": "rigless.worlds.shipped",
}


def __getattr__(name: str) -> Any:
    """Import on first use: numba and PyYAML are not needed by all."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rigless.worlds' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
