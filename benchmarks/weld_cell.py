"""Figures of the weld cell: one configuration, distances, motions, and a map of 50 mm.

The arm stands among ten primitives, as in the comparison that chose the engine, and on the shipped
weld table, which has meshes too. Times of one configuration are CPU times of this process; the
map's are wall times of all processes. The peer is the pair loop of coal through pinocchio, which
checks every pair. RIGLESS_BENCH_SECONDS below 20 reduces the counts.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rigless.motion.arm.collision import Collider, spread
from rigless.motion.arm.continuous_collision import MotionChecker
from rigless.motion.arm.reach import ranked
from rigless.motion.arm.rigid_body import import_pinocchio
from rigless.robots.welder.arm.body import model, reach
from rigless.robots.welder.cli import write_map
from rigless.robots.welder.config import WelderConfig
from rigless.worlds.cells.cell import Cell, Thing
from rigless.worlds.cells.solids import Solid
from rigless.worlds.frames import frame

FULL_SECONDS = 20.0


def run() -> dict[str, Any]:
    scale = min(1.0, float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS)) / FULL_SECONDS)
    count = max(50, round(5000 * scale))
    return {
        "ten_primitives": configuration(ten_primitives(), count),
        "weld_table": configuration(Cell.load("weld_table"), count),
        "map": mapped(50.0 if scale > 0.5 else 600.0),
    }


def ten_primitives() -> Cell:
    """Around the arm, within its reach."""
    things = []
    for n, (angle, far, high) in enumerate(
        spread(np.array([-np.pi, 0.6, 0.0]), np.array([np.pi, 1.1, 1.3]), 10)
    ):
        kind, size = (("box", (0.2, 0.3, 0.1)), ("cylinder", (0.08, 0.4)), ("sphere", (0.12,)))[
            n % 3
        ]
        at = frame((far * np.cos(angle), far * np.sin(angle), high), (angle, high, far))
        things.append(Thing(Solid(f"thing {n}", kind, size, at)))  # type: ignore[arg-type]
    return Cell("ten primitives", tuple(things))


def configuration(cell: Cell, count: int) -> dict[str, float]:
    arm = reach(cell=cell)
    collider = arm.collider
    assert collider is not None
    body, checker = model(), MotionChecker(collider)
    joints = spread(body.low_rad, body.high_rad, count)
    goals = [body.forward(row) for row in joints]

    def solve(goal: Any) -> None:
        ranked(arm.arm, goal, arm.low_rad, arm.high_rad)

    def follow(n: int) -> None:
        checker.start(joints[n])
        list(checker.move_through(joints[n] + 0.3 * (joints[n - 1] - joints[n])))

    figures = {
        "pairs": len(collider.pairs),
        "forward_us": each(body.forward, joints),
        "all_pairs_us": each(collider.free, joints),
        "reach_us": each(solve, goals) + each(arm.singular, joints),
    }
    figures["configuration_us"] = (
        figures["forward_us"] + figures["all_pairs_us"] + figures["reach_us"]
    )
    figures |= {
        "pair_loop_us": each(pair_loop(collider), joints),
        "distance_us": each(collider.distance, joints),
        "pose_answered_us": each(arm.pose, [body.tool(row) for row in joints]),
        "long_move_followed_us": each(follow, range(1, max(20, count // 50))),
    }
    return figures


def pair_loop(collider: Collider) -> Callable[[Any], Any]:
    """Every pair by coal, stopping at the first that touches."""
    own, (pin, _) = collider.model, import_pinocchio()
    geometry, data = collider._geometry, collider._data
    return lambda joints: pin.computeCollisions(own.model, own.data, geometry, data, joints, True)


def each(call: Callable[[Any], Any], given: Any) -> float:
    """Microseconds of CPU a call."""
    call(given[0])
    begin = time.process_time()
    for one in given:
        call(one)
    return (time.process_time() - begin) / len(given) * 1e6


def mapped(resolution_mm: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "map.npz"
        begin, cpu = time.perf_counter(), processor_s()
        write_map(resolution_mm, out, WelderConfig(cell="weld_table"), 0, json=False, quiet=True)
        wall_s = time.perf_counter() - begin
        found = np.load(out)
        return {
            "resolution_mm": resolution_mm,
            "places": len(found["reached"]),
            "reached": int((found["reached"] > 0).sum()),
            "map_s": wall_s,
            "map_cpu_s": processor_s() - cpu,
            "cores": os.cpu_count() or 1,
        }


def processor_s() -> float:
    """Of this process and those it has had."""
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system
