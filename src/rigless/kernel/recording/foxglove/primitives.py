"""Parts of Foxglove messages: times, poses, colours, and the shapes of scene entities.

Lengths are rounded to 0.1 mm, which keeps messages short; a pose of a robot to a micrometre.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from rigless.kernel.recording.foxglove.schemas import LINE_LIST, LINE_STRIP, Json

Turn = tuple[float, float, float, float]

UPRIGHT: Turn = (0.0, 0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)
NO_TURN: Json = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
PAINTS = {  # the panel's colours on a dark floor
    "plain": "#8a94a6",
    "accent": "#f58220",
    "sense": "#ff5a5f",
    "path": "#4aa3ff",
    "ghost": "#6b7d99",
    "ok": "#3ecf8e",
    "warn": "#f5b324",
    "bad": "#f0525f",
}
SHAPES = ("arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models")


def stamp(time_ns: int) -> Json:
    """Return a time stamp."""
    sec, nsec = divmod(time_ns, 1_000_000_000)
    return {"sec": sec, "nsec": nsec}


def vector(place: Sequence[float], digits: int = 4) -> Json:
    """Return a vector or a point."""
    x, y, z = place
    return {"x": round(x, digits), "y": round(y, digits), "z": round(z, digits)}


def rotation(turn: Sequence[float]) -> Json:
    """Return a quaternion x, y, z, w."""
    x, y, z, w = (round(float(value), 6) for value in turn)
    return {"x": x, "y": y, "z": z, "w": w}


def about_z(theta: float) -> Turn:
    """Return the quaternion of a rotation around the vertical axis."""
    return 0.0, 0.0, math.sin(theta / 2), math.cos(theta / 2)


def pose(place: Sequence[float], turn: Sequence[float] = UPRIGHT, digits: int = 4) -> Json:
    """Return a pose."""
    orientation = NO_TURN if turn is UPRIGHT else rotation(turn)
    return {"position": vector(place, digits), "orientation": orientation}


def colour(paint: str, alpha: float = 1.0) -> Json:
    """Return a colour by its meaning, or of a paint #rrggbb."""
    text = PAINTS.get(paint, paint)
    red, green, blue = (round(int(text[at : at + 2], 16) / 255, 3) for at in (1, 3, 5))
    return {"r": red, "g": green, "b": blue, "a": alpha}


def blend(ramp: Sequence[str], shade: float) -> Json:
    """Return the colour at a shade from 0 to 1 of a ramp."""
    place = min(max(shade, 0.0), 1.0) * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2) if len(ramp) > 1 else 0
    one, other = colour(ramp[low]), colour(ramp[min(low + 1, len(ramp) - 1)])
    return {key: round(one[key] + (other[key] - one[key]) * (place - low), 3) for key in one}


def cylinder(at: Json, radius_m: float, height_m: float, paint: Json) -> Json:
    """Return a cylinder around its centre."""
    size = vector((2 * radius_m, 2 * radius_m, height_m))
    return {"pose": at, "size": size, "bottom_scale": 1.0, "top_scale": 1.0, "color": paint}


def cube(at: Json, size_m: Sequence[float], paint: Json) -> Json:
    """Return a box or, among spheres, an ellipsoid around its centre."""
    return {"pose": at, "size": vector(size_m), "color": paint}


def arrow(at: Json, length_m: float, paint: Json) -> Json:
    """Return an arrow along the x axis of a pose."""
    return {
        "pose": at,
        "shaft_length": round(0.7 * length_m, 4),
        "shaft_diameter": round(0.12 * length_m, 4),
        "head_length": round(0.3 * length_m, 4),
        "head_diameter": round(0.3 * length_m, 4),
        "color": paint,
    }


def line(
    points: Iterable[Sequence[float]],
    paint: Json,
    kind: int = LINE_STRIP,
    width_px: float = 2.0,
    colours: Sequence[Json] = (),
) -> Json:
    """Return a line through points in the frame of its entity."""
    return {
        "type": kind,
        "pose": pose(ORIGIN),
        "thickness": width_px,
        "scale_invariant": True,
        "points": [vector(point) for point in points],
        "color": paint,
        "colors": list(colours),
        "indices": [],
    }


def axes(at: Sequence[float], turn: Sequence[float], length_m: float) -> Json:
    """Return the x, y and z axes of a frame as red, green and blue lines."""
    qx, qy, qz, qw = turn
    columns = (
        (1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + qz * qw), 2 * (qx * qz - qy * qw)),
        (2 * (qx * qy - qz * qw), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz + qx * qw)),
        (2 * (qx * qz + qy * qw), 2 * (qy * qz - qx * qw), 1 - 2 * (qx * qx + qy * qy)),
    )
    ends = [[a + length_m * b for a, b in zip(at, axis, strict=True)] for axis in columns]
    paints = [colour(paint) for paint in ("#e5484d", "#3ecf8e", "#4aa3ff")]
    points = [point for end in ends for point in (at, end)]
    colours = [paint for paint in paints for _ in range(2)]
    return line(points, paints[0], LINE_LIST, 3.0, colours)


def triangles(
    at: Json, points: Iterable[Sequence[float]], indices: Iterable[int], paint: Json
) -> Json:
    """Return a mesh of triangles."""
    return {
        "pose": at,
        "points": [vector(point) for point in points],
        "color": paint,
        "colors": [],
        "indices": list(indices),
    }


def prism(at: Json, outline: Sequence[tuple[float, float]], height_m: float, paint: Json) -> Json:
    """Return a body that stands on a convex outline."""
    count = len(outline)
    points = [(x, y, z) for z in (0.0, height_m) for x, y in outline]
    top = [index for n in range(1, count - 1) for index in (count, count + n, count + n + 1)]
    sides = []
    for n in range(count):
        after = (n + 1) % count
        sides += [n, after, count + n, after, count + after, count + n]
    return triangles(at, points, [*top, *sides], paint)


def entity(frame: str, name: str, **shapes: list[Any]) -> Json:
    """Return a scene entity without its time stamp, which `stamped` adds."""
    lists: Json = {kind: shapes.get(kind, []) for kind in SHAPES}
    return {
        "frame_id": frame,
        "id": name,
        "lifetime": {"sec": 0, "nsec": 0},
        "frame_locked": True,
        "metadata": [],
        **lists,
    }
