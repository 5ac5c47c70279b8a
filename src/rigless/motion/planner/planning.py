"""Planning: the highest entry speed of every block, and the phases of the block at the base."""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.planner.axis_limits import (
    AXES,
    BEND_SHARE,
    bend_sqr,
    junction_sqr,
    limit_along,
)
from rigless.motion.planner.motion_profiles import braking_profile, trapezoid_profile
from rigless.motion.planner.queue import (
    ACCELERATION,
    BASE_ACCELERATION,
    BRAKE_S,
    COUNT,
    CRUISE_S,
    DISTANCE,
    END,
    ENTRY_SQR,
    EXIT,
    FEED,
    FEED_SHARE,
    FIRST,
    HOLD,
    JERK,
    JERK_SIGNS,
    JUNCTION_SQR,
    KIND,
    LENGTH,
    LIMIT,
    MINIMUM_SPEED,
    PEAK,
    PHASE_JERK,
    PHASE_S,
    PHASES,
    PIECE_ROWS,
    POSITION,
    PREPARED,
    RAMP_S,
    RAPID,
    RAPID_SHARE,
    RATE,
    SCALE,
    SPEED,
    TAG,
    TIME,
    TIMES,
    UNIT,
)


@compiled
def nominal_speed(block: NDArray[np.float64], run: NDArray[np.float64]) -> float:
    """Return the cruising speed of a block under the overrides."""
    speed = min(block[RATE], block[LIMIT])
    if block[KIND] == FEED:
        speed = min(speed * run[FEED_SHARE], block[LIMIT])
    elif block[KIND] == RAPID:
        speed *= run[RAPID_SHARE]
    return max(speed, MINIMUM_SPEED * block[SCALE] if block[SCALE] > 0.0 else MINIMUM_SPEED)


@compiled
def plan_phases(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> None:
    """Calculate the phases of the block at the base, from the base on."""
    count = int(run[COUNT] - run[PREPARED])
    run[PHASES] = run[BASE_ACCELERATION] = 0.0
    if count == 0:
        run[SPEED] = run[RAMP_S] = run[CRUISE_S] = run[BRAKE_S] = run[PEAK] = run[EXIT] = 0.0
        return
    size = len(blocks) - PIECE_ROWS
    first = int(run[FIRST] + run[PREPARED]) % size
    block = blocks[first]
    if block[JERK] > 0.0:
        run[RAMP_S] = run[CRUISE_S] = run[BRAKE_S] = run[PEAK] = run[EXIT] = 0.0
        if run[HOLD] > 0.0:
            run[CRUISE_S] = np.inf
            return
        for n in range(len(JERK_SIGNS)):
            if block[TIMES + n] > 0.0:
                at = int(run[PHASES])
                run[PHASE_S + at], run[PHASE_JERK + at] = (
                    block[TIMES + n],
                    JERK_SIGNS[n] * block[JERK],
                )
                run[PHASES] += 1.0
                run[RAMP_S] += block[TIMES + n]
        return
    left, a = max(block[LENGTH] - run[DISTANCE], 0.0), block[ACCELERATION]
    if run[HOLD] > 0.0:
        phases = braking_profile(run[SPEED], a, left)
    else:
        exit_sqr = blocks[(first + 1) % size, ENTRY_SQR] if count > 1 else 0.0
        phases = trapezoid_profile(run[SPEED], a, left, nominal_speed(block, run), exit_sqr)
    run[RAMP_S], run[CRUISE_S], run[BRAKE_S], run[PEAK], run[EXIT] = phases


@compiled
def plan(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> None:
    """Calculate the entry speeds of all blocks from the base on, then the phases of the first."""
    size, count = len(blocks) - PIECE_ROWS, int(run[COUNT] - run[PREPARED])
    first = int(run[FIRST] + run[PREPARED])
    exit_sqr = 0.0
    for n in range(count - 1, 0, -1):
        block = blocks[(first + n) % size]
        speed = min(nominal_speed(block, run), nominal_speed(blocks[(first + n - 1) % size], run))
        reachable_sqr = exit_sqr + 2.0 * block[ACCELERATION] * block[LENGTH]
        exit_sqr = block[ENTRY_SQR] = min(reachable_sqr, block[JUNCTION_SQR], speed * speed)
    entry_sqr = run[SPEED] * run[SPEED]
    for n in range(count - 1):
        block, after = blocks[(first + n) % size], blocks[(first + n + 1) % size]
        left = block[LENGTH] - run[DISTANCE] if n == 0 else block[LENGTH]
        reachable_sqr = entry_sqr + 2.0 * block[ACCELERATION] * max(left, 0.0)
        entry_sqr = after[ENTRY_SQR] = min(after[ENTRY_SQR], reachable_sqr)
    if run[PHASES] == 0.0:
        plan_phases(blocks, run)


@compiled
def append(
    blocks: NDArray[np.float64],
    run: NDArray[np.float64],
    now_s: float,
    target: NDArray[np.float64],
    rate: float,
    kind: float,
    tag: float,
    rates: NDArray[np.float64],
    accelerations: NDArray[np.float64],
    deviation: float,
    scale: float,
) -> bool:
    """Add a line to `target` at `rate` units/s; return False if it has no length.

    A `scale` above 0 makes it a chord. The caller has advanced to `now_s`, and there is a free
    block.
    """
    first, count, size = int(run[FIRST]), int(run[COUNT]), len(blocks) - PIECE_ROWS
    block = blocks[(first + count) % size]
    length_sqr = 0.0
    for axis in range(AXES):
        delta = target[axis] - run[POSITION + axis]
        block[UNIT + axis], block[END + axis] = delta, target[axis]
        length_sqr += delta * delta
    length = np.sqrt(length_sqr)
    if not length > 1e-9:
        return False
    unit = block[UNIT : UNIT + AXES]
    for axis in range(AXES):
        unit[axis] /= length
    block[LENGTH], block[KIND], block[TAG], block[SCALE], block[JERK] = (
        length,
        kind,
        tag,
        scale,
        0.0,
    )
    block[LIMIT], block[ACCELERATION] = limit_along(unit, rates), limit_along(unit, accelerations)
    if scale > 0.0:
        block[ACCELERATION] *= 1.0 - BEND_SHARE
    block[RATE] = block[LIMIT] if kind == RAPID else rate
    block[ENTRY_SQR] = 0.0
    if run[PREPARED] == count:  # from rest, after the prepared part has been run
        block[JUNCTION_SQR] = 0.0
        run[TIME], run[DISTANCE], run[SPEED] = max(run[TIME], now_s), 0.0, 0.0
    else:
        before = blocks[(first + count - 1) % size]
        block[JUNCTION_SQR] = junction_sqr(
            before[UNIT : UNIT + AXES], unit, accelerations, deviation
        )
        if scale > 0.0:
            length = 0.5 * (before[LENGTH] + block[LENGTH])
            bend = bend_sqr(before[UNIT : UNIT + AXES], unit, accelerations, length)
            block[JUNCTION_SQR] = min(block[JUNCTION_SQR], bend)
        if before[JERK] > 0.0:
            block[JUNCTION_SQR] = 0.0
    for axis in range(AXES):
        run[POSITION + axis] = target[axis]
    run[COUNT] += 1.0
    plan(blocks, run)
    return True


@compiled
def set_overrides(
    blocks: NDArray[np.float64],
    run: NDArray[np.float64],
    now_s: float,
    hold: bool,
    feed: float,
    rapid: float,
) -> None:
    """Hold or resume, and set the overrides (1 is 100 %), for all that is not prepared.

    The caller has advanced to `now_s`.
    """
    run[TIME] = max(run[TIME], now_s)
    run[HOLD], run[FEED_SHARE], run[RAPID_SHARE] = 1.0 if hold else 0.0, feed, rapid
    plan(blocks, run)
