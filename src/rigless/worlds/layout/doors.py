"""Doors of a layout: obstacles that slide along themselves, into the wall, by their width."""

from rigless.kernel.elementary import sin_cos
from rigless.kernel.inputs import MoveObstacle
from rigless.kernel.world import Obstacle
from rigless.worlds.layout.model import Door

NEAR_M = 6.0  # from the middle of an automatic door to a robot for which it opens


def leaf_of(door: Door) -> Obstacle:
    """Return a door as an obstacle, as it is at the start."""
    pose = leaf_pose(door, door.open)
    return Obstacle(size_m=(door.width_m, door.thickness_m), begin=pose, end=pose)


def leaf_pose(door: Door, is_open: bool) -> tuple[float, float, float]:
    """Return the pose of an open or a closed door."""
    if not is_open:
        return door.x, door.y, door.theta
    sine, cosine = sin_cos(door.theta)
    return door.x + door.width_m * cosine, door.y + door.width_m * sine, door.theta


def slide(door: Door, is_open: bool) -> MoveObstacle:
    """Return the move that opens or closes a door."""
    return MoveObstacle(door.id, *leaf_pose(door, is_open), door.seconds)


def is_near(door: Door, x_m: float, y_m: float) -> bool:
    return (door.x - x_m) ** 2 + (door.y - y_m) ** 2 <= NEAR_M * NEAR_M
