"""An occupancy grid in the world: cells with a resolution and an origin."""

from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.cuda.checks import check_device
from rigless.kernel.compiled.elementary import sin_cos, sines_cosines
from rigless.worlds.clearance import clearance
from rigless.worlds.raycast import cast_rays, free_squares

PLAIN, GLASS, DARK, MIRROR = range(4)  # materials of occupied cells


class Grid:
    """An occupancy grid.

    Row 0 is the bottom; cell (0, 0) has its lower-left corner at `origin` (x, y, yaw). Unknown
    cells are not obstacles.
    """

    def __init__(
        self,
        occupied: ArrayLike,
        resolution_m: float,
        origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
        unknown: ArrayLike | None = None,
        cliff: ArrayLike | None = None,
        material: ArrayLike | None = None,
    ):
        self.occupied: NDArray[np.bool_] = np.ascontiguousarray(occupied, dtype=bool)
        self.resolution_m = float(resolution_m)
        self.origin = (float(origin[0]), float(origin[1]), float(origin[2]))
        shape = self.occupied.shape
        self.unknown = (
            np.zeros(shape, bool) if unknown is None else np.ascontiguousarray(unknown, dtype=bool)
        )
        self.cliff = (
            np.zeros(shape, bool) if cliff is None else np.ascontiguousarray(cliff, dtype=bool)
        )
        self.material = (
            np.zeros(shape, np.uint8)
            if material is None
            else np.ascontiguousarray(material, np.uint8)
        )
        self._sin, self._cos = sin_cos(float(self.origin[2]))

    @property
    def shape(self) -> tuple[int, int]:
        height, width = self.occupied.shape
        return height, width

    @cached_property
    def squares(self) -> NDArray[np.uint8]:
        """The free squares for ray casting, calculated when first needed."""
        return free_squares(self.occupied)

    @cached_property
    def clear(self) -> NDArray[np.float32]:
        """The clearance of every cell in cells, for contact, calculated when first needed."""
        return clearance(self.occupied)

    def to_cells(
        self, x_m: ArrayLike, y_m: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Convert world metres to cell units, counted from the lower-left corner."""
        dx, dy = np.asarray(x_m, float) - self.origin[0], np.asarray(y_m, float) - self.origin[1]
        x = (self._cos * dx + self._sin * dy) / self.resolution_m
        y = (self._cos * dy - self._sin * dx) / self.resolution_m
        return x, y

    def to_world(
        self, x: ArrayLike, y: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Convert cell units to world metres."""
        dx, dy = np.asarray(x, float) * self.resolution_m, np.asarray(y, float) * self.resolution_m
        return self.origin[0] + self._cos * dx - self._sin * dy, self.origin[
            1
        ] + self._sin * dx + self._cos * dy

    def cast(
        self,
        poses: ArrayLike,
        beam_angles: ArrayLike,
        max_range_m: float,
        device: Literal["cpu", "cuda"] = "cpu",
    ) -> NDArray[np.float64]:
        """Return ranges (N, M) in metres from N poses (x, y, theta) along M beam angles.

        Angles are relative to theta; inf means no hit. With device="cuda" a graphics processor
        computes the same bits, and the result is an array of CuPy on it.
        """
        check_device(device)
        if device == "cuda":
            ranges: NDArray[np.float64] = self._cuda_rays.cast(
                poses, beam_angles, max_range_m / self.resolution_m
            )
            return ranges
        given = np.atleast_2d(np.asarray(poses, float))
        angles = np.atleast_1d(np.asarray(beam_angles, float))
        x, y = self.to_cells(given[:, 0], given[:, 1])
        heading_sines, heading_cosines = sines_cosines(given[:, 2] - self.origin[2])
        cells = np.column_stack([x, y, heading_cosines, heading_sines])
        sines, cosines = sines_cosines(angles)
        ranges = np.empty((len(given), len(angles)))
        cast_rays(
            self.squares,
            cells,
            cosines,
            sines,
            max_range_m / self.resolution_m,
            ranges,
        )
        return ranges * self.resolution_m

    @cached_property
    def _cuda_rays(self) -> Any:
        from rigless.worlds.cuda_rays import CudaRays

        place = self.resolution_m, *self.origin, self._cos, self._sin
        return CudaRays(self.squares, place)

    def is_cliff(self, x_m: float, y_m: float) -> bool:
        """Return True if there is no floor: a cliff cell, or outside the map."""
        x, y = self.to_cells(x_m, y_m)
        column, row = int(np.floor(x)), int(np.floor(y))
        height, width = self.shape
        return not (0 <= column < width and 0 <= row < height) or bool(self.cliff[row, column])
