"""Steps that move the axes: lines, arcs, jogs, probing and homing, in the space of the joints or of the torch tip.

As steps.py says, each is asked again until it is done. A target beyond the limits ends in an alarm.
"""

from typing import TYPE_CHECKING

from rigless.motion import planner as p
from rigless.robots.welder.arm.tool_kinematics import Tip
from rigless.robots.welder.controller import cartesian_moves as paths
from rigless.robots.welder.controller import moves, reports
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.arcs import chord_end
from rigless.robots.welder.gcode.modal import Step
from rigless.robots.welder.gcode.words import GcodeError

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder


def move(robot: "Welder", step: Step) -> bool:
    """Lines, jogs and the chords of an arc, as the planner has room for them."""
    state = robot.state
    if robot.tip is not None:
        return in_space(robot, robot.tip, step)
    if step[0] == "arc":
        done, count = int(step[8]), int(step[7])
        while done < count:
            if not go(robot, chord_end(step, done + 1), float(step[1]), rapid=False):
                break
            done += 1
        if state.steps:
            state.steps[0] = (*step[:8], done, *step[9:])
        return done == count or state.line is None
    target = tuple(float(value) for value in step[3:])
    if step[0] == "jog":
        return jog(robot, target, float(step[2]))
    return go(robot, target, float(step[2]), rapid=bool(step[1]))


def in_space(robot: "Welder", tip: Tip, step: Step) -> bool:
    """A move of the torch tip. One that cannot be ends in the alarm of a target beyond the limits."""
    if step[0] == "line" and step[1]:
        try:
            return paths.jump(robot, tip, tuple(float(value) for value in step[3:]))
        except GcodeError:
            give_up(robot, codes.ALARM_SOFT_LIMIT)
            return False
    if not set_out(robot, tip, step):
        return False
    robot.state.steps[0] = ("course",)
    return follow(robot)


def set_out(robot: "Welder", tip: Tip, step: Step) -> bool:
    """Begin the course of a step."""
    try:
        paths.begin(robot, tip, step)
    except GcodeError:
        give_up(robot, codes.ALARM_SOFT_LIMIT)
        return False
    return True


def follow(robot: "Welder") -> bool:
    """Queue more of the course in hand."""
    assert robot.tip is not None
    try:
        return paths.go_on(robot, robot.tip)
    except GcodeError:
        give_up(robot, codes.ALARM_SOFT_LIMIT)
        return False


def go(robot: "Welder", target: tuple[float, ...], feed: float, rapid: bool) -> bool:
    state = robot.state
    if not moves.within(robot, target):
        tell_beyond(robot, target)
        give_up(robot, codes.ALARM_SOFT_LIMIT)
        return False
    if state.mode != "Check":
        moves.settle(robot)
        if not moves.room(robot):
            return False
        rate = 0.0 if rapid else moves.feed_along(robot, state.position, target, feed)
        moves.queue(robot, target, rate, p.RAPID if rapid else p.FEED)
        if state.run[p.COUNT] and state.mode == "Idle":
            state.mode = "Run"
    state.position = list(target)
    return True


def tell_beyond(robot: "Welder", target: tuple[float, ...]) -> None:
    """Which joints a target would bring out of their limits; the alarm on the wire says only that some would."""
    axes, outside = robot.axes, moves.beyond(robot, target)
    text = ", ".join(
        f"joint {n + 1} to {target[n]:g}° is outside {axes.low[n]:g}° to {axes.high[n]:g}°"
        for n in outside
    )
    robot.event(
        "soft-limit", text, "error", joints=[n + 1 for n in outside], line=robot.state.modal.line
    )


def give_up(robot: "Welder", alarm: int) -> None:
    """The line in hand led to an alarm: brake, and tell when at rest. Like the firmware, which resets itself, the line gets no answer."""
    state = robot.state
    state.line, state.steps, state.probe.mode = None, [], 0
    state.rx.clear()
    if state.mode == "Check":
        state.mode = "Idle"
    state.alarm_at_rest = alarm
    moves.change(robot, True)
    moves.watch(robot)


def jog(robot: "Welder", target: tuple[float, ...], feed: float) -> bool:
    state = robot.state
    moves.settle(robot)
    if not moves.room(robot):
        return False
    moves.queue(robot, target, moves.feed_along(robot, state.position, target, feed), p.PLAIN)
    if state.run[p.COUNT] and state.mode == "Idle":
        state.mode = "Jog"
    state.position = list(target)
    return True


def probe(robot: "Welder", step: Step) -> bool:
    """G38.x: the line is answered when the probing has ended."""
    state = robot.state
    target = tuple(float(value) for value in step[3:])
    if state.mode == "Check":
        if robot.tip is not None:
            return in_space(robot, robot.tip, step)
        state.position = list(target)
        return True
    if state.until_ns < 0:
        if state.run[p.COUNT]:
            return False
        if robot.tip is not None:
            if not set_out(robot, robot.tip, step):
                return False
        elif not moves.within(robot, target):
            tell_beyond(robot, target)
            give_up(robot, codes.ALARM_SOFT_LIMIT)
            return False
        state.until_ns = robot.now_ns
        if not moves.begin_probe(robot, int(step[1])):
            return state.line is None
        if robot.tip is None:
            moves.queue(
                robot,
                target,
                moves.feed_along(robot, state.position, target, float(step[2])),
                p.PLAIN,
            )
            state.mode = "Run"
    if robot.tip is not None and state.probe.mode:
        follow(robot)
    moves.watch(robot)
    if state.probe.mode or moves.moving(robot):
        return False
    moves.sync(robot)
    robot.say(reports.probe(robot))
    return True


def home(robot: "Welder", step: Step) -> bool:
    state = robot.state
    if state.until_ns < 0:
        if state.run[p.COUNT]:
            return False
        state.until_ns = robot.now_ns
        moves.begin_homing(robot, int(step[1]))
    return state.mode != "Home"
