"""The weld bead for display: a row every few millimetres with position, time and heat.

Rows are added on ticks of a time grid that fast-forwarding does not skip, so the bead does not
depend on how many ticks are run in one call.
"""

import math

from rigless.robots.welder.state import WelderState

RATE_HZ = 5.0
SPACING_M = 0.002
MAX_ROWS = 2000  # four metres
ARC, TIME_S, HEAT_KJPMM, PLACE_M = 0, 1, 2, 3  # columns: number of the arc, …, x, y, z


class Bead:
    def __init__(self, state: WelderState, update_rate_hz: float):
        self.state = state
        self.ticks = max(1, round(update_rate_hz / RATE_HZ))  # from row to row

    def ticks_to_next(self) -> int:
        """Return the number of ticks before the next one that may add a row."""
        return self.ticks - 1 - self.state.ticks % self.ticks

    def update(self, now_ns: int) -> None:
        """Add a row if the arc burns and the torch has moved on."""
        state, weld = self.state, self.state.weld
        if state.ticks % self.ticks or not weld.arc_on or not state.torch_m:
            return
        last = state.bead[-1] if state.bead else None
        same_arc = last and last[ARC] == weld.strikes
        if last and same_arc and math.dist(last[PLACE_M:], state.torch_m) < SPACING_M:
            return
        row = (float(weld.strikes), now_ns * 1e-9, weld.heat_input_kjpmm, *state.torch_m)
        state.bead.append(row)
        if len(state.bead) > MAX_ROWS:
            del state.bead[: MAX_ROWS // 10]
