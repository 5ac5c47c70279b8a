"""The planner's queue as plain arrays, and questions that need no plan.

`blocks` is a ring of block rows followed by a ring of piece rows. `run` is one vector with the
state of the queue, of the plan and of the overrides. A snapshot can hold both. Units are the axes'
own units and seconds.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.planner.axis_limits import AXES

# Columns of a block.
UNIT, END = 0, 6  # the direction and the end position, six numbers each
LENGTH, RATE, LIMIT, ACCELERATION, JUNCTION_SQR, ENTRY_SQR, KIND, TAG = range(12, 20)
SCALE = 20  # axis units per program unit, for a chord; 0 for other blocks
JERK = 21  # of a jerk-limited block; 0 for other blocks
TIMES = 22  # to 28: durations of a jerk-limited block's phases, from rest to rest
BLOCK_SIZE = 29

# Columns of a piece, a stretch of one block with constant acceleration or jerk.
BEGIN_S, END_S, PIECE_DISTANCE, PIECE_SPEED, PIECE_ACCELERATION, BLOCK = range(6)
ENDS_SEGMENT, ENDS_BLOCK = 6, 7  # 1 for the last piece of a segment or of a block
PIECE_JERK = 8

# Kinds of block: under the feed override, under the rapid override, under none (jog, homing).
FEED, RAPID, PLAIN = 0.0, 1.0, 2.0

# The run vector. First the queue: row of the first block, number of blocks.
FIRST, COUNT = 0, 1
# The base of the plan, where the prepared part ends, and the three phases from there.
TIME, DISTANCE, SPEED, RAMP_S, CRUISE_S, BRAKE_S, PEAK, EXIT = range(2, 10)
# The hold and the overrides in force.
HOLD, FEED_SHARE, RAPID_SHARE = 10, 11, 12
POSITION = 13  # to 18: where the last block ends
PREPARED = 19  # number of blocks that are prepared to their end
PIECE, PIECES, SEGMENTS = 20, 21, 22  # row of the first piece, number of pieces and of segments
# For a jerk-limited block at the base: its acceleration there, and the phases that follow.
BASE_ACCELERATION, PHASES, PHASE_S, PHASE_JERK = 23, 24, 25, 37
RUN_SIZE = 49
JERK_SIGNS = (1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0)  # of the phases from rest to rest

MINIMUM_SPEED = 1.0 / 60.0  # grbl's minimum feed of 1 unit/min
SEGMENT_S = 0.010  # grblHAL: 100 segments a second,
MAX_SEGMENTS = 9  # in a ring of 10
SPARE_ROWS = MAX_SEGMENTS + 1  # for blocks that have left the planner
PIECE_ROWS = 13 * MAX_SEGMENTS  # at most twelve phases make a segment
INSTANT_S = 1e-10  # too short to be a piece of its own; clocks tick in whole nanoseconds


def new_queue(capacity: int) -> NDArray[np.float64]:
    """Return an empty ring for this number of blocks."""
    return np.zeros((capacity + SPARE_ROWS + PIECE_ROWS, BLOCK_SIZE))


def new_run(position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the run vector of axes at rest at a position, with overrides of 100 %."""
    run = np.zeros(RUN_SIZE)
    run[FEED_SHARE] = run[RAPID_SHARE] = 1.0
    run[POSITION : POSITION + AXES] = position
    return run


@compiled
def held(run: NDArray[np.float64]) -> bool:
    """Return True if a hold has come to rest at the base."""
    return run[HOLD] > 0.0 and run[PEAK] == 0.0 and run[RAMP_S] <= 0.0


@compiled
def at_rest(run: NDArray[np.float64], now_s: float) -> bool:
    """Return True if nothing moves: the queue is empty, or a hold has come to rest."""
    return run[COUNT] == 0.0 or (
        run[HOLD] > 0.0 and run[PEAK] == 0.0 and now_s >= run[TIME] + run[RAMP_S]
    )


@compiled
def free_blocks(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> int:
    """Return the number of blocks that the planner can still accept."""
    return len(blocks) - PIECE_ROWS - SPARE_ROWS - int(run[COUNT] - run[PREPARED])


@compiled
def first_block_end_s(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> float:
    """Return the planned end of the first block; infinite if there is none, or it is held."""
    size = len(blocks) - PIECE_ROWS
    for n in range(int(run[PIECES])):
        piece = blocks[size + (int(run[PIECE]) + n) % PIECE_ROWS]
        if piece[ENDS_BLOCK] > 0.0:
            return piece[END_S]
    if run[COUNT] == 0.0:
        return np.inf
    return run[TIME] + run[RAMP_S] + run[CRUISE_S] + run[BRAKE_S]


@compiled
def next_free_s(blocks: NDArray[np.float64], run: NDArray[np.float64]) -> float:
    """Return when the next segment can be prepared, so that a block may leave the planner.

    This is the end of the first prepared segment; without one, it is immediately.
    """
    size = len(blocks) - PIECE_ROWS
    for n in range(int(run[PIECES])):
        piece = blocks[size + (int(run[PIECE]) + n) % PIECE_ROWS]
        if piece[ENDS_SEGMENT] > 0.0:
            return piece[END_S]
    return run[TIME] + 1e-9
