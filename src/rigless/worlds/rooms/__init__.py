"""The room around discs: how far each can move before it may touch a wall or another one."""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.worlds.clearance import Clearance, cell_of


@compiled
def rooms(clear: Clearance, discs: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write a lower bound for each disc (x, y, radius in cells).

    It holds while no other disc moves farther than its own.
    """
    for i in range(discs.shape[0]):
        column, row = cell_of(discs[i, 0], discs[i, 1], clear.shape[1], clear.shape[0])
        out[i] = clear[row, column] - discs[i, 2]
        for j in range(i):
            dx, dy = discs[i, 0] - discs[j, 0], discs[i, 1] - discs[j, 1]
            half = 0.5 * (np.sqrt(dx * dx + dy * dy) - discs[i, 2] - discs[j, 2])
            out[i], out[j] = min(out[i], half), min(out[j], half)
