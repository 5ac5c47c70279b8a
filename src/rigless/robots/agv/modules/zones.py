"""Blocked zones, and their intersection with the footprint and the swept area of a robot."""

import math
from collections.abc import Sequence
from typing import Any

Point = tuple[float, float]
Circle = tuple[float, float, float]  # x, y, radius
FARTHEST_M = 1e6
MOST_CORNERS = 200


def read(zone: Any) -> tuple[list[Point], Circle | None]:
    """Return the corners or the circle of a zone on the wire. Raises ValueError.

    A zone is {"polygon": [[x, y], …]} (a corner may be {"x", "y"}), the bare list of corners, {"x",
    "y", "radius"}, or {"minX", "minY", "maxX", "maxY"}.
    """
    if isinstance(zone, dict) and "radius" in zone:
        centre = zone.get("center", [zone.get("x"), zone.get("y")])
        x, y = _point(centre)
        radius = _number(zone["radius"])
        if radius <= 0:
            raise ValueError("zone: radius is not above 0")
        return [], (x, y, radius)
    if isinstance(zone, dict) and "minX" in zone:
        low_x, low_y, high_x, high_y = (
            _number(zone.get(key)) for key in ("minX", "minY", "maxX", "maxY")
        )
        if low_x >= high_x or low_y >= high_y:
            raise ValueError("zone: minX and minY are not below maxX and maxY")
        return [(low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y)], None
    corners = zone.get("polygon") if isinstance(zone, dict) else zone
    if not isinstance(corners, list) or not 3 <= len(corners) <= MOST_CORNERS:
        raise ValueError(
            f"zone: expected a polygon of 3 to {MOST_CORNERS} corners, x, y and radius,"
            " or minX, minY, maxX and maxY"
        )
    return [_point(corner) for corner in corners], None


def around(corners: Sequence[Point], circle: Circle | None) -> Circle:
    """Return a circle around a zone, for a quick test of zones far away."""
    if circle is not None:
        return circle
    x, y = (sum(corner[axis] for corner in corners) / len(corners) for axis in (0, 1))
    return x, y, max(math.hypot(corner[0] - x, corner[1] - y) for corner in corners)


def _number(value: Any) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not abs(value) <= FARTHEST_M
    ):
        raise ValueError(f"zone: {str(value)[:40]} is not a number of metres")
    return float(value)


def _point(value: Any) -> Point:
    if isinstance(value, dict):
        value = [value.get("x"), value.get("y")]
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("zone: a corner must be [x, y]")
    return _number(value[0]), _number(value[1])


def footprint(pose: tuple[float, float, float], length_m: float, width_m: float) -> list[Point]:
    """Return the corners of the body, which is centred at the pose."""
    return _box(pose, -length_m / 2, length_m / 2, width_m / 2)


def swept(
    pose: tuple[float, float, float],
    length_m: float,
    width_m: float,
    ahead_m: float,
    margin_m: float,
    back: bool,
) -> list[Point]:
    """Return the area of the body with a margin, and of the distance that it still drives."""
    rear, front = -length_m / 2 - margin_m, length_m / 2 + margin_m
    rear, front = (rear - ahead_m, front) if back else (rear, front + ahead_m)
    return _box(pose, rear, front, width_m / 2 + margin_m)


def _box(pose: tuple[float, float, float], rear: float, front: float, half: float) -> list[Point]:
    x, y, theta = pose
    c, s = math.cos(theta), math.sin(theta)
    return [
        (x + c * a - s * b, y + s * a + c * b)
        for a, b in ((front, half), (rear, half), (rear, -half), (front, -half))
    ]


def touches(body: Sequence[Point], corners: Sequence[Point], circle: Circle | None) -> bool:
    """Return True if a body and a zone intersect."""
    if circle is not None:
        return _disc_touches(circle, body)
    if inside(body[0], corners) or inside(corners[0], body):
        return True
    return any(_cross(a, b, c, d) for a, b in _edges(body) for c, d in _edges(corners))


def disc_touches(disc: Circle, corners: Sequence[Point], circle: Circle | None) -> bool:
    """Return True if a disc and a zone intersect."""
    if circle is None:
        return _disc_touches(disc, corners)
    return math.hypot(disc[0] - circle[0], disc[1] - circle[1]) <= disc[2] + circle[2]


def _disc_touches(disc: Circle, polygon: Sequence[Point]) -> bool:
    centre = disc[0], disc[1]
    return inside(centre, polygon) or any(
        _distance(centre, a, b) <= disc[2] for a, b in _edges(polygon)
    )


def inside(point: Point, polygon: Sequence[Point]) -> bool:
    x, y = point
    found = False
    for (ax, ay), (bx, by) in _edges(polygon):
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            found = not found
    return found


def _edges(polygon: Sequence[Point]) -> list[tuple[Point, Point]]:
    return list(zip(polygon, [*polygon[1:], polygon[0]], strict=True))


def _distance(point: Point, a: Point, b: Point) -> float:
    """Return the distance from a point to a segment."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    long = dx * dx + dy * dy
    t = (
        max(0.0, min(1.0, ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / long))
        if long
        else 0.0
    )
    return math.hypot(point[0] - a[0] - t * dx, point[1] - a[1] - t * dy)


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return True if two segments intersect."""
    turns = _turn(a, b, c), _turn(a, b, d), _turn(c, d, a), _turn(c, d, b)
    if turns[0] * turns[1] < 0 and turns[2] * turns[3] < 0:
        return True
    return any(
        turn == 0 and _distance(point, *other) == 0
        for turn, point, other in zip(
            turns, (c, d, a, b), ((a, b), (a, b), (c, d), (c, d)), strict=True
        )
    )


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
