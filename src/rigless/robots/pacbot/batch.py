"""Many Pacbots at once: compiled steps over arrays that have one row per robot.

A robot of a batch runs the same functions as a robot on the wire, in the same order, so its numbers
have the same bits. The game is not part of it.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, unlocked
from rigless.kernel.compiled.faults import NONE, actuate
from rigless.kernel.compiled.lending import lent
from rigless.kernel.compiled.rate import due_ns
from rigless.robots.pacbot import body as b
from rigless.robots.pacbot.tof import measure
from rigless.worlds.grid_rows import Maps, layer_of, squares_of

Floats = NDArray[np.float64]

# COUNTERS: the number of ticks, of range measurements and of readings, 1 if the body touches
# something, the time of the last command, and 1 if no command came since the watchdog's last stop
TICKS, MEASURED, READ, HIT, COMMANDED_NS, ASLEEP = range(6)
COUNTERS = 6
# RATES of ticks, range measurements and readings, as fractions of hertz
TICK_NUM, TICK_DEN, TOF_NUM, TOF_DEN, READ_NUM, READ_DEN = range(6)


class Robots(NamedTuple):
    """The state of all robots, one row each, and its variant: maze and config.

    `faults` has a code and a parameter for each wheel (`rigless.kernel.compiled.faults`). `ranges`,
    `rays`, `encoders` and `imus` are the last readings.
    """

    bodies: Floats
    keys: NDArray[np.uint64]
    commands: Floats
    faults: Floats
    ranges: Floats
    rays: Floats
    encoders: Floats
    imus: Floats
    counters: NDArray[np.int64]
    maps: NDArray[np.int64]


class Model(NamedTuple):
    """The config as arrays.

    `const`, `setup` and `watchdog_ns` have a row for each variant: a maze with a config.
    """

    const: Floats
    setup: Floats
    bearings: Floats
    discs: Floats
    boxes: Floats
    watchdog_ns: Floats
    rates: NDArray[np.int64]


@compiled
def begin(t: int, rows: NDArray[np.int64], robots: Robots, model: Model, maps: Maps) -> None:
    """Take the first readings of robot rows[t], before the first tick."""
    i = rows[t]
    _measure(i, robots, model, maps)
    _read(i, robots, model)


@compiled
def advance(i: int, times: int, fresh: bool, robots: Robots, model: Model, maps: Maps) -> None:
    """Advance robot i by some ticks, with its readings. `fresh` is True for a new command.

    Readings that later ones replace in the same call are not computed.
    """
    counters, rates, body, which = robots.counters[i], model.rates, robots.bodies[i], robots.maps[i]
    if fresh:
        counters[COMMANDED_NS] = due_ns(counters[TICKS], rates[TICK_NUM], rates[TICK_DEN])
        counters[ASLEEP] = 0
    _set_goal(i, robots)
    occupied, clear = layer_of(maps, maps.occupied, which), layer_of(maps, maps.clear, which)
    scratch = np.empty(b.SCRATCH_SIZE)
    end_ns = due_ns(counters[TICKS] + times, rates[TICK_NUM], rates[TICK_DEN])
    for _ in range(times):
        now_ns = due_ns(counters[TICKS] + 1, rates[TICK_NUM], rates[TICK_DEN])
        _take(i, now_ns - 1, end_ns, robots, model, maps)  # readings between two ticks
        counters[TICKS] += 1
        if model.watchdog_ns[which, 0] > 0.0:
            _stop_if_silent(i, now_ns, robots, model)
        hit = b.step(
            body, model.const[which], occupied, clear, model.discs, model.boxes, robots.keys[i],
            counters[TICKS], scratch,
        )  # fmt: skip
        counters[HIT] = 1 if hit else 0
        _take(i, now_ns, end_ns, robots, model, maps)


@compiled
def _take(i: int, until_ns: int, end_ns: int, robots: Robots, model: Model, maps: Maps) -> None:
    """Take the readings that are due; those that are replaced before `end_ns` are counted only."""
    counters, rates = robots.counters[i], model.rates
    num, den = rates[TOF_NUM], rates[TOF_DEN]
    while due_ns(counters[MEASURED], num, den) <= until_ns:
        if due_ns(counters[MEASURED] + 1, num, den) > end_ns:
            _measure(i, robots, model, maps)
        else:
            counters[MEASURED] += 1
    num, den = rates[READ_NUM], rates[READ_DEN]
    while due_ns(counters[READ] + 1, num, den) <= until_ns:
        counters[READ] += 1
        if due_ns(counters[READ] + 1, num, den) > end_ns:
            _read(i, robots, model)


@compiled
def _measure(i: int, robots: Robots, model: Model, maps: Maps) -> None:
    """Measure the ranges of robot i. The measurement at the start is the first."""
    counters, which = robots.counters[i], robots.maps[i]
    counters[MEASURED] += 1
    measure(
        robots.bodies[i], model.const[which], model.setup[which], model.bearings,
        squares_of(maps, which), model.discs, model.boxes, robots.keys[i, 2], counters[MEASURED],
        robots.ranges[i], robots.rays[i],
    )  # fmt: skip


@compiled
def _read(i: int, robots: Robots, model: Model) -> None:
    """Read the encoders and the inertial sensors of robot i."""
    body, const = robots.bodies[i], model.const[robots.maps[i]]
    for wheel in range(4):
        robots.encoders[i, wheel] = float(math.floor(body[b.TICKS + wheel] + 0.5))
    ax, ay, rate = b.read_imu(body, const, robots.keys[i, 1], robots.counters[i, TICKS])
    robots.imus[i, 0], robots.imus[i, 1], robots.imus[i, 2] = ax, ay, rate


@compiled
def _set_goal(i: int, robots: Robots) -> None:
    """Set the goals of the motors: the commands, as faulty motors execute them."""
    body, faults = robots.bodies[i], robots.faults[i]
    for wheel in range(4):
        command = robots.commands[i, wheel]
        if faults[wheel, 0] != NONE:
            command = actuate(faults[wheel, 0], faults[wheel, 1], command, 1.0)
        body[b.GOAL + wheel] = command


@compiled
def _stop_if_silent(i: int, now_ns: int, robots: Robots, model: Model) -> None:
    """Watchdog: stop if the last command is too old."""
    counters, limit_ns = robots.counters[i], model.watchdog_ns[robots.maps[i], 0]
    if counters[ASLEEP] == 0 and now_ns - counters[COMMANDED_NS] >= limit_ns:
        counters[ASLEEP] = 1
        for wheel in range(4):
            robots.commands[i, wheel] = 0.0
        _set_goal(i, robots)


@unlocked
def begin_many(
    first: int, last: int, rows: NDArray[np.int64], robots: Robots, model: Model, maps: Maps
) -> None:
    """Take the first readings of the robots in rows[first:last]."""
    robots, model, maps = lent(robots), lent(model), lent(maps)
    for t in range(first, last):
        begin(t, rows, robots, model, maps)


@unlocked
def advance_many(
    first: int, last: int, times: int, fresh: bool, robots: Robots, model: Model, maps: Maps
) -> None:
    """Advance the robots from `first` to before `last`."""
    robots, model, maps = lent(robots), lent(model), lent(maps)
    for i in range(first, last):
        advance(i, times, fresh, robots, model, maps)
