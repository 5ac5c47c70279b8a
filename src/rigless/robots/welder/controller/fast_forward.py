"""Run many ticks in one call while the outcome is known in closed form: at rest or in a block."""

from rigless.motion import planner as p
from rigless.robots.welder.board import Board
from rigless.robots.welder.controller.main_loop import reads_lines
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.process import welding
from rigless.robots.welder.process.weld_process import WeldProcess
from rigless.robots.welder.state import WelderState


class FastForward:
    def __init__(
        self,
        state: WelderState,
        board: Board,
        motion: Motion,
        process: WeldProcess,
    ):
        self.state, self.board, self.motion, self.process = state, board, motion, process
        self.rate_hz = process.update_rate_hz

    def run(self, times: int) -> int:
        """Run up to `times` ticks, exactly as one by one. Return how many were run."""
        state, motion, process = self.state, self.motion, self.process
        gas = (state.mist or state.flood) and welding.at_rest(state.weld)
        busy = state.cancelling or state.alarm_at_rest or state.legs or state.probe.mode or gas
        burning = not welding.at_rest(state.weld)
        if busy or (burning and not process.is_steady()):
            return 0
        if state.forecast.contacts and motion.guard.is_near():
            return 0
        times = min(times, self._ticks_to_event(times))
        if burning:
            times = min(times, process.ticks_to_next())
        if times < 2:
            return 0
        if burning:
            times = process.burn(times)
        if times and state.run[p.COUNT]:
            last_s = motion.now_s + (times - 1) / self.rate_hz
            p.advance(state.blocks, state.run, last_s, motion.done)
        state.ticks += times
        return times

    def _ticks_to_event(self, most: int) -> int:
        """Return the ticks before a block ends, the planner has room, or a dwell is over."""
        state, motion = self.state, self.motion
        if state.run[p.COUNT] and not p.at_rest(state.run, motion.now_s):
            until_s = p.first_block_end_s(state.blocks, state.run)
            if state.line is not None and not motion.room():  # the line continues when there is
                until_s = min(until_s, p.next_free_s(state.blocks, state.run))
            return int(min(until_s - motion.now_s, 1e6) * self.rate_hz) - 1
        if state.line is not None or (state.rx and reads_lines(state)):
            now_ns = self.board.now_ns
            if state.until_ns < now_ns:
                return 0
            return int((state.until_ns - now_ns) * 1e-9 * self.rate_hz) - 1
        return most
