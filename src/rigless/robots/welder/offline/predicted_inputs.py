"""Inputs that the machine drives itself, predicted without running it: arc detector and links.

The process is advanced in the controller's steps under good conditions (gas, wire, stick-out), with
the random numbers of the same seed. Once the arc burns steadily, nothing changes until M5.
"""

import math

from rigless.robots.welder import pins, weld_state
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.gcode.modal import Step
from rigless.robots.welder.process import welding
from rigless.robots.welder.process.weld_process import STRIKE
from rigless.sensors.noise import Key, block, normal

STEADY_S = 2.0  # of welding; all lags have settled by then
RISES, FALLS, HIGH = 1, 2, 3  # conditions of M66; 4 is low


class PredictedInputs:
    """Digital inputs over time. Calls must come in order of time."""

    def __init__(self, config: WelderConfig, key: Key):
        self.config, self.step_s = config, 1.0 / config.update_rate_hz
        self.weld, self.weld_s = weld_state.Weld(), 0.0
        self.noise_key = key
        self.figures = welding.figures(config.welding, self.step_s)
        self.outputs = pins.Outputs()
        self.levels = [False] * pins.DIGITAL
        self.changes: list[tuple[float, int, bool]] = []  # of linked inputs: time, pin, level
        self.gas_open = False

    def set_output(self, step: Step, now_s: float) -> None:
        """Do a `digital` or `analog` step."""
        if step[0] == "analog":
            self._advance(now_s)
            pins.drive(self.outputs, int(step[1]), float(step[2]))
        else:
            self._switch(int(step[1]), bool(step[2]), now_s)

    def set_spindle(self, on: bool, now_s: float) -> None:
        self._advance(now_s)
        (welding.start if on else welding.stop)(self.weld)
        self._switch(self.config.welding.arc_output, on, now_s)

    def set_coolant(self, on: bool, now_s: float) -> None:
        self._advance(now_s)
        self.gas_open = on
        self._switch(self.config.welding.gas_output, on, now_s)

    def wait_s(self, pin: int, condition: int, now_s: float, most_s: float) -> float:
        """Return how long M66 waits for a condition of an input, at most `most_s`."""
        wanted, end_s, at_s = condition in (RISES, HIGH), now_s + most_s, now_s
        armed = condition not in (RISES, FALLS)
        while at_s < end_s:
            self._advance(at_s)
            armed = armed or self.levels[pin] != wanted
            if armed and self.levels[pin] == wanted:
                return at_s - now_s
            at_s = self._next_change_s(pin, at_s)
        return most_s

    def _switch(self, pin: int, on: bool, now_s: float) -> None:
        if not pins.switch(self.outputs, pin, on):
            return
        for link in self.config.virtual_io.links:
            if link.output == pin:
                self.changes.append((now_s + link.delay_ms / 1000, link.input, on))
        self.changes.sort(key=lambda change: change[0])

    def _next_change_s(self, pin: int, now_s: float) -> float:
        """Return when the input may change next; infinite if never."""
        linked = min((at_s for at_s, which, _ in self.changes if which == pin), default=math.inf)
        if pin == self.config.welding.arc_detect_input and not self._settled():
            return min(linked, now_s + self.step_s)
        return linked

    def _settled(self) -> bool:
        weld = self.weld
        burns = weld.phase == weld_state.WELDING and weld.wanted and weld.since_s > STEADY_S
        return burns or weld.phase == weld_state.FAULT or welding.at_rest(weld)

    def _advance(self, now_s: float) -> None:
        while self.weld_s + self.step_s <= now_s + 1e-9 and not self._settled():
            self._step()
        if self._settled():
            self.weld_s = now_s
        while self.changes and self.changes[0][0] <= now_s:
            _, pin, level = self.changes.pop(0)
            self.levels[pin] = level

    def _step(self) -> None:
        """Advance the process by one step, as `WeldProcess.step` does."""
        config, analog = self.config.welding, self.outputs.analog
        demand = (
            analog[0] * config.amps_per_volt,
            analog[1] * config.volts_per_volt,
            analog[2] * config.mpm_per_volt,
        )
        conditions = welding.Conditions(gas_open=self.gas_open, demand=demand)
        draw = normal(block(self.noise_key, self.weld.strikes, STRIKE)[0])
        if welding.advance(self.weld, config, conditions, self.step_s, draw, self.figures):
            self.levels[config.arc_detect_input] = self.weld.phase in weld_state.BURNING
        self.weld_s += self.step_s
