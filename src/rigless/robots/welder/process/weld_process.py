"""The welding process at work on the robot: what the arm and the I/O do to it, what its sensors read, what it tells."""

from typing import TYPE_CHECKING

import numpy as np

from rigless.robots.welder.controller import realtime
from rigless.robots.welder.process import bead, welding
from rigless.sensors.noise import block, normal

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

STRIKE, CURRENT, VOLTAGE = 0, 1, 2  # noise draws
GAS, WIRE = "gas", "wire"
WILDEST = 1e9  # no fault makes a reading larger


def step(robot: "Welder") -> None:
    """One tick of the process, with the torch as fast as it truly is."""
    state, dt_s = robot.state, 1.0 / robot.config.update_rate_hz
    rested = state.ticks - state.welded_tick - 1
    if rested > 0:
        welding.cool(state.weld, robot.config.welding, rested * dt_s)
    state.welded_tick = state.ticks
    torch = robot.torch_m()
    speed = welding.speed(np.array(torch), np.array(state.torch_m), dt_s) if state.torch_m else 0.0
    state.torch_m = torch
    draw = normal(block(state.noise_key, state.weld.strikes, STRIKE)[0])
    began = welding.advance(
        state.weld, robot.config.welding, around(robot, speed), dt_s, draw, robot.figures
    )
    measure(robot)
    bead.lay(robot)
    if began:
        tell(robot, began)
    if welding.at_rest(state.weld):
        state.torch_m = []


def steady(robot: "Welder") -> bool:
    """Whether the process does nothing but burn on, so that `burn` can do many ticks: no fault, no phase about to end."""
    state, config = robot.state, robot.config.welding
    shortest, longest = config.stickout_mm
    return (
        state.weld.phase == welding.WELDING
        and state.weld.wanted
        and state.weld.since_s > config.hot_start_ms / 1000
        and state.welded_tick == state.ticks
        and shortest <= robot.input["stickout_mm"] <= longest
        and not robot.faults
        and bool(state.torch_m)
        and 1e9 % robot.config.update_rate_hz == 0
    )


def burn(robot: "Welder", times: int) -> int:
    """Many ticks of a steady weld, as `step` would do them one by one; gives how many it did."""
    state, weld = robot.state, robot.state.weld
    values, torch = welding.pack(weld), np.array(state.torch_m)
    aims = welding.aims(weld, robot.config.welding, around(robot, 0.0))
    done: int = welding.burn(
        values, aims, robot.figures, torch, state.blocks, state.run, robot.now_ns, round(1e9 / robot.config.update_rate_hz),
        robot.arm.table, robot.arm.tool_m, times,
    )  # fmt: skip
    welding.unpack(weld, values)
    state.torch_m = torch.tolist()
    state.welded_tick = state.ticks + done
    if done:
        state.ticks += done
        measure(robot)
        state.ticks -= done
    return done


def around(robot: "Welder", speed_mmps: float) -> welding.Around:
    config, analog, state = robot.config.welding, robot.state.outputs.analog, robot.state
    arc, source = robot.fault("arc"), robot.fault("power_source")
    injected = source.kind if source is not None else ""
    if arc is not None and arc.kind != "no_start" and state.weld.arc_on:
        injected = arc.kind
    return welding.Around(
        speed_mmps,
        robot.input["stickout_mm"],
        gas=robot.fault(GAS) is None,
        wire=robot.fault(WIRE) is None,
        gas_open=state.mist or state.flood,
        injected=injected,
        strikes=robot.fault("arc", "no_start") is None,
        demand=(
            analog[0] * config.amps_per_volt,
            analog[1] * config.volts_per_volt,
            analog[2] * config.mpm_per_volt,
        ),
        power=state.spindle_percent / 100,
    )


def measure(robot: "Welder") -> None:
    """Current and voltage as the source's sensors give them."""
    state, ripple = robot.state, robot.config.welding.ripple_share
    noise = [normal(block(state.noise_key, state.ticks, which)[0]) for which in (CURRENT, VOLTAGE)]
    current = robot.sense("arc_current", state.weld.current_a * (1.0 + ripple * noise[0]))
    voltage = robot.sense("arc_voltage", state.weld.voltage_v * (1.0 + ripple * noise[1]))
    state.measured_a = min(max(current or 0.0, -WILDEST), WILDEST)
    state.measured_v = min(max(voltage or 0.0, -WILDEST), WILDEST)


def tell(robot: "Welder", phase: str) -> None:
    """A phase began: the arc detector switches, people are told, a fault holds the feed."""
    weld, config = robot.state.weld, robot.config.welding
    robot.set_input(f"di{config.arc_detect_input}", weld.phase in welding.BURNING)
    if phase == welding.FAULT:
        robot.event(
            "weld-fault", f"{weld.fault}: {welding.FAULTS[weld.fault]}", "error", fault=weld.fault
        )
        robot.count("weld_faults")
        if config.hold_on_fault and robot.state.mode == "Run":
            realtime.hold(robot)
    else:
        robot.event("weld-phase", phase.lower().replace("_", " "), phase=phase)
