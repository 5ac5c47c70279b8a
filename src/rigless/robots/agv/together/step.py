"""A tick of many machines: those that drive on along their leg, and those that stand.

It does what `Machine.tick` does in the same case, with the same functions. A tick in which anything
else happens is undone here, and its robot does it by itself: the end of a leg, an obstacle within
the stop distance, a contact, a sensor that switches, a battery that gets low, a timer.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.robots.agv.machine.machine import go
from rigless.robots.agv.machine.state import CHANGES, NEAR, OBSTACLE_M, REST_S, SOC
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import field as f
from rigless.robots.agv.motion.obstacles import box_gap, disc_gap, wall_gap

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

ALONE, DRIVES, STANDS = range(3)  # MODE: ticks by itself, drives on, stands
# Of a machine: the speed limit, distances of its protection, its footprint, its battery, its ticks.
(
    LIMIT,
    STOP_M,
    WARN_M,
    TURN_M,
    FRONT,
    REAR,
    HALF_WIDTH,
    MARGIN,
    STOPS,
    SEES,
    WALLED,
    IDLE_W,
    DRIVE_W,
    PER_WS,
    LOWEST,
    LOW,
    WARMTH,
    DT,
    SETTLE,
    KNOB_SIZE,
) = range(20)
NEARER = 1e-6  # as in protection.py


@compiled
def _room(
    drive: Array, path: Array, const: Array, knobs: Array, field: Array, gauges: Array,
    discs: Array, boxes: Array, squares: Any, frame: Array,
) -> tuple[float, float, bool, bool]:  # fmt: skip
    """Return the room ahead, the distance to an obstacle, if it is near, and if it blocks."""
    sees, walled = knobs[SEES] > 0.0, knobs[WALLED] > 0.0
    shown = discs.shape[0] + boxes.shape[0] > 0
    if not (walled or sees or shown or gauges[OBSTACLE_M] < math.inf):
        return math.inf, gauges[OBSTACLE_M], gauges[NEAR] > 0.0, False
    found = math.inf
    phase = int(drive[d.PHASE])
    back = phase != d.REST and drive[d.BACK] > 0.0
    turns = phase == d.SWING or phase == d.ALIGN
    x, y = drive[d.X], drive[d.Y]
    heading = drive[d.THETA] + (math.pi if back else 0.0)
    length = knobs[REAR] if back else knobs[FRONT]
    width = knobs[HALF_WIDTH] + knobs[MARGIN]
    if shown:
        found = min(
            found,
            disc_gap(discs, x, y, heading, length, width),
            box_gap(boxes, x, y, heading, length, width),
        )
    if walled and phase == d.ROLL:
        ahead = min(d.stretch(drive, path, const), 2.0 * knobs[WARN_M])
        # As Walls.gap.
        left, low, sine, cosine, yaw, size = frame
        dx, dy = x - left, y - low
        gap = wall_gap(
            squares,
            (cosine * dx + sine * dy) / size,
            (cosine * dy - sine * dx) / size,
            heading - yaw,
            length / size,
            knobs[HALF_WIDTH] / size,
            ahead / size,
        )
        found = min(found, gap * size)
    free = math.inf
    blocked = found <= (knobs[TURN_M] if turns else knobs[STOP_M])
    if sees:
        gap, free, turn = field[f.GAP], field[f.FREE], field[f.TURN] > 0.0
        found = 0.0 if turns and turn else min(found, gap)
        blocked = blocked or (turn if turns else gap <= knobs[STOP_M])
    near = found <= knobs[WARN_M]
    room = math.inf
    if knobs[STOPS] > 0.0:
        room = min(found if near else math.inf, free) - knobs[STOP_M] + NEARER
    return room, found, near, blocked


@compiled
def step(
    now_ns: int, modes: Ints, next_ns: Ints, expected: Array, drives: Array, motors: Array,
    gauges: Array, on: Array, paths: Array, lengths: Ints, consts: Array, wheels: Array,
    limits: Array, edges: Array, knobs: Array, numbers: Ints, fields: Array, last: Array,
    touching: NDArray[np.bool_], version: int, shown: Ints, discs: Array, boxes: Array,
    squares: Any, frame: Array, alone: Ints,
) -> tuple[int, bool]:  # fmt: skip
    """Tick all machines. Return how many must tick by themselves, and if any has moved.

    Their places are in `alone`, and their MODE is ALONE.
    """
    count, moved = 0, False
    drive_0, motors_0, on_0 = drives[0].copy(), motors[0].copy(), on[0].copy()
    for i in range(modes.shape[0]):
        mode, field = modes[i], fields[numbers[i]]
        if (
            mode == ALONE
            or now_ns >= next_ns[i]
            or gauges[i, CHANGES] != expected[i]
            or touching[numbers[i]]
        ):
            mode = ALONE
        elif mode == STANDS:
            rest_s = gauges[i, REST_S] + knobs[i, DT]
            same = field[f.GAP] == last[i, f.GAP] and field[f.FREE] == last[i, f.FREE]
            same = same and (field[f.TURN] > 0.0) == (last[i, f.TURN] > 0.0)
            same = same or knobs[i, SEES] == 0.0
            if rest_s >= knobs[i, SETTLE] or shown[i] != version or not same:
                mode = ALONE
            else:
                gauges[i, REST_S] = rest_s
        else:
            drive, path = drives[i], paths[i, : lengths[i]]
            room, found, near, blocked = _room(
                drive, path, consts[i], knobs[i], field, gauges[i], discs, boxes, squares, frame
            )
            if blocked:
                mode = ALONE
            else:
                drive_0[:], motors_0[:], on_0[:] = drive, motors[i], on[i]
                done = go(
                    drive, path, consts[i], motors[i], wheels[i], limits[i], edges[i], on[i],
                    knobs[i, LIMIT], room, knobs[i, WARMTH], knobs[i, DT],
                )  # fmt: skip
                power_w = knobs[i, IDLE_W] + knobs[i, DRIVE_W] * abs(drive[d.V])
                before = gauges[i, SOC]
                soc = before - power_w * knobs[i, DT] * knobs[i, PER_WS]
                soc = min(max(soc, knobs[i, LOWEST]), 1.0)
                if (
                    done != 1
                    or drive[d.PHASE] != drive_0[d.PHASE]
                    or drive[d.LEG] != drive_0[d.LEG]
                    or soc <= 0.0
                    or soc < knobs[i, LOW] <= before
                ):
                    drive[:], motors[i], on[i] = drive_0, motors_0, on_0
                    mode = ALONE
                else:
                    changes = 1.0
                    if found != gauges[i, OBSTACLE_M] or near != (gauges[i, NEAR] > 0.0):
                        changes = 2.0
                    gauges[i, OBSTACLE_M], gauges[i, NEAR] = found, 1.0 if near else 0.0
                    gauges[i, SOC] = soc
                    gauges[i, CHANGES] += changes
                    expected[i] += changes
                    moved = True
        if mode == ALONE:
            modes[i] = ALONE
            alone[count] = i
            count += 1
    return count, moved
