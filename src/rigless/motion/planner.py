"""Look-ahead motion planner for six axes, as grbl plans: straight blocks, trapezoidal speeds, junction deviation.

Theory of operation. A block is a straight line in the space of all axes: a unit vector, a length (the Euclidean norm over all
axes) and an end. Its acceleration and largest speed are the least of limit/|u_i| over its axes, so no axis ever exceeds its own. At a
junction of two blocks the speed obeys v² = a·δ·s/(1−s), where s = sin(θ/2) of the angle between them and `a` is the acceleration that
the axes have along u − u_prev: unlimited straight on, zero on a reversal. Whenever the queue or a speed changes, a pass from the last
block to the first and one back give every block the highest entry speed from which all that follows can still be kept.

A block may be a chord of a curve that was programmed in other units (a tool's path in mm, the axes in degrees). Its `scale` is how many units of
the axes one of those is: speeds are told, and the least speed is, in the units of the program. Where chords meet the curve bends, and the axes must
be able to follow it: v²·|u − u_prev| over the mean length of the two is no more than half of their acceleration; the other half is for gaining and losing speed.

Execution is exact in time. The first block holds a base (time, distance, speed) and three phases from there: a ramp to its peak, a
cruise, a ramp to its exit; position, speed and acceleration at any time are closed forms of it, so it does not matter how often
anybody looks. A change of plan at some time (a new block, an override, a hold) moves the base to that time. A hold ramps down at each block's
own acceleration, over block ends if need be: that is never faster than the plan it breaks off, so junctions hold as well.

A smooth block has a limit of its jerk. It begins and ends at rest, and in the place of the three phases it has up to twelve of constant jerk, which come from
outside (smooth.py): `advance` takes a block's own when it becomes the first, and leaves one under way alone when others are added.

`blocks` is a ring of rows, `run` one vector; both are plain arrays that a snapshot holds. Units are the axes' own and seconds.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

AXES = 6
# Columns of a block.
UNIT, END, LENGTH, RATE, LIMIT, ACCELERATION, JUNCTION_SQR, ENTRY_SQR, KIND, TAG = 0, 6, 12, 13, 14, 15, 16, 17, 18, 19
SCALE = 20  # of a chord; 0 for other blocks
JERK, TIMES = 21, 22  # of a smooth block, 0 for others; how long its phases are, from rest to rest: 22 to 28
BLOCK_SIZE = 29
FEED, RAPID, PLAIN = 0.0, 1.0, 2.0  # kinds: under the feed override, under the rapid override, under none (jog, homing)
# The run vector: the queue, the base of the first block, its phases, what is in force, and where the last block ends.
FIRST, COUNT, TIME, DISTANCE, SPEED, RAMP_S, CRUISE_S, BRAKE_S, PEAK, EXIT, HOLD, FEED_SHARE, RAPID_SHARE = range(13)
POSITION = 13  # to 18
# Of a smooth block: acceleration at the base, how many phases follow, their times and their jerks.
GAIN, PHASES, PHASE_S, PHASE_JERK = 19, 20, 21, 33
RUN_SIZE = 45
SIGNS = (1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0)  # of the jerk from rest to rest
# Rows of a look.
AT, VELOCITY, ACCELERATING = 0, 1, 2

MINIMUM_SPEED = 1.0 / 60.0  # grbl's minimum feed of 1 unit/min
STRAIGHT = 0.999999  # beyond this cosine two blocks are collinear, or a reversal
UNLIMITED = 1e38
BEND_SHARE = 0.5  # of the axes' acceleration on chords: for following the curve, and as much for changes of speed


def new_queue(capacity: int) -> NDArray[np.float64]:
    return np.zeros((capacity, BLOCK_SIZE))


def new_run(position: NDArray[np.float64]) -> NDArray[np.float64]:
    run = np.zeros(RUN_SIZE)
    run[FEED_SHARE] = run[RAPID_SHARE] = 1.0
    run[POSITION : POSITION + AXES] = position
    return run


@njit(cache=True, error_model="numpy")
def along(vector: NDArray[np.float64], limits: NDArray[np.float64]) -> float:
    """The most that the axes allow along a direction: the least of limit/|u_i|."""
    least = UNLIMITED
    for axis in range(AXES):
        if vector[axis] != 0.0:
            least = min(least, limits[axis] / abs(vector[axis]))
    return least


@njit(cache=True, error_model="numpy")
def nominal(block: NDArray[np.float64], run: NDArray[np.float64]) -> float:
    """The speed at which a block cruises, under the overrides."""
    speed = min(block[RATE], block[LIMIT])
    if block[KIND] == FEED:
        speed = min(speed * run[FEED_SHARE], block[LIMIT])
    elif block[KIND] == RAPID:
        speed *= run[RAPID_SHARE]
    return max(speed, MINIMUM_SPEED * block[SCALE] if block[SCALE] > 0.0 else MINIMUM_SPEED)


@njit(cache=True, error_model="numpy")
def junction_sqr(
    before: NDArray[np.float64], unit: NDArray[np.float64], accelerations: NDArray[np.float64], deviation: float
) -> float:
    """The square of the speed at which a corner may be taken."""
    cosine = 0.0
    for axis in range(AXES):
        cosine -= before[axis] * unit[axis]
    if cosine > STRAIGHT:
        return 0.0
    if cosine < -STRAIGHT:
        return UNLIMITED
    turn = np.empty(AXES)
    norm = 0.0
    for axis in range(AXES):
        turn[axis] = unit[axis] - before[axis]
        norm += turn[axis] * turn[axis]
    norm = np.sqrt(norm)
    for axis in range(AXES):
        turn[axis] /= norm
    sine = np.sqrt(0.5 * (1.0 - cosine))
    return along(turn, accelerations) * deviation * sine / (1.0 - sine)


@njit(cache=True, error_model="numpy")
def bend_sqr(before: NDArray[np.float64], block: NDArray[np.float64], accelerations: NDArray[np.float64]) -> float:
    """The square of the speed at which the axes can follow a curve from one chord to the next."""
    length = 0.5 * (before[LENGTH] + block[LENGTH])
    least = UNLIMITED
    for axis in range(AXES):
        turn = abs(block[UNIT + axis] - before[UNIT + axis])
        if turn > 0.0:
            least = min(least, BEND_SHARE * accelerations[axis] * length / turn)
    return least


@njit(cache=True, error_model="numpy")
def shape(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> None:
    """The phases of the first block, from its base on."""
    first, count = int(run[FIRST]), int(run[COUNT])
    run[PHASES] = run[GAIN] = 0.0
    if count == 0:
        run[SPEED] = run[RAMP_S] = run[CRUISE_S] = run[BRAKE_S] = run[PEAK] = run[EXIT] = 0.0
        return
    block = blocks[first]
    if block[JERK] > 0.0:
        run[RAMP_S] = run[CRUISE_S] = run[BRAKE_S] = run[PEAK] = run[EXIT] = 0.0
        run[PHASES] = 1.0
        run[PHASE_S] = run[PHASE_JERK] = 0.0
        if run[HOLD] > 0.0:
            run[CRUISE_S] = np.inf
            return
        run[PHASES] = len(SIGNS)
        for n in range(len(SIGNS)):
            run[PHASE_S + n], run[PHASE_JERK + n] = block[TIMES + n], SIGNS[n] * block[JERK]
            run[RAMP_S] += block[TIMES + n]
        return
    left, a, v0 = max(block[LENGTH] - run[DISTANCE], 0.0), block[ACCELERATION], run[SPEED]
    run[CRUISE_S] = run[BRAKE_S] = 0.0
    slowest_sqr = v0 * v0 - 2.0 * a * left  # of the exit, if it brakes all the way
    if run[HOLD] > 0.0:
        if slowest_sqr <= 0.0:  # comes to rest within the block, and stays
            run[RAMP_S], run[CRUISE_S], run[PEAK], run[EXIT] = v0 / a, np.inf, 0.0, 0.0
        else:
            run[PEAK] = run[EXIT] = np.sqrt(slowest_sqr)
            run[RAMP_S] = (v0 - run[PEAK]) / a
        return
    exit_sqr = blocks[(first + 1) % len(blocks), ENTRY_SQR] if count > 1 else 0.0
    cruise = nominal(block, run)
    if slowest_sqr >= exit_sqr:  # too fast for the exit, or just so
        run[PEAK] = run[EXIT] = np.sqrt(slowest_sqr)
        run[RAMP_S] = (v0 - run[PEAK]) / a
        return
    fastest_sqr = v0 * v0 + 2.0 * a * left
    exit_sqr = min(exit_sqr, fastest_sqr)
    peak = min(cruise, np.sqrt(0.5 * (fastest_sqr + exit_sqr)))
    peak_sqr = peak * peak
    leaves = min(np.sqrt(exit_sqr), peak)
    run[PEAK], run[EXIT] = peak, leaves
    run[RAMP_S] = abs(peak - v0) / a
    run[BRAKE_S] = (peak - leaves) / a
    cruised = left - abs(peak_sqr - v0 * v0) / (2.0 * a) - (peak_sqr - leaves * leaves) / (2.0 * a)
    run[CRUISE_S] = max(cruised, 0.0) / peak


@njit(cache=True, error_model="numpy")
def through_phases(run: NDArray[np.float64], t: float) -> tuple[float, float, float]:
    """As `ahead`, of a smooth block; behind its phases it rests."""
    distance, speed, a = run[DISTANCE], run[SPEED], run[GAIN]
    for n in range(int(run[PHASES])):
        jerk, part = run[PHASE_JERK + n], min(t, run[PHASE_S + n])
        distance += (speed + (0.5 * a + jerk * part / 6.0) * part) * part
        speed += (a + 0.5 * jerk * part) * part
        a += jerk * part
        if t < run[PHASE_S + n]:
            return distance, speed, a
        t -= part
    return distance, 0.0, 0.0


@njit(cache=True, error_model="numpy")
def ahead(run: NDArray[np.float64], now_s: float) -> tuple[float, float, float]:
    """Distance into the first block, speed and acceleration along it."""
    t = max(now_s - run[TIME], 0.0)
    if run[PHASES] > 0.0:
        return through_phases(run, t)
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
        t -= cruise
    if t < brake:
        a = (run[EXIT] - peak) / brake
        return covered + (peak + 0.5 * a * t) * t, peak + a * t, a
    return covered + 0.5 * (peak + run[EXIT]) * brake, run[EXIT], 0.0


@njit(cache=True, error_model="numpy")
def ends_s(run: NDArray[np.float64]) -> float:
    """When the first block will have been run; infinite if there is none, or it is held."""
    if run[COUNT] == 0.0:
        return np.inf
    return run[TIME] + run[RAMP_S] + run[CRUISE_S] + run[BRAKE_S]


@njit(cache=True, error_model="numpy")
def plan(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> None:
    """Highest entry speeds for all blocks, then the phases of the first from its base on."""
    first, count, size = int(run[FIRST]), int(run[COUNT]), len(blocks)
    exit_sqr = 0.0
    for n in range(count - 1, 0, -1):
        block = blocks[(first + n) % size]
        speed = min(nominal(block, run), nominal(blocks[(first + n - 1) % size], run))
        reachable_sqr = exit_sqr + 2.0 * block[ACCELERATION] * block[LENGTH]
        exit_sqr = block[ENTRY_SQR] = min(reachable_sqr, block[JUNCTION_SQR], speed * speed)
    entry_sqr = run[SPEED] * run[SPEED]
    for n in range(count - 1):
        block, after = blocks[(first + n) % size], blocks[(first + n + 1) % size]
        left = block[LENGTH] - run[DISTANCE] if n == 0 else block[LENGTH]
        reachable_sqr = entry_sqr + 2.0 * block[ACCELERATION] * max(left, 0.0)
        entry_sqr = after[ENTRY_SQR] = min(after[ENTRY_SQR], reachable_sqr)
    if run[PHASES] == 0.0:
        shape(blocks, run)


@njit(cache=True, error_model="numpy")
def rebase(run: NDArray[np.float64], now_s: float) -> None:
    """Move the base of the first block to this time, which is before the block's end."""
    run[DISTANCE], run[SPEED], run[GAIN] = ahead(run, now_s)
    run[TIME] = now_s


@njit(cache=True, error_model="numpy")
def advance(blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float, done: NDArray[np.float64]) -> int:
    """Take the blocks that have ended by now off the queue, at most as many as `done` has room; their tags go there."""
    finished = 0
    while finished < len(done) and ends_s(run) <= now_s:
        end_s, leaves = ends_s(run), run[EXIT]
        done[finished] = blocks[int(run[FIRST]), TAG]
        finished += 1
        run[FIRST] = (int(run[FIRST]) + 1) % len(blocks)
        run[COUNT] -= 1.0
        run[TIME], run[DISTANCE], run[SPEED] = end_s, 0.0, leaves
        shape(blocks, run)
    return finished


@njit(cache=True, error_model="numpy")
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
    scale: float = 0.0,
) -> bool:
    """Add a line to `target` at `rate` units/s; False if it has no length. The caller has advanced to now and there is room."""
    first, count, size = int(run[FIRST]), int(run[COUNT]), len(blocks)
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
    block[LENGTH], block[KIND], block[TAG], block[SCALE], block[JERK] = length, kind, tag, scale, 0.0
    block[LIMIT], block[ACCELERATION] = along(unit, rates), along(unit, accelerations)
    if scale > 0.0:
        block[ACCELERATION] *= 1.0 - BEND_SHARE
    block[RATE] = block[LIMIT] if kind == RAPID else rate
    block[ENTRY_SQR] = 0.0
    if count == 0:
        block[JUNCTION_SQR] = 0.0
        run[TIME], run[DISTANCE], run[SPEED] = now_s, 0.0, 0.0
    else:
        before = blocks[(first + count - 1) % size]
        block[JUNCTION_SQR] = junction_sqr(before[UNIT : UNIT + AXES], unit, accelerations, deviation)
        if scale > 0.0:
            block[JUNCTION_SQR] = min(block[JUNCTION_SQR], bend_sqr(before, block, accelerations))
        if before[JERK] > 0.0:
            block[JUNCTION_SQR] = 0.0
        if run[PHASES] == 0.0:
            rebase(run, now_s)
    for axis in range(AXES):
        run[POSITION + axis] = target[axis]
    run[COUNT] += 1.0
    plan(blocks, run)
    return True


@njit(cache=True, error_model="numpy")
def change(
    blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float, hold: bool, feed: float, rapid: float
) -> None:
    """Hold or go on, and set the overrides (1 is 100 %), from now on. The caller has advanced to now."""
    if run[COUNT] > 0.0:
        rebase(run, now_s)
    run[HOLD], run[FEED_SHARE], run[RAPID_SHARE] = 1.0 if hold else 0.0, feed, rapid
    plan(blocks, run)


@njit(cache=True, error_model="numpy")
def look(blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float, out: NDArray[np.float64]) -> float:
    """Position, velocity and acceleration of the axes as rows of `out`; gives the speed along the path, of a chord in the units of its program."""
    if run[COUNT] == 0.0:
        for axis in range(AXES):
            out[AT, axis], out[VELOCITY, axis], out[ACCELERATING, axis] = run[POSITION + axis], 0.0, 0.0
        return 0.0
    block = blocks[int(run[FIRST])]
    distance, speed, a = ahead(run, now_s)
    for axis in range(AXES):
        unit = block[UNIT + axis]
        out[AT, axis] = block[END + axis] - unit * (block[LENGTH] - distance)
        out[VELOCITY, axis] = unit * speed
        out[ACCELERATING, axis] = unit * a
    return speed / block[SCALE] if block[SCALE] > 0.0 else speed


@njit(cache=True, error_model="numpy")
def drop(blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float) -> None:
    """Forget all blocks and be at rest where the axes are now; a hold is over."""
    out = np.empty((3, AXES))
    look(blocks, run, now_s, out)
    for axis in range(AXES):
        run[POSITION + axis] = out[AT, axis]
    run[COUNT] = run[DISTANCE] = run[HOLD] = 0.0
    run[TIME] = now_s
    shape(blocks, run)


@njit(cache=True, error_model="numpy")
def rests(run: NDArray[np.float64], now_s: float) -> bool:
    """Whether nothing moves: the queue is empty, or a hold has come to rest."""
    return run[COUNT] == 0.0 or (run[HOLD] > 0.0 and run[PEAK] == 0.0 and now_s >= run[TIME] + run[RAMP_S])
