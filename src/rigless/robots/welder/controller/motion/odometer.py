"""The odometer of the torch, advanced block by block.

A block is counted when it ends, so the reading does not depend on how often it is read.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.motion import planner as p
from rigless.motion.arm import kinematics
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.board import Board
from rigless.robots.welder.gcode.modal import AXES
from rigless.robots.welder.state import WelderState

METRIC = "distance_mm"


class Odometer:
    def __init__(self, state: WelderState, board: Board, arm: Arm):
        self.state, self.board, self.arm = state, board, arm

    def advance(self) -> None:
        """Count up to the begin of the first block in the queue, or to the standstill."""
        state = self.state
        if state.run[p.COUNT]:
            block = state.blocks[int(state.run[p.FIRST])]
            here = block[p.END : p.END + AXES] - block[p.LENGTH] * block[p.UNIT : p.UNIT + AXES]
        else:
            here = state.run[p.POSITION : p.POSITION + AXES].copy()
        self.board.count(METRIC, self.distance_mm(here))
        state.counted_deg = here.tolist()

    def distance_mm(self, joints_deg: NDArray[np.float64]) -> float:
        """Return the torch path from the last reading to these joints, straight in joint space."""
        begin: Any = np.array(self.state.counted_deg)
        return float(
            1000.0 * kinematics.tool_path(self.arm.links, self.arm.tool_m, begin, joints_deg)
        )
