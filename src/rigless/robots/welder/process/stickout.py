"""Stick-out: the length of wire between the contact tip and the work, measured in the cell.

The tool centre point is the end of the wire at its programmed length (`torch.wire_mm`). The contact
tip is that far behind it. A ray from the contact tip along the wire gives the stick-out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.worlds.cells.cell import Cell
from rigless.worlds.cells.solids import Solid
from rigless.worlds.frames import Matrix, inverse

Floats = NDArray[np.float64]
NOMINAL_MM = 15.0  # [wire] without a cell
FARTHEST_MM = 1000.0  # stands for "there is no work in front of the wire"
RATE_HZ = 20.0  # of measurements: every 0.5 mm at 10 mm/s
KINDS = ("box", "cylinder", "sphere", "mesh")
BOX, CYLINDER, SPHERE, MESH = range(4)


class Surfaces(NamedTuple):
    """The solids of a cell as arrays.

    For each solid: its kind, the inverse of its pose, its half sizes and centre (box and mesh: of
    the bounding box; cylinder: radius, radius, half height), and its triangles' range.
    """

    kinds: NDArray[np.int64]
    backs: Floats
    halves_m: Floats
    centres_m: Floats
    ranges: NDArray[np.int64]
    triangles_m: Floats


class Stickout:
    """Measures the stick-out against the solids of a cell."""

    def __init__(self, cell: Cell, wire_mm: float):
        self.tip_m = -wire_mm / 1000
        self.surfaces = surfaces([thing.solid for thing in cell.things])
        self.measure_mm(np.eye(4))  # has numba compile it, so that no first arc stalls

    def measure_mm(self, torch: Matrix) -> float:
        """Return the stick-out at a frame of the tool centre point, at most FARTHEST_MM."""
        along = np.ascontiguousarray(torch[:3, 2])
        tip = torch[:3, 3] + self.tip_m * along
        return min(1000.0 * float(distance_m(self.surfaces, tip, along)), FARTHEST_MM)


def surfaces(solids: list[Solid]) -> Surfaces:
    """Return the arrays of solids."""
    bounds = [solid.bounds_m() for solid in solids]
    meshes = [
        solid.mesh.vertices_m[solid.mesh.triangles] if solid.mesh else np.zeros((0, 3, 3))
        for solid in solids
    ]
    ends = np.cumsum([0, *(len(mesh) for mesh in meshes)])
    return Surfaces(
        np.array([KINDS.index(solid.kind) for solid in solids], np.int64),
        np.array([inverse(solid.pose) for solid in solids], float).reshape(-1, 4, 4),
        np.array([(high - low) / 2 for low, high in bounds], float).reshape(-1, 3),
        np.array([(high + low) / 2 for low, high in bounds], float).reshape(-1, 3),
        np.column_stack((ends[:-1], ends[1:])).astype(np.int64),
        np.ascontiguousarray(np.concatenate([np.zeros((0, 3, 3)), *meshes]), float),
    )


@compiled
def distance_m(surfaces: Surfaces, point: Floats, along: Floats) -> float:
    """Return the distance from a point to the first surface along a ray; infinity if none is hit.

    It is zero inside a box, cylinder or sphere.
    """
    nearest = np.inf
    p, d = np.empty(3), np.empty(3)
    for n in range(len(surfaces.kinds)):
        back, half = surfaces.backs[n], surfaces.halves_m[n]
        for i in range(3):
            p[i] = back[i, 3] - surfaces.centres_m[n, i]
            d[i] = 0.0
            for k in range(3):
                p[i] += back[i, k] * point[k]
                d[i] += back[i, k] * along[k]
        kind = surfaces.kinds[n]
        if kind == SPHERE:
            enter, leave = _round(p, d, half[0], 3)
        elif kind == CYLINDER:
            enter, leave = _round(p, d, half[0], 2)
            low, high = _slabs(p, d, half, 2)
            enter, leave = max(enter, low), min(leave, high)
        else:
            enter, leave = _slabs(p, d, half, 0)
        if enter > leave or leave < 0.0 or enter >= nearest:
            continue
        if kind != MESH:
            nearest = max(enter, 0.0)
            continue
        for i in range(3):
            p[i] += surfaces.centres_m[n, i]
        for row in range(surfaces.ranges[n, 0], surfaces.ranges[n, 1]):
            nearest = min(nearest, _triangle(p, d, surfaces.triangles_m[row]))
    return nearest


@compiled
def _slabs(p: Floats, d: Floats, half: Floats, first: int) -> tuple[float, float]:
    """Return where a ray enters and leaves a centred box, in the axes from `first` on."""
    enter, leave = -np.inf, np.inf
    for i in range(first, 3):
        if abs(d[i]) < 1e-12:
            if abs(p[i]) > half[i]:
                return np.inf, -np.inf
            continue
        one, two = (-half[i] - p[i]) / d[i], (half[i] - p[i]) / d[i]
        enter, leave = max(enter, min(one, two)), min(leave, max(one, two))
    return enter, leave


@compiled
def _round(p: Floats, d: Floats, radius: float, axes: int) -> tuple[float, float]:
    """Return where a ray enters and leaves a sphere (three axes) or an endless cylinder (two)."""
    a = b = c = 0.0
    for i in range(axes):
        a += d[i] * d[i]
        b += p[i] * d[i]
        c += p[i] * p[i]
    c -= radius * radius
    if a < 1e-12:
        return (-np.inf, np.inf) if c <= 0.0 else (np.inf, -np.inf)
    root = b * b - a * c
    if root < 0.0:
        return np.inf, -np.inf
    root = np.sqrt(root)
    return (-b - root) / a, (-b + root) / a


@compiled
def _triangle(p: Floats, d: Floats, corners: Floats) -> float:
    """Return the distance to a triangle along a ray, by Möller and Trumbore; infinity: missed."""
    ax, ay, az = corners[0, 0], corners[0, 1], corners[0, 2]
    ux, uy, uz = corners[1, 0] - ax, corners[1, 1] - ay, corners[1, 2] - az
    vx, vy, vz = corners[2, 0] - ax, corners[2, 1] - ay, corners[2, 2] - az
    hx, hy, hz = d[1] * vz - d[2] * vy, d[2] * vx - d[0] * vz, d[0] * vy - d[1] * vx
    size = ux * hx + uy * hy + uz * hz
    if abs(size) < 1e-18:
        return np.inf
    sx, sy, sz = p[0] - ax, p[1] - ay, p[2] - az
    u = (sx * hx + sy * hy + sz * hz) / size
    qx, qy, qz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    v = (d[0] * qx + d[1] * qy + d[2] * qz) / size
    far = (vx * qx + vy * qy + vz * qz) / size
    slack = 1e-6  # of the sides: a ray into the corner of two plates passes between neither
    inside = u >= -slack and v >= -slack and u + v <= 1.0 + slack and far >= 0.0
    return far if inside else np.inf
