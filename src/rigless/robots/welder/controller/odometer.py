"""How far the torch has travelled: counted block by block as they end, so that it is the same however often anybody looks."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigless.motion import planner as p
from rigless.motion.arm import kinematics
from rigless.robots.welder.gcode.modal import AXES

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

METRIC = "distance_mm"


def count(robot: "Welder") -> None:
    """Blocks have ended, or were dropped: count on to where the first one left begins."""
    state = robot.state
    if state.run[p.COUNT]:
        block = state.blocks[int(state.run[p.FIRST])]
        here = block[p.END : p.END + AXES] - block[p.LENGTH] * block[p.UNIT : p.UNIT + AXES]
    else:
        here = state.run[p.POSITION : p.POSITION + AXES].copy()
    robot.count(METRIC, beyond(robot, here))
    state.counted_deg = here.tolist()


def beyond(robot: "Welder", joints_deg: NDArray[np.float64]) -> float:
    """Millimetres from where was counted to some joints, on a straight line of the joints."""
    begin: Any = np.array(robot.state.counted_deg)
    return float(
        1000.0 * kinematics.tool_path(robot.arm.table, robot.arm.tool_m, begin, joints_deg)
    )
