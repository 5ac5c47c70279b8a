"""Broad phase: lower bounds on the distance between links, and between links and the cell.

The bound of a pair is the distance between the bounding sphere of one solid and the bounding box of
the other, whichever way round is larger. Pairs that are far apart by it need no exact check. Each
box is given in the frame of the joint that carries it.

The compiled functions take the arrays one by one: a call with a NamedTuple of arrays takes 4.1 µs
instead of 2.9 µs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.arm.urdf import Joint
from rigless.worlds.cells.solids import Solid

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BoundingBoxes:
    """Bounding boxes of solids, and the joints that carry them.

    `frames` are the frames of the boxes' centres in the frame of the carrying joint (0: the base).
    """

    origins: Floats  # 6×4×4: each joint in the previous one
    axes: Floats  # 6×3
    joints: Ints
    frames: Floats
    halves_m: Floats
    radii_m: Floats


def bounding_boxes(
    joints: Sequence[Joint], carriers: Sequence[int], solids: Sequence[Solid]
) -> BoundingBoxes:
    """Return the bounding boxes of solids; `carriers` are the numbers of their joints."""
    frames, halves = [], []
    for solid in solids:
        low, high = solid.bounds_m()
        frame = solid.pose.copy()
        frame[:3, 3] += solid.pose[:3, :3] @ ((low + high) / 2)
        frames.append(frame)
        halves.append((high - low) / 2)
    radii = [
        solid.size_m[0] if solid.kind == "sphere" else np.linalg.norm(half)
        for solid, half in zip(solids, halves, strict=True)
    ]
    return BoundingBoxes(
        np.array([joint.origin for joint in joints]),
        np.array([joint.axis for joint in joints]),
        np.array(carriers, np.int64),
        np.array(frames).reshape(-1, 4, 4),
        np.array(halves).reshape(-1, 3),
        np.array(radii, float),
    )


@compiled
def box_frames(
    origins: Floats, axes: Floats, joints: Floats, carriers: Ints, frames: Floats
) -> Floats:
    """Return the boxes' frames in the base frame."""
    chain = np.zeros((7, 3, 4))
    chain[0, 0, 0] = chain[0, 1, 1] = chain[0, 2, 2] = 1.0
    turned = np.zeros((3, 4))
    turn = np.empty((3, 3))
    for n in range(6):
        x, y, z = axes[n, 0], axes[n, 1], axes[n, 2]
        c, s = np.cos(joints[n]), np.sin(joints[n])
        v = 1.0 - c
        turn[0, 0], turn[0, 1], turn[0, 2] = x * x * v + c, x * y * v - z * s, x * z * v + y * s
        turn[1, 0], turn[1, 1], turn[1, 2] = x * y * v + z * s, y * y * v + c, y * z * v - x * s
        turn[2, 0], turn[2, 1], turn[2, 2] = x * z * v - y * s, y * z * v + x * s, z * z * v + c
        for i in range(3):
            for j in range(3):
                turned[i, j] = (
                    origins[n, i, 0] * turn[0, j]
                    + origins[n, i, 1] * turn[1, j]
                    + origins[n, i, 2] * turn[2, j]
                )
            turned[i, 3] = origins[n, i, 3]
        _join(chain[n], turned, chain[n + 1])
    placed = np.empty((frames.shape[0], 3, 4))
    for n in range(frames.shape[0]):
        _join(chain[carriers[n]], frames[n], placed[n])
    return placed


@compiled
def _join(left: Floats, right: Floats, out: Floats) -> None:
    for i in range(3):
        for j in range(4):
            out[i, j] = (
                left[i, 0] * right[0, j] + left[i, 1] * right[1, j] + left[i, 2] * right[2, j]
            )
        out[i, 3] += left[i, 3]


@compiled
def distance_bounds(
    placed: Floats, halves: Floats, radii: Floats, pairs: Ints, out: Floats
) -> None:
    """Write a lower bound of each pair's distance. Only a positive bound means something."""
    for n in range(pairs.shape[0]):
        a, b = pairs[n, 0], pairs[n, 1]
        out[n] = max(
            _outside(placed[b], halves[b], placed[a]) - radii[a],
            _outside(placed[a], halves[a], placed[b]) - radii[b],
        )


@compiled
def _outside(box: Floats, half: Floats, other: Floats) -> float:
    """Return the distance from the centre of another box to a box."""
    dx, dy, dz = other[0, 3] - box[0, 3], other[1, 3] - box[1, 3], other[2, 3] - box[2, 3]
    total = 0.0
    for axis in range(3):
        beyond = abs(dx * box[0, axis] + dy * box[1, axis] + dz * box[2, axis]) - half[axis]
        if beyond > 0.0:
            total += beyond * beyond
    return np.sqrt(total)


@compiled
def near_pairs(
    joints: Floats,
    origins: Floats,
    axes: Floats,
    carriers: Ints,
    frames: Floats,
    halves: Floats,
    radii: Floats,
    pairs: Ints,
    limits: Floats,
    bounds: Floats,
    found: Ints,
) -> int:
    """Write each pair's bound to `bounds`, and the pairs within their limit to `found`.

    Return the number of pairs found.
    """
    distance_bounds(
        box_frames(origins, axes, joints, carriers, frames), halves, radii, pairs, bounds
    )
    count = 0
    for n in range(pairs.shape[0]):
        if bounds[n] <= limits[n]:
            found[count] = n
            count += 1
    return count
