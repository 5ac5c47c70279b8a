"""Forward kinematics of a six-axis arm: any chain of six revolute joints.

`links` (7×4×4) are fixed transforms: from each joint's frame to the next one, whose z is its axis
of rotation, and from the last joint's frame to the flange. Metres and radians.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled

Floats = NDArray[np.float64]
MOST_CHORDS = 720


class Mechanism(NamedTuple):
    """The geometry of an arm for compiled functions.

    Inverse kinematics is the closed form of `table` (closed_form.py) if there are no `starts`:
    joints turn by `signs`; `base_back` and `end_back` lead from base and flange to the table's
    frames. Otherwise it is numeric, from these starting points (inverse.py).
    """

    links: Floats
    table: Floats
    signs: Floats
    base_back: Floats
    end_back: Floats
    starts: Floats


@compiled
def product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the product of two small square matrices.

    numba's own needs scipy's BLAS, which is not worth it for four rows.
    """
    size = left.shape[0]
    found = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            for k in range(size):
                found[i, j] += left[i, k] * right[k, j]
    return found


@compiled
def turned(frame: Floats, angle: float) -> Floats:
    """Return a frame turned about its own z axis."""
    c, s = np.cos(angle), np.sin(angle)
    found = frame.copy()
    for i in range(3):
        found[i, 0] = frame[i, 0] * c + frame[i, 1] * s
        found[i, 1] = frame[i, 1] * c - frame[i, 0] * s
    return found


@compiled
def chain(links: Floats, joints: Floats) -> Floats:
    """Return each joint's frame in the base frame, turned by its angle, and the flange: 7×4×4."""
    frames = np.empty((7, 4, 4))
    frame = np.eye(4)
    for n in range(6):
        frame = turned(product(frame, links[n]), joints[n])
        frames[n] = frame
    frames[6] = product(frame, links[6])
    return frames


@compiled
def flange(links: Floats, joints: Floats) -> Floats:
    """Return the flange in the base frame."""
    frame = np.eye(4)
    for n in range(6):
        frame = turned(product(frame, links[n]), joints[n])
    return product(frame, links[6])


@compiled
def tool_place(links: Floats, tool: Floats, joints_deg: Floats, out: Floats) -> None:
    """Write a point of the tool (given in the flange's frame) in the base frame to `out`.

    It is carried from link to link, without products of matrices.
    """
    x, y, z = tool[0], tool[1], tool[2]
    for n in range(6, -1, -1):
        if n < 6:
            c, s = np.cos(joints_deg[n] * (np.pi / 180.0)), np.sin(joints_deg[n] * (np.pi / 180.0))
            x, y = c * x - s * y, s * x + c * y
        at = links[n]
        x, y, z = (
            at[0, 0] * x + at[0, 1] * y + at[0, 2] * z + at[0, 3],
            at[1, 0] * x + at[1, 1] * y + at[1, 2] * z + at[1, 3],
            at[2, 0] * x + at[2, 1] * y + at[2, 2] * z + at[2, 3],
        )
    out[0], out[1], out[2] = x, y, z


@compiled
def tool_places(links: Floats, tool: Floats, rows_deg: Floats) -> Floats:
    """Return `tool_place` for each row of joints."""
    found = np.empty((rows_deg.shape[0], 3))
    for n in range(rows_deg.shape[0]):
        tool_place(links, tool, rows_deg[n], found[n])
    return found


@compiled
def tool_path(
    links: Floats,
    tool: Floats,
    begin_deg: Floats,
    end_deg: Floats,
) -> float:
    """Return the length of a tool point's path if all joints move evenly between two positions.

    It is summed over chords of at most one degree.
    """
    widest = 0.0
    for n in range(6):
        widest = max(widest, abs(end_deg[n] - begin_deg[n]))
    chords = min(int(np.ceil(widest)), MOST_CHORDS)
    before, after, length = np.empty(3), np.empty(3), 0.0
    tool_place(links, tool, begin_deg, before)
    for k in range(chords):
        tool_place(links, tool, begin_deg + (end_deg - begin_deg) * ((k + 1) / chords), after)
        length += np.sqrt(
            (after[0] - before[0]) ** 2 + (after[1] - before[1]) ** 2 + (after[2] - before[2]) ** 2
        )
        before[:] = after
    return length
