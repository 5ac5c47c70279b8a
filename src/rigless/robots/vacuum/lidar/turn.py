"""One turn of the lidar: where each of its beams starts, and the points that it measures.

A beam starts at the robot's pose at its instant, between two entries of the trail.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined
from rigless.kernel.compiled.elementary import sin_cos, sin_cos_flat
from rigless.kernel.elementary import FAR
from rigless.robots.vacuum.lidar.beams import (
    MOUNT_X,
    MOUNT_Y,
    OCOS,
    OPTICAL,
    OSIN,
    OX,
    OY,
    RES,
    ROLLING,
    SMALL_RAD,
    TOGETHER,
    cast,
    make_hits,
    measure_all,
    turned,
)

Array = NDArray[np.float64]


@compiled
def scan(
    setup: Array, squares: Any, material: Any, discs: Array, boxes: Array, trail: Array, first: int,
    begin: float, end: float, angles: Array, cosines: Array, sines: Array, key: Any, number: int,
    beams: int, out_angle: Any, out_range: Any, out_quality: Any, out_truth: Array,
) -> int:  # fmt: skip
    """Fill the outputs with the points of one turn, and return their number.

    `trail` is a ring of (time, x, y, theta) whose oldest entry is at `first`. `out_truth` gets the
    true range of every beam, inf for none.
    """
    hits, noise = make_hits(beams), np.empty((beams, 4))
    aim_all(setup, trail, first, 0, begin, end, angles.shape[0], cosines, sines, hits.rays)
    cast(setup, squares, material, discs, boxes, key, number, hits, noise)
    count, points = 0, np.empty((4, beams))
    for k in range(beams):
        out_truth[k] = hits.ranges[k] * setup[RES]
    measure_all(setup, angles, cosines, sines, out_truth[:beams], noise, key, number, points)
    for k in range(beams):
        if points[3, k] > 0.0:
            out_angle[count], out_range[count] = points[0, k], points[1, k]
            out_quality[count] = int(points[2, k])
            count += 1
    return count


@compiled
def aim(
    setup: Array, trail: Array, first: int, newer: int, begin: float, end: float, total: int,
    cosines: Array, sines: Array, start: int, rays: Array
) -> None:  # fmt: skip
    """Fill `rays` with start and direction of the beams from `start`, (x, y, dx, dy) in cells.

    A beam starts at the pose on the trail at its instant. The newest `newer` entries of the trail
    are from after the turn and left out.
    """
    size = trail.shape[0]
    count = size - newer
    cos, sin, res = setup[OCOS], setup[OSIN], setup[RES]
    last = _place(first + count - 1, size)
    pose_x, pose_y = trail[last, 1], trail[last, 2]
    s, c = sin_cos(trail[last, 3])
    known, a, b, cos_a, sin_a, turn, span = -1, 0, 0, 1.0, 0.0, 0.0, 0.0
    place = 0
    if start > 0 and setup[ROLLING] > 0:  # a beam alone: search the entry before its instant
        now, high = begin + (end - begin) * start / total, count - 2
        while place < high:
            middle = (place + high + 1) >> 1
            if trail[_place(first + middle, size), 0] <= now:
                place = middle
            else:
                high = middle - 1
    for k in range(rays.shape[0]):
        if setup[ROLLING] > 0:
            now = begin + (end - begin) * (start + k) / total
            while place < count - 2 and trail[_place(first + place + 1, size), 0] <= now:
                place += 1
            if place != known:
                known = place
                a, b = _place(first + place, size), _place(first + place + 1, size)
                sin_a, cos_a = sin_cos(trail[a, 3])
                turn = trail[b, 3] - trail[a, 3]
                turn -= 2 * math.pi * math.floor((turn + math.pi) / (2 * math.pi))
                span = trail[b, 0] - trail[a, 0]
            part = min(max((now - trail[a, 0]) / span, 0.0), 1.0) if span > 0 else 1.0
            pose_x = trail[a, 1] + (trail[b, 1] - trail[a, 1]) * part
            pose_y = trail[a, 2] + (trail[b, 2] - trail[a, 2]) * part
            c, s = turned(cos_a, sin_a, turn * part)
        cos_k, sin_k = cosines[start + k], sines[start + k]
        local_x, local_y = (
            setup[MOUNT_X] + setup[OPTICAL] * cos_k,
            setup[MOUNT_Y] + setup[OPTICAL] * sin_k,
        )
        x = (pose_x + c * local_x - s * local_y - setup[OX]) / res
        y = (pose_y + s * local_x + c * local_y - setup[OY]) / res
        dx, dy = c * cos_k - s * sin_k, s * cos_k + c * sin_k
        rays[k, 0], rays[k, 1] = cos * x + sin * y, cos * y - sin * x
        rays[k, 2], rays[k, 3] = cos * dx + sin * dy, cos * dy - sin * dx


@inlined
def _place(number: int, size: int) -> int:
    """Return the place of an entry in a ring, without a division."""
    return number - size if number >= size else number


@compiled
def aim_all(
    setup: Array, trail: Array, first: int, newer: int, begin: float, end: float, total: int,
    cosines: Array, sines: Array, rays: Array
) -> None:  # fmt: skip
    """Do the work of `aim` for all beams from the first, with the same bits.

    As in `measure_all`, loops without branches over a local array become vector instructions.
    """
    beams, size = rays.shape[0], trail.shape[0]
    if beams < TOGETHER or not setup[ROLLING] > 0:
        aim(setup, trail, first, newer, begin, end, total, cosines, sines, 0, rays)
        return
    count = size - newer
    cos, sin, res, origin_x, origin_y = setup[OCOS], setup[OSIN], setup[RES], setup[OX], setup[OY]
    mount_x, mount_y, optical = setup[MOUNT_X], setup[MOUNT_Y], setup[OPTICAL]
    work = np.empty((11, TOGETHER))
    place, back = 0, 0
    for start in range(0, beams, TOGETHER):
        at = min(start, beams - TOGETHER)  # the last ones may be aimed twice
        if at < start:
            place = back
        for k in range(TOGETHER):
            now = begin + (end - begin) * (at + k) / total
            while place < count - 2 and trail[_place(first + place + 1, size), 0] <= now:
                place += 1
            if at + k == beams - TOGETHER:
                back = place
            a, b = _place(first + place, size), _place(first + place + 1, size)
            work[0, k], work[1, k], work[2, k] = now, trail[a, 0], trail[b, 0] - trail[a, 0]
            work[3, k], work[4, k] = trail[a, 1], trail[b, 1] - trail[a, 1]
            work[5, k], work[6, k] = trail[a, 2], trail[b, 2] - trail[a, 2]
            work[7, k], work[8, k] = trail[a, 3], trail[b, 3] - trail[a, 3]
            work[9, k], work[10, k] = cosines[at + k], sines[at + k]
        for k in range(TOGETHER):
            span = work[2, k]
            part = (work[0, k] - work[1, k]) / span
            part = 0.0 if part < 0.0 else part
            part = 1.0 if part > 1.0 else part
            part = part if span > 0.0 else 1.0
            turn = work[8, k]
            angle = (turn - 2 * math.pi * np.floor((turn + math.pi) / (2 * math.pi))) * part
            square = angle * angle
            c = 1.0 - square * (0.5 - square / 24.0)
            s = angle * (1.0 - square * (1.0 / 6.0 - square / 120.0))
            usual = (abs(angle) < SMALL_RAD) & (abs(work[7, k]) < FAR)  # not nan
            sin_a, cos_a = sin_cos_flat(work[7, k])
            c, s = cos_a * c - sin_a * s, sin_a * c + cos_a * s
            pose_x, pose_y = work[3, k] + work[4, k] * part, work[5, k] + work[6, k] * part
            cos_k, sin_k = work[9, k], work[10, k]
            local_x, local_y = mount_x + optical * cos_k, mount_y + optical * sin_k
            x = (pose_x + c * local_x - s * local_y - origin_x) / res
            y = (pose_y + s * local_x + c * local_y - origin_y) / res
            dx, dy = c * cos_k - s * sin_k, s * cos_k + c * sin_k
            work[0, k], work[1, k] = cos * x + sin * y, cos * y - sin * x
            work[2, k], work[3, k] = cos * dx + sin * dy, cos * dy - sin * dx
            work[4, k] = 0.0 if usual else 1.0
        odd = 0.0
        for k in range(TOGETHER):
            odd += work[4, k]
        if odd > 0.0:
            aim(setup, trail, first, newer, begin, end, total, cosines, sines, 0, rays)
            return
        for k in range(TOGETHER):
            for part_of in range(4):
                rays[at + k, part_of] = work[part_of, k]
