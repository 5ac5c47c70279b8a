"""The welding process on the machine: its inputs from arm and I/O, its sensors and its events."""

from collections.abc import Callable

import numpy as np

from rigless.robots.welder import weld_state
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.board import Board
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.process import welding
from rigless.robots.welder.process.bead import Bead
from rigless.robots.welder.state import WelderState
from rigless.sensors.noise import block, normal

STRIKE, CURRENT, VOLTAGE = 0, 1, 2  # noise draws
GAS, WIRE = "gas", "wire"
MAX_READING = 1e9  # no sensor fault gives a larger reading


class WeldProcess:
    def __init__(
        self,
        state: WelderState,
        config: WelderConfig,
        machine: Board,
        arm: Arm,
        torch_m: Callable[[], list[float]],
    ):
        self.state, self.config, self.machine, self.arm = state, config.welding, machine, arm
        self.update_rate_hz, self.torch_m = config.update_rate_hz, torch_m
        self.figures = welding.figures(config.welding, 1.0 / config.update_rate_hz)
        self.bead = Bead(state, config.update_rate_hz)

    def step(self) -> bool:
        """Advance one tick with the true speed of the torch. Return True to ask for a feed hold."""
        state, dt_s = self.state, 1.0 / self.update_rate_hz
        rested = state.ticks - state.welded_tick - 1
        if rested > 0:
            welding.cool(state.weld, self.config, rested * dt_s)
        state.welded_tick = state.ticks
        torch = self.torch_m()
        speed = (
            welding.speed(np.array(torch), np.array(state.torch_m), dt_s) if state.torch_m else 0.0
        )
        state.torch_m = torch
        draw = normal(block(state.noise_key, state.weld.strikes, STRIKE)[0])
        phase = welding.advance(
            state.weld, self.config, self._conditions(speed), dt_s, draw, self.figures
        )
        self._measure()
        self.bead.update(self.machine.now_ns)
        hold = self._begin_phase(phase) if phase else False
        if welding.at_rest(state.weld):
            state.torch_m = []
        return hold

    def is_steady(self) -> bool:
        """True if no fault and no change of phase is near, so that `burn` can run many ticks."""
        state, config, machine = self.state, self.config, self.machine
        shortest, longest = config.stickout_mm
        return (
            state.weld.phase == weld_state.WELDING
            and state.weld.wanted
            and state.weld.since_s > config.hot_start_ms / 1000
            and state.welded_tick == state.ticks
            and shortest <= machine.input["stickout_mm"] <= longest
            and not machine.faults
            and bool(state.torch_m)
            and 1e9 % self.update_rate_hz == 0
        )

    def burn(self, times: int) -> int:
        """Run many ticks of a steady weld, as `step` would one by one. Return how many."""
        state, weld = self.state, self.state.weld
        values, torch = welding.pack(weld), np.array(state.torch_m)
        aims = welding.aims(weld, self.config, self._conditions(0.0))
        done: int = welding.burn(
            values, aims, self.figures, torch, state.blocks, state.run, self.machine.now_ns,
            round(1e9 / self.update_rate_hz), self.arm.table, self.arm.tool_m, times,
        )  # fmt: skip
        welding.unpack(weld, values)
        state.torch_m = torch.tolist()
        state.welded_tick = state.ticks + done
        if done:
            state.ticks += done
            self._measure()
            state.ticks -= done
        return done

    def _conditions(self, speed_mmps: float) -> welding.Conditions:
        config, state, machine = self.config, self.state, self.machine
        analog = state.outputs.analog
        arc, source = machine.fault("arc"), machine.fault("power_source")
        injected = source.kind if source is not None else ""
        if arc is not None and arc.kind != "no_start" and state.weld.arc_on:
            injected = arc.kind
        return welding.Conditions(
            speed_mmps,
            machine.input["stickout_mm"],
            gas=machine.fault(GAS) is None,
            wire=machine.fault(WIRE) is None,
            gas_open=state.mist or state.flood,
            injected=injected,
            strikes=machine.fault("arc", "no_start") is None,
            demand=(
                analog[0] * config.amps_per_volt,
                analog[1] * config.volts_per_volt,
                analog[2] * config.mpm_per_volt,
            ),
            power=state.spindle_percent / 100,
        )

    def _measure(self) -> None:
        """Read current and voltage with the sensors of the power source."""
        state, ripple, sense = self.state, self.config.ripple_share, self.machine.sense
        noise = [
            normal(block(state.noise_key, state.ticks, which)[0]) for which in (CURRENT, VOLTAGE)
        ]
        current = sense("arc_current", state.weld.current_a * (1.0 + ripple * noise[0]))
        voltage = sense("arc_voltage", state.weld.voltage_v * (1.0 + ripple * noise[1]))
        state.measured_a = min(max(current or 0.0, -MAX_READING), MAX_READING)
        state.measured_v = min(max(voltage or 0.0, -MAX_READING), MAX_READING)

    def _begin_phase(self, phase: str) -> bool:
        """Switch the arc detector and log the phase. Return True if a fault holds the feed."""
        weld, config, machine = self.state.weld, self.config, self.machine
        machine.set_input(f"di{config.arc_detect_input}", weld.phase in weld_state.BURNING)
        if phase != weld_state.FAULT:
            machine.event("weld-phase", phase.lower().replace("_", " "), phase=phase)
            return False
        text = f"{weld.fault}: {welding.FAULTS[weld.fault]}"
        machine.event("weld-fault", text, "error", fault=weld.fault)
        machine.count("weld_faults")
        return config.hold_on_fault and self.state.mode == "Run"
