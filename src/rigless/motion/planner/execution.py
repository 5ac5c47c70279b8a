"""Execution: prepare segments ahead of time, run them, and sample the axes at any time."""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.planner.axis_limits import AXES
from rigless.motion.planner.motion_profiles import after_constant_jerk
from rigless.motion.planner.planning import plan_phases
from rigless.motion.planner.queue import (
    BASE_ACCELERATION,
    BEGIN_S,
    BLOCK,
    BRAKE_S,
    COUNT,
    CRUISE_S,
    DISTANCE,
    END,
    END_S,
    ENDS_BLOCK,
    ENDS_SEGMENT,
    EXIT,
    FIRST,
    HOLD,
    INSTANT_S,
    LENGTH,
    MAX_SEGMENTS,
    PEAK,
    PHASE_JERK,
    PHASE_S,
    PHASES,
    PIECE,
    PIECE_ACCELERATION,
    PIECE_DISTANCE,
    PIECE_JERK,
    PIECE_ROWS,
    PIECE_SPEED,
    PIECES,
    POSITION,
    PREPARED,
    RAMP_S,
    SCALE,
    SEGMENT_S,
    SEGMENTS,
    SPARE_ROWS,
    SPEED,
    TAG,
    TIME,
    UNIT,
    free_blocks,
    held,
    next_free_s,
)

AT, VELOCITY, ACCELERATING = 0, 1, 2  # rows of a sample


@compiled
def move_base(
    blocks: NDArray[np.float64], run: NDArray[np.float64], a: float, jerk: float, seconds: float
) -> float:
    """Prepare a piece of the block at the base and move the base to its end.

    Return the acceleration there.
    """
    size = len(blocks) - PIECE_ROWS
    piece = blocks[size + int(run[PIECE] + run[PIECES]) % PIECE_ROWS]
    piece[BEGIN_S], piece[END_S] = run[TIME], run[TIME] + seconds
    piece[PIECE_DISTANCE], piece[PIECE_SPEED], piece[PIECE_ACCELERATION], piece[PIECE_JERK] = (
        run[DISTANCE],
        run[SPEED],
        a,
        jerk,
    )
    piece[BLOCK], piece[ENDS_SEGMENT], piece[ENDS_BLOCK] = (
        int(run[FIRST] + run[PREPARED]) % size,
        0.0,
        0.0,
    )
    run[PIECES] += 1.0
    run[TIME] += seconds
    distance, run[SPEED], a = after_constant_jerk(run[SPEED], a, jerk, seconds)
    run[DISTANCE] += distance
    return a


@compiled
def add_jerk_limited_piece(
    blocks: NDArray[np.float64], run: NDArray[np.float64], most_s: float
) -> float:
    """Prepare a piece of a jerk-limited block; see `add_piece`."""
    count, left_s = int(run[PHASES]), run[PHASE_S]
    taken_s = left_s if left_s < most_s + INSTANT_S else most_s
    run[BASE_ACCELERATION] = move_base(
        blocks, run, run[BASE_ACCELERATION], run[PHASE_JERK], taken_s
    )
    run[PHASE_S] = left_s - taken_s
    if taken_s == left_s:
        for n in range(count - 1):
            run[PHASE_S + n], run[PHASE_JERK + n] = run[PHASE_S + n + 1], run[PHASE_JERK + n + 1]
        run[PHASES] = count - 1
    run[RAMP_S] = 0.0
    for n in range(int(run[PHASES])):
        run[RAMP_S] += run[PHASE_S + n]
    if run[PHASES] == 0.0:
        run[SPEED] = run[BASE_ACCELERATION] = 0.0
    return taken_s


@compiled
def add_piece(blocks: NDArray[np.float64], run: NDArray[np.float64], most_s: float) -> float:
    """Prepare the next piece of a phase, of at most `most_s`, and move the base to its end.

    Return its duration.
    """
    if run[PHASES] > 0.0:
        return add_jerk_limited_piece(blocks, run, most_s)
    left_s, aim = run[RAMP_S], run[PEAK]
    phase = RAMP_S
    if left_s <= 0.0 and run[CRUISE_S] > 0.0:
        phase, left_s = CRUISE_S, run[CRUISE_S]
    elif left_s <= 0.0:
        phase, left_s, aim = BRAKE_S, run[BRAKE_S], run[EXIT]
    taken_s = left_s if left_s < most_s + INSTANT_S else most_s
    move_base(blocks, run, 0.0 if phase == CRUISE_S else (aim - run[SPEED]) / left_s, 0.0, taken_s)
    if taken_s == left_s:
        run[SPEED] = aim
    run[phase] = left_s - taken_s
    return taken_s


@compiled
def prepare(blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float) -> bool:
    """Prepare one more segment; return False if there is none, or enough are prepared.

    At the very time of a start nothing is prepared yet, so that blocks of the same instant are
    planned together.
    """
    if run[SEGMENTS] >= MAX_SEGMENTS or run[COUNT] == run[PREPARED] or held(run):
        return False
    if run[PIECES] == 0.0 and run[SPEED] == 0.0 and run[DISTANCE] == 0.0 and now_s <= run[TIME]:
        return False
    left_s = SEGMENT_S
    while left_s > INSTANT_S and run[RAMP_S] + run[CRUISE_S] + run[BRAKE_S] > 0.0 and not held(run):
        left_s -= add_piece(blocks, run, left_s)
    last = blocks[len(blocks) - PIECE_ROWS + int(run[PIECE] + run[PIECES] - 1) % PIECE_ROWS]
    last[ENDS_SEGMENT] = 1.0
    run[SEGMENTS] += 1.0
    if run[RAMP_S] + run[CRUISE_S] + run[BRAKE_S] <= 0.0:
        last[ENDS_BLOCK] = 1.0
        run[PREPARED] += 1.0
        run[DISTANCE] = 0.0
        plan_phases(blocks, run)
    return True


@compiled
def advance(
    blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float, done: NDArray[np.float64]
) -> int:
    """Prepare segments that are due, and remove the blocks that have been run from the queue.

    Their tags go to `done`. At most as many blocks are removed as `done` can hold. Return their
    number.
    """
    size, finished = len(blocks) - PIECE_ROWS, 0
    while True:
        while run[PIECES] > 0.0:
            piece = blocks[size + int(run[PIECE])]
            if piece[END_S] > now_s + INSTANT_S:
                break
            if piece[ENDS_BLOCK] > 0.0:
                if finished == len(done):
                    return finished
                done[finished] = blocks[int(run[FIRST]), TAG]
                finished += 1
                run[FIRST] = (int(run[FIRST]) + 1) % size
                run[COUNT] -= 1.0
                run[PREPARED] -= 1.0
            run[PIECE] = (int(run[PIECE]) + 1) % PIECE_ROWS
            run[PIECES] -= 1.0
            run[SEGMENTS] -= piece[ENDS_SEGMENT]
        if not prepare(blocks, run, now_s):
            return finished


@compiled
def advance_until_free(
    blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float, to_rest: bool
) -> float:
    """Advance until the planner has a free block or, with `to_rest`, until the queue is empty.

    Return the time.
    """
    done = np.empty(SPARE_ROWS)
    while run[COUNT] > 0.0 if to_rest else free_blocks(blocks, run) == 0:
        now_s = max(now_s, next_free_s(blocks, run))
        advance(blocks, run, now_s, done)
    return now_s


@compiled
def planned_jerk_limited_state(run: NDArray[np.float64], t: float) -> tuple[float, float, float]:
    """Return the planned state of a jerk-limited block, at rest after its last phase."""
    distance, speed, a = run[DISTANCE], run[SPEED], run[BASE_ACCELERATION]
    for n in range(int(run[PHASES])):
        part = min(t, run[PHASE_S + n])
        further, speed, a = after_constant_jerk(speed, a, run[PHASE_JERK + n], part)
        distance += further
        if t < run[PHASE_S + n]:
            return distance, speed, a
        t -= part
    return distance, 0.0, 0.0


@compiled
def planned_state(run: NDArray[np.float64], now_s: float) -> tuple[float, float, float]:
    """Return the distance into the block at the base, and the speed and acceleration along it.

    `now_s` is not before the base.
    """
    t = max(now_s - run[TIME], 0.0)
    if run[PHASES] > 0.0:
        return planned_jerk_limited_state(run, t)
    v0, peak, ramp, cruise, brake = run[SPEED], run[PEAK], run[RAMP_S], run[CRUISE_S], run[BRAKE_S]
    if t < ramp:
        a = (peak - v0) / ramp
        return run[DISTANCE] + (v0 + 0.5 * a * t) * t, v0 + a * t, a
    covered = run[DISTANCE] + 0.5 * (v0 + peak) * ramp
    t -= ramp
    if t < cruise:
        return covered + peak * t, peak, 0.0
    if cruise > 0.0:
        covered += peak * cruise
        t = min(t - cruise, brake)
    a = (run[EXIT] - peak) / brake if brake > 0.0 else 0.0
    return covered + (peak + 0.5 * a * t) * t, peak + a * t, a


@compiled
def sample(
    blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float, out: NDArray[np.float64]
) -> float:
    """Write position, velocity and acceleration of the axes to the rows of `out`.

    Return the speed along the path; for a chord in program units. The caller has advanced to
    `now_s`, or the first block does not end before it.
    """
    size = len(blocks) - PIECE_ROWS
    if run[COUNT] == 0.0:
        for axis in range(AXES):
            out[AT, axis], out[VELOCITY, axis], out[ACCELERATING, axis] = (
                run[POSITION + axis],
                0.0,
                0.0,
            )
        return 0.0
    block = blocks[int(run[FIRST])]
    distance, speed, a = planned_state(run, now_s)
    for n in range(int(run[PIECES])):
        piece = blocks[size + (int(run[PIECE]) + n) % PIECE_ROWS]
        if now_s < piece[END_S] or piece[ENDS_BLOCK] > 0.0:
            block = blocks[int(piece[BLOCK])]
            t = min(max(now_s, piece[BEGIN_S]), piece[END_S]) - piece[BEGIN_S]
            further, speed, a = after_constant_jerk(
                piece[PIECE_SPEED], piece[PIECE_ACCELERATION], piece[PIECE_JERK], t
            )
            distance = piece[PIECE_DISTANCE] + further
            break
    for axis in range(AXES):
        unit = block[UNIT + axis]
        out[AT, axis] = block[END + axis] - unit * (block[LENGTH] - distance)
        out[VELOCITY, axis] = unit * speed
        out[ACCELERATING, axis] = unit * a
    return speed / block[SCALE] if block[SCALE] > 0.0 else speed


@compiled
def clear(blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float) -> None:
    """Discard all blocks, with the axes at rest at their present position, and end a hold."""
    out = np.empty((3, AXES))
    sample(blocks, run, now_s, out)
    for axis in range(AXES):
        run[POSITION + axis] = out[AT, axis]
    run[COUNT] = run[PREPARED] = run[PIECES] = run[SEGMENTS] = run[DISTANCE] = run[HOLD] = 0.0
    run[TIME] = now_s
    plan_phases(blocks, run)
