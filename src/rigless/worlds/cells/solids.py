"""Solids in space: boxes, cylinders, spheres and meshes, each in a frame. Metres."""

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["box", "cylinder", "sphere", "mesh"]


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles: vertices (n×3), and three vertex numbers per triangle (m×3)."""

    vertices_m: NDArray[np.float64]
    triangles: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Solid:
    """A body of a cell or a robot link.

    `size_m`: a box's three sides, a cylinder's radius and height (along z, its centre at the
    origin), a sphere's radius; empty for a mesh. `pose` is its frame in its parent's. `colour` is
    #rrggbb, if it has its own.
    """

    name: str
    kind: Kind
    size_m: tuple[float, ...] = ()
    pose: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    mesh: Mesh | None = None
    colour: str = ""

    @property
    def furthest_m(self) -> float:
        """Distance of its furthest point from the origin of the parent's frame."""
        if self.mesh is not None:
            return float(np.linalg.norm(self.points_m(), axis=1).max())
        if self.kind == "sphere":
            return float(np.linalg.norm(self.pose[:3, 3])) + self.size_m[0]
        if self.kind == "cylinder":
            radius, height = self.size_m
            centre = self.pose[:3, :3].T @ self.pose[:3, 3]  # in the cylinder's own axes
            return math.hypot(
                math.hypot(centre[0], centre[1]) + radius, abs(centre[2]) + height / 2
            )
        return float(np.linalg.norm(self.points_m(), axis=1).max())

    def points_m(self) -> NDArray[np.float64]:
        """Return the corners of its bounding box, or a mesh's vertices, in the parent's frame."""
        if self.mesh is not None:
            own = self.mesh.vertices_m
        else:
            own = (
                np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
                * self._half_m()
            )
        return own @ self.pose[:3, :3].T + self.pose[:3, 3]

    def bounds_m(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lowest and highest corner of its bounding box, in its own axes."""
        if self.mesh is not None:
            return self.mesh.vertices_m.min(axis=0), self.mesh.vertices_m.max(axis=0)
        half = np.array(self._half_m())
        return -half, half

    def _half_m(self) -> tuple[float, ...]:
        """Return half the sides of its bounding box."""
        if self.kind == "sphere":
            return self.size_m * 3
        if self.kind == "cylinder":
            return self.size_m[0], self.size_m[0], self.size_m[1] / 2
        return tuple(side / 2 for side in self.size_m)


@dataclass(frozen=True, eq=False)
class Thing:
    """A solid in the cell.

    Links closer to it than the margin collide with it, except those named in `ignore`. `colour` is
    #rrggbb; empty leaves the choice to the page.
    """

    solid: Solid
    margin_m: float = 0.0
    colour: str = ""
    ignore: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.solid.name
