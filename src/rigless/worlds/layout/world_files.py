"""Worlds from files: a map, with the layout of its warehouse if it has one."""

from pathlib import Path

import numpy as np

from rigless.kernel.problems import Problem
from rigless.kernel.world import Obstacle
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.layout.layout_file import LayoutFile, read_layout
from rigless.worlds.layout.model import Layout
from rigless.worlds.layout.site_world import SiteWorld
from rigless.worlds.map_file import read_map_file
from rigless.worlds.maps import load_map

MARGIN_M, CELL_M = 3.0, 0.1  # of the floor around a layout without a map


def load_world(
    map_path: Path | None,
    layout_path: Path | None = None,
    obstacles: dict[str, Obstacle] | None = None,
) -> tuple[GridWorld, tuple[Problem, ...]]:
    """Return the world of a map, a layout, or both, and warnings about the layout.

    The map's YAML may name its layout; `layout_path` replaces it. A layout without a map has an
    open floor. Raises InputError with all problems.
    """
    grid = None if map_path is None else load_map(map_path)
    if layout_path is None and map_path is not None:
        named = read_map_file(map_path)[0]
        if named is not None and named.layout is not None:
            layout_path = map_path.parent / named.layout
    found: LayoutFile | None = None
    if layout_path is not None:
        found = read_layout(layout_path, grid)
    if grid is None:
        assert found is not None, "a map or a layout is required"
        grid = _floor_around(found.layout)
    if found is None:
        return GridWorld(grid, obstacles), ()
    return SiteWorld(grid, found.layout, obstacles), found.warnings


def _floor_around(layout: Layout) -> Grid:
    """Return a map without walls that has all nodes on it."""
    points = np.array([(node.x, node.y) for node in layout.nodes])
    low, high = points.min(0) - MARGIN_M, points.max(0) + MARGIN_M
    width, height = np.ceil((high - low) / CELL_M).astype(int)
    return Grid(np.zeros((height, width), bool), CELL_M, (float(low[0]), float(low[1]), 0.0))
