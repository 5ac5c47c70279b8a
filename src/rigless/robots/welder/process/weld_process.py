"""The welding process on the machine: its inputs from arm and I/O, its sensors and its events."""

from typing import Any, Protocol

import numpy as np

from rigless.robots.welder import weld_state
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.board import Board
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.process import welding
from rigless.robots.welder.process.bead import Bead
from rigless.robots.welder.process.stickout import NOMINAL_MM, RATE_HZ, Stickout
from rigless.robots.welder.state import WelderState
from rigless.sensors.noise import block, normal

STRIKE, CURRENT, VOLTAGE = 0, 1, 2  # noise draws
GAS, WIRE = "gas", "wire"
MAX_READING = 1e9  # no sensor fault gives a larger reading


class TorchMotion(Protocol):
    """The motion of the torch, as far as the process needs it."""

    def torch_m(self) -> list[float]: ...

    def joints_deg(self) -> Any: ...

    def programmed_mmps(self) -> float: ...


class WeldProcess:
    def __init__(
        self,
        state: WelderState,
        config: WelderConfig,
        machine: Board,
        arm: Arm,
        motion: TorchMotion,
        stickout: Stickout | None,
    ):
        self.state, self.config, self.machine, self.arm = state, config.welding, machine, arm
        self.update_rate_hz, self.motion = config.update_rate_hz, motion
        self.stickout = stickout  # None without a cell
        self.figures = welding.figures(config.welding, 1.0 / config.update_rate_hz)
        self.bead = Bead(state, config.update_rate_hz)
        self.ticks_to_measure = max(1, round(config.update_rate_hz / RATE_HZ))

    def step(self) -> bool:
        """Advance one tick with the true speed of the torch. Return True to ask for a feed hold."""
        state, dt_s = self.state, 1.0 / self.update_rate_hz
        rested = state.ticks - state.welded_tick - 1
        if rested > 0:
            welding.cool(state.weld, self.config, rested * dt_s)
        state.welded_tick = state.ticks
        torch = self.motion.torch_m()
        speed = (
            welding.speed(np.array(torch), np.array(state.torch_m), dt_s) if state.torch_m else 0.0
        )
        state.torch_m = torch
        self._measure_stickout()
        draw = normal(block(state.noise_key, state.weld.strikes, STRIKE)[0])
        phase = welding.advance(
            state.weld, self.config, self._conditions(speed), dt_s, draw, self.figures
        )
        self._measure()
        self.bead.update(self.machine.now_ns)
        hold = self._begin_phase(phase) if phase else False
        if welding.at_rest(state.weld):
            state.torch_m = []
            state.stickout_mm = -1.0
        return hold

    def stickout_mm(self) -> float:
        """Return the stick-out: of the input, the last measurement in the cell, or the nominal."""
        if self.machine.input["stickout_mm"] > 0.0:
            return float(self.machine.input["stickout_mm"])
        return self.state.stickout_mm if self.state.stickout_mm >= 0.0 else NOMINAL_MM

    def ticks_to_next(self) -> int:
        """Return the number of ticks before the next one that adds to the bead or measures."""
        measures = self.ticks_to_measure
        if self.stickout is None:
            return self.bead.ticks_to_next()
        return min(self.bead.ticks_to_next(), measures - 1 - self.state.ticks % measures)

    def is_steady(self) -> bool:
        """True if no fault and no change of phase is near, so that `burn` can run many ticks."""
        state, config, machine = self.state, self.config, self.machine
        shortest, longest = config.stickout_mm
        return (
            state.weld.phase == weld_state.WELDING
            and state.weld.wanted
            and state.weld.since_s > config.hot_start_ms / 1000
            and state.welded_tick == state.ticks
            and shortest <= self.stickout_mm() <= longest
            and not machine.faults
            and bool(state.torch_m)
            and 1e9 % self.update_rate_hz == 0
        )

    def burn(self, times: int) -> int:
        """Run many ticks of a steady weld, as `step` would one by one. Return how many."""
        state, weld = self.state, self.state.weld
        values, torch = welding.pack(weld), np.array(state.torch_m)
        conditions = self._conditions(0.0)
        aims, figures = welding.aims(weld, self.config, conditions), self.figures.copy()
        if not welding.is_gas_open(weld, self.config, conditions):
            figures[welding.GAS_LOW] = -1.0  # a closed valve is not monitored
        done: int = welding.burn(
            values, aims, figures, torch, state.blocks, state.run, self.machine.now_ns,
            round(1e9 / self.update_rate_hz), self.arm.links, self.arm.tool_m, times,
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
            self.motion.programmed_mmps() if speed_mmps > config.fastest_mmps else 0.0,
            self.stickout_mm(),
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
            power=state.spindle_percent / 100 if state.speed_override else 1.0,
        )

    def _measure_stickout(self) -> None:
        """Measure the stick-out on a time grid that fast-forwarding does not skip."""
        state = self.state
        if self.stickout is None or state.weld.phase not in (
            weld_state.ARC_START, weld_state.WELDING,
        ):  # fmt: skip
            return
        if state.ticks % self.ticks_to_measure == 0 or state.stickout_mm < 0.0:
            torch = self.arm.torch(np.radians(self.motion.joints_deg()))
            state.stickout_mm = self.stickout.measure_mm(torch)

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
        if phase == weld_state.PRE_FLOW:
            self.state.stickout_mm = -1.0
        if phase == weld_state.ARC_START and weld.gas_lpm < config.gas_low_lpm:
            fix = "open it with M7 or M8 before M3, or set welding.gas = automatic"
            machine.event("no-gas", f"the arc starts without shielding gas: {fix}", "warning")
        if phase != weld_state.FAULT:
            machine.event("weld-phase", phase.lower().replace("_", " "), phase=phase)
            return False
        text = f"{weld.fault.replace('_', ' ')}: {weld.cause}"
        machine.event("weld-fault", text, "error", fault=weld.fault)
        machine.count("weld_faults")
        return config.hold_on_fault and self.state.mode == "Run"
