"""Pictures of worlds for reports: the map as a small grey PNG, and the obstacles."""

import base64
import math
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.world import World
from rigless.runs.trace import ObstacleTrace, WorldPicture

MAX_PIXELS = 1200  # of a side
WALL, CLIFF, UNKNOWN = 255, 110, 45  # shades; free floor is 0
MAX_OBSTACLES = 500
BORDER = 0.04  # of the free part: solid cells that are shown around it


def picture_of(world: World, moves: Mapping[str, ObstacleTrace], now_ns: int) -> WorldPicture:
    """Return the picture of a world. `moves` has the paths of obstacles that moved."""
    obstacles = obstacles_of(world, now_ns)
    for obstacle in obstacles:
        if obstacle.name in moves:
            obstacle.times_s = [round(time_s, 4) for time_s in moves[obstacle.name].times_s]
            obstacle.poses = [
                (round(x, 4), round(y, 4), round(theta, 4))
                for x, y, theta in moves[obstacle.name].poses
            ]
    obstacles += _things(world)
    grid = getattr(world, "grid", None)
    if grid is None:
        return WorldPicture("", obstacles=obstacles)
    rows, columns = (_inside(~grid.occupied.all(axis=axis)) for axis in (1, 0))
    x_m, y_m = grid.to_world(columns.start, rows.start)
    return WorldPicture(
        Path(str(getattr(grid, "name", ""))).stem,
        round(float(x_m), 6),
        round(float(y_m), 6),
        (columns.stop - columns.start) * grid.resolution_m,
        (rows.stop - rows.start) * grid.resolution_m,
        grid.origin[2],
        base64.b64encode(_png(_shades(grid, rows, columns))).decode(),
        obstacles,
    )


def _inside(used: NDArray[np.bool_]) -> slice:
    """Return the rows or columns from the first to the last that is not solid, and a border."""
    found = np.flatnonzero(used)
    if not len(found):
        return slice(0, len(used))
    border = max(1, round(BORDER * (found[-1] - found[0])))
    return slice(max(int(found[0]) - border, 0), min(int(found[-1]) + 1 + border, len(used)))


def obstacles_of(world: World, now_ns: int) -> list[ObstacleTrace]:
    """Return the obstacles of a world at their places."""
    return [
        ObstacleTrace(name, *obstacle.pose(now_ns), obstacle.radius_m, obstacle.size_m)
        for name, obstacle in list(world.state.obstacles.items())[:MAX_OBSTACLES]
    ]


def _things(world: World) -> list[ObstacleTrace]:
    """Return the solids of a weld cell from above: spheres as discs, others as their bounds."""
    cell = getattr(world, "cell", None)
    found = []
    for thing in cell.things[:MAX_OBSTACLES] if cell is not None else ():
        points = thing.solid.points_m()
        low, high = points.min(axis=0), points.max(axis=0)
        x, y = (round(float(low[axis] + high[axis]) / 2, 4) for axis in (0, 1))
        size = (round(float(high[0] - low[0]), 4), round(float(high[1] - low[1]), 4))
        if thing.solid.kind == "sphere":
            found.append(ObstacleTrace(thing.name, x, y, radius_m=size[0] / 2))
        else:
            found.append(ObstacleTrace(thing.name, x, y, size_m=size))
    return found


def _shades(grid: Any, rows: slice, columns: slice) -> NDArray[np.uint8]:
    """Return cells as shades of grey, the first row at the bottom, no larger than MAX_PIXELS."""
    shades = np.zeros(grid.shape, np.uint8)
    shades[grid.unknown] = UNKNOWN
    shades[grid.cliff] = CLIFF
    shades[grid.occupied] = WALL
    shades = shades[rows, columns]
    step = math.ceil(max(shades.shape) / MAX_PIXELS)
    if step > 1:  # a pixel shows the most solid of its cells, so that thin walls stay
        height, width = (math.ceil(side / step) * step for side in shades.shape)
        padded = np.zeros((height, width), np.uint8)
        padded[: shades.shape[0], : shades.shape[1]] = shades
        shades = padded.reshape(height // step, step, width // step, step).max(axis=(1, 3))
    return np.ascontiguousarray(shades[::-1])


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return grey pixels as a PNG file."""
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
