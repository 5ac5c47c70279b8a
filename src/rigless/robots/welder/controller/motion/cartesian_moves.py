"""Moves of the tool centre point: a step becomes joint segments, queued as there is room.

A pose out of reach is answered as grblHAL answers a target beyond the travel: ALARM:2, for jogs
error:15. An event gives the line, the pose and the reason.
"""

from rigless.motion import planner as p
from rigless.robots.welder.arm.tool_kinematics import (
    ReachError,
    ToolKinematics,
    path_of,
    scale,
    span,
)
from rigless.robots.welder.board import Board
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import AXES, Step
from rigless.robots.welder.gcode.words import GcodeError
from rigless.robots.welder.state import Course, WelderState


class CartesianMoves:
    def __init__(self, state: WelderState, board: Board, motion: Motion):
        self.state, self.board, self.motion = state, board, motion

    @property
    def tool(self) -> ToolKinematics:
        tool = self.motion.setup.tool
        assert tool is not None
        return tool

    def begin(self, step: Step) -> None:
        """Make a course of a line, arc, jog or probe step. Raises GcodeError."""
        state = self.state
        path, feed = path_of(step, state.position), float(step[1] if step[0] == "arc" else step[2])
        course = Course(str(step[0]), feed, list(path), [float(value) for value in step[-AXES:]])
        if span(path):
            self._cut(course)
        else:
            course.share = 1.0
        state.course = course

    def continue_course(self) -> bool:
        """Queue segments while there is room; True when all are queued. Raises GcodeError."""
        state, course, motion = self.state, self.state.course, self.motion
        motion.settle()
        while course.share < 1.0:
            if course.queued == len(course.segments):
                self._cut(course)
            if state.mode == "Check":
                self._reach_segment(course, len(course.segments))
                if course.share < 1.0:
                    return False  # the rest at the next tick, so that no program blocks time
            elif motion.room():
                segment = course.segments[course.queued]
                ratio = scale(course.path, course.share, state.planned, segment)
                kind = p.FEED if course.word in ("line", "arc") else p.PLAIN
                motion.queue(segment[:AXES], course.feed / 60.0 * ratio, kind, ratio)
                self._reach_segment(course, course.queued + 1)
                if state.run[p.COUNT] and state.mode == "Idle":
                    state.mode = "Jog" if course.word == "jog" else "Run"
            else:
                return False
        state.position = list(course.end)
        return True

    def rapid(self, target: tuple[float, ...]) -> bool:
        """G0: all joints together, straight in joint space. Raises GcodeError."""
        state = self.state
        try:
            joints = self.tool.joints(target, state.planned)
        except ReachError as error:
            raise self._unreachable(error) from None
        if state.mode != "Check":
            self.motion.settle()
            if not self.motion.room():
                return False
            self.motion.queue(joints, 0.0, p.RAPID)
            if state.run[p.COUNT] and state.mode == "Idle":
                state.mode = "Run"
        state.planned, state.position = joints, list(target)
        return True

    def _unreachable(self, error: ReachError) -> GcodeError:
        line, number = self.state.line, self.state.modal.line
        text = f"{line.text.strip() if line is not None else ''} cannot be run. {error}"
        self.board.event("unreachable", text, "error", line=number, pose=error.pose)
        return GcodeError(codes.TRAVEL_EXCEEDED, text)

    def _cut(self, course: Course) -> None:
        try:
            course.segments, course.guess = self.tool.cut(
                course.path, course.share, course.guess, self.state.planned
            )
        except ReachError as error:
            raise self._unreachable(error) from None
        course.queued = 0

    def _reach_segment(self, course: Course, queued: int) -> None:
        """Move the parser to the end of a segment."""
        end = course.segments[queued - 1].tolist()
        self.state.planned, course.share, course.queued = end[:AXES], end[AXES], queued
