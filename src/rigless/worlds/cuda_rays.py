"""`Grid.cast` on a graphics processor, with the same bits as on the processor."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.cuda.device import Kernel, load_cupy
from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos
from rigless.worlds.raycast import cast_ray
from rigless.worlds.rays.lanes import TILE

Floats = NDArray[np.float64]

# PLACE: resolution and origin of the map, and the longest range in cells
RES, OX, OY, YAW, OCOS, OSIN, LONGEST = range(7)
REGISTERS = 32  # of 48: 8 % more rays, since more of them wait for memory at a time


class Rays(NamedTuple):
    """Poses (x, y, theta) in the world, and in cells with cosine and sine; beams; ranges."""

    poses: Floats
    cells: Floats
    beams: Floats
    cosines: Floats
    sines: Floats
    ranges: Floats


@compiled
def turn_beam(j: int, rays: Rays) -> None:
    """Set the direction of beam j."""
    rays.sines[j], rays.cosines[j] = sin_cos(rays.beams[j])


@compiled
def place_pose(i: int, place: Floats, rays: Rays) -> None:
    """Convert pose i to cells, as `Grid.to_cells` does."""
    dx, dy = rays.poses[i, 0] - place[OX], rays.poses[i, 1] - place[OY]
    rays.cells[i, 0] = (place[OCOS] * dx + place[OSIN] * dy) / place[RES]
    rays.cells[i, 1] = (place[OCOS] * dy - place[OSIN] * dx) / place[RES]
    rays.cells[i, 3], rays.cells[i, 2] = sin_cos(rays.poses[i, 2] - place[YAW])


@compiled
def cast_one(i: int, j: int, squares: NDArray[np.uint8], place: Floats, rays: Rays) -> None:
    """Cast beam j from pose i."""
    c, s, cosine, sine = rays.cells[i, 2], rays.cells[i, 3], rays.cosines[j], rays.sines[j]
    dx, dy = cosine * c - sine * s, cosine * s + sine * c
    # With tiles of a constant size a place in memory needs no products.
    tiles = squares.reshape((4, squares.shape[1], squares.shape[2], TILE, TILE))
    far = cast_ray(tiles, rays.cells[i, 0], rays.cells[i, 1], dx, dy, place[LONGEST])[0]
    rays.ranges[i, j] = far * place[RES]


class CudaRays:
    """The rays of one grid; its free squares stay on the graphics processor."""

    def __init__(self, squares: NDArray[np.uint8], place: tuple[float, ...]):
        self._cupy = load_cupy()
        self._squares, self._place = self._cupy.asarray(squares), place

    @cached_property
    def _kernels(self) -> tuple[Kernel, Kernel, Kernel]:
        turned, placed = Kernel(self._cupy, turn_beam, 1), Kernel(self._cupy, place_pose, 1)
        return turned, placed, Kernel(self._cupy, cast_one, 2, REGISTERS)

    def cast(self, poses: Any, beam_angles: Any, longest: float) -> Any:
        """Return the ranges (N, M) in metres as an array of CuPy; `longest` is in cells."""
        cupy = self._cupy
        given = cupy.ascontiguousarray(cupy.atleast_2d(cupy.asarray(poses, dtype=float)))
        beams = cupy.ascontiguousarray(cupy.atleast_1d(cupy.asarray(beam_angles, dtype=float)))
        n, m = len(given), len(beams)
        empty = cupy.empty
        rays = Rays(given, empty((n, 4)), beams, empty(m), empty(m), empty((n, m)))
        place = cupy.array((*self._place, longest))
        turned, placed, cast = self._kernels
        turned((m,), rays)
        placed((n,), place, rays)
        cast((n, m), self._squares, place, rays)
        return rays.ranges
