"""Physics steps a second of the Pacbot: a simulation without subscribers, and the function."""

import time
from typing import Any

import numpy as np
from numba import njit

from rigless.robots.pacbot import body as b
from rigless.scenario.load import open_target
from rigless.worlds.grid_world import NO_BOXES, NO_DISCS

MAZE = "medium"
HELD = 40  # steps per random command


@njit
def _run(
    body: Any, const: Any, occupied: Any, clear: Any, discs: Any, boxes: Any, keys: Any,
    scratch: Any, goals: Any, steps: int
) -> int:  # fmt: skip
    hits = 0
    for k in range(steps):
        for i in range(4):
            body[b.GOAL + i] = goals[k // HELD, i]
        hits += b.step(body, const, occupied, clear, discs, boxes, keys, k + 1, scratch)
    return hits


def measure_steps(seconds: float, steps: int) -> dict[str, float]:
    """Measure `seconds` of a whole simulation and `steps` of the function, both with contacts."""
    sim = open_target("pacbot", [f"maze={MAZE}"], 7, collect=False).simulation
    robot: Any = sim.robots["pacbot"]
    rng = np.random.default_rng(7)
    sim.run(0.1)
    begin, silent_s = time.perf_counter(), 0.0
    while silent_s < seconds:
        robot.motors.set(*rng.uniform(-1, 1, 4).tolist())
        sim.run(0.4)
        silent_s += 0.4
    took_s = time.perf_counter() - begin
    goals, scratch = rng.uniform(-1, 1, (steps // HELD + 1, 4)), np.zeros(b.SCRATCH_SIZE)
    state, around = robot.state, (robot.grid.occupied, robot.arrays.clear, NO_DISCS, NO_BOXES)
    rest = (*around, state.keys, scratch, goals)
    _run(state.body.copy(), robot.arrays.const, *rest, 1)
    begin = time.perf_counter()
    hits = _run(state.body.copy(), robot.arrays.const, *rest, steps)
    bare_s = time.perf_counter() - begin
    return {
        "steps_per_s": silent_s * robot.config.physics_hz / took_s,
        "real_time_x": silent_s / took_s,
        "bare_steps_per_s": steps / bare_s,
        "steps_at_walls": hits / steps,
    }
