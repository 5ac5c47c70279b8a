"""The parts of a robot's view as scene entities.

Bodies of an arm (`Links`) have frames of their own, so that their meshes are sent once. All other
parts are in the frame of the world. Trails are left out: a message would grow with the run.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.kernel import drawing as d
from rigless.kernel.recording.foxglove import primitives as p
from rigless.kernel.recording.foxglove.schemas import LINE_LIST, LINE_LOOP, Json

FLAT_M = 0.01  # height of a part on the floor
GHOST_ALPHA = 0.35
ELLIPSE_POINTS = 32
LONGEST_LINE = 2000  # points of a curve

Rows = NDArray[np.float64]


def frame_of_link(robot: str, part: str, number: int) -> str:
    """Return the frame of a link of an arm."""
    return f"{robot}/{part}/{number}"


def rows_of(part: d.Part, drawn: Mapping[str, ArrayLike]) -> Rows:
    """Return the finite rows of a part; in a line, NaN separates pieces."""
    found = np.asarray(drawn.get(part.name, ()), np.float64)
    found = np.atleast_2d(found) if found.size else np.empty((0, part.columns))
    if found.ndim != 2 or found.shape[1] != part.columns:
        return np.empty((0, part.columns))
    return found if isinstance(part, d.Path | d.Curve) else found[np.isfinite(found).all(axis=1)]


def _paint(part: Any, tone: float, alpha: float = 1.0) -> Json:
    number = int(tone) if math.isfinite(tone) else 0
    named = part.tones[min(number, len(part.tones)) - 1] if number > 0 and part.tones else None
    return p.colour(named or part.colour, alpha)


def bodies(robot: str, part: d.Part, rows: Rows, world: str) -> Iterator[Json]:
    """Yield the entities of an arm or of fixed bodies."""
    if isinstance(part, d.Links):
        for number, (solids, row) in enumerate(zip(part.links, rows, strict=False)):
            frame = frame_of_link(robot, part.name, number)
            if shapes := _solids(part, solids, [float(row[7])] * len(solids)):
                yield p.entity(frame, frame, **shapes)
    elif isinstance(part, d.Scene):
        tones = [float(row[0]) for row in rows] or [0.0] * len(part.solids)
        tones += [0.0] * (len(part.solids) - len(tones))
        for number, (solid, tone) in enumerate(zip(part.solids, tones, strict=False)):
            name = f"{robot}/{part.name}/{solid.name or number}"
            yield p.entity(world, name, **_solids(part, (solid,), [tone]))


def _solids(
    part: d.Links | d.Scene, solids: tuple[d.Solid, ...], tones: list[float]
) -> dict[str, list[Json]]:
    shapes: dict[str, list[Json]] = {}
    alpha = 1.0 if part.style == "solid" else GHOST_ALPHA
    for solid, tone in zip(solids, tones, strict=True):
        paint = _paint(part, tone, alpha) if tone else p.colour(solid.colour, alpha)
        at = p.pose(solid.at, solid.turn)
        if solid.kind == "box":
            shapes.setdefault("cubes", []).append(p.cube(at, solid.size_m, paint))
        elif solid.kind == "cylinder":
            radius_m, height_m = solid.size_m
            shapes.setdefault("cylinders", []).append(p.cylinder(at, radius_m, height_m, paint))
        elif solid.kind == "sphere":
            size_m = (2 * solid.size_m[0],) * 3
            shapes.setdefault("spheres", []).append(p.cube(at, size_m, paint))
        else:
            points = np.frombuffer(solid.points, "<f4").reshape(-1, 3).tolist()
            indices = np.frombuffer(solid.triangles, "<u4").tolist()
            shapes.setdefault("triangles", []).append(p.triangles(at, points, indices, paint))
    return shapes


def drawing(robot: str, part: d.Part, rows: Rows, frame: str) -> Iterator[Json]:
    """Yield the entity of any other part, if it has something to show."""
    if not len(rows):
        return
    shapes: dict[str, list[Json]] = {}
    match part:
        case d.Disc():
            shapes = _discs(part, rows)
        case d.Polygon():
            height_m = part.height_m or FLAT_M
            shapes["triangles"] = [
                p.prism(
                    p.pose((x, y, 0.0), p.about_z(t)), part.points, height_m, _paint(part, tone)
                )
                for x, y, t, tone in rows.tolist()
            ]
        case d.Rays() if not part.fan:
            ends = [
                (x, y, part.height_m) for a, b, c, e in rows.tolist() for x, y in ((a, b), (c, e))
            ]
            shapes["lines"] = [p.line(ends, p.colour(part.colour), LINE_LIST)]
        case d.Path():
            shapes["lines"] = _strips(np.column_stack((rows, np.zeros((len(rows), 2)))), part)
        case d.Curve():
            shapes["lines"] = _strips(rows[-LONGEST_LINE:], part)
        case d.Ellipse():
            shapes["lines"] = [
                p.line(_ellipse(*row), p.colour(part.colour), LINE_LOOP) for row in rows.tolist()
            ]
        case d.Axes():
            shapes["lines"] = [p.axes(row[:3], row[3:], part.length_m) for row in rows.tolist()]
    if any(shapes.values()):
        yield p.entity(frame, f"{robot}/{part.name}", **shapes)


def _discs(part: d.Disc, rows: Rows) -> dict[str, list[Json]]:
    height_m = part.height_m or FLAT_M
    alpha = GHOST_ALPHA if part.colour == "ghost" else 1.0
    shapes: dict[str, list[Json]] = {"cylinders": [], "arrows": []}
    for x, y, theta, tone in rows.tolist():
        paint = _paint(part, tone, alpha)
        at = p.pose((x, y, height_m / 2))
        shapes["cylinders"].append(p.cylinder(at, part.radius_m, height_m, paint))
        if part.heading:
            nose = p.pose((x, y, height_m + FLAT_M), p.about_z(theta))
            shapes["arrows"].append(p.arrow(nose, part.radius_m, p.colour("plain", alpha)))
    return shapes


def _strips(rows: Rows, part: d.Path | d.Curve) -> list[Json]:
    """Return the pieces of a line; NaN separates them."""
    paint, width_px = p.colour(part.colour), getattr(part, "width_px", 2.0)
    ramp = getattr(part, "ramp", ())
    found = []
    gaps = np.flatnonzero(~np.isfinite(rows[:, :3]).all(axis=1))
    for piece in np.split(rows, gaps):
        good = piece[np.isfinite(piece[:, :3]).all(axis=1)]
        if len(good) > 1:
            shades = np.nan_to_num(good[:, 3]).tolist() if ramp else []
            colours = [p.blend(ramp, shade) for shade in shades]
            found.append(p.line(good[:, :3].tolist(), paint, 0, width_px, colours))
    return found


def _ellipse(
    x: float, y: float, angle: float, half_a: float, half_b: float
) -> Iterator[tuple[float, float, float]]:
    c, s = math.cos(angle), math.sin(angle)
    for n in range(ELLIPSE_POINTS):
        a = half_a * math.cos(2 * math.pi * n / ELLIPSE_POINTS)
        b = half_b * math.sin(2 * math.pi * n / ELLIPSE_POINTS)
        yield x + c * a - s * b, y + s * a + c * b, FLAT_M
