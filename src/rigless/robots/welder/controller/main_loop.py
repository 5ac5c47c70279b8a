"""The main loop: takes lines from the receive buffer, runs their steps, replies to each.

Theory of operation. Like in the firmware, one line is in execution at a time. Parsing it gives
steps; each is executed when it can be (steps.py), and the line gets its reply when none remains.
Until then later lines wait in the receive buffer, which a sender sees as `Bf`. `work` goes as far
as it can. It is called again whenever something may have changed: a line was received, a block
ended, an input switched, a realtime command came.
"""

from rigless.robots.welder.board import Board
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.alarms import Alarms
from rigless.robots.welder.controller.dollar_commands import DollarCommands
from rigless.robots.welder.controller.line_parser import LineParser
from rigless.robots.welder.controller.motion.accessories import Accessories
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.controller.replies import Replies
from rigless.robots.welder.controller.reports import Reports, first_schedule, greeting
from rigless.robots.welder.controller.steps import Steps
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import after_reset
from rigless.robots.welder.gcode.words import GcodeError
from rigless.robots.welder.process import welding
from rigless.robots.welder.state import Arrival, Switches, WelderState

SUSPENDED = ("Hold", "Door", "Sleep")  # the main loop does not run in these modes


def reads_lines(state: WelderState) -> bool:
    """False if received lines wait: in a hold, or before the sender acknowledges a tool change."""
    return state.mode not in SUSPENDED and (state.mode != "Tool" or state.tool_acknowledged)


class MainLoop:
    def __init__(
        self,
        state: WelderState,
        config: WelderConfig,
        board: Board,
        motion: Motion,
        accessories: Accessories,
        parser: LineParser,
        steps: Steps,
        reports: Reports,
        replies: Replies,
        alarms: Alarms,
    ):
        self.state, self.config, self.board, self.motion = state, config, board, motion
        self.accessories, self.parser, self.steps = accessories, parser, steps
        self.replies, self.alarms = replies, alarms
        self.dollar_commands = DollarCommands(
            state, config, board, motion, accessories, parser, reports, replies, self.reset
        )

    def work(self, more: bool = False) -> None:
        """Run as far as possible. `more`: further lines have arrived than are in the buffer."""
        state = self.state
        while True:
            if state.line is not None:
                if not self._finish():
                    return
                if state.line is not None:
                    self.replies.reply(codes.OK)
            if not (state.rx or state.arriving or more):
                state.waiting = 0
            if (
                not state.rx
                or not reads_lines(state)
                or state.cancelling
                or state.alarm_at_rest
                or state.probe.mode
            ):
                return
            self._begin(state.rx.pop(0))

    def _begin(self, line: Arrival) -> None:
        """Begin a line. Some get their reply at once."""
        state = self.state
        state.line, state.steps, state.until_ns, state.edge_armed = line, [], -1, False
        self.motion.listing.add(line)
        sticky = state.error
        if line.pendant:  # errors of the sender and of the panel do not affect each other
            state.error = codes.OK
        text = line.text.strip()
        try:
            if line.overflow:
                raise GcodeError(codes.OVERFLOW)
            if not text:
                state.error = codes.OK
            elif text.startswith("$"):
                state.error = codes.OK
                self.dollar_commands.execute(text)
            elif state.mode in ("Alarm", "Jog"):
                if text != "%":
                    raise GcodeError(codes.LOCKED)
            elif state.error:
                raise GcodeError(state.error)
            elif text != "%":
                self.parser.parse(text)
        except GcodeError as error:
            pending = error.number == codes.TOOL_CHANGE_PENDING  # does not stick
            state.error = codes.OK if pending else error.number
            self.replies.reply(error.number)
        if line.pendant:
            state.error = sticky

    def _finish(self) -> bool:
        """Execute the remaining steps of the line; False while one has to wait."""
        state = self.state
        while state.steps and state.line is not None:
            if state.cancelling or state.alarm_at_rest:
                return False
            waits_in_stop = state.steps[0][0] == "stop" and state.until_ns >= 0
            if state.mode in SUSPENDED and not waits_in_stop:
                return False
            done = self.steps.execute(state.steps[0])
            if not done and (state.steps or state.line is None):
                return False
            if state.steps:  # a reset, or a step that cannot be run, may have emptied them
                state.steps.pop(0)
                state.until_ns, state.edge_armed = -1, False
        return state.mode not in SUSPENDED or state.line is None

    def reset(self) -> None:
        """Ctrl-X: stop everything at once. It is an alarm if the axes moved.

        A real machine loses its position then.
        """
        state, board = self.state, self.board
        if board.input["estop"] or board.fault("motor"):
            return
        homing, moved = state.mode == "Home", self.motion.moving()
        locked = state.mode in ("Alarm", "Sleep")
        state.alarm_at_rest = 0
        self.motion.drop()
        state.rx.clear()
        state.arriving = [arrival for arrival in state.arriving if arrival.code >= 0]
        state.line, state.steps, state.until_ns = None, [], -1
        state.error, state.critical = codes.OK, False
        state.probe.mode = 0
        state.program.ended = True
        state.modal = after_reset(state.modal)
        state.held, state.feed_override, state.speed_override = [], True, True
        state.feed_hold = True
        self.accessories.all_off()
        self.motion.set_overrides(100, 100, 100)
        state.schedule = first_schedule(state)
        state.switches = Switches(reporting=state.settings[s.REPORT_INTERVAL] > 0)
        if homing or moved:
            self.alarms.raise_alarm(codes.ALARM_HOMING_RESET if homing else codes.ALARM_ABORT)
            locked = True
        board.send_text(greeting(self.config.compat))
        if locked:
            state.mode = "Alarm"
            board.send_text(self.alarms.unlock_hint())
        else:
            state.mode, state.alarm = "Idle", 0
            state.rx = [
                Arrival(board.now_ns, -1, text, startup=True) for text in state.startup if text
            ]
            self.work()

    def stop_at_once(self, alarm: int) -> None:
        """Cut the power: no braking ramp, no gas, no arc."""
        self.motion.drop()
        welding.emergency(self.state.weld)
        self.accessories.all_off()
        self.alarms.raise_alarm(alarm)
