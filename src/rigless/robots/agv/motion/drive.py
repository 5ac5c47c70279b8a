"""Drive along a path: wheel speeds for a tick, and dead reckoning after it.

A path is a list of waypoints; a leg leads to each. A differential drive turns in place to the
direction of the leg (SWING), drives it (ROLL), and turns to the heading of the waypoint, if it has
one (ALIGN). On a leg with PATH_BACK it turns its rear to the waypoint and drives backwards.
PATH_TURN limits its turns before and after the leg, if it is above 0. A track drive only rolls: its
heading is that of the line, and it drives backwards to a waypoint behind it.

Each of these motions is a `landing` (motors.py): it ends exactly on its target, within limits that
all wheels can keep. At a waypoint without a stop the robot continues at speed if the next leg is
straight on; a change of direction of up to STRAIGHT, on a curve of up to BEND, is made in passing.
The pose follows from what the wheels really did.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.diff_drive import arc, wrap
from rigless.robots.agv.motion.motors import (
    COUNTED,
    GOAL,
    MODE,
    POSITION,
    RUN,
    VELOCITY,
    landing,
    ramp,
)

Array = NDArray[np.float64]

# The drive. ASKED_* are its set speeds; START and LENGTH belong to the leg; BACK is 1 if it drives
# backwards.
(
    X,
    Y,
    THETA,
    V,
    OMEGA,
    ODOMETER,
    PHASE,
    LEG,
    HEADING,
    START_X,
    START_Y,
    LENGTH,
    BACK,
    ASKED_V,
    ASKED_OMEGA,
    DRIVE_SIZE,
) = range(16)
REST, BRAKE, SWING, ROLL, ALIGN = range(5)  # PHASE
PATH_X, PATH_Y, PATH_THETA, PATH_SPEED, PATH_STOP, PATH_BACK, PATH_TURN, PATH_SIZE = range(8)
TOP_V, ACC_V, DEC_V, TOP_OMEGA, ACC_OMEGA, DEC_OMEGA, BASE, MODEL, CONST_SIZE = range(9)
DIFFERENTIAL, TRACK = range(2)  # MODEL
WHEEL, SIDE, METRES_PER, WHEEL_SIZE = range(
    4
)  # of a drive motor: its index; -1 left, 1 right, 0 neither; metres per SI unit

STRAIGHT = 0.01  # rad
BEND = 0.05  # rad: likewise at a waypoint of a curve, whose PATH_STOP is negative
CLOSE = 1e-6  # m: distance at which a waypoint is reached
AIMED = 1e-9  # rad
ASIDE = 1e-3  # m: tolerated lateral error at a waypoint, from faulty wheels
ASTRAY = 0.05  # rad: heading error at which the robot stops and turns again


@compiled
def steer(
    drive: Array,
    path: Array,
    const: Array,
    motors: Array,
    wheels: Array,
    limit: float,
    room: float,
    dt: float,
) -> None:
    """Set the wheel speeds for this tick.

    `limit` is the highest allowed speed (0: stop), `room` the distance that the robot may drive.
    """
    v, omega, phase = drive[ASKED_V], drive[ASKED_OMEGA], int(drive[PHASE])
    half = 0.5 * const[BASE]
    if limit > 0.0 and phase == ROLL:
        v = _roll(drive, path, const, min(limit, const[TOP_V]), room, dt)
        omega = ramp(omega, 0.0, const[ACC_OMEGA], const[DEC_OMEGA], dt)
    elif limit > 0.0 and phase in (SWING, ALIGN):
        aim = drive[HEADING] if phase == SWING else path[int(drive[LEG]), PATH_THETA]
        top, turn = min(const[TOP_OMEGA], limit / half), path[int(drive[LEG]), PATH_TURN]
        if turn > 0.0:
            top = min(top, turn)
        omega = landing(
            wrap(aim - drive[THETA]), omega, top, const[ACC_OMEGA], const[DEC_OMEGA], dt
        )
        v = ramp(v, 0.0, const[ACC_V], const[DEC_V], dt)
    else:
        v = ramp(v, 0.0, const[ACC_V], const[DEC_V], dt)
        omega = ramp(omega, 0.0, const[ACC_OMEGA], const[DEC_OMEGA], dt)
    drive[ASKED_V], drive[ASKED_OMEGA] = v, omega
    for k in range(wheels.shape[0]):
        motor = motors[int(wheels[k, WHEEL])]
        motor[MODE] = RUN
        motor[GOAL] = (v + wheels[k, SIDE] * half * omega) / wheels[k, METRES_PER]


@compiled
def _roll(drive: Array, path: Array, const: Array, top: float, room: float, dt: float) -> float:
    """Return the speed after this tick on a leg.

    It respects the limits of this leg, of the legs ahead, and of the next stop.
    """
    way = -1.0 if drive[BACK] > 0.0 else 1.0
    leg, u, dec = int(drive[LEG]), way * drive[ASKED_V], const[DEC_V]
    best = min(top, path[leg, PATH_SPEED])
    left = _left(drive, path)
    seen = (u + const[ACC_V] * dt) ** 2 / (2.0 * dec) + 4.0 * (u + const[ACC_V] * dt) * dt
    ahead, direction = left, drive[HEADING]
    while ahead <= seen and not _stops(path, const, leg, direction, drive[BACK]):
        cap = min(top, path[leg + 1, PATH_SPEED])
        reach = ahead - (cap + dec * dt) * dt
        square = (dec * dt) ** 2 + 4.0 * (cap * cap + 2.0 * dec * reach - dec * dt * u)
        best = min(best, max(cap, 0.5 * (math.sqrt(max(square, 0.0)) - dec * dt)))
        length, direction = _towards(
            path[leg, PATH_X], path[leg, PATH_Y], path, leg + 1, drive[BACK]
        )
        ahead += length
        leg += 1
    if room < ahead:
        ahead = max(room, 0.0)
    return way * landing(ahead, u, best, const[ACC_V], dec, dt)


@compiled
def _left(drive: Array, path: Array) -> float:
    """Return the distance to the end of the leg along it; negative beyond the end."""
    leg, way = int(drive[LEG]), -1.0 if drive[BACK] > 0.0 else 1.0
    c, s = math.cos(drive[HEADING]), math.sin(drive[HEADING])
    return way * ((path[leg, PATH_X] - drive[X]) * c + (path[leg, PATH_Y] - drive[Y]) * s)


@compiled
def _towards(x: float, y: float, path: Array, leg: int, back: float) -> tuple[float, float]:
    """Return the distance and the direction from a point to a waypoint."""
    dx, dy = path[leg, PATH_X] - x, path[leg, PATH_Y] - y
    return math.sqrt(dx * dx + dy * dy), wrap(math.atan2(dy, dx) + (math.pi if back > 0.0 else 0.0))


@compiled
def _stops(path: Array, const: Array, leg: int, heading: float, back: float) -> bool:
    """Return True if the robot stops at the end of a leg with this heading."""
    if leg + 1 >= path.shape[0] or path[leg, PATH_STOP] > 0.0:
        return True
    length, after = _towards(path[leg, PATH_X], path[leg, PATH_Y], path, leg + 1, back)
    turn = abs(wrap(after - heading))
    if const[MODEL] == TRACK:
        return length <= CLOSE or turn > 0.5 * math.pi
    if path[leg + 1, PATH_BACK] != back:
        return True
    theta = path[leg, PATH_THETA]
    return (
        length <= CLOSE
        or turn > (BEND if path[leg, PATH_STOP] < 0.0 else STRAIGHT)
        or (theta == theta and abs(wrap(theta - heading)) > STRAIGHT)
    )


@compiled
def _aligned(drive: Array, path: Array, const: Array, leg: int) -> bool:
    """Return True if the robot has the waypoint's heading; rounding errors are removed."""
    theta = path[leg, PATH_THETA]
    if const[MODEL] == TRACK or theta != theta:
        return True
    if abs(wrap(theta - drive[THETA])) > AIMED:
        return False
    drive[THETA] = wrap(theta)
    return True


@compiled
def stretch(drive: Array, path: Array, const: Array) -> float:
    """Return the distance to the next stop of the path; 0 if the robot is not on a leg."""
    if int(drive[PHASE]) != ROLL:
        return 0.0
    leg, ahead, direction = int(drive[LEG]), _left(drive, path), drive[HEADING]
    while not _stops(path, const, leg, direction, drive[BACK]):
        length, direction = _towards(
            path[leg, PATH_X], path[leg, PATH_Y], path, leg + 1, drive[BACK]
        )
        ahead += length
        leg += 1
    return ahead


@compiled
def _touch(drive: Array, path: Array, leg: int) -> float:
    """Return the distance to a waypoint; rounding errors are removed."""
    dx, dy = path[leg, PATH_X] - drive[X], path[leg, PATH_Y] - drive[Y]
    missed = math.sqrt(dx * dx + dy * dy)
    if missed <= 2.0 * CLOSE:
        drive[X], drive[Y] = path[leg, PATH_X], path[leg, PATH_Y]
    return missed


@compiled
def begin(drive: Array, path: Array, const: Array, fresh: bool) -> None:
    """Start the next leg from the present pose.

    `fresh` if the path is new, so that it may be too short to stop on.
    """
    while True:
        leg = int(drive[LEG])
        moves, turns = (
            drive[ASKED_V] != 0.0 or drive[V] != 0.0,
            drive[ASKED_OMEGA] != 0.0 or drive[OMEGA] != 0.0,
        )
        if leg >= path.shape[0]:
            drive[PHASE] = BRAKE if moves or turns else REST
            return
        if const[MODEL] == TRACK and not moves:
            _, heading = _towards(drive[X], drive[Y], path, leg, 0.0)
            drive[BACK] = 1.0 if abs(wrap(heading - drive[THETA])) > 0.5 * math.pi + AIMED else 0.0
        elif const[MODEL] == DIFFERENTIAL and path[leg, PATH_BACK] != drive[BACK]:
            if moves:
                drive[PHASE] = BRAKE
                return
            drive[BACK] = path[leg, PATH_BACK]
        length, heading = _towards(drive[X], drive[Y], path, leg, drive[BACK])
        if length <= CLOSE and not moves:
            if turns:
                drive[PHASE] = BRAKE
                return
            if not _aligned(drive, path, const, leg):
                drive[PHASE] = ALIGN
                return
            _touch(drive, path, leg)
            drive[LEG] += 1.0
            continue
        drive[HEADING], drive[LENGTH], drive[START_X], drive[START_Y] = (
            heading,
            length,
            drive[X],
            drive[Y],
        )
        off = abs(wrap(heading - drive[THETA]))
        along = drive[ASKED_V] * (-1.0 if drive[BACK] > 0.0 else 1.0) > 0.0
        if const[MODEL] == TRACK and (not moves or (along and off <= 0.5 * math.pi)):
            off = 0.0
        straight = BEND if leg > 0 and path[leg - 1, PATH_STOP] < 0.0 else STRAIGHT
        if off <= (straight if moves else AIMED) and (along or not moves):
            theta, drive[PHASE] = drive[THETA], ROLL
            if not (
                moves
                and fresh
                and stretch(drive, path, const) < drive[ASKED_V] ** 2 / (2.0 * const[DEC_V])
            ):
                drive[THETA] = heading
                return
            drive[THETA] = theta
        drive[PHASE] = BRAKE if moves else SWING
        return


@compiled
def advance(
    drive: Array, path: Array, const: Array, motors: Array, wheels: Array, dt: float
) -> bool:
    """Update the pose by the motion of the wheels, and start the next phase if one is complete.

    Return True while the robot has a target.
    """
    gone_left, gone_right, left, right, lefts, rights = 0.0, 0.0, 0.0, 0.0, 0, 0
    for k in range(wheels.shape[0]):
        motor, per = motors[int(wheels[k, WHEEL])], wheels[k, METRES_PER]
        gone = (motor[POSITION] - motor[COUNTED]) * per
        motor[COUNTED] = motor[POSITION]
        if wheels[k, SIDE] <= 0.0:
            gone_left, left, lefts = gone_left + gone, left + motor[VELOCITY] * per, lefts + 1
        if wheels[k, SIDE] >= 0.0:
            gone_right, right, rights = gone_right + gone, right + motor[VELOCITY] * per, rights + 1
    lefts, rights = max(lefts, 1), max(rights, 1)
    gone_left, left, gone_right, right = (
        gone_left / lefts,
        left / lefts,
        gone_right / rights,
        right / rights,
    )
    ahead, turned = 0.5 * (gone_left + gone_right), 0.0
    drive[V], drive[OMEGA] = 0.5 * (left + right), 0.0
    if const[MODEL] == DIFFERENTIAL:
        turned, drive[OMEGA] = (gone_right - gone_left) / const[BASE], (right - left) / const[BASE]
    drive[X], drive[Y], drive[THETA] = arc(
        drive[X], drive[Y], drive[THETA], ahead / dt, turned / dt, dt
    )
    drive[ODOMETER] += abs(ahead)
    _go_on(drive, path, const, ahead)
    return drive[PHASE] != REST or drive[V] != 0.0 or drive[OMEGA] != 0.0


@compiled
def _go_on(drive: Array, path: Array, const: Array, ahead: float) -> None:
    """Start the next phase if the present one is complete."""
    phase, leg = int(drive[PHASE]), int(drive[LEG])
    still = (
        drive[V] == 0.0
        and drive[ASKED_V] == 0.0
        and drive[OMEGA] == 0.0
        and drive[ASKED_OMEGA] == 0.0
    )
    if phase == BRAKE:
        if still:
            begin(drive, path, const, False)
    elif phase == SWING:
        if still and abs(wrap(drive[HEADING] - drive[THETA])) <= AIMED:
            begin(drive, path, const, False)
    elif phase == ALIGN:
        if still and _aligned(drive, path, const, leg):
            _touch(drive, path, leg)
            drive[LEG] += 1.0
            begin(drive, path, const, False)
    elif phase == ROLL:
        left = _left(drive, path)
        if still and left > CLOSE and _miss(drive, path, leg) > ASIDE:
            begin(drive, path, const, False)  # pushed aside before it stood: turn again
        elif _stops(path, const, leg, drive[HEADING], drive[BACK]):
            if still and abs(left) <= CLOSE:
                _land(drive, path, const)
            elif abs(wrap(drive[HEADING] - drive[THETA])) > ASTRAY:
                drive[PHASE] = BRAKE
        elif left <= 0.0:
            if const[MODEL] == TRACK and left < 0.0:  # around the corner
                _, heading = _towards(
                    path[leg, PATH_X], path[leg, PATH_Y], path, leg + 1, drive[BACK]
                )
                way = -1.0 if drive[BACK] > 0.0 else 1.0
                drive[X] = path[leg, PATH_X] - way * left * math.cos(heading)
                drive[Y] = path[leg, PATH_Y] - way * left * math.sin(heading)
            drive[LEG] += 1.0
            begin(drive, path, const, False)
        elif abs(wrap(drive[HEADING] - drive[THETA])) > ASTRAY:
            drive[PHASE] = BRAKE


@compiled
def _miss(drive: Array, path: Array, leg: int) -> float:
    """Return the lateral distance by which the robot would miss a waypoint straight ahead."""
    c, s = math.cos(drive[THETA]), math.sin(drive[THETA])
    return abs((path[leg, PATH_Y] - drive[Y]) * c - (path[leg, PATH_X] - drive[X]) * s)


@compiled
def _land(drive: Array, path: Array, const: Array) -> None:
    """Finish a leg at rest: exactly on the waypoint, or at its side."""
    leg = int(drive[LEG])
    if _touch(drive, path, leg) > ASIDE:
        begin(drive, path, const, False)
    elif not _aligned(drive, path, const, leg):
        drive[PHASE] = ALIGN
    else:
        drive[LEG] += 1.0
        begin(drive, path, const, False)
