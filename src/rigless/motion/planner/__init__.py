"""Look-ahead motion planner for six axes, as in grbl: trapezoidal speeds and junction deviation.

Theory of operation. A block is a straight line in the space of all axes: a unit vector, a length
(the Euclidean norm over all axes) and an end. axis_limits.py derives its speed, its acceleration
and the speed at the junction of two blocks from the limits of the axes. Whenever the queue or a
speed changes, one pass from the last block to the first and one pass back give every block the
highest entry speed that still allows all following blocks to keep their limits (planning.py).

A block may be a chord of a curve that was programmed in other units (a tool path in mm, axes in
degrees). Its `scale` is the number of axis units per program unit. Reported speeds and the minimum
speed are in program units. Chords meet where the curve bends: half of the axes' acceleration is
reserved for following the bend, the other half for changes of speed.

The plan is prepared in segments before it is run, as in the firmware (execution.py). At most nine
segments wait, each 10 ms of one block or the remainder of that block. The prepared part ends at
the base: a time, a distance into a block, a speed, and three phases from there (a ramp to the peak
speed, a cruise, a ramp to the exit speed: motion_profiles.py). A change of plan (a new block, an
override, a hold) affects only what follows the base. It therefore shows up to 90 ms later, and
blocks that arrive one at a time start in short hops from rest to rest. A block leaves the planner
when it is prepared, and the queue when it has been run. A hold ramps down at each block's own
acceleration, across block ends if necessary. That is never faster than the plan it interrupts, so
junction limits hold.

A jerk-limited block begins and ends at rest. Instead of three phases it has up to twelve phases of
constant jerk, calculated by jerk_limited.py: its own when the base reaches it, others after a
change.

Execution is exact in time: a segment consists of pieces of constant acceleration or jerk, so the
sampling rate does not matter.
"""

from rigless.motion.planner.execution import (
    ACCELERATING,
    AT,
    VELOCITY,
    advance,
    advance_until_free,
    clear,
    sample,
)
from rigless.motion.planner.planning import append, nominal_speed, plan, set_overrides
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
    FIRST,
    HOLD,
    JERK,
    JERK_SIGNS,
    JUNCTION_SQR,
    KIND,
    LENGTH,
    PEAK,
    PHASE_JERK,
    PHASE_S,
    PHASES,
    PIECE_ROWS,
    PLAIN,
    POSITION,
    PREPARED,
    RAMP_S,
    RAPID,
    SCALE,
    SPARE_ROWS,
    SPEED,
    TAG,
    TIME,
    TIMES,
    UNIT,
    at_rest,
    first_block_end_s,
    free_blocks,
    new_queue,
    new_run,
    next_free_s,
)

__all__ = [
    "ACCELERATING",
    "ACCELERATION",
    "AT",
    "BASE_ACCELERATION",
    "BRAKE_S",
    "COUNT",
    "CRUISE_S",
    "DISTANCE",
    "END",
    "ENTRY_SQR",
    "EXIT",
    "FEED",
    "FIRST",
    "HOLD",
    "JERK",
    "JERK_SIGNS",
    "JUNCTION_SQR",
    "KIND",
    "LENGTH",
    "PEAK",
    "PHASES",
    "PHASE_JERK",
    "PHASE_S",
    "PIECE_ROWS",
    "PLAIN",
    "POSITION",
    "PREPARED",
    "RAMP_S",
    "RAPID",
    "SCALE",
    "SPARE_ROWS",
    "SPEED",
    "TAG",
    "TIME",
    "TIMES",
    "UNIT",
    "VELOCITY",
    "advance",
    "advance_until_free",
    "append",
    "at_rest",
    "clear",
    "first_block_end_s",
    "free_blocks",
    "new_queue",
    "new_run",
    "next_free_s",
    "nominal_speed",
    "plan",
    "sample",
    "set_overrides",
]
