"""Steps of the line in execution: a move when the planner has room, a dwell at standstill.

A step is called again until it is done; each method returns True when it is. Its memory is in the
state: `until_ns` is below zero until a step has begun.
"""

from rigless.motion import planner as p
from rigless.robots.welder.board import Board
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.motion.accessories import Accessories
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.controller.motion_steps import MotionSteps
from rigless.robots.welder.gcode.modal import Step, after_program_end
from rigless.robots.welder.state import WelderState

STORED = ("system", "g92", "store")  # go to permanent memory, which the firmware writes at rest


class Steps:
    def __init__(
        self,
        state: WelderState,
        board: Board,
        motion: Motion,
        motion_steps: MotionSteps,
        accessories: Accessories,
    ):
        self.state, self.board, self.motion = state, board, motion
        self.motion_steps, self.accessories = motion_steps, accessories

    def execute(self, step: Step) -> bool:
        """Execute one step; False if it must wait."""
        state = self.state
        if step[0] in STORED and state.run[p.COUNT] and state.mode != "Check":
            return False
        match step[0]:
            case "line" | "jog" | "arc":
                return self.motion_steps.move(step)
            case "course":
                return self.motion_steps.follow_course()
            case "probe":
                return self.motion_steps.probe(step)
            case "home":
                return self.motion_steps.home(step)
            case "message":
                self.board.send_text(f"[MSG:{step[1]}]\r\n")
                return True
            case "digital" | "analog":
                return self._output(step)
            case "system":
                state.coordinates.systems[int(step[1])] = [float(value) for value in step[2:]]
                return self._offsets_changed()
            case "g92":
                shift = [float(value) for value in step[2:]]
                state.coordinates.g92 = shift
                if step[1]:
                    state.coordinates.g92_saved = list(shift)
                return self._offsets_changed()
            case "length":
                state.coordinates.tool = [float(value) for value in step[1:]]
                state.schedule.offsets = True
                return True
            case "store":
                position = list(state.position)
                if step[1] == 28:
                    state.coordinates.g28 = position
                else:
                    state.coordinates.g30 = position
                self.board.store()
                return True
            case _:
                return self._execute_at_rest(step)

    def _execute_at_rest(self, step: Step) -> bool:
        """Execute a step that waits until all motion has ended."""
        state = self.state
        checking = state.mode == "Check"
        if state.run[p.COUNT] and not checking:
            return False
        match step[0]:
            case "spindle":
                if not checking:
                    self.accessories.set_spindle(int(step[1]), float(step[2]))
            case "coolant":
                if not checking:
                    self.accessories.set_coolant(bool(step[1]), bool(step[2]))
            case "dwell":
                return checking or self._elapsed(float(step[1]))
            case "wait":
                return checking or self._wait(step)
            case "tool":
                if not checking and state.settings[s.TOOL_CHANGE] != s.IGNORE_M6:
                    state.mode, state.tool, state.tool_acknowledged = "Tool", int(step[1]), False
                else:
                    state.modal.loaded = int(step[1])
            case "override control":
                state.feed_override, state.speed_override = bool(step[1]), bool(step[2])
                state.feed_hold = bool(step[3])
                self.motion.change(bool(state.run[p.HOLD]))
            case "stop":
                return self._stop(int(step[1]), checking)
        return True

    def _elapsed(self, seconds: float) -> bool:
        """True if this time has passed since the first call for this step."""
        state, now_ns = self.state, self.board.now_ns
        if state.until_ns < 0:
            state.until_ns = now_ns + round(seconds * 1e9)
            if state.until_ns > now_ns:
                self.board.wake_after(seconds)
        return now_ns >= state.until_ns

    def _offsets_changed(self) -> bool:
        self.state.schedule.offsets = True
        self.board.store()
        return True

    def _output(self, step: Step) -> bool:
        """M62, M63 and M67 take effect with the next motion, the others at once."""
        if self.state.mode == "Check":
            return True
        if step[3]:
            self.state.pending_outputs.append(step)
        else:
            self.accessories.set_output(step)
        return True

    def _wait(self, step: Step) -> bool:
        """M66: read an input, now or when the condition holds; the result is −1 at a time-out."""
        state = self.state
        _, port, analog, mode, seconds = step
        if analog:
            state.m66_result = int(float(self.board.input[f"ai{int(port)}"]) * 1000)
        else:
            level = bool(self.board.input[f"di{port}"])
            first = state.until_ns < 0
            over = self._elapsed(float(seconds))
            if mode in (1, 2) and first:
                state.edge_armed = level != (mode == 1)
            if mode in (1, 2) and level != (mode == 1):
                state.edge_armed = True
            happened = {
                0: True,
                1: state.edge_armed and level,
                2: state.edge_armed and not level,
                3: level,
                4: not level,
            }[int(mode)]
            if not happened and not over:
                return False
            state.m66_result = int(level) if happened else -1
        state.schedule.input = True
        return True

    def _stop(self, number: int, checking: bool) -> bool:
        """M0, M60 and M1 (unless its switch is off) wait for `~`; M2 and M30 end the program."""
        state = self.state
        waits = number in (0, 60) or (number == 1 and not state.switches.optional_stop_off)
        if waits and not checking:
            if state.until_ns < 0:
                state.until_ns, state.mode = self.board.now_ns, "Hold"
            return state.mode != "Hold"
        if number in (2, 30):
            for step in state.pending_outputs:
                self.accessories.set_output(step)
            state.pending_outputs = []
            state.modal = after_program_end(state.modal)
            state.feed_override = state.speed_override = True
            state.schedule.offsets = True
            if not checking:
                state.coordinates.g92_saved = list(state.coordinates.g92)
                self.accessories.all_off()
                if state.settings[s.RESTORE_OVERRIDES]:
                    self.motion.set_overrides(100, 100, 100)
            state.program.ended = True
            self.board.send_text("[MSG:Pgm End]\r\n")
        return True
