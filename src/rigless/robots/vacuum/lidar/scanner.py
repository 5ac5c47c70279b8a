"""The lidar's turns: how many beams one has, and the buffers that the compiled scan fills."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.lidar.beams import beam_count
from rigless.robots.vacuum.lidar.turn import aim, scan
from rigless.robots.vacuum.state import VacuumState
from rigless.worlds.grid import Grid

Array = NDArray[np.float64]


class LidarArrays(Protocol):
    """The arrays that a scan needs: the lidar's numbers, and the beams' angles and directions."""

    @property
    def setup(self) -> Array: ...
    @property
    def angles(self) -> Array: ...
    @property
    def cosines(self) -> Array: ...
    @property
    def sines(self) -> Array: ...


class Scanner:
    """Cast the beams of a turn.

    `points` are the measured angles, distances and qualities; `ranges` are the true ranges of all
    beams, inf where there is no echo.
    """

    def __init__(self, config: VacuumConfig, arrays: LidarArrays, grid: Grid):
        self._config, self._arrays, self._grid = config.lidar, arrays, grid
        count = config.lidar.num_rays
        self.ranges = np.full(count, np.inf)
        self.points = (
            np.empty(count, np.float32),
            np.empty(count, np.float32),
            np.empty(count, np.uint8),
        )

    def scan(self, state: VacuumState, beams: int, discs: Any, boxes: Any) -> int:
        """Fill the buffers with the last turn and return its number of points."""
        arrays, grid = self._arrays, self._grid
        end_s = state.scanned_ns / 1e9
        self.ranges[:] = np.inf
        return scan(
            arrays.setup, grid.squares, grid.material, discs, boxes, state.trail, state.trail_at,
            end_s - 1.0 / self._config.scan_rate_hz, end_s, arrays.angles, arrays.cosines,
            arrays.sines, state.keys[2], state.scans, beams, *self.points, self.ranges,
        )  # fmt: skip

    def beams(self, state: VacuumState, discs: Any, boxes: Any) -> Array:
        """Return the beams of the last turn in the world: x, y, to_x, to_y.

        A beam without an echo ends at the maximum range.
        """
        self.scan(state, self._config.num_rays, discs, boxes)
        arrays, grid, end_s = self._arrays, self._grid, state.scanned_ns / 1e9
        rays = np.empty((self._config.num_rays, 4))
        aim(
            arrays.setup, state.trail, state.trail_at, 0, end_s - 1.0 / self._config.scan_rate_hz,
            end_s, len(rays), arrays.cosines, arrays.sines, 0, rays,
        )  # fmt: skip
        x, y, dx, dy = rays.T
        reach = np.minimum(self.ranges, self._config.max_range) / grid.resolution_m
        ends = grid.to_world(x + dx * reach, y + dy * reach)
        return np.column_stack((*grid.to_world(x, y), *ends))

    @property
    def echoes(self) -> NDArray[np.bool_]:
        """True for the beams of the last turn whose range the lidar can measure."""
        return (self.ranges >= self._config.min_range) & (self.ranges <= self._config.max_range)

    def beam_count(self, state: VacuumState, now_ns: int) -> int:
        """Return the beams of this turn: fewer while the motor spins up or runs slow."""
        lidar, since_s = self._config, (now_ns - state.lidar_since_ns) / 1e9
        if not lidar.speed_jitter and not lidar.cold_start_s:
            return lidar.num_rays
        return beam_count(
            lidar.num_rays, lidar.speed_jitter, lidar.cold_start_s, since_s, state.keys[2],
            state.scans,
        )  # fmt: skip
