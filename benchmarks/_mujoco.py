"""MuJoCo (Apache-2.0) as a peer: `mj_multiRay` on a model whose walls are boxes.

Each box is the largest run of occupied cells that fits.
"""

from collections.abc import Callable, Iterator

import numpy as np

from ._floor import RESOLUTION_M, Array, Cells


def lidar(cells: Cells, max_range_m: float) -> Callable[[Array, Array], Array]:
    """Return a caster; raise ImportError if MuJoCo is not installed."""
    import mujoco

    geoms = "".join(
        f'<geom type="box" '
        f'pos="{(x + wide / 2) * RESOLUTION_M!r} {(y + high / 2) * RESOLUTION_M!r} 0" '
        f'size="{wide / 2 * RESOLUTION_M!r} {high / 2 * RESOLUTION_M!r} 1"/>'
        for x, y, wide, high in boxes(cells)
    )
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)

    def cast(poses: Array, angles: Array) -> Array:
        ranges, count = np.empty((len(poses), len(angles))), len(angles)
        hit, distance = np.empty(count, np.int32), np.empty(count)
        for i, (x, y, theta) in enumerate(poses):
            turned = angles + theta
            rays = np.column_stack([np.cos(turned), np.sin(turned), np.zeros(count)]).ravel()
            mujoco.mj_multiRay(
                model,
                data,
                np.array([x, y, 0.0]),
                rays,
                None,
                True,
                -1,
                hit,
                distance,
                None,
                count,
                max_range_m,
            )
            ranges[i] = np.where((hit < 0) | (distance > max_range_m), np.inf, distance)
        return ranges

    return cast


def boxes(cells: Cells) -> Iterator[tuple[int, int, int, int]]:
    """Return the occupied cells as boxes (x, y, wide, high) that do not overlap.

    Each is a run along a row, extended upwards.
    """
    left = cells.copy()
    for y in range(len(left)):
        x = 0
        while (run := np.flatnonzero(left[y, x:])).size:
            x += int(run[0])
            gap = np.flatnonzero(~left[y, x:])
            wide = int(gap[0]) if gap.size else left.shape[1] - x
            high = 1
            while y + high < len(left) and left[y + high, x : x + wide].all():
                high += 1
            left[y : y + high, x : x + wide] = False
            yield x, y, wide, high
            x += wide
