"""The welding process from M3 to the end of the gas post-flow, and its faults.

Theory of operation. The process is a state machine that advances in small time steps under
`Conditions`: the true speed of the torch, stick-out, presence of gas and wire, injected faults. M3
starts it, M5 ends it:

    IDLE → PRE_FLOW → ARC_START → WELDING → CRATER_FILL → ARC_END → BURN_BACK → POST_FLOW → IDLE

An arc strikes some time after the wire touches (the caller draws one random number an attempt). An
attempt that exceeds the time-out is repeated after a pause. Current, voltage, wire and gas follow
their targets as first-order lags, exact for each step. Heat input and deposition depend on the
instantaneous speed. A fault ends the arc and latches until the next M5 (or a reset); an emergency
stop latches until it is released.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion import planner
from rigless.motion.arm import kinematics as arm
from rigless.motion.planner.axis_limits import AXES
from rigless.robots.welder.config import Welding
from rigless.robots.welder.process.stickout import FARTHEST_MM, NOMINAL_MM
from rigless.robots.welder.weld_state import (
    ARC_END,
    ARC_START,
    BURN_BACK,
    BURNING,
    CRATER_FILL,
    EMERGENCY_STOP,
    FAULT,
    IDLE,
    POST_FLOW,
    PRE_FLOW,
    STOPPED_A,
    WELDING,
    Weld,
)

STOPPED_SHARE = 0.05  # of the wire speed; below it the wire has stopped
# Fields of `Weld` as an array for compiled code; the first four follow their targets.
NUMBERS = (
    "current_a", "voltage_v", "wire_mpm", "gas_lpm", "heat", "arc_energy_kjpmm", "heat_input_kjpmm",
    "bead_mm2", "arc_s", "length_mm",
    "energy_kj", "deposited_g", "wire_used_m", "since_s",
)  # fmt: skip
(
    CURRENT,
    VOLTAGE,
    WIRE,
    GAS,
    HEAT,
    ARC_ENERGY,
    HEAT_INPUT,
    BEAD,
    ARC_S,
    LENGTH,
    ENERGY,
    DEPOSITED,
    WIRE_USED,
    SINCE,
) = range(14)
(
    COOLING,
    THERMAL_A,
    AREA_MM2,
    DENSITY,
    EFFICIENCY,
    MOST_A,
    MOST_V,
    GAS_LOW,
    SPOOL_M,
    FASTEST,
    STEP_S,
) = range(4, 15)
FIGURES = 15  # after the four decays of the lags
FAULTS: dict[str, str] = {  # the texts of injected faults; the others have a cause with numbers
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


@dataclass(frozen=True)
class Conditions:
    """Conditions during a step.

    `demand` is current, voltage and wire speed of the analog outputs.
    """

    speed_mmps: float = 0.0
    programmed_mmps: float = 0.0  # speed of the torch that the move accelerates to, if known
    stickout_mm: float = NOMINAL_MM
    gas: bool = True
    wire: bool = True
    gas_open: bool = False  # M7: gas flows without an arc
    injected: str = ""
    strikes: bool = True
    demand: tuple[float, float, float] = (0.0, 0.0, 0.0)
    power: float = 1.0  # spindle override, scales current and wire


def arc_energy_kjpmm(voltage_v: float, current_a: float, speed_mmps: float) -> float:
    """Return V·I·60/(1000 · mm/min) in kJ/mm; 0 at standstill, where it is not defined."""
    return voltage_v * current_a / (1000.0 * speed_mmps) if speed_mmps > 1e-6 else 0.0


def wire_area_mm2(config: Welding) -> float:
    return math.pi / 4.0 * config.wire_diameter_mm**2


def deposition_gpmin(config: Welding, wire_mpm: float) -> float:
    return wire_area_mm2(config) * wire_mpm * config.wire_density_gpcm3  # mm²·m is cm³


def targets(
    weld: Weld, config: Welding, conditions: Conditions
) -> tuple[float, float, float, float]:
    """Return the targets of current, voltage, wire and gas in this phase."""
    current, voltage, wire = (
        asked or default
        for asked, default in zip(
            conditions.demand, (config.current_a, config.voltage_v, config.wire_mpm), strict=True
        )
    )
    current, wire = current * conditions.power, wire * conditions.power
    gas = config.gas_lpm if is_gas_open(weld, config, conditions) else 0.0
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


def is_gas_open(weld: Weld, config: Welding, conditions: Conditions) -> bool:
    """True if the gas valve is open: by M7 or M8, or by the power source itself."""
    automatic = config.gas == "automatic" and weld.phase not in (IDLE, FAULT, EMERGENCY_STOP)
    return automatic or conditions.gas_open


def advance(
    weld: Weld,
    config: Welding,
    conditions: Conditions,
    dt_s: float,
    draw: float,
    prepared: NDArray[np.float64] | None = None,
) -> str:
    """Advance one time step. Return the phase that began, or an empty string.

    `draw` is this attempt's standard normal number, `prepared` the config's `figures` for this
    length of step.
    """
    before = weld.phase
    values = pack(weld)
    numbers = figures(config, dt_s) if prepared is None else prepared
    wanted = aims(weld, config, conditions)
    flow(values, wanted, numbers, conditions.speed_mmps, weld.phase in BURNING)
    unpack(weld, values)
    found, cause = _fault(weld, config, conditions, float(wanted[GAS]))
    if found and weld.phase not in (IDLE, FAULT, EMERGENCY_STOP, POST_FLOW):
        weld.fault, weld.cause = found, cause
        _enter(weld, FAULT)
    else:
        _move_on(weld, config, conditions, dt_s, draw)
    return weld.phase if weld.phase != before else ""


def start(weld: Weld) -> None:
    weld.wanted = True


def stop(weld: Weld) -> None:
    """M5: end the weld and acknowledge a fault."""
    weld.wanted = False
    if weld.phase == FAULT:
        weld.fault = weld.cause = ""
        _enter(weld, POST_FLOW)


def emergency(weld: Weld) -> None:
    weld.wanted = False
    weld.current_a = weld.voltage_v = weld.wire_mpm = weld.gas_lpm = 0.0
    weld.fault, weld.cause = "safety", FAULTS["safety"]
    _enter(weld, EMERGENCY_STOP)


def release(weld: Weld) -> None:
    if weld.phase == EMERGENCY_STOP:
        weld.fault = weld.cause = ""
        _enter(weld, IDLE)


def at_rest(weld: Weld) -> bool:
    """True if a step would change nothing: idle, and all flows are zero.

    The power source still cools: see `cool`.
    """
    quiet = weld.current_a == weld.voltage_v == weld.wire_mpm == weld.gas_lpm == 0.0
    return quiet and not weld.wanted and weld.phase in (IDLE, EMERGENCY_STOP)


def cool(weld: Weld, config: Welding, seconds: float) -> None:
    """Cool the power source over the time in which the process was not advanced."""
    weld.heat *= math.exp(-seconds / config.thermal_tau_s)


def aims(weld: Weld, config: Welding, conditions: Conditions) -> NDArray[np.float64]:
    """Return the targets with what there is: no gas from an empty bottle, no wire without spool."""
    current, voltage, wire, gas = targets(weld, config, conditions)
    return np.array(
        (current, voltage, wire if conditions.wire else 0.0, gas if conditions.gas else 0.0)
    )


@cache
def figures(config: Welding, dt_s: float) -> NDArray[np.float64]:
    """Return the config as an array for `flow`, for one length of step."""
    taus_ms = (config.current_tau_ms, config.voltage_tau_ms, config.wire_tau_ms, config.gas_tau_ms)
    found = np.zeros(FIGURES)
    found[:4] = [math.exp(-dt_s * 1000.0 / tau_ms) for tau_ms in taus_ms]
    found[COOLING] = math.exp(-dt_s / config.thermal_tau_s)
    found[THERMAL_A], found[AREA_MM2], found[DENSITY] = (
        config.thermal_a,
        wire_area_mm2(config),
        config.wire_density_gpcm3,
    )
    found[EFFICIENCY], found[MOST_A], found[MOST_V] = (
        config.efficiency,
        config.most_a,
        config.most_v,
    )
    found[GAS_LOW], found[SPOOL_M], found[FASTEST], found[STEP_S] = (
        config.gas_low_lpm,
        config.spool_m,
        config.fastest_mmps,
        dt_s,
    )
    return found


def pack(weld: Weld) -> NDArray[np.float64]:
    return np.array([getattr(weld, name) for name in NUMBERS])


def unpack(weld: Weld, values: NDArray[np.float64]) -> None:
    for name, value in zip(NUMBERS, values.tolist(), strict=True):
        setattr(weld, name, value)


@compiled
def flow(
    values: NDArray[np.float64],
    aims: NDArray[np.float64],
    figures: NDArray[np.float64],
    speed_mmps: float,
    burning: bool,
) -> None:
    """Advance the continuous part: lags, heat of the source, and totals of the weld."""
    for n in range(4):
        new = aims[n] + (values[n] - aims[n]) * figures[n]
        values[n] = aims[n] if abs(new - aims[n]) < 1e-6 else new
    load = (values[CURRENT] / figures[THERMAL_A]) ** 2
    values[HEAT] = load + (values[HEAT] - load) * figures[COOLING]
    dt_s = figures[STEP_S]
    values[SINCE] += dt_s
    values[WIRE_USED] += values[WIRE] * dt_s / 60.0
    if not burning or values[CURRENT] <= STOPPED_A:
        values[ARC_ENERGY] = values[HEAT_INPUT] = values[BEAD] = 0.0
        return
    values[ARC_S] += dt_s
    values[LENGTH] += speed_mmps * dt_s
    values[ENERGY] += values[VOLTAGE] * values[CURRENT] * dt_s / 1000.0
    values[DEPOSITED] += (
        figures[AREA_MM2] * values[WIRE] * figures[DENSITY] * dt_s / 60.0
    )  # mm²·m is cm³
    values[ARC_ENERGY] = (
        values[VOLTAGE] * values[CURRENT] / (1000.0 * speed_mmps) if speed_mmps > 1e-6 else 0.0
    )
    values[HEAT_INPUT] = values[ARC_ENERGY] * figures[EFFICIENCY]
    values[BEAD] = (
        figures[AREA_MM2] * values[WIRE] * 1000.0 / 60.0 / speed_mmps if speed_mmps > 1e-6 else 0.0
    )


@compiled
def burn(
    values: NDArray[np.float64],
    aims: NDArray[np.float64],
    figures: NDArray[np.float64],
    torch_m: NDArray[np.float64],
    blocks: NDArray[np.float64],
    run: NDArray[np.float64],
    now_ns: int,
    step_ns: int,
    links: NDArray[np.float64],
    tool_m: NDArray[np.float64],
    times: int,
) -> int:
    """Advance many steps of a steady weld in one block; stop before a fault. Return how many."""
    kept, place, look, done = values.copy(), torch_m.copy(), np.empty((3, AXES)), np.empty(1)
    for n in range(times):
        now_s = (now_ns + n * step_ns) * 1e-9
        planner.advance(blocks, run, now_s, done)
        planner.sample(blocks, run, now_s, look)
        arm.tool_place(links, tool_m, look[planner.AT], place)
        flow(values, aims, figures, speed(place, torch_m, figures[STEP_S]), True)
        gone = (
            values[CURRENT] > STOPPED_A
            and speed(place, torch_m, figures[STEP_S]) > figures[FASTEST]
        )
        hot = (
            values[HEAT] >= 1.0
            or values[CURRENT] > figures[MOST_A]
            or values[VOLTAGE] > figures[MOST_V]
        )
        dry = max(values[GAS], aims[GAS]) < figures[GAS_LOW]
        if gone or hot or dry or values[WIRE_USED] >= figures[SPOOL_M]:
            for at in range(len(values)):
                values[at] = kept[at]
            return n
        for at in range(len(values)):
            kept[at] = values[at]
        for at in range(3):
            torch_m[at] = place[at]
    return times


@compiled
def speed(a_m: NDArray[np.float64], b_m: NDArray[np.float64], dt_s: float) -> float:
    """Return the speed between two positions in mm/s."""
    x, y, z = a_m[0] - b_m[0], a_m[1] - b_m[1], a_m[2] - b_m[2]
    return np.sqrt(x * x + y * y + z * z) * 1000.0 / dt_s


def _enter(weld: Weld, phase: str) -> None:
    weld.phase, weld.since_s = phase, 0.0


def _fault(weld: Weld, config: Welding, conditions: Conditions, gas_lpm: float) -> tuple[str, str]:
    """Return the fault that arises now and its cause, or two empty strings.

    `gas_lpm` is the flow that the gas tends to.
    """
    if conditions.injected:
        return conditions.injected, FAULTS[conditions.injected]
    if weld.heat >= 1.0:
        return "thermal", f"more than {config.thermal_a:g} A on average over minutes"
    if weld.current_a > config.most_a:
        return "over_current", f"{weld.current_a:.0f} A; the limit is {config.most_a:g} A"
    if weld.voltage_v > config.most_v:
        return "over_voltage", f"{weld.voltage_v:.1f} V; the limit is {config.most_v:g} V"
    if weld.phase in (ARC_START, WELDING, CRATER_FILL):
        if _lacks_gas(weld, config, conditions, gas_lpm):
            low = config.gas_low_lpm
            return "no_gas", f"the flow is {weld.gas_lpm:.1f} l/min; at least {low:g} are needed"
        if not conditions.wire:
            return "no_wire", FAULTS["no_wire"]
        if weld.wire_used_m >= config.spool_m:
            return "no_wire", f"the spool of {config.spool_m:g} m is used up"
    if weld.phase == WELDING and weld.arc_on:
        shortest, longest = config.stickout_mm
        if conditions.stickout_mm < shortest:
            text = f"the stick-out is {conditions.stickout_mm:.1f} mm; the minimum is {shortest:g}"
            return "wire_stick", f"{text} mm"
        if conditions.stickout_mm > longest:
            return "arc_lost", _too_far(config, conditions)
        if conditions.speed_mmps > config.fastest_mmps:
            speed = max(conditions.speed_mmps, conditions.programmed_mmps)
            limit = f"the limit is {config.fastest_mmps:g} mm/s"
            return "arc_lost", f"{speed:.0f} mm/s is too fast; {limit}"
    return "", ""


def _lacks_gas(weld: Weld, config: Welding, conditions: Conditions, gas_lpm: float) -> bool:
    """True if the flow monitor measures too little gas. It is active while the valve is open."""
    watched = is_gas_open(weld, config, conditions) or not conditions.gas
    return watched and max(weld.gas_lpm, gas_lpm) < config.gas_low_lpm


def _too_far(config: Welding, conditions: Conditions) -> str:
    """Return the cause of an arc that cannot burn because of the distance to the work."""
    if conditions.stickout_mm >= FARTHEST_MM:
        return f"there is no work within {FARTHEST_MM:g} mm in front of the wire"
    longest = config.stickout_mm[1]
    return f"the stick-out is {conditions.stickout_mm:.1f} mm; the maximum is {longest:g} mm"


def _move_on(weld: Weld, config: Welding, conditions: Conditions, dt_s: float, draw: float) -> None:
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
            far = conditions.stickout_mm > config.stickout_mm[1]
            if conditions.strikes and not far and weld.attempt_s >= weld.strikes_s:
                _enter(weld, WELDING)
            elif weld.attempt_s * 1000.0 >= config.arc_start_timeout_ms:
                if weld.attempt >= config.arc_start_retries:
                    attempts = f"no arc after {weld.attempt + 1} attempts"
                    weld.fault = "arc_start_failure"
                    weld.cause = _too_far(config, conditions) if far else attempts
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
    """Begin an attempt to strike the arc after a pause."""
    weld.attempt_s = -pause_s
    weld.strikes += 1
    weld.strikes_s = max(0.0, config.strike_mean_ms + config.strike_stddev_ms * draw) / 1000.0
