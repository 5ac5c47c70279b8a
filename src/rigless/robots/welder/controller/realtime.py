"""Realtime commands: they take effect when they arrive, whatever line is in execution."""

from dataclasses import replace

from rigless.motion import planner as p
from rigless.robots.welder import wire as w
from rigless.robots.welder.board import Board
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.alarms import Alarms
from rigless.robots.welder.controller.main_loop import MainLoop
from rigless.robots.welder.controller.motion.accessories import Accessories
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.controller.replies import Replies
from rigless.robots.welder.controller.reports import Reports
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import after_reset
from rigless.robots.welder.state import WelderState

FEED_STEPS = {w.FEED_PLUS_10: 10, w.FEED_MINUS_10: -10, w.FEED_PLUS_1: 1, w.FEED_MINUS_1: -1}
SPINDLE_STEPS = {
    w.SPINDLE_PLUS_10: 10,
    w.SPINDLE_MINUS_10: -10,
    w.SPINDLE_PLUS_1: 1,
    w.SPINDLE_MINUS_1: -1,
}
RAPIDS = {w.RAPID_100: 100, w.RAPID_50: 50, w.RAPID_25: 25}
LEAST, MOST = 10, 200  # per cent


class RealtimeCommands:
    def __init__(
        self,
        state: WelderState,
        config: WelderConfig,
        board: Board,
        motion: Motion,
        accessories: Accessories,
        reports: Reports,
        replies: Replies,
        alarms: Alarms,
        main_loop: MainLoop,
    ):
        self.state, self.config, self.board, self.motion = state, config, board, motion
        self.accessories, self.reports, self.replies = accessories, reports, replies
        self.alarms, self.main_loop = alarms, main_loop

    def execute(self, code: int, pendant: bool = False) -> None:
        """Execute a command; unknown ones do nothing.

        A jog cancel from the panel keeps the lines that a sender has sent.
        """
        state = self.state
        match code:
            case w.STATUS:
                self.board.send_text(self.reports.status())
            case w.FULL_STATUS:
                state.schedule.all = True
                self.board.send_text(self.reports.status())
            case w.MODES:
                self.board.send_text(self.reports.modes())
            case w.RESET:
                self.main_loop.reset()
            case w.HOLD:
                self.hold()
            case w.RESUME:
                self._resume()
            case w.STOP:
                self._stop()
            case w.DOOR:
                self.open_door()
            case w.TOOL_ACKNOWLEDGED if state.mode == "Tool" and not state.tool_acknowledged:
                state.tool_acknowledged, state.held, state.rx = True, state.rx, []
            case w.JOG_CANCEL:
                self._cancel_jog(pendant)
            case w.OPTIONAL_STOP:
                state.switches.optional_stop_off = not state.switches.optional_stop_off
            case w.SINGLE_BLOCK:
                state.switches.single_block = not state.switches.single_block
            case w.REPORTING if state.settings[s.REPORT_INTERVAL]:
                state.switches.reporting = not state.switches.reporting
            case w.SPINDLE_STOP if state.mode == "Hold" and state.spindle != 5:
                self.accessories.set_spindle(5, state.spindle_speed)
            case w.FLOOD if state.mode in ("Idle", "Run", "Hold"):
                self.accessories.set_coolant(state.mist, not state.flood)
                state.modal.flood = state.flood
            case w.MIST if state.mode in ("Idle", "Run", "Hold"):
                self.accessories.set_coolant(not state.mist, state.flood)
                state.modal.mist = state.mist
            case _:
                self._override(code)

    def _override(self, code: int) -> None:
        state = self.state
        feed, rapid, spindle = state.feed_percent, state.rapid_percent, state.spindle_percent
        if code == w.FEED_RESET:
            feed = 100
        elif code == w.SPINDLE_RESET:
            spindle = 100
        elif code in RAPIDS:
            rapid = RAPIDS[code]
        elif code in FEED_STEPS:
            feed = min(max(feed + FEED_STEPS[code], LEAST), MOST)
        elif code in SPINDLE_STEPS:
            spindle = min(max(spindle + SPINDLE_STEPS[code], LEAST), MOST)
        self.motion.set_overrides(feed, rapid, spindle)

    def _cancel_jog(self, pendant: bool) -> None:
        state = self.state
        if pendant:
            state.rx = [
                line for line in state.rx if not (line.pendant and line.text.startswith("$J"))
            ]
            self._end_waiting_jog()
        else:
            self._drop_lines()
            state.error = codes.OK
        if state.mode in ("Jog", "Tool"):
            self.alarms.raise_alarm(self.motion.cancel())

    def hold(self, forced: bool = False) -> None:
        """`!`: brake and wait. While jogging, grblHAL ignores it and grbl cancels the jog.

        M53 P0 disables it, unless it is forced.
        """
        state = self.state
        if state.mode == "Jog":
            if self.config.compat == "grbl":
                self._drop_lines()
                self.alarms.raise_alarm(self.motion.cancel())
            return
        enabled = state.feed_hold or forced
        if state.mode in ("Run", "Idle") and not state.cancelling and enabled:
            self.motion.change(True)
            state.mode = "Hold"

    def _resume(self) -> None:
        """`~`: continue after a feed hold, a closed door, M0 or a tool change."""
        state = self.state
        if state.mode == "Tool":
            state.mode = "Run" if state.run[p.COUNT] else "Idle"
            state.modal.loaded, state.schedule.tool = state.tool, True
            state.rx, state.held = state.held + state.rx, []
            self.board.send_text(self.reports.status())
        elif state.mode == "Hold" or (state.mode == "Door" and not self.board.input["door"]):
            if self.motion.moving():
                return
            self.motion.change(False)
            state.mode = "Run" if state.run[p.COUNT] else "Idle"
        self.main_loop.work()

    def open_door(self) -> None:
        """0x84, or the door switch: brake, switch off, and wait."""
        state = self.state
        if state.mode == "Home":
            self.motion.drop()
            self.alarms.raise_alarm(codes.ALARM_HOMING_DOOR)
            self.main_loop.reset()
        elif state.mode == "Jog":
            self._drop_lines()
            self.alarms.raise_alarm(self.motion.cancel())
        elif state.mode in ("Idle", "Run", "Hold"):
            self.motion.change(True)
            state.mode = "Door"
            self.accessories.set_spindle(5, state.spindle_speed)
            self.board.send_text("[MSG:Check Door]\r\n")

    def _stop(self) -> None:
        """0x19: brake, drop queue and received lines, switch off; no alarm.

        It also ends an alarm that `$X` would end.
        """
        state = self.state
        self._drop_lines()
        if state.mode == "Home" or state.critical or state.alarm_at_rest:
            return
        state.line, state.steps = None, []
        state.probe.mode = 0
        state.program.ended = True
        self.accessories.all_off()
        state.modal = replace(after_reset(state.modal), system=state.modal.system)
        state.held = []
        state.error = codes.OK
        self.alarms.raise_alarm(self.motion.cancel())
        if state.mode == "Alarm" and state.alarm in codes.OUTLIVES_STOP:
            return
        if state.mode in ("Tool", "Alarm", "Check", "Sleep") or (
            state.mode == "Door" and not self.board.input["door"]
        ):
            state.mode, state.alarm = "Idle", 0
        self.board.send_text("[MSG:Stop]\r\n")

    def _drop_lines(self) -> None:
        """Drop received lines that have not begun, and a jog that waits for room."""
        state = self.state
        state.rx.clear()
        state.arriving = [arrival for arrival in state.arriving if arrival.code >= 0]
        self._end_waiting_jog()

    def _end_waiting_jog(self) -> None:
        state = self.state
        step = state.steps[0] if state.line is not None and state.steps else ("",)
        if step[0] == "jog" or (step[0] == "course" and state.course.word == "jog"):
            self.replies.reply(codes.OK)
