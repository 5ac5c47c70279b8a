"""Ticks in which nothing happens: at rest, or within a block, whose motion is known in closed form. They are passed over in one go."""

from typing import TYPE_CHECKING

from rigless.motion import planner as p
from rigless.robots.welder.arm import guard
from rigless.robots.welder.controller import main_loop as lines
from rigless.robots.welder.controller import moves
from rigless.robots.welder.process import bead, welding
from rigless.robots.welder.process import weld_process as process

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder


def pass_over(robot: "Welder", times: int) -> int:
    """Do as many of the next ticks as are quiet, as they would be one by one; gives how many."""
    state = robot.state
    gas = (state.mist or state.flood) and welding.at_rest(state.weld)
    busy = state.cancelling or state.alarm_at_rest or state.legs or state.probe.mode or gas
    burning = not welding.at_rest(state.weld)
    if busy or (burning and not process.steady(robot)):
        return 0
    if state.ahead.contacts and guard.near(robot):
        return 0
    if state.run[p.COUNT] and not p.at_rest(state.run, moves.now_s(robot)):
        until_s = p.first_block_end_s(state.blocks, state.run)
        if state.line is not None and not moves.room(robot):  # which may go on when there is some
            until_s = min(until_s, p.next_free_s(state.blocks, state.run))
        times = min(
            times, int(min(until_s - moves.now_s(robot), 1e6) * robot.config.update_rate_hz) - 1
        )
    elif state.line is not None or (state.rx and state.mode not in lines.SUSPENDED):
        if state.until_ns < robot.now_ns:
            return 0
        times = min(
            times, int((state.until_ns - robot.now_ns) * 1e-9 * robot.config.update_rate_hz) - 1
        )
    if burning:
        times = min(times, bead.ticks_before(robot))
    if times < 2:
        return 0
    if burning:
        times = process.burn(robot, times)
    if times and state.run[p.COUNT]:
        last_s = moves.now_s(robot) + (times - 1) / robot.config.update_rate_hz
        p.advance(state.blocks, state.run, last_s, robot.scratch)
    state.ticks += times
    return times
