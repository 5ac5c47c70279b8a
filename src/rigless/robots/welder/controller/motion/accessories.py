"""Outputs of the controller: digital and analog pins, the arc (spindle) and the gas (coolant)."""

from rigless.robots.welder import pins, weld_state
from rigless.robots.welder.board import Board
from rigless.robots.welder.config import Welding
from rigless.robots.welder.gcode.modal import Step
from rigless.robots.welder.process import welding
from rigless.robots.welder.state import WelderState


class Accessories:
    def __init__(self, state: WelderState, config: Welding, board: Board):
        self.state, self.config, self.board = state, config, board

    def set_output(self, step: Step) -> None:
        """Do an M62 to M68 step: set a digital or analog output."""
        kind, number, value = str(step[0]), int(step[1]), float(step[2])
        if kind == "analog":
            pins.drive(self.state.outputs, number, value)
        else:
            self.switch(number, bool(value))

    def switch(self, pin: int, on: bool) -> None:
        """Set a digital output and, after their delays, the inputs that are linked to it."""
        if not pins.switch(self.state.outputs, pin, on):
            return
        for output, linked, delay_ms in self.state.outputs.links:
            if output == pin:
                self.board.set_input_after(delay_ms / 1000, f"di{linked}", on)

    def set_spindle(self, code: int, speed: float) -> None:
        """M3 and M4 start the arc, M5 ends it."""
        state = self.state
        if code != state.spindle:
            state.schedule.accessories = True
        state.spindle, state.spindle_speed = code, speed
        if state.weld.phase != weld_state.EMERGENCY_STOP:
            (welding.stop if code == 5 else welding.start)(state.weld)
        self.switch(self.config.arc_output, code != 5)

    def set_coolant(self, mist: bool, flood: bool) -> None:
        """M7 and M8 open the gas valve, M9 closes it."""
        state = self.state
        if (mist, flood) != (state.mist, state.flood):
            state.schedule.accessories = True
        state.mist, state.flood = mist, flood
        self.switch(self.config.gas_output, mist or flood)

    def all_off(self) -> None:
        self.set_spindle(5, 0.0)
        self.set_coolant(False, False)
