"""Look-ahead motion planner for six axes, as grbl plans: straight blocks, trapezoidal speeds, junction deviation.

Theory of operation. A block is a straight line in the space of all axes: a unit vector, a length (the Euclidean norm over all
axes) and an end. What the limits of the axes make of its acceleration and speed, and of the speed at a junction of two blocks, is in corners.py.
Whenever the queue or a speed changes, a pass from the last block to the first and one back give every block the highest entry speed from which all that
follows can still be kept.

A block may be a chord of a curve that was programmed in other units (a tool's path in mm, the axes in degrees). Its `scale` is how many units of
the axes one of those is: speeds are told, and the least speed is, in the units of the program. Where chords meet the curve bends: half of the axes'
acceleration is for following it, the other half for gaining and losing speed.

What has been planned is prepared in segments before it is run, as the firmware does: nine of them wait at most, each 10 ms of one block or what is
left of it. The plan goes on from the base, where the prepared part ends: a time, a distance into a block, a speed, and three phases from there (a ramp
to the peak, a cruise, a ramp to the exit: ramps.py). A change of plan (a new block, an override, a hold) is one of what follows the base, so it shows up
to 90 ms later, and a stream that trickles in starts in short hops from rest to rest. A block leaves the planner when it is
prepared and the queue when it has been run. A hold ramps down at each block's own acceleration, over block ends if need be: that is never faster than
the plan it breaks off, so junctions hold as well.

A smooth block has a limit of its jerk. It begins and ends at rest, and in the place of the three phases it has up to twelve of constant jerk, which come from
outside (smooth.py): a block's own when the base comes to it, others after a change.

Execution is exact in time: a segment is made of pieces of constant acceleration or jerk, so it does not matter how often anybody looks.

`blocks` is a ring of rows, and after it a ring of pieces; `run` is one vector: plain arrays that a snapshot holds. Units are the axes' own and seconds.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.corners import AXES, BEND_SHARE, along, bend_sqr, junction_sqr
from rigless.motion.ramps import brake, covered, trapezoid

# Columns of a block.
UNIT, END, LENGTH, RATE, LIMIT, ACCELERATION, JUNCTION_SQR, ENTRY_SQR, KIND, TAG = (
    0,
    6,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
)
SCALE = 20  # of a chord; 0 for other blocks
JERK, TIMES = (
    21,
    22,
)  # of a smooth block, 0 for others; how long its phases are, from rest to rest: 22 to 28
BLOCK_SIZE = 29
# Columns of a piece: from when until when, distance into the block, speed, acceleration, the block's row, what it is the last of, jerk.
BEGIN_S, END_S, FROM, FROM_SPEED, CHANGE, BLOCK, ENDS_SEGMENT, ENDS_BLOCK, CHANGE_RATE = range(9)
FEED, RAPID, PLAIN = (
    0.0,
    1.0,
    2.0,
)  # kinds: under the feed override, under the rapid override, under none (jog, homing)
# The run vector: the queue, the base of the plan, its phases, what is in force, where the last block ends; blocks prepared to their end; the pieces.
(
    FIRST,
    COUNT,
    TIME,
    DISTANCE,
    SPEED,
    RAMP_S,
    CRUISE_S,
    BRAKE_S,
    PEAK,
    EXIT,
    HOLD,
    FEED_SHARE,
    RAPID_SHARE,
) = range(13)
POSITION = 13  # to 18
PREPARED, PIECE, PIECES, SEGMENTS = 19, 20, 21, 22
# Of a smooth block at the base: its acceleration there, how many phases follow, their times and their jerks.
GAIN, PHASES, PHASE_S, PHASE_JERK = 23, 24, 25, 37
RUN_SIZE = 49
SIGNS = (1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0)  # of the jerk from rest to rest
# Rows of a look.
AT, VELOCITY, ACCELERATING = 0, 1, 2

MINIMUM_SPEED = 1.0 / 60.0  # grbl's minimum feed of 1 unit/min
SEGMENT_S = 0.010  # grblHAL: 100 segments a second,
SEGMENTS_MOST = 9  # in a ring of 10
SPARE = SEGMENTS_MOST + 1  # rows for blocks that have left the planner
TRACK = 13 * SEGMENTS_MOST  # rows for pieces: at most twelve phases make a segment
INSTANT_S = 1e-10  # too short to be a piece of its own; clocks tick in whole nanoseconds


def new_queue(capacity: int) -> NDArray[np.float64]:
    return np.zeros((capacity + SPARE + TRACK, BLOCK_SIZE))


def new_run(position: NDArray[np.float64]) -> NDArray[np.float64]:
    run = np.zeros(RUN_SIZE)
    run[FEED_SHARE] = run[RAPID_SHARE] = 1.0
    run[POSITION : POSITION + AXES] = position
    return run


@compiled
def nominal(block: NDArray[np.float64], run: NDArray[np.float64]) -> float:
    """The speed at which a block cruises, under the overrides."""
    speed = min(block[RATE], block[LIMIT])
    if block[KIND] == FEED:
        speed = min(speed * run[FEED_SHARE], block[LIMIT])
    elif block[KIND] == RAPID:
        speed *= run[RAPID_SHARE]
    return max(speed, MINIMUM_SPEED * block[SCALE] if block[SCALE] > 0.0 else MINIMUM_SPEED)


@compiled
def shape(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> None:
    """The phases of the block at the base, from there on."""
    count = int(run[COUNT] - run[PREPARED])
    run[PHASES] = run[GAIN] = 0.0
    if count == 0:
        run[SPEED] = run[RAMP_S] = run[CRUISE_S] = run[BRAKE_S] = run[PEAK] = run[EXIT] = 0.0
        return
    size = len(blocks) - TRACK
    first = int(run[FIRST] + run[PREPARED]) % size
    block = blocks[first]
    if block[JERK] > 0.0:
        run[RAMP_S] = run[CRUISE_S] = run[BRAKE_S] = run[PEAK] = run[EXIT] = 0.0
        if run[HOLD] > 0.0:
            run[CRUISE_S] = np.inf
            return
        for n in range(len(SIGNS)):
            if block[TIMES + n] > 0.0:
                at = int(run[PHASES])
                run[PHASE_S + at], run[PHASE_JERK + at] = block[TIMES + n], SIGNS[n] * block[JERK]
                run[PHASES] += 1.0
                run[RAMP_S] += block[TIMES + n]
        return
    left, a = max(block[LENGTH] - run[DISTANCE], 0.0), block[ACCELERATION]
    if run[HOLD] > 0.0:
        phases = brake(run[SPEED], a, left)
    else:
        exit_sqr = blocks[(first + 1) % size, ENTRY_SQR] if count > 1 else 0.0
        phases = trapezoid(run[SPEED], a, left, nominal(block, run), exit_sqr)
    run[RAMP_S], run[CRUISE_S], run[BRAKE_S], run[PEAK], run[EXIT] = phases


@compiled
def plan(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> None:
    """Highest entry speeds for all blocks from the base on, then the phases of the first."""
    size, count = len(blocks) - TRACK, int(run[COUNT] - run[PREPARED])
    first = int(run[FIRST] + run[PREPARED])
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


@compiled
def move_base(
    blocks: NDArray[np.float64], run: NDArray[np.float64], a: float, jerk: float, seconds: float
) -> float:
    """Prepare a piece of the block at the base, which moves to its end; gives the acceleration there."""
    size = len(blocks) - TRACK
    piece = blocks[size + int(run[PIECE] + run[PIECES]) % TRACK]
    piece[BEGIN_S], piece[END_S] = run[TIME], run[TIME] + seconds
    piece[FROM], piece[FROM_SPEED], piece[CHANGE], piece[CHANGE_RATE] = (
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
    distance, run[SPEED], a = covered(run[SPEED], a, jerk, seconds)
    run[DISTANCE] += distance
    return a


@compiled
def add_smooth_piece(blocks: NDArray[np.float64], run: NDArray[np.float64], most_s: float) -> float:
    """As `add_piece`, of a smooth block."""
    count, left_s = int(run[PHASES]), run[PHASE_S]
    taken_s = left_s if left_s < most_s + INSTANT_S else most_s
    run[GAIN] = move_base(blocks, run, run[GAIN], run[PHASE_JERK], taken_s)
    run[PHASE_S] = left_s - taken_s
    if taken_s == left_s:
        for n in range(count - 1):
            run[PHASE_S + n], run[PHASE_JERK + n] = run[PHASE_S + n + 1], run[PHASE_JERK + n + 1]
        run[PHASES] = count - 1
    run[RAMP_S] = 0.0
    for n in range(int(run[PHASES])):
        run[RAMP_S] += run[PHASE_S + n]
    if run[PHASES] == 0.0:
        run[SPEED] = run[GAIN] = 0.0
    return taken_s


@compiled
def add_piece(blocks: NDArray[np.float64], run: NDArray[np.float64], most_s: float) -> float:
    """Prepare what comes next of a phase, for as long as this at most, and move the base to its end; gives how long it is."""
    if run[PHASES] > 0.0:
        return add_smooth_piece(blocks, run, most_s)
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
    """Prepare one more segment; False if there is nothing to prepare, or enough. What comes at the very time of a start is still planned with it."""
    if run[SEGMENTS] >= SEGMENTS_MOST or run[COUNT] == run[PREPARED] or held(run):
        return False
    if run[PIECES] == 0.0 and run[SPEED] == 0.0 and run[DISTANCE] == 0.0 and now_s <= run[TIME]:
        return False
    left_s = SEGMENT_S
    while left_s > INSTANT_S and run[RAMP_S] + run[CRUISE_S] + run[BRAKE_S] > 0.0 and not held(run):
        left_s -= add_piece(blocks, run, left_s)
    last = blocks[len(blocks) - TRACK + int(run[PIECE] + run[PIECES] - 1) % TRACK]
    last[ENDS_SEGMENT] = 1.0
    run[SEGMENTS] += 1.0
    if run[RAMP_S] + run[CRUISE_S] + run[BRAKE_S] <= 0.0:
        last[ENDS_BLOCK] = 1.0
        run[PREPARED] += 1.0
        run[DISTANCE] = 0.0
        shape(blocks, run)
    return True


@compiled
def held(run: NDArray[np.float64]) -> bool:
    """Whether a hold has come to rest at the base."""
    return run[HOLD] > 0.0 and run[PEAK] == 0.0 and run[RAMP_S] <= 0.0


@compiled
def ends_s(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> float:
    """When the first block will have been run, as planned now; infinite if there is none, or it is held."""
    size = len(blocks) - TRACK
    for n in range(int(run[PIECES])):
        piece = blocks[size + (int(run[PIECE]) + n) % TRACK]
        if piece[ENDS_BLOCK] > 0.0:
            return piece[END_S]
    if run[COUNT] == 0.0:
        return np.inf
    return run[TIME] + run[RAMP_S] + run[CRUISE_S] + run[BRAKE_S]


@compiled
def frees_s(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> float:
    """When the next segment can be prepared, and so a block may leave the planner: the end of the first, or at once."""
    size = len(blocks) - TRACK
    for n in range(int(run[PIECES])):
        piece = blocks[size + (int(run[PIECE]) + n) % TRACK]
        if piece[ENDS_SEGMENT] > 0.0:
            return piece[END_S]
    return run[TIME] + 1e-9


@compiled
def room(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> int:
    """How many blocks the planner can still take."""
    return len(blocks) - TRACK - SPARE - int(run[COUNT] - run[PREPARED])


@compiled
def advance(
    blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float, done: NDArray[np.float64]
) -> int:
    """Prepare what is due; take the blocks that have been run by now off the queue, at most as many as `done` has room; their tags go there."""
    size, finished = len(blocks) - TRACK, 0
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
            run[PIECE] = (int(run[PIECE]) + 1) % TRACK
            run[PIECES] -= 1.0
            run[SEGMENTS] -= piece[ENDS_SEGMENT]
        if not prepare(blocks, run, now_s):
            return finished


@compiled
def go_on(
    blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float, to_rest: bool
) -> float:
    """Advance until the planner has room, or until all has been run; gives when that is."""
    done = np.empty(SPARE)
    while run[COUNT] > 0.0 if to_rest else room(blocks, run) == 0:
        now_s = max(now_s, frees_s(blocks, run))
        advance(blocks, run, now_s, done)
    return now_s


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
    """Add a line to `target` at `rate` units/s, a chord with a `scale`; False if it has no length. The caller has advanced to now and there is room."""
    first, count, size = int(run[FIRST]), int(run[COUNT]), len(blocks) - TRACK
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
    block[LIMIT], block[ACCELERATION] = along(unit, rates), along(unit, accelerations)
    if scale > 0.0:
        block[ACCELERATION] *= 1.0 - BEND_SHARE
    block[RATE] = block[LIMIT] if kind == RAPID else rate
    block[ENTRY_SQR] = 0.0
    if run[PREPARED] == count:  # from rest, when what is prepared has been run
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
def change(
    blocks: NDArray[np.float64],
    run: NDArray[np.float64],
    now_s: float,
    hold: bool,
    feed: float,
    rapid: float,
) -> None:
    """Hold or go on, and set the overrides (1 is 100 %), for all that is not prepared. The caller has advanced to now."""
    run[TIME] = max(run[TIME], now_s)
    run[HOLD], run[FEED_SHARE], run[RAPID_SHARE] = 1.0 if hold else 0.0, feed, rapid
    plan(blocks, run)


@compiled
def through_phases(run: NDArray[np.float64], t: float) -> tuple[float, float, float]:
    """As `ahead`, of a smooth block; behind its phases it rests."""
    distance, speed, a = run[DISTANCE], run[SPEED], run[GAIN]
    for n in range(int(run[PHASES])):
        part = min(t, run[PHASE_S + n])
        further, speed, a = covered(speed, a, run[PHASE_JERK + n], part)
        distance += further
        if t < run[PHASE_S + n]:
            return distance, speed, a
        t -= part
    return distance, 0.0, 0.0


@compiled
def ahead(run: NDArray[np.float64], now_s: float) -> tuple[float, float, float]:
    """Distance into the block at the base, speed and acceleration along it, at a time after the base's."""
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
        t = min(t - cruise, brake)
    a = (run[EXIT] - peak) / brake if brake > 0.0 else 0.0
    return covered + (peak + 0.5 * a * t) * t, peak + a * t, a


@compiled
def look(
    blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float, out: NDArray[np.float64]
) -> float:
    """Position, velocity and acceleration of the axes as rows of `out`; gives the speed along the path, of a chord in the units of its program. The caller has advanced to now, or
    the first block does not end before."""
    size = len(blocks) - TRACK
    if run[COUNT] == 0.0:
        for axis in range(AXES):
            out[AT, axis], out[VELOCITY, axis], out[ACCELERATING, axis] = (
                run[POSITION + axis],
                0.0,
                0.0,
            )
        return 0.0
    block = blocks[int(run[FIRST])]
    distance, speed, a = ahead(run, now_s)
    for n in range(int(run[PIECES])):
        piece = blocks[size + (int(run[PIECE]) + n) % TRACK]
        if now_s < piece[END_S] or piece[ENDS_BLOCK] > 0.0:
            block = blocks[int(piece[BLOCK])]
            t = min(max(now_s, piece[BEGIN_S]), piece[END_S]) - piece[BEGIN_S]
            further, speed, a = covered(piece[FROM_SPEED], piece[CHANGE], piece[CHANGE_RATE], t)
            distance = piece[FROM] + further
            break
    for axis in range(AXES):
        unit = block[UNIT + axis]
        out[AT, axis] = block[END + axis] - unit * (block[LENGTH] - distance)
        out[VELOCITY, axis] = unit * speed
        out[ACCELERATING, axis] = unit * a
    return speed / block[SCALE] if block[SCALE] > 0.0 else speed


@compiled
def drop(blocks: NDArray[np.float64], run: NDArray[np.float64], now_s: float) -> None:
    """Forget all blocks and be at rest where the axes are now; a hold is over."""
    out = np.empty((3, AXES))
    look(blocks, run, now_s, out)
    for axis in range(AXES):
        run[POSITION + axis] = out[AT, axis]
    run[COUNT] = run[PREPARED] = run[PIECES] = run[SEGMENTS] = run[DISTANCE] = run[HOLD] = 0.0
    run[TIME] = now_s
    shape(blocks, run)


@compiled
def rests(run: NDArray[np.float64], now_s: float) -> bool:
    """Whether nothing moves: the queue is empty, or a hold has come to rest."""
    return run[COUNT] == 0.0 or (
        run[HOLD] > 0.0 and run[PEAK] == 0.0 and now_s >= run[TIME] + run[RAMP_S]
    )
