"""Jerk-limited motion of planner blocks, by ruckig.

Theory of operation. The joints stay on the block's line, so there is one degree of freedom: the
distance along it. Its limits of speed, acceleration and jerk are the least of limit/|u_i| over the
axes. ruckig calculates the fastest motion between two states; its phases of constant jerk are
stored in the planner as plain numbers. A hold is the fastest motion to rest; an override or a
resume is the fastest motion from there to the end. Only ruckig's state-to-state calculation is
used, which runs locally.
"""

import numpy as np
from numpy.typing import NDArray
from ruckig import ControlInterface, InputParameter, Result, Ruckig, Trajectory

from rigless.motion import planner as p
from rigless.motion.planner.axis_limits import AXES, limit_along

Phases = list[tuple[float, float]]  # seconds and jerk
State = tuple[float, float, float]  # distance, speed and acceleration
SMALL = 1e-9


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
    jerks: NDArray[np.float64],
) -> bool:
    """Add a jerk-limited block; see `planner.append`."""
    if not p.append(blocks, run, now_s, target, rate, kind, tag, rates, accelerations, 0.0, 0.0):
        return False
    block = blocks[int(run[p.FIRST] + run[p.COUNT] - 1) % (len(blocks) - p.PIECE_ROWS)]
    block[p.JERK], block[p.JUNCTION_SQR] = limit_along(block[p.UNIT : p.UNIT + AXES], jerks), 0.0
    _set_times(block, run)
    p.plan(blocks, run)
    return True


def set_overrides(
    blocks: NDArray[np.float64],
    run: NDArray[np.float64],
    now_s: float,
    hold: bool,
    feed: float,
    rapid: float,
) -> None:
    """Hold or resume, and set the overrides, for queues with or without jerk-limited blocks."""
    p.set_overrides(blocks, run, now_s, hold, feed, rapid)
    base, count, size = (
        int(run[p.FIRST] + run[p.PREPARED]),
        int(run[p.COUNT] - run[p.PREPARED]),
        len(blocks) - p.PIECE_ROWS,
    )
    for n in range(count):
        if blocks[(base + n) % size, p.JERK] > 0.0:
            _set_times(blocks[(base + n) % size], run)
    if count and blocks[base % size, p.JERK] > 0.0:
        _replan(blocks[base % size], run)


def _set_times(block: NDArray[np.float64], run: NDArray[np.float64]) -> None:
    """Calculate the durations of a block's phases, from rest to rest."""
    times = [seconds for seconds, _ in _quickest(block, run, (0.0, 0.0, 0.0))]
    block[p.TIMES : p.TIMES + len(p.JERK_SIGNS)] = times[-len(p.JERK_SIGNS) :]


def _replan(block: NDArray[np.float64], run: NDArray[np.float64]) -> None:
    """Calculate new phases for the block at the base: to rest if it is held, else to its end."""
    state = float(run[p.DISTANCE]), float(run[p.SPEED]), float(run[p.BASE_ACCELERATION])
    held, found = bool(run[p.HOLD]), []
    if held and state[1:] != (0.0, 0.0):
        found = _quickest(block, run, state, to_speed=0.0)
        if _after(found, state)[0] > block[p.LENGTH]:  # its end comes first
            found, held = _quickest(block, run, state), False
    elif not held:
        found = _to_end(block, run, state) if block[p.LENGTH] - state[0] > SMALL else [(SMALL, 0.0)]
    found = [(seconds, jerk) for seconds, jerk in found if seconds > 0.0]
    run[p.PHASES] = len(found)
    for n, (seconds, jerk) in enumerate(found):
        run[p.PHASE_S + n], run[p.PHASE_JERK + n] = seconds, jerk
    run[p.RAMP_S] = sum(seconds for seconds, _ in found)
    run[p.CRUISE_S] = np.inf if held else 0.0
    run[p.BRAKE_S] = run[p.PEAK] = run[p.EXIT] = 0.0


def _to_end(block: NDArray[np.float64], run: NDArray[np.float64], state: State) -> Phases:
    """Return the phases to the block's end.

    If the block is too fast after a change of override, it first slows down to the new speed, not
    below it.
    """
    _, speed, gain = state
    fastest = p.nominal_speed(block, run)
    if speed + max(gain, 0.0) * gain / (2.0 * block[p.JERK]) > fastest * (1.0 + SMALL):
        slower = _quickest(block, run, state, to_speed=fastest)
        then = _after(slower, state)[0], fastest, 0.0
        if _after(_quickest(block, run, then, to_speed=0.0), then)[0] <= block[p.LENGTH]:
            return [*slower, *_quickest(block, run, then)]
    return _quickest(block, run, state)


def _quickest(
    block: NDArray[np.float64],
    run: NDArray[np.float64],
    state: State,
    to_speed: float | None = None,
) -> Phases:
    """Return the fastest phases to the block's end, or to a speed at whatever distance."""
    distance, speed, gain = state
    wanted, found = InputParameter(1), Trajectory(1)
    wanted.current_position, wanted.current_velocity, wanted.current_acceleration = (
        [distance],
        [speed],
        [gain],
    )
    wanted.max_velocity, wanted.max_acceleration = (
        [p.nominal_speed(block, run)],
        [block[p.ACCELERATION]],
    )
    wanted.max_jerk, wanted.target_position = [block[p.JERK]], [block[p.LENGTH]]
    if to_speed is not None:
        wanted.control_interface, wanted.target_velocity = ControlInterface.Velocity, [to_speed]
    result = Ruckig(1).calculate(wanted, found)
    if result not in (Result.Working, Result.Finished):
        raise ArithmeticError(
            f"ruckig finds no motion from {state} to the end at {block[p.LENGTH]:g}: {result}"
        )
    profile = found.profiles[0][0]
    return [
        *zip(profile.brake.t, profile.brake.j, strict=True),
        *zip(profile.t, profile.j, strict=True),
    ]


def _after(phases: Phases, state: State) -> State:
    """Return the state after the phases."""
    distance, speed, a = state
    for t, jerk in phases:
        distance += (speed + (0.5 * a + jerk * t / 6.0) * t) * t
        speed += (a + 0.5 * jerk * t) * t
        a += jerk * t
    return distance, speed, a
