"""Alarms: they stop the machine and lock G-code until `$X` or `$H`.

A critical alarm (limits, emergency stop, motor fault) needs its cause cleared and a reset first.
"""

from rigless.robots.welder.board import Board
from rigless.robots.welder.controller.motion.program_listing import is_part
from rigless.robots.welder.controller.replies import Replies
from rigless.robots.welder.controller.reports import Reports
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.state import WelderState


class Alarms:
    def __init__(self, state: WelderState, board: Board, reports: Reports, replies: Replies):
        self.state, self.board, self.reports, self.replies = state, board, reports, replies

    def raise_alarm(self, number: int, cause: str = "", line: int = 0) -> None:
        """Raise an alarm; 0 is none. `line` is the number of the program's line that caused it."""
        if not number:
            return
        state, board = self.state, self.board
        state.mode, state.alarm, state.critical = "Alarm", number, number in codes.CRITICAL
        if number != codes.ALARM_SOFT_LIMIT:  # its cause is known since the arm began to brake
            state.alarm_cause = cause
        if number in codes.PROBE_ALARMS and is_part(state.line):
            line = state.program.read
        if line:
            state.program.mark_wrong(line)
        state.steps, state.legs, state.probe.mode = [], [], 0
        board.send_text(f"ALARM:{number}\r\n")
        if number == codes.ALARM_PROBE_CONTACT:
            board.send_text(self.reports.probe())
        if number in codes.PROBE_ALARMS and state.line is not None:
            self.replies.reply(codes.OK)
        elif state.critical:
            state.rx.clear()
            board.send_text(f"[MSG:{critical_text(number)}]\r\n")
        state.line = None
        board.event("alarm", f"ALARM:{number} {codes.ALARMS[number]}", "error", number=number)
        board.count("alarms")

    def unlock_hint(self) -> str:
        if self.state.critical:
            return f"[MSG:{critical_text(self.state.alarm)}]\r\n"
        return "[MSG:'$H'|'$X' to unlock]\r\n"


def critical_text(number: int) -> str:
    cause = {
        codes.ALARM_ESTOP: "Emergency stop",
        codes.ALARM_MOTOR_FAULT: "Motor fault",
    }.get(number)
    return f"{cause} - clear, then reset to continue" if cause else "Reset to continue"
