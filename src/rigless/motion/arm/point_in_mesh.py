"""Point-in-mesh test, by the solid angle that the surface covers as seen from the point."""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.worlds.cells.solids import Mesh


def is_inside(mesh: Mesh | None, point_m: NDArray[np.float64]) -> bool:
    """Return True if the point is inside the mesh.

    For a mesh with holes: if more than half of the sphere around the point is covered.
    """
    return (
        mesh is not None
        and abs(winding_number(mesh.vertices_m, mesh.triangles, np.asarray(point_m, float))) > 0.5
    )


@compiled
def winding_number(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], point: NDArray[np.float64]
) -> float:
    """Return the winding number of the surface around the point: 0 outside, ±1 inside.

    Each triangle's solid angle is by van Oosterom and Strackee's formula.
    """
    for axis in range(3):
        if point[axis] < vertices[:, axis].min() or point[axis] > vertices[:, axis].max():
            return 0.0
    total = 0.0
    for n in range(triangles.shape[0]):
        ax, ay, az = vertices[triangles[n, 0]] - point
        bx, by, bz = vertices[triangles[n, 1]] - point
        cx, cy, cz = vertices[triangles[n, 2]] - point
        a, b, c = (
            np.sqrt(ax * ax + ay * ay + az * az),
            np.sqrt(bx * bx + by * by + bz * bz),
            np.sqrt(cx * cx + cy * cy + cz * cz),
        )
        volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        ab, bc, ca = (
            ax * bx + ay * by + az * bz,
            bx * cx + by * cy + bz * cz,
            cx * ax + cy * ay + cz * az,
        )
        total += 2.0 * np.arctan2(volume, a * b * c + ab * c + bc * a + ca * b)
    return total / (4.0 * np.pi)
