"""The welding process: what happens between M3 and the end of the gas post-flow, and what can go wrong.

Theory of operation. The process is a state machine that is advanced in small steps of time with what the world does to it (`Around`: the
torch's true speed, its stick-out, whether gas and wire are there, faults that are injected). M3 asks for it, M5 ends it:

    IDLE → PRE_FLOW → ARC_START → WELDING → CRATER_FILL → ARC_END → BURN_BACK → POST_FLOW → IDLE

An arc strikes some time after the wire touches (drawn by the caller, one number an attempt); an attempt that takes longer than the time-out is broken off and
repeated after a pause. Current, voltage, wire and gas follow their targets as first-order lags, exactly for each step. Heat input and
deposition come from the instantaneous speed. A fault ends the arc and latches until the next M5 (or a reset); an emergency stop until it
is let go.
"""

import math
from dataclasses import dataclass

from rigless.robots.welder.config import Welding

IDLE, PRE_FLOW, ARC_START, WELDING, CRATER_FILL, ARC_END, BURN_BACK, POST_FLOW, FAULT, EMERGENCY_STOP = (
    "IDLE", "PRE_FLOW", "ARC_START", "WELDING", "CRATER_FILL", "ARC_END", "BURN_BACK", "POST_FLOW", "FAULT", "EMERGENCY_STOP",
)  # fmt: skip
PHASES = (IDLE, PRE_FLOW, ARC_START, WELDING, CRATER_FILL, ARC_END, BURN_BACK, POST_FLOW, FAULT, EMERGENCY_STOP)
BURNING = (WELDING, CRATER_FILL, ARC_END, BURN_BACK)
STOPPED_A, STOPPED_SHARE = 2.0, 0.05  # below these an arc is out, a wire stands
FAULTS: dict[str, str] = {
    "no_gas": "the gas flow is too low",
    "no_wire": "the wire has run out",
    "arc_start_failure": "the arc did not strike",
    "arc_lost": "the arc went out",
    "wire_stick": "the wire sticks to the work",
    "burn_back": "the wire burnt back to the tip",
    "over_current": "the current is too high",
    "over_voltage": "the voltage is too high",
    "thermal": "the power source is too hot",
    "communication": "the power source does not answer",
    "safety": "the safety circuit is open",
}


@dataclass
class Weld:
    """Where the process is. Totals are since the start of the simulation."""

    phase: str = IDLE
    wanted: bool = False
    since_s: float = 0.0  # in this phase
    attempt: int = 0
    attempt_s: float = 0.0  # in this attempt; negative in the pause before it
    strikes_s: float = 0.0  # when this attempt's arc strikes
    strikes: int = 0  # attempts so far, for the draws
    current_a: float = 0.0
    voltage_v: float = 0.0
    wire_mpm: float = 0.0
    gas_lpm: float = 0.0
    heat: float = 0.0  # of the source, 1 is too hot
    fault: str = ""
    arc_energy_kjpmm: float = 0.0
    heat_input_kjpmm: float = 0.0
    bead_mm2: float = 0.0
    arc_s: float = 0.0
    length_mm: float = 0.0
    energy_kj: float = 0.0
    deposited_g: float = 0.0
    wire_used_m: float = 0.0

    @property
    def arc_on(self) -> bool:
        return self.phase in BURNING and self.current_a > STOPPED_A


@dataclass(frozen=True)
class Around:
    """What acts on the process during a step. `demand` is current, voltage and wire speed from the analog outputs."""

    speed_mmps: float = 0.0
    stickout_mm: float = 15.0
    gas: bool = True
    wire: bool = True
    gas_open: bool = False  # M7: gas flows though nothing burns
    injected: str = ""
    strikes: bool = True
    demand: tuple[float, float, float] = (0.0, 0.0, 0.0)


def arc_energy_kjpmm(voltage_v: float, current_a: float, speed_mmps: float) -> float:
    """kJ/mm = V·I·60/(1000 · mm/min); standing still it is not defined, and told as zero."""
    return voltage_v * current_a / (1000.0 * speed_mmps) if speed_mmps > 1e-6 else 0.0


def wire_area_mm2(config: Welding) -> float:
    return math.pi / 4.0 * config.wire_diameter_mm**2


def deposition_gpmin(config: Welding, wire_mpm: float) -> float:
    return wire_area_mm2(config) * wire_mpm * config.wire_density_gpcm3  # mm²·m is cm³


def targets(weld: Weld, config: Welding, around: Around) -> tuple[float, float, float, float]:
    """Current, voltage, wire and gas that the source aims at in this phase."""
    current, voltage, wire = (
        asked or default
        for asked, default in zip(around.demand, (config.current_a, config.voltage_v, config.wire_mpm), strict=True)
    )
    gas = config.gas_lpm if weld.phase not in (IDLE, FAULT, EMERGENCY_STOP) or around.gas_open else 0.0
    match weld.phase:
        case "ARC_START":
            return 0.0, voltage, wire if weld.attempt_s >= 0.0 else 0.0, gas
        case "WELDING":
            hot = config.hot_start_share if weld.since_s < config.hot_start_ms / 1000 else 1.0
            return current * hot, voltage, wire, gas
        case "CRATER_FILL":
            return current * config.crater_share, voltage, wire * config.crater_share, gas
        case "ARC_END":
            return current * config.crater_share, voltage, 0.0, gas
        case "BURN_BACK":
            return current * config.crater_share, voltage, 0.0, gas
        case _:
            return 0.0, 0.0, 0.0, gas


def advance(weld: Weld, config: Welding, around: Around, dt_s: float, draw: float) -> str:
    """One step of time; gives the phase that began in it, or nothing. `draw` is this attempt's standard normal number."""
    before = weld.phase
    _follow(weld, config, around, dt_s)
    _account(weld, config, around, dt_s)
    weld.since_s += dt_s
    found = _trouble(weld, config, around)
    if found and weld.phase not in (IDLE, FAULT, EMERGENCY_STOP, POST_FLOW):
        weld.fault = found
        _enter(weld, FAULT)
    else:
        _move_on(weld, config, around, dt_s, draw)
    return weld.phase if weld.phase != before else ""


def start(weld: Weld) -> None:
    weld.wanted = True


def stop(weld: Weld) -> None:
    """M5: ends the weld, and acknowledges a fault."""
    weld.wanted = False
    if weld.phase == FAULT:
        weld.fault = ""
        _enter(weld, POST_FLOW)


def emergency(weld: Weld) -> None:
    weld.wanted = False
    weld.current_a = weld.voltage_v = weld.wire_mpm = weld.gas_lpm = 0.0
    weld.fault = "safety"
    _enter(weld, EMERGENCY_STOP)


def release(weld: Weld) -> None:
    if weld.phase == EMERGENCY_STOP:
        weld.fault = ""
        _enter(weld, IDLE)


def at_rest(weld: Weld) -> bool:
    """Whether a step would change nothing: idle, and all flows have died away. (The source cools on: see `cool`.)"""
    quiet = weld.current_a == weld.voltage_v == weld.wire_mpm == weld.gas_lpm == 0.0
    return quiet and not weld.wanted and weld.phase in (IDLE, EMERGENCY_STOP)


def cool(weld: Weld, config: Welding, seconds: float) -> None:
    """Make up for the time in which the process was at rest and not advanced."""
    weld.heat *= math.exp(-seconds / config.thermal_tau_s)


def _enter(weld: Weld, phase: str) -> None:
    weld.phase, weld.since_s = phase, 0.0


def _follow(weld: Weld, config: Welding, around: Around, dt_s: float) -> None:
    current, voltage, wire, gas = targets(weld, config, around)
    if not around.gas:
        gas = 0.0
    if not around.wire:
        wire = 0.0
    weld.current_a = _lag(weld.current_a, current, dt_s, config.current_tau_ms)
    weld.voltage_v = _lag(weld.voltage_v, voltage, dt_s, config.voltage_tau_ms)
    weld.wire_mpm = _lag(weld.wire_mpm, wire, dt_s, config.wire_tau_ms)
    weld.gas_lpm = _lag(weld.gas_lpm, gas, dt_s, config.gas_tau_ms)
    weld.heat = _lag(weld.heat, (weld.current_a / config.thermal_a) ** 2, dt_s, config.thermal_tau_s * 1000)


def _lag(value: float, target: float, dt_s: float, tau_ms: float) -> float:
    if value == target:
        return value
    new = target + (value - target) * math.exp(-dt_s * 1000.0 / tau_ms)
    return target if abs(new - target) < 1e-6 else new


def _account(weld: Weld, config: Welding, around: Around, dt_s: float) -> None:
    """Heat, bead, length and wire of this step."""
    weld.wire_used_m += weld.wire_mpm * dt_s / 60.0
    if not weld.arc_on:
        weld.arc_energy_kjpmm = weld.heat_input_kjpmm = weld.bead_mm2 = 0.0
        return
    speed = around.speed_mmps
    weld.arc_s += dt_s
    weld.length_mm += speed * dt_s
    weld.energy_kj += weld.voltage_v * weld.current_a * dt_s / 1000.0
    weld.deposited_g += deposition_gpmin(config, weld.wire_mpm) * dt_s / 60.0
    weld.arc_energy_kjpmm = arc_energy_kjpmm(weld.voltage_v, weld.current_a, speed)
    weld.heat_input_kjpmm = weld.arc_energy_kjpmm * config.efficiency
    weld.bead_mm2 = wire_area_mm2(config) * weld.wire_mpm * 1000.0 / 60.0 / speed if speed > 1e-6 else 0.0


def _trouble(weld: Weld, config: Welding, around: Around) -> str:
    """The fault that arises now, from its cause."""
    if around.injected:
        return around.injected
    if weld.heat >= 1.0:
        return "thermal"
    if weld.current_a > config.most_a:
        return "over_current"
    if weld.voltage_v > config.most_v:
        return "over_voltage"
    if weld.phase in (ARC_START, WELDING, CRATER_FILL):
        if weld.gas_lpm < config.gas_low_lpm:
            return "no_gas"
        if not around.wire or weld.wire_used_m >= config.spool_m:
            return "no_wire"
    if weld.phase == WELDING and weld.arc_on:
        shortest, longest = config.stickout_mm
        if around.stickout_mm < shortest:
            return "wire_stick"
        if around.stickout_mm > longest or around.speed_mmps > config.fastest_mmps:
            return "arc_lost"
    return ""


def _move_on(weld: Weld, config: Welding, around: Around, dt_s: float, draw: float) -> None:
    since_ms = weld.since_s * 1000.0 + 1e-6
    match weld.phase:
        case "IDLE" if weld.wanted:
            _enter(weld, PRE_FLOW)
        case "PRE_FLOW" if not weld.wanted:
            _enter(weld, POST_FLOW)
        case "PRE_FLOW" if since_ms >= config.pre_flow_ms:
            _enter(weld, ARC_START)
            weld.attempt = 0
            _try(weld, config, draw, 0.0)
        case "ARC_START" if not weld.wanted:
            _enter(weld, POST_FLOW)
        case "ARC_START":
            weld.attempt_s += dt_s
            if around.strikes and weld.attempt_s >= weld.strikes_s:
                _enter(weld, WELDING)
            elif weld.attempt_s * 1000.0 >= config.arc_start_timeout_ms:
                if weld.attempt >= config.arc_start_retries:
                    weld.fault = "arc_start_failure"
                    _enter(weld, FAULT)
                else:
                    weld.attempt += 1
                    _try(weld, config, draw, config.retry_pause_ms / 1000.0)
        case "WELDING" if not weld.wanted:
            _enter(weld, CRATER_FILL)
        case "CRATER_FILL" if since_ms >= config.crater_fill_ms:
            _enter(weld, ARC_END)
        case "ARC_END" if weld.wire_mpm <= STOPPED_SHARE * config.wire_mpm:
            _enter(weld, BURN_BACK)
        case "BURN_BACK" if since_ms >= config.burn_back_ms:
            _enter(weld, POST_FLOW)
        case "POST_FLOW" if since_ms >= config.post_flow_ms:
            _enter(weld, IDLE)


def _try(weld: Weld, config: Welding, draw: float, pause_s: float) -> None:
    """Begin an attempt to strike the arc, after a pause."""
    weld.attempt_s = -pause_s
    weld.strikes += 1
    weld.strikes_s = max(0.0, config.strike_mean_ms + config.strike_stddev_ms * draw) / 1000.0
