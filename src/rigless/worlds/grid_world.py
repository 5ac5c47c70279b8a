"""A world with a map: walls from an occupancy grid, and moving discs and boxes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.body import Body
from rigless.kernel.robot import Robot
from rigless.kernel.world import Obstacle, World
from rigless.worlds import placement
from rigless.worlds.grid import Grid
from rigless.worlds.rooms import rooms

NO_DISCS: NDArray[np.float64] = np.empty((0, 3))
NO_BOXES: NDArray[np.float64] = np.empty((0, 5))


class GridWorld(World):
    """A world of a grid, with its moving shapes in cell units for ray casting and contact."""

    def __init__(self, grid: Grid, obstacles: dict[str, Obstacle] | None = None):
        self.grid = grid
        super().__init__(obstacles)

    def why_outside(self, body: Body) -> str:
        return placement.why_off_map(self.grid, body)

    def why_blocked(self, body: Body, now_ns: int, without: str = "") -> str:
        if placement.overlaps_wall(self.grid, body):
            return "a wall"
        return super().why_blocked(body, now_ns, without)

    def clearance_m(self, body: Body, now_ns: int, others: Sequence[Body] = ()) -> float:
        walls_m = placement.wall_distance_m(self.grid, body)
        return min(walls_m, super().clearance_m(body, now_ns, others))

    def nearest_free(self, body: Body, others: Sequence[Body]) -> tuple[float, float] | None:
        return placement.nearest_free(self.grid, body, others)

    def around(self, robot: Robot) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the discs and boxes around a robot: obstacles and other robots."""
        if not self.state.obstacles and len(robot.all_robots) == 1:
            return NO_DISCS, NO_BOXES
        return self.shapes(robot.now_ns, robot.neighbours())

    def rooms_m(self, robots: Sequence[Robot]) -> list[float]:
        """Return how far each of these robots can move and touch nothing.

        It is a lower bound, and holds while every robot of this world moves as far. It is 0 if
        there are obstacles, since these may move too.
        """
        if self.state.obstacles:
            return [0.0] * len(robots)
        members = [robot for robot in robots[0].all_robots.values() if robot.world is self]
        found = {robot.name: disc for robot in members if (disc := robot.footprint()) is not None}
        x_m, y_m, radius_m = np.array(list(found.values())).T
        discs = np.column_stack((*self.grid.to_cells(x_m, y_m), radius_m / self.grid.resolution_m))
        out = np.empty(len(discs))
        rooms(self.grid.clear, discs, out)
        free = dict(zip(found, (out * self.grid.resolution_m).tolist(), strict=True))
        return [free[robot.name] for robot in robots]

    def shapes(
        self, now_ns: int, bodies: list[tuple[float, float, float]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return discs (x, y, r) and boxes (x, y, half_x, half_y, theta) at a time.

        They are the obstacles and the bodies given.
        """
        if not self.state.obstacles and not bodies:
            return NO_DISCS, NO_BOXES
        size, yaw = self.grid.resolution_m, self.grid.origin[2]
        discs, boxes = [], []
        for obstacle in self.state.obstacles.values():
            x_m, y_m, theta = obstacle.pose(now_ns)
            x, y = self.grid.to_cells(x_m, y_m)
            if obstacle.size_m is None:
                discs.append((float(x), float(y), obstacle.radius_m / size))
            else:
                half_x, half_y = 0.5 * obstacle.size_m[0] / size, 0.5 * obstacle.size_m[1] / size
                boxes.append((float(x), float(y), half_x, half_y, theta - yaw))
        for x_m, y_m, radius_m in bodies:
            x, y = self.grid.to_cells(x_m, y_m)
            discs.append((float(x), float(y), radius_m / size))
        return np.array(discs).reshape(-1, 3), np.array(boxes).reshape(-1, 5)
