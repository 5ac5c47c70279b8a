"""Protective fields of all robots of a world at one instant: gaps along the swept path.

The field of a robot that drives is as wide as its footprint with a margin. Of another robot it sees
the area that the other one covers until it stands: its footprint along its braking distance, or
turned through its braking angle. A robot that drives across is seen CLAIM_M further, so that at
least one of two robots that cross can stop in time. The field of a robot that turns in place is the
area that its footprint sweeps next.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos
from rigless.motion.diff_drive import wrap
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion.footprint import MOST, put, separation
from rigless.robots.agv.motion.neighbours import MOST_NEAR, near

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

# Of a robot: braking along and in turning, reaction time, the margin of its field, the radius
# around its footprint, the aim of its turn, how far it looks, and 1 if it sees others.
DEC, DEC_OMEGA, REACTION_S, MARGIN, REACH, AIM, RANGE, SEES, KIND_SIZE = range(9)
# Of a field: distance to the next robot, how much of it is free once both stand, and 1 if the turn
# is blocked.
GAP, FREE, TURN, FIELD_SIZE = range(4)
CLAIM_M = 0.3  # before a robot that drives across
TURN_MARGIN_M = 0.02  # around a footprint that turns
TURN_STEP, TURN_AHEAD = 0.1, 0.15  # rad
MOST_BLOCKING = 3  # robots named as those in the way


@compiled
def strip_span(
    corners: Array, count: int, dx: float, dy: float, low: float, high: float
) -> tuple[float, float]:
    """Return the near and the far end, along x, of the part of a moved polygon within a strip.

    The polygon moves by (dx, dy). They are inf and -inf if no part of it is within low ≤ y ≤ high.
    """
    near_x, far_x = math.inf, -math.inf
    for k in range(count):
        j = k + 1 if k + 1 < count else 0
        for side in range(3):
            ax, ay = corners[k, 0], corners[k, 1]
            bx, by = corners[j, 0], corners[j, 1]
            if side == 1:
                ax, ay, bx, by = ax + dx, ay + dy, bx + dx, by + dy
            elif side == 2:
                bx, by = ax + dx, ay + dy
            if max(ay, by) < low or min(ay, by) > high:
                continue
            first, last, rise = 0.0, 1.0, by - ay
            if rise != 0.0:
                one, two = (low - ay) / rise, (high - ay) / rise
                first, last = max(first, min(one, two)), min(last, max(one, two))
            there, then = ax + first * (bx - ax), ax + last * (bx - ax)
            near_x, far_x = min(near_x, there, then), max(far_x, there, then)
            if dx == 0.0 and dy == 0.0:
                break
    return near_x, far_x


@compiled
def brake_m(drive: Array, kind: Array) -> float:
    """Return the distance that a robot covers until it stands, with its sign."""
    v = drive[d.V]
    return v * (abs(v) / (2.0 * kind[DEC]) + kind[REACTION_S]) if kind[DEC] > 0.0 else 0.0


@compiled
def brake_rad(drive: Array, kind: Array) -> float:
    """Return the angle that a robot turns until it stands, with its sign."""
    w = drive[d.OMEGA]
    return (
        w * (abs(w) / (2.0 * kind[DEC_OMEGA]) + kind[REACTION_S]) if kind[DEC_OMEGA] > 0.0 else 0.0
    )


@compiled
def _turns(drive: Array) -> bool:
    return int(drive[d.PHASE]) in (d.SWING, d.ALIGN)


@compiled
def _is_aside(
    drives: Array, kinds: Array, me: int, k: int, low: float, high: float, s: float, c: float
) -> bool:
    """Return True if robot `k` covers no part of the strip ahead of `me` until it stands."""
    dx, dy = drives[k, d.X] - drives[me, d.X], drives[k, d.Y] - drives[me, d.Y]
    x, y = c * dx + s * dy, c * dy - s * dx
    sk, ck = sin_cos(drives[k, d.THETA])
    far = abs(brake_m(drives[k], kinds[k])) + CLAIM_M
    ahead, aside = far * abs(c * ck + s * sk), far * abs(c * sk - s * ck)
    reach = kinds[k, REACH] + 1e-6
    return x + ahead + reach <= 0.0 or y - aside - reach > high or y + aside + reach < low


@compiled
def _see(
    drives: Array,
    kinds: Array,
    shapes: Array,
    counts: Ints,
    me: int,
    k: int,
    front: float,
    low: float,
    high: float,
    heading: float,
    own: Array,
    out: Array,
) -> float:
    """Update the field of `me` by robot `k`. Return the gap that it leaves."""
    s, c = sin_cos(heading)
    for i in range(counts[k]):
        dx, dy = shapes[k, i, 0] - drives[me, d.X], shapes[k, i, 1] - drives[me, d.Y]
        own[i, 0], own[i, 1] = c * dx + s * dy, c * dy - s * dx
    gap, free = math.inf, math.inf
    brakes, angle = brake_m(drives[k], kinds[k]), brake_rad(drives[k], kinds[k])
    near_x, far_x = strip_span(own, counts[k], 0.0, 0.0, low, high)
    if far_x > 0.0:
        gap = max(near_x - front, 0.0)
        free = gap
    turned = drives[k, d.THETA] - heading
    sine, cosine = sin_cos(turned)
    if abs(angle) > 1e-6:
        steps = math.ceil(abs(angle) / TURN_STEP)
        spin = np.empty((MOST, 2))
        ox, oy = drives[k, d.X] - drives[me, d.X], drives[k, d.Y] - drives[me, d.Y]
        x, y = c * ox + s * oy, c * oy - s * ox
        for n in range(1, steps + 1):
            sn, cn = sin_cos(angle * n / steps)
            for i in range(counts[k]):
                px, py = own[i, 0] - x, own[i, 1] - y
                spin[i, 0], spin[i, 1] = x + cn * px - sn * py, y + sn * px + cn * py
            near_x, far_x = strip_span(spin, counts[k], 0.0, 0.0, low, high)
            if far_x > front:
                free = min(free, max(near_x - front, 0.0))
    rolls = int(drives[k, d.PHASE]) == d.ROLL
    if rolls or brakes != 0.0:
        way = -1.0 if (brakes < 0.0 or (brakes == 0.0 and drives[k, d.BACK] > 0.0)) else 1.0
        extra = CLAIM_M * abs(sine) if rolls and kinds[k, SEES] > 0.0 else 0.0
        if extra > 1e-6:
            near_x, far_x = strip_span(
                own, counts[k], way * extra * cosine, way * extra * sine, low, high
            )
            if far_x > front:
                gap = min(gap, max(near_x - front, 0.0))
        far = abs(brakes) + extra
        near_x, far_x = strip_span(own, counts[k], way * far * cosine, way * far * sine, low, high)
        if far_x > front:
            free = min(free, max(near_x - front, 0.0))
    out[GAP], out[FREE] = min(out[GAP], gap), min(out[FREE], free, out[GAP])
    return gap


@compiled
def _turn_hits(
    drives: Array,
    kinds: Array,
    corners: Array,
    shapes: Array,
    counts: Ints,
    me: int,
    k: int,
    spin: Array,
    other: Array,
) -> bool:
    """Return True if the turn of `me` sweeps over the area of robot `k`."""
    ahead = wrap(kinds[me, AIM] - drives[me, d.THETA])
    brakes = brake_rad(drives[me], kinds[me])
    way = 1.0 if ahead > 0.0 else -1.0
    if brakes != 0.0:
        way = 1.0 if brakes > 0.0 else -1.0
    sweep = min(abs(brakes) + TURN_AHEAD, max(abs(ahead), abs(brakes)))
    far = brake_m(drives[k], kinds[k])
    s, c = sin_cos(drives[k, d.THETA])
    turned = brake_rad(drives[k], kinds[k])
    steps = max(math.ceil(sweep / TURN_STEP), 1)
    for n in range(1, steps + 1):
        put(
            corners[me],
            counts[me],
            drives[me, d.X],
            drives[me, d.Y],
            drives[me, d.THETA] + way * sweep * n / steps,
            spin,
        )
        for part in range(3 if far != 0.0 or turned != 0.0 else 1):
            share = 0.5 * part
            put(
                corners[k],
                counts[k],
                drives[k, d.X] + share * far * c,
                drives[k, d.Y] + share * far * s,
                drives[k, d.THETA] + share * turned,
                other,
            )
            apart = separation(spin, counts[me], other, counts[k], TURN_MARGIN_M)[0]
            if apart < TURN_MARGIN_M:
                # A robot that is too close already may turn away.
                now = separation(shapes[me], counts[me], shapes[k], counts[k], TURN_MARGIN_M)[0]
                if apart < now - 1e-6 or now > TURN_MARGIN_M:
                    return True
    return False


@compiled
def see_all(
    drives: Array,
    kinds: Array,
    corners: Array,
    shapes: Array,
    counts: Ints,
    cells: Ints,
    starts: Ints,
    items: Ints,
    size: float,
    stops: Array,
    fields: Array,
    blocking: Ints,
) -> None:
    """Compute the fields of all robots, and which robots are within their stop distances."""
    found, own, other = np.empty(MOST_NEAR, np.int64), np.empty((MOST, 2)), np.empty((MOST, 2))
    widest = 0.0
    for k in range(drives.shape[0]):
        widest = max(widest, kinds[k, REACH] + abs(brake_m(drives[k], kinds[k])) + CLAIM_M)
    for me in range(drives.shape[0]):
        fields[me, GAP], fields[me, FREE], fields[me, TURN] = math.inf, math.inf, 0.0
        blocking[me] = -1
        if kinds[me, SEES] == 0.0:
            continue
        turns = _turns(drives[me])
        back = drives[me, d.BACK] > 0.0 and drives[me, d.PHASE] != d.REST
        heading = drives[me, d.THETA] + (math.pi if back else 0.0)
        sine, cosine = sin_cos(heading)
        front, low, high = -math.inf, math.inf, -math.inf
        for i in range(counts[me]):
            x, y = corners[me, i, 0], corners[me, i, 1]
            front, low, high = max(front, -x if back else x), min(low, y), max(high, y)
        if back:
            low, high = -high, -low
        low, high = low - kinds[me, MARGIN], high + kinds[me, MARGIN]
        reach = kinds[me, RANGE] if int(drives[me, d.PHASE]) == d.ROLL else stops[me]
        radius = kinds[me, REACH] + (TURN_AHEAD if turns else reach) + widest
        number = near(cells, starts, items, size, drives, me, radius, found)
        if number < 0:
            fields[me, FREE] = -1.0  # more robots than any place has room for
            number = MOST_NEAR
        nearby = 0
        for n in range(number):
            k = found[n]
            dx, dy = drives[k, d.X] - drives[me, d.X], drives[k, d.Y] - drives[me, d.Y]
            around = kinds[me, REACH] + kinds[k, REACH]
            far = abs(brake_m(drives[k], kinds[k])) + CLAIM_M
            if dx * dx + dy * dy > (around + far + (TURN_AHEAD if turns else reach)) ** 2:
                continue
            blocks = False
            if (
                turns
                and dx * dx + dy * dy <= (around + far) ** 2
                and _turn_hits(drives, kinds, corners, shapes, counts, me, k, own, other)
            ):
                fields[me, TURN], blocks = 1.0, True
            if _is_aside(drives, kinds, me, k, low, high, sine, cosine):
                gap = math.inf
            else:
                gap = _see(
                    drives, kinds, shapes, counts, me, k, front, low, high, heading, own, fields[me]
                )
            if not turns:
                blocks = gap <= stops[me]
            if blocks and nearby < MOST_BLOCKING:
                blocking[me, nearby] = k
                nearby += 1
