"""Moves of the Cartesian profile: a step of the line in hand becomes a course of chords, and these become blocks as the planner has room.

What cannot be reached is what grblHAL makes of a target beyond the travel: ALARM:2, for jogs error:15; an event says which line, where and why.
"""

from typing import TYPE_CHECKING

from rigless.motion import planner as p
from rigless.robots.welder.arm.tool_kinematics import ReachError, Tip, path_of, scale, span
from rigless.robots.welder.controller import moves
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import AXES, Step
from rigless.robots.welder.gcode.words import GcodeError
from rigless.robots.welder.state import Course

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder


def begin(robot: "Welder", tip: Tip, step: Step) -> None:
    """Make a course of a line, arc, jog or probe step. Raises GcodeError."""
    state = robot.state
    path, feed = path_of(step, state.position), float(step[1] if step[0] == "arc" else step[2])
    course = Course(str(step[0]), feed, list(path), [float(value) for value in step[-AXES:]])
    if span(path):
        _cut(robot, tip, course)
    else:
        course.share = 1.0
    state.course = course


def go_on(robot: "Welder", tip: Tip) -> bool:
    """Queue what there is room for; True when that is all. Raises GcodeError."""
    state, course = robot.state, robot.state.course
    moves.settle(robot)
    while course.share < 1.0:
        if course.queued == len(course.chords):
            _cut(robot, tip, course)
        if state.mode == "Check":
            _arrive(robot, course, len(course.chords))
            if course.share < 1.0:
                return False  # the rest at the next tick: no program holds up time
        elif moves.room(robot):
            chord = course.chords[course.queued]
            ratio = scale(course.path, course.share, state.planned, chord)
            kind = p.FEED if course.word in ("line", "arc") else p.PLAIN
            moves.queue(robot, chord[:AXES], course.feed / 60.0 * ratio, kind, ratio)
            _arrive(robot, course, course.queued + 1)
            if state.run[p.COUNT] and state.mode == "Idle":
                state.mode = "Jog" if course.word == "jog" else "Run"
        else:
            return False
    state.position = list(course.end)
    return True


def jump(robot: "Welder", tip: Tip, target: tuple[float, ...]) -> bool:
    """G0: all joints together, straight in their own space. Raises GcodeError."""
    state = robot.state
    try:
        joints = tip.joints(target, state.planned)
    except ReachError as error:
        raise refused(robot, error) from None
    if state.mode != "Check":
        moves.settle(robot)
        if not moves.room(robot):
            return False
        moves.queue(robot, joints, 0.0, p.RAPID)
        if state.run[p.COUNT] and state.mode == "Idle":
            state.mode = "Run"
    state.planned, state.position = joints, list(target)
    return True


def refused(robot: "Welder", why: ReachError) -> GcodeError:
    """Tell people which line it was."""
    line, number = robot.state.line, robot.state.modal.line
    text = line.text.strip() if line is not None else ""
    robot.event("unreachable", f"{text} cannot be run. {why}", "error", line=number, pose=why.pose)
    return GcodeError(codes.TRAVEL_EXCEEDED)


def _cut(robot: "Welder", tip: Tip, course: Course) -> None:
    try:
        course.chords, course.guess = tip.cut(
            course.path, course.share, course.guess, robot.state.planned
        )
    except ReachError as error:
        raise refused(robot, error) from None
    course.queued = 0


def _arrive(robot: "Welder", course: Course, queued: int) -> None:
    """The parser is at the end of a chord."""
    end = course.chords[queued - 1].tolist()
    robot.state.planned, course.share, course.queued = end[:AXES], end[AXES], queued
