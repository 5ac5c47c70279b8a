"""The grids of several maps in flat arrays, as batches of robots need them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.worlds.grid import Grid
from rigless.worlds.rays.lanes import TILE

# TABLE: rows and columns of a map, and where its cells and its squares begin
ROWS, COLUMNS, CELLS_AT, SQUARES_AT = range(4)


class Maps(NamedTuple):
    """The layers of all maps, one after the other, and a table with a row for each map."""

    table: NDArray[np.int64]
    occupied: NDArray[np.bool_]
    cliff: NDArray[np.bool_]
    material: NDArray[np.uint8]
    clear: NDArray[np.float32]
    squares: NDArray[np.uint8]


def gather(grids: Sequence[Grid]) -> Maps:
    """Return the layers of these grids. Equal grids share their layers."""
    layers = ("occupied", "cliff", "material")
    keys = [tuple(getattr(grid, name).tobytes() for name in layers) for grid in grids]
    distinct = {(grid.shape, key): grid for grid, key in zip(grids, keys, strict=True)}
    places, cells, squares = {}, 0, 0
    for key, grid in distinct.items():
        places[key] = *grid.shape, cells, squares
        cells, squares = cells + grid.occupied.size, squares + grid.squares.size
    table = [places[grid.shape, key] for grid, key in zip(grids, keys, strict=True)]

    def joined(name: str) -> Any:
        return np.concatenate([getattr(grid, name).ravel() for grid in distinct.values()])

    names = ("occupied", "cliff", "material", "clear", "squares")
    return Maps(np.array(table, np.int64), *map(joined, names))


@compiled
def layer_of(maps: Maps, layer: NDArray[Any], which: int) -> Any:
    """Return a layer of one map, by rows and columns."""
    rows, columns = maps.table[which, ROWS], maps.table[which, COLUMNS]
    at = maps.table[which, CELLS_AT]
    return layer[at : at + rows * columns].reshape((rows, columns))


@compiled
def squares_of(maps: Maps, which: int) -> Any:
    """Return the free squares of one map, as `raycast.free_squares` does."""
    rows, columns = maps.table[which, ROWS], maps.table[which, COLUMNS]
    high, wide = (rows + TILE - 1) // TILE + 2, (columns + TILE - 1) // TILE + 2
    at = maps.table[which, SQUARES_AT]
    flat = maps.squares[at : at + 4 * high * wide * TILE * TILE]
    return flat.reshape((4, high, wide, TILE, TILE))
