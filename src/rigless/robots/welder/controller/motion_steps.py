"""Steps that move the axes: lines, arcs, jogs, probing and homing, of joints or of the torch.

As in steps.py, each is called again until it is done. A target beyond the limits ends in an alarm.
"""

from rigless.motion import planner as p
from rigless.robots.welder.board import Board
from rigless.robots.welder.controller.alarms import Alarms
from rigless.robots.welder.controller.motion.cartesian_moves import CartesianMoves
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.controller.motion.program_listing import is_part
from rigless.robots.welder.controller.reports import Reports
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.arcs import chord_end
from rigless.robots.welder.gcode.modal import Step
from rigless.robots.welder.gcode.words import GcodeError
from rigless.robots.welder.state import WelderState


class MotionSteps:
    def __init__(
        self,
        state: WelderState,
        board: Board,
        motion: Motion,
        cartesian: CartesianMoves,
        alarms: Alarms,
        reports: Reports,
    ):
        self.state, self.board, self.motion = state, board, motion
        self.cartesian, self.alarms, self.reports = cartesian, alarms, reports
        self.setup = motion.setup

    def move(self, step: Step) -> bool:
        """Queue a line, a jog, or the chords of an arc, as the planner has room."""
        state = self.state
        if self.setup.tool is not None:
            return self._move_tool(step)
        if step[0] == "arc":
            done, count = int(step[8]), int(step[7])
            while done < count:
                if not self._go(chord_end(step, done + 1), float(step[1]), rapid=False):
                    break
                done += 1
            if state.steps:
                state.steps[0] = (*step[:8], done, *step[9:])
            return done == count or state.line is None
        target = tuple(float(value) for value in step[3:])
        if step[0] == "jog":
            return self._jog(target, float(step[2]))
        return self._go(target, float(step[2]), rapid=bool(step[1]))

    def _move_tool(self, step: Step) -> bool:
        """Move the tool centre point. A move that is not possible ends in the soft limit alarm."""
        if step[0] == "line" and step[1]:
            try:
                return self.cartesian.rapid(tuple(float(value) for value in step[3:]))
            except GcodeError as error:
                self._give_up(codes.ALARM_SOFT_LIMIT, error.cause)
                return False
        if not self._begin_course(step):
            return False
        self.state.steps[0] = ("course",)
        return self.follow_course()

    def _begin_course(self, step: Step) -> bool:
        try:
            self.cartesian.begin(step)
        except GcodeError as error:
            self._give_up(codes.ALARM_SOFT_LIMIT, error.cause)
            return False
        return True

    def follow_course(self) -> bool:
        """Queue more segments of the current Cartesian move."""
        try:
            return self.cartesian.continue_course()
        except GcodeError as error:
            self.state.position = self.setup.axis_values(self.state.planned)
            self._give_up(codes.ALARM_SOFT_LIMIT, error.cause)
            return False

    def _go(self, target: tuple[float, ...], feed: float, rapid: bool) -> bool:
        state, motion = self.state, self.motion
        if not motion.within_limits(target):
            self._give_up(codes.ALARM_SOFT_LIMIT, self._report_outside(target))
            return False
        if state.mode != "Check":
            motion.settle()
            if not motion.room():
                return False
            rate = 0.0 if rapid else motion.feed_along(state.position, target, feed)
            motion.queue(target, rate, p.RAPID if rapid else p.FEED)
            if state.run[p.COUNT] and state.mode == "Idle":
                state.mode = "Run"
        state.position = list(target)
        return True

    def _report_outside(self, target: tuple[float, ...]) -> str:
        """Log which joints would leave their limits; the alarm on the wire does not say which."""
        axes = self.setup.axes
        joints, text = [axis + 1 for axis in axes.outside(target)], axes.outside_text(target)
        self.board.event("soft-limit", text, "error", joints=joints, line=self.state.modal.line)
        return text

    def _give_up(self, alarm: int, cause: str) -> None:
        """Brake, and raise the alarm at rest. Like the firmware, the line gets no reply.

        A validation skips the rest of the line instead: the queue runs out, later lines are run.
        """
        state = self.state
        state.steps, state.probe.mode = [], 0
        if self.board.on_limit == "skip":
            return
        if is_part(state.line):
            state.program.mark_wrong(state.program.read)
        state.line, state.alarm_cause = None, cause
        state.rx.clear()
        if state.mode == "Check":
            state.mode = "Idle"
        state.alarm_at_rest = alarm
        self.motion.change(True)
        self.alarms.raise_alarm(self.motion.watch())

    def _jog(self, target: tuple[float, ...], feed: float) -> bool:
        state, motion = self.state, self.motion
        motion.settle()
        if not motion.room():
            return False
        motion.queue(target, motion.feed_along(state.position, target, feed), p.PLAIN)
        if state.run[p.COUNT] and state.mode == "Idle":
            state.mode = "Jog"
        state.position = list(target)
        return True

    def probe(self, step: Step) -> bool:
        """G38.x: the line gets its reply when probing has ended."""
        state, motion = self.state, self.motion
        if state.mode == "Check":
            if self.setup.tool is not None:
                return self._move_tool(step)
            state.position = [float(value) for value in step[3:]]
            return True
        if state.until_ns < 0:
            if state.run[p.COUNT]:
                return False
            if not self._begin_probe(step):
                return state.until_ns >= 0  # a probe alarm replies to the line, a limit does not
        if self.setup.tool is not None and state.probe.mode:
            self.follow_course()
        self.alarms.raise_alarm(motion.watch())
        if state.probe.mode or motion.moving() or state.line is None:  # None: an alarm ended it
            return False
        motion.sync()
        self.board.send_text(self.reports.probe())
        return True

    def _begin_probe(self, step: Step) -> bool:
        """Start the probing move; False if an alarm ends it."""
        state, motion = self.state, self.motion
        target = tuple(float(value) for value in step[3:])
        if self.setup.tool is not None:
            if not self._begin_course(step):
                return False
        elif not motion.within_limits(target):
            self._give_up(codes.ALARM_SOFT_LIMIT, self._report_outside(target))
            return False
        state.until_ns = self.board.now_ns
        if not motion.begin_probe(int(step[1])):
            self.alarms.raise_alarm(codes.ALARM_PROBE_INITIAL)
            return False
        if self.setup.tool is None:
            rate = motion.feed_along(state.position, target, float(step[2]))
            motion.queue(target, rate, p.PLAIN)
            state.mode = "Run"
        return True

    def home(self, step: Step) -> bool:
        state = self.state
        if state.until_ns < 0:
            if state.run[p.COUNT]:
                return False
            state.until_ns = self.board.now_ns
            self.motion.begin_homing(int(step[1]))
            if state.mode == "Home":  # the firmware reports it, as `?` gets no reply then
                self.board.send_text(self.reports.status())
        return state.mode != "Home"
