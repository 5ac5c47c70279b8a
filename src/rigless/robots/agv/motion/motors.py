"""Motors as rows of an array: feedback, setpoints, and one tick of simulated motors.

A motor ramps evenly within a tick, so it moves by the mean of its speeds before and after. It runs
at a speed, or moves to a position. For the latter `landing` gives, tick by tick, the highest speed
from which it still stops on the target at the end of a tick. The result is the trapezoid of least
time, to a tick, and ends on the target to the last bit.

Current: parts of the rated current for running at all, for speed and for acceleration, and more for
a motor that is blocked. Temperature: first order, heated by the square of the current, RISE_K above
AMBIENT_C at the rated current, with the time constant TAU_S.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.robots.agv.config import Motor, Quantity, RobotConfig
from rigless.robots.agv.units import Kind, unit_of

Array = NDArray[np.float64]

# A motor: feedback, then the setpoint (MODE and GOAL), then columns of some motors only: REF is the
# set speed of a simulated motor, COUNTED the position that the pose already includes, TROUBLE the
# fault of a simulated motor.
(
    POSITION,
    VELOCITY,
    CURRENT,
    TEMPERATURE,
    CONNECTED,
    STATE,
    MODE,
    GOAL,
    REF,
    COUNTED,
    TROUBLE,
    MOTOR_SIZE,
) = range(12)
IDLE, RUNNING, ERROR, DISABLED = range(4)  # STATE
STATES = ("IDLE", "RUNNING", "ERROR", "DISABLED")
STOP, RUN, MOVE, DISABLE = range(4)  # MODE
FINE, BROKEN, OFF = range(3)  # TROUBLE

# Constants of a motor.
TOP, ACC, DEC, LOW, HIGH, RATED, LIMIT_SIZE = range(7)

AMBIENT_C, RISE_K, TAU_S = 25.0, 40.0, 600.0
RUNNING_PART, SPEED_PART, ACCELERATION_PART = 0.1, 0.3, 0.6
RATED_DRIVE_A, RATED_FUNCTIONAL_A = 8.0, 2.0
HOME = 1e-9  # distance at which a motor has reached its target
LANDED = 1e-9  # of the speed lost in a tick of braking: slower is standing
SLACK = 1.0 + 1e-9


@compiled
def landing(gap: float, speed: float, top: float, acc: float, dec: float, dt: float) -> float:
    """Return the speed after the next tick of a motion that must stop `gap` ahead.

    `gap` is negative if the target is behind. With speeds in units of one tick of braking, and
    distances likewise, a motion from u to w = k + f (k whole, 0 ≤ f < 1) that then brakes to rest
    takes u + k(k+1) + 2f(k+1) halves of a distance. So k and f follow from the gap.
    """
    side = 1.0 if gap >= 0.0 else -1.0
    room, u = side * gap, side * speed
    if u < 0.0:
        return side * min(u + dec * dt, 0.0)
    part = dec * dt
    left = (2.0 * room / dt - u) / part
    best = 0.0
    if left > LANDED:
        k = math.floor(0.5 * (math.sqrt(1.0 + 4.0 * left) - 1.0))
        best = (k + (left - k * (k + 1.0)) / (2.0 * (k + 1.0))) * part
    best = min(best, top, u + acc * dt)
    return side * max(best, u - part, 0.0)


@compiled
def ramp(speed: float, wanted: float, acc: float, dec: float, dt: float) -> float:
    """Return the speed after a tick, changed towards a target within limits."""
    if speed * wanted < 0.0:
        wanted = 0.0
    most = (acc if abs(wanted) > abs(speed) else dec) * dt
    if abs(wanted - speed) <= most * SLACK:
        return wanted
    return speed + most if wanted > speed else speed - most


@compiled
def plan(motors: Array, limits: Array, dt: float) -> None:
    """Set the speed of each motor for this tick, REF.

    A faulty motor loses its target, so that it does not move again by itself.
    """
    for i in range(motors.shape[0]):
        motor, limit = motors[i], limits[i]
        if motor[TROUBLE] != FINE and motor[MODE] == MOVE:
            motor[MODE] = STOP
        mode, wanted = motor[MODE], 0.0
        if motor[TROUBLE] == FINE and mode == MOVE:
            gap = motor[GOAL] - motor[POSITION]
            motor[REF] = landing(gap, motor[REF], limit[TOP], limit[ACC], limit[DEC], dt)
            continue
        if motor[TROUBLE] == FINE and mode == RUN:
            wanted = min(max(motor[GOAL], -limit[TOP]), limit[TOP])
        motor[REF] = ramp(motor[REF], wanted, limit[ACC], limit[DEC], dt)


@compiled
def move(motors: Array, limits: Array, done: Array, warmth: float, dt: float) -> bool:
    """Move the motors at the speeds `done`. Return True while any motor has something to do."""
    busy = False
    for i in range(motors.shape[0]):
        motor, limit = motors[i], limits[i]
        before = motor[VELOCITY]
        speed = ramp(before, done[i], limit[ACC], limit[DEC], dt)
        position = motor[POSITION] + 0.5 * (before + speed) * dt
        if position < limit[LOW] or position > limit[HIGH]:
            position, speed = min(max(position, limit[LOW]), limit[HIGH]), 0.0
        if (
            motor[MODE] == MOVE
            and speed == 0.0
            and motor[REF] == 0.0
            and abs(motor[GOAL] - position) <= HOME
        ):
            position = motor[GOAL]
            motor[MODE] = STOP
        motor[POSITION], motor[VELOCITY] = position, speed
        trouble = motor[TROUBLE]
        runs = speed != 0.0 or motor[REF] != 0.0 or (motor[MODE] == MOVE and trouble == FINE)
        busy = busy or runs
        motor[CONNECTED] = 0.0 if trouble == OFF else 1.0
        if trouble == BROKEN:
            motor[STATE] = ERROR
        elif trouble == OFF or motor[MODE] == DISABLE:
            motor[STATE] = DISABLED
        else:
            motor[STATE] = RUNNING if runs else IDLE
        load = 0.0
        if runs:
            load = RUNNING_PART + SPEED_PART * abs(speed) / limit[TOP]
            load += ACCELERATION_PART * abs(speed - before) / (dt * max(limit[ACC], limit[DEC]))
            load += abs(motor[REF] - speed) / limit[TOP]
        motor[CURRENT] = load * limit[RATED]
        motor[TEMPERATURE] += warmth * (AMBIENT_C + RISE_K * load * load - motor[TEMPERATURE])
    return busy


@compiled
def tick(motors: Array, limits: Array, warmth: float, dt: float) -> bool:
    """Run one tick of motors without faults."""
    plan(motors, limits, dt)
    return move(motors, limits, motors[:, REF], warmth, dt)


def warmth(seconds: float) -> float:
    """Return the fraction of the way to the final temperature for this duration."""
    return -math.expm1(-seconds / TAU_S)


@dataclass(frozen=True)
class Axis:
    """A motor's configuration in SI units, with the units of its messages."""

    motor_id: str
    role: str
    function_key: str | None
    kind: Kind
    position_unit: float  # metres or radians
    speed_unit: float
    resets: bool
    cooldown_s: float
    metres_per: float  # travel of the wheel for one metre or radian of the motor


DEFAULT_WHEEL_MM = 200.0  # for an angular drive motor without wheelDiameterMm


def axis_of(motor: Motor) -> Axis:
    limits = motor.limits
    speed = unit_of(limits.maxSpeed.unit, "speed")
    ends = limits.positionMin or limits.positionMax
    position = unit_of(ends.unit if ends else speed.position, "position", speed.kind)
    wheel_mm = _number(motor.metadata.get("wheelDiameterMm"), DEFAULT_WHEEL_MM)
    per = (
        1.0
        if speed.kind == "linear"
        else 0.5e-3 * wheel_mm / _number(motor.metadata.get("gearRatio"), 1.0)
    )
    reset = motor.resetPolicy
    return Axis(
        motor.motorId,
        motor.role,
        motor.functionKey,
        speed.kind,
        position.si,
        speed.si,
        reset.supportsReset,
        (reset.resetCooldownMs or 0) / 1000,
        per,
    )


def limits_of(config: RobotConfig) -> Array:
    """Return the limits of all motors in SI units."""
    rows = np.zeros((len(config.motors), LIMIT_SIZE))
    for row, motor in zip(rows, config.motors, strict=True):
        limits = motor.limits
        kind = unit_of(limits.maxSpeed.unit, "speed").kind
        rated_a = RATED_DRIVE_A if motor.role == "DRIVE" else RATED_FUNCTIONAL_A
        row[TOP] = limits.maxSpeed.value * unit_of(limits.maxSpeed.unit, "speed").si
        row[ACC] = (
            limits.maxAcceleration.value
            * unit_of(limits.maxAcceleration.unit, "acceleration", kind).si
        )
        row[DEC] = (
            limits.maxDeceleration.value
            * unit_of(limits.maxDeceleration.unit, "acceleration", kind).si
        )
        row[LOW], row[HIGH] = (
            _end(limits.positionMin, -math.inf, kind),
            _end(limits.positionMax, math.inf, kind),
        )
        row[RATED] = _number(motor.metadata.get("ratedCurrentA"), rated_a)
    return rows


def at_rest(limits: Array) -> Array:
    """Return motors as they are at power-on: at the position nearest to zero."""
    motors = np.zeros((limits.shape[0], MOTOR_SIZE))
    motors[:, POSITION] = np.clip(0.0, limits[:, LOW], limits[:, HIGH])
    motors[:, COUNTED] = motors[:, POSITION]
    motors[:, TEMPERATURE] = AMBIENT_C
    motors[:, CONNECTED] = 1.0
    return motors


def _end(given: Quantity | None, without: float, kind: Kind) -> float:
    return without if given is None else given.value * unit_of(given.unit, "position", kind).si


def _number(given: Any, without: float) -> float:
    """Return a number from free-form metadata."""
    usable = (
        isinstance(given, int | float)
        and not isinstance(given, bool)
        and math.isfinite(given)
        and given > 0
    )
    return float(given) if usable else without
