"""Where the torch has welded, for those who look: a place every few millimetres, with when it was and how hot.

Laid on ticks of a grid of time that `update_many` does not skip, so that it is the same however many ticks are done at once.
"""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

LAID_HZ = 5.0
APART_M = 0.002
MOST = 2000  # places that are kept: four metres
ARC, TIME_S, HEAT_KJPMM, PLACE_M = 0, 1, 2, 3  # columns: the number of the arc, …, x, y, z


def every(robot: "Welder") -> int:
    """Ticks between two places."""
    return max(1, round(robot.config.update_rate_hz / LAID_HZ))


def ticks_before(robot: "Welder") -> int:
    """How many ticks there are until one that may lay something."""
    ticks = every(robot)
    return ticks - 1 - robot.state.ticks % ticks


def lay(robot: "Welder") -> None:
    """One tick of a burning arc has been."""
    state, weld = robot.state, robot.state.weld
    if state.ticks % every(robot) or not weld.arc_on or not state.torch_m:
        return
    last = state.bead[-1] if state.bead else None
    if last and last[ARC] == weld.strikes and math.dist(last[PLACE_M:], state.torch_m) < APART_M:
        return
    state.bead.append(
        (float(weld.strikes), robot.now_ns * 1e-9, weld.heat_input_kjpmm, *state.torch_m)
    )
    if len(state.bead) > MOST:
        del state.bead[: MOST // 10]
