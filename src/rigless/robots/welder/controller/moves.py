"""Where the controller meets the planner: moves within limits, holds and cancels, homing, probing, and what goes with a block's start."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rigless.motion import planner as p
from rigless.motion.planner import jerk_limited
from rigless.motion.planner.axis_limits import rounded_to_steps
from rigless.robots.welder.arm import guard
from rigless.robots.welder.controller import alarms, odometer
from rigless.robots.welder.controller import program_listing as program
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import AXES, Step

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

SLACK_DEG = 1e-6  # a target this far beyond a limit is on it
DONE = 16  # blocks taken off the queue in one go


def now_s(robot: "Welder") -> float:
    return robot.now_ns * 1e-9


def room(robot: "Welder") -> int:
    """How many blocks the planner can still take."""
    return p.free_blocks(robot.state.blocks, robot.state.run)


def moving(robot: "Welder") -> bool:
    return robot.state.run[p.COUNT] > 0.0 and not p.at_rest(robot.state.run, now_s(robot))


def peek(robot: "Welder") -> tuple[Any, float, int]:
    """Position, velocity and acceleration now as rows, the speed along the path, and the tag of the block; changes nothing."""
    state = robot.state
    blocks, run, time_s, out = (
        state.blocks.copy(),
        state.run.copy(),
        now_s(robot),
        np.zeros((3, AXES)),
    )
    done = np.zeros(DONE)
    while p.advance(blocks, run, time_s, done) == DONE:
        continue
    speed = p.sample(blocks, run, time_s, out)
    if not run[p.COUNT]:
        return out, speed, 0
    block = blocks[int(run[p.FIRST])]
    if robot.tip is not None and not block[p.SCALE]:
        speed = robot.tip.speed(out)
    return out, speed, int(block[p.TAG])


def settle(robot: "Welder") -> None:
    """Bring the queue to now: blocks that have ended leave it, outputs of those that have begun are set."""
    state = robot.state
    done, first = robot.scratch, state.run[p.FIRST]
    while p.advance(state.blocks, state.run, now_s(robot), done) == DONE:
        continue
    if first != state.run[p.FIRST]:
        odometer.count(robot)
        program.reached(
            robot,
            int(state.blocks[int(state.run[p.FIRST]), p.TAG]) if state.run[p.COUNT] else state.tag,
        )
    if state.attached or state.lines:
        reached = (
            int(state.blocks[int(state.run[p.FIRST]), p.TAG]) if state.run[p.COUNT] else state.tag
        )
        for tag in [tag for tag in state.attached if tag <= reached]:
            for step in state.attached.pop(tag):
                robot.set_output(step)
        for tag in [tag for tag in state.lines if tag < reached]:
            del state.lines[tag]
    if state.run[p.COUNT] == 0.0 and state.mode in ("Run", "Jog"):
        state.mode = "Idle"


def queue(robot: "Welder", target: Any, rate: float, kind: float, scale: float = 0.0) -> None:
    """Add a line to a place, at units/s; there is room. Outputs that wait go with it. A chord has a scale."""
    state = robot.state
    settle(robot)
    axes = robot.axes
    state.tag += 1
    end = (
        np.array(target)
        if robot.tip is not None
        else rounded_to_steps(np.array(target), axes.steps)
    )
    tag, probing = float(state.tag), bool(state.probe.mode)
    if not axes.append(state.blocks, state.run, now_s(robot), end, rate, kind, tag, scale, probing):
        return
    program.queued(robot, state.tag)
    guard.foresee(robot, state.tag, end)
    if state.modal.line:
        state.lines[state.tag] = state.modal.line
    if state.unattached:
        state.attached[state.tag] = state.unattached
        state.unattached = []
        settle(robot)


def within(robot: "Welder", target: Any) -> bool:
    """Whether the soft limits, if they are on, allow a place."""
    return not robot.state.settings[s.SOFT_LIMITS] or not beyond(robot, target)


def beyond(robot: "Welder", target: Any) -> list[int]:
    """The axes of a place that are outside their limits."""
    axes = robot.axes
    return [
        axis
        for axis, (low, value, high) in enumerate(zip(axes.low, target, axes.high, strict=True))
        if not low - SLACK_DEG <= value <= high + SLACK_DEG
    ]


def feed_along(robot: "Welder", begin: Any, end: Any, feed: float) -> float:
    """Units/s along the whole path; with $701 the feed is that of the linear axes alone."""
    if robot.state.settings[s.FEED_OF_LINEAR]:
        rotary = robot.profile.rotary
        squares = [(b - a) ** 2 for a, b in zip(begin, end, strict=True)]
        linear = sum(square for square, turns in zip(squares, rotary, strict=True) if not turns)
        if linear > 0.0:
            feed *= (sum(squares) / linear) ** 0.5
    return feed / 60.0


def change(robot: "Welder", hold: bool) -> None:
    """Hold or go on, under the overrides as they are."""
    state = robot.state
    settle(robot)
    jerk_limited.set_overrides(
        state.blocks,
        state.run,
        now_s(robot),
        hold,
        state.feed_percent / 100,
        state.rapid_percent / 100,
    )


def replan(robot: "Welder") -> None:
    """After an override has changed."""
    change(robot, bool(robot.state.run[p.HOLD]))


def cancel(robot: "Welder") -> None:
    """Brake, then drop what is queued."""
    robot.state.cancelling = True
    change(robot, True)
    watch(robot)


def drop(robot: "Welder") -> None:
    """Stand still at once and forget what was queued; the parser is where the axes are."""
    state = robot.state
    settle(robot)
    p.clear(state.blocks, state.run, now_s(robot))
    odometer.count(robot)
    state.program.sources.clear()
    state.attached.clear()
    state.lines.clear()
    state.unattached.clear()
    state.legs.clear()
    state.cancelling = False
    sync(robot)
    guard.start(robot)


def sync(robot: "Welder") -> None:
    """The parser is where the queue ends."""
    state = robot.state
    state.planned = [float(value) for value in state.run[p.POSITION : p.POSITION + AXES]]
    state.position = robot.place(state.planned)


def watch(robot: "Welder") -> None:
    """What follows when something has come to rest: a cancel, an alarm that waited, the next leg of homing."""
    state = robot.state
    if state.probe.mode:
        _watch_probe(robot)
    if not (state.cancelling or state.alarm_at_rest or state.legs) or moving(robot):
        return
    if state.cancelling:
        drop(robot)
        if state.mode in ("Run", "Jog", "Hold"):
            state.mode = "Idle"
    if state.alarm_at_rest:
        alarm, state.alarm_at_rest = state.alarm_at_rest, 0
        drop(robot)
        alarms.raise_alarm(robot, alarm)
    elif state.legs and state.mode == "Home":
        _next_leg(robot)


# Homing


def begin_homing(robot: "Welder", axes_mask: int) -> None:
    """Cycle by cycle, as $44 and on say: seek the switch, pull off, locate it slowly."""
    state, home, settings = robot.state, robot.config.homing.pose_deg, robot.state.settings
    cycles = [int(settings[s.HOMING_CYCLES + n]) for n in range(AXES)]
    masks = [mask & axes_mask for mask in cycles] if axes_mask else cycles
    state.mode, state.alarm = "Home", 0
    state.legs = []
    for mask in masks:
        members = [axis for axis in range(AXES) if mask >> axis & 1]
        if not members:
            continue
        state.homed &= ~mask
        off = {axis: home[axis] - settings[s.PULL_OFF] for axis in members}
        for rate, goals in (
            (settings[s.SEEK_RATE], {axis: home[axis] for axis in members}),
            (settings[s.SEEK_RATE], off),
            (settings[s.LOCATE_RATE], {axis: home[axis] for axis in members}),
        ):
            state.legs.append((rate, mask, *goals.items()))
    _next_leg(robot)


def _next_leg(robot: "Welder") -> None:
    state = robot.state
    while state.legs:
        rate, mask, *goals = state.legs.pop(0)
        target = list(state.run[p.POSITION : p.POSITION + AXES])
        for axis, value in goals:
            target[int(axis)] = value
        queue(robot, target, rate / 60.0, p.PLAIN)
        if not state.legs or state.legs[0][1] != mask:
            state.homed |= int(mask)
        if state.run[p.COUNT]:
            state.legs = state.legs or [(rate, mask)]  # an empty leg, so that the end is noticed
            return
    sync(robot)
    state.mode = "Idle"
    robot.event("homed", f"axes homed: {state.homed:06b}", mask=state.homed)


# Probing


def begin_probe(robot: "Welder", mode: int) -> bool:
    """G38.x: False if the probe is not as it must be before (which is an alarm)."""
    state = robot.state
    if bool(robot.input["probe"]) == (mode in (384, 385)):
        state.probe.mode = mode
        return True
    alarms.raise_alarm(robot, codes.ALARM_PROBE_INITIAL)
    return False


def _watch_probe(robot: "Welder") -> None:
    """Touching (or letting go, for G38.4 and .5) stops it; so does the end of the travel."""
    state = robot.state
    probe = state.probe
    hit = bool(robot.input["probe"]) == (probe.mode in (382, 383))
    if hit and not state.cancelling:
        probe.position, probe.touched = robot.place(peek(robot)[0][p.AT].tolist()), True
        state.cancelling = True
        change(robot, True)
    on_the_way = robot.tip is not None and state.course.share < 1.0
    if moving(robot) or ((on_the_way or state.mode in ("Hold", "Door")) and not state.cancelling):
        return
    if not state.cancelling:
        probe.position, probe.touched = (
            robot.place(state.run[p.POSITION : p.POSITION + AXES].tolist()),
            False,
        )
        if probe.mode in (382, 384):
            state.alarm_at_rest = codes.ALARM_PROBE_CONTACT
    probe.mode = 0


def as_output(step: Step) -> tuple[str, int, float]:
    """A digital or analog step as kind, number and value."""
    return str(step[0]), int(step[1]), float(step[2])
