"""The vacuum's lidar: one turn of a Delta-2D, each beam from the robot's pose at its instant.

Beams have the order of the real device, descending raw angle. Each draws from its own counter, so
its noise depends only on the scan's number and its own index. There are three passes, since rays
are cast together: the start of each beam, its true range, and the sensor's measurement.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined
from rigless.kernel.compiled.elementary import atan2, sin_cos
from rigless.kernel.elementary import ATAN, ATAN_REST, HALF_PI, HALF_PI_REST
from rigless.sensors.noise import block, blocks, normal, uniform
from rigless.worlds.raycast import cast_beams, cast_ray
from rigless.worlds.rays.shapes import cast_shapes

Array = NDArray[np.float64]

# SETUP
(
    MOUNT_X,
    MOUNT_Y,
    OPTICAL,
    MIN_RANGE,
    MAX_RANGE,
    STD,
    STD_PER_M2,
    BIAS,
    ANGLE_STD,
    Q_BASE,
    Q_DECAY,
    MISS,
) = range(12)
GRAZING, MATERIALS, MIXED, QUANTUM, CENTRED, ROLLING, RES, OX, OY, OCOS, OSIN, OFFSET = range(
    12, 24
)
Q_STD = 24
SETUP_SIZE = 25

QUALITY_DRAW = 1 << 21  # the index of a beam's random number for quality, beyond all others
GLASS, DARK, MIRROR = 1, 2, 3
_ATAN, _ATAN_REST = np.array(ATAN), np.array(ATAN_REST)
GLASS_LOST, DARK_LOST = 0.9, 0.5  # share of echoes that such a surface absorbs
TOGETHER = 16  # beams that are measured together, by vector instructions
MOTOR_DRAW = 1 << 20  # the index of the motor's random number, beyond those of the beams
SMALL_RAD = 0.02  # a smaller angle has its sine and cosine by a series
EDGE_RAD, EDGE_STEP = 0.004, 5.0  # half the beam's width; a step in range that is an edge, in cells


class Hits(NamedTuple):
    """The rays of a turn and what each hits: range in cells, cell, and kind of face."""

    rays: Array
    ranges: Array
    cells: Any
    across: Any


@compiled
def make_hits(beams: int) -> Hits:
    """Return arrays for the rays of a turn."""
    return Hits(
        np.empty((beams, 4)),
        np.empty(beams),
        np.empty((beams, 2), np.int64),
        np.empty(beams, np.bool_),
    )


@compiled
def cast(
    setup: Array, squares: Any, material: Any, discs: Array, boxes: Array, key: Any, number: int,
    hits: Hits, noise: Array,
) -> None:  # fmt: skip
    """Cast the rays of `hits`, and fill the random numbers of each beam.

    These are for range and angle, and the chances of a miss and of the surface.
    """
    rays, ranges, cells, across = hits
    beams = rays.shape[0]
    cast_beams(squares, rays, (setup[MAX_RANGE] + 1.0) / setup[RES], ranges, cells, across)
    draw_all(key, number, np.empty((4, beams), np.uint32), noise)
    if has_echoes(setup, discs, boxes):
        find_echoes(setup, squares, material, discs, boxes, hits, noise)


@compiled
def draw_all(key: Any, number: int, words: Any, noise: Array) -> None:
    """Draw the random numbers of all beams of scan `number`.

    `words` has a column for each beam, `noise` at least a row.
    """
    blocks(key, number, words)
    for k in range(words.shape[1]):
        noise[k, 0], noise[k, 1] = normal(words[0, k]), normal(words[1, k])
        noise[k, 2], noise[k, 3] = uniform(words[2, k]), uniform(words[3, k])


@compiled
def beam_count(
    beams: int, jitter: float, cold_start_s: float, since_s: float, key: Any, number: int
) -> int:
    """Return the beams of scan `number`: fewer while the motor spins up or runs slow.

    `since_s` is the time since the motor was switched on.
    """
    share = 1.0
    if jitter > 0.0:
        share = 1.0 + jitter * normal(block(key, number, MOTOR_DRAW)[0])
    if cold_start_s > 0.0:
        share = min(share, since_s / cold_start_s)
    return max(0, min(beams, int(beams * share)))


@inlined
def draw(key: Any, number: int, beam: int, row: int, noise: Array) -> None:
    """Draw the random numbers of one beam of scan `number` into a row, as `cast` does for all."""
    words = block(key, number, beam)
    noise[row, 0], noise[row, 1] = normal(words[0]), normal(words[1])
    noise[row, 2], noise[row, 3] = uniform(words[2]), uniform(words[3])


@inlined
def has_echoes(setup: Array, discs: Array, boxes: Array) -> bool:
    """Return True if a range may differ from that to the map's first occupied cell."""
    return (
        discs.shape[0] + boxes.shape[0] > 0
        or setup[GRAZING] > 0
        or setup[MATERIALS] > 0
        or setup[MIXED] > 0
    )


@inlined
def measure(
    setup: Array, angle: float, cosine: float, sine: float, distance: float, noise: Array, row: int,
    key: Any, number: int, beam: int,
) -> tuple[bool, float, float, int]:  # fmt: skip
    """Return a beam's point: True if there is one, its angle, its distance and its quality.

    `distance` is the true range. The quality draws random numbers of its own.
    """
    if not distance <= setup[MAX_RANGE] or noise[row, 2] < setup[MISS]:
        return False, angle, 0.0, 0
    measured = (
        distance
        + setup[BIAS]
        + noise[row, 0] * (setup[STD] + setup[STD_PER_M2] * distance * distance)
    )
    if setup[QUANTUM] > 0:
        measured = setup[QUANTUM] * round(measured / setup[QUANTUM])
    if measured < setup[MIN_RANGE] or measured > setup[MAX_RANGE]:
        return False, angle, 0.0, 0
    signal = 0.0
    if setup[Q_STD] > 0:
        signal = setup[Q_STD] * normal(block(key, number, QUALITY_DRAW + beam)[0])
    quality = setup[Q_BASE] - setup[Q_DECAY] * measured + signal
    quality = min(max(quality, 1.0), 255.0)
    tremble = setup[ANGLE_STD] * noise[row, 1]
    angle = angle + tremble
    if setup[CENTRED] > 0:
        ux, uy = turned(cosine, sine, tremble)
        ahead = setup[OPTICAL] + measured + setup[MOUNT_X] * ux + setup[MOUNT_Y] * uy
        aside = setup[MOUNT_Y] * ux - setup[MOUNT_X] * uy
        angle += setup[OFFSET] + _small_angle(aside, ahead)
        measured = math.sqrt(ahead * ahead + aside * aside)
    angle -= 2 * math.pi * math.floor((angle + math.pi) / (2 * math.pi))
    return True, angle, measured, int(quality)


@compiled
def measure_all(
    setup: Array, angles: Array, cosines: Array, sines: Array, truth_m: Array, noise: Array,
    key: Any, number: int, out: Array,
) -> None:  # fmt: skip
    """Write angle, distance, quality and 1 for a point (else 0) of each beam into rows of `out`.

    The bits are those of `measure`. The compiler makes vector instructions of a loop without
    branches over a local array. The beams that need a branch are measured once more.
    """
    beams = truth_m.shape[0]
    if beams < TOGETHER or setup[Q_STD] > 0:  # a quality has random numbers of its own
        _measure_alone(setup, angles, cosines, sines, truth_m, noise, key, number, 0, beams, out)
        return
    bias, std, more, quantum = setup[BIAS], setup[STD], setup[STD_PER_M2], setup[QUANTUM]
    nearest, farthest, miss = setup[MIN_RANGE], setup[MAX_RANGE], setup[MISS]
    base, decay, tremor = setup[Q_BASE], setup[Q_DECAY], setup[ANGLE_STD]
    centred, offset, optical = setup[CENTRED] > 0, setup[OFFSET], setup[OPTICAL]
    mount_x, mount_y = setup[MOUNT_X], setup[MOUNT_Y]
    work = np.empty((10, TOGETHER))
    for start in range(0, beams, TOGETHER):
        first = min(start, beams - TOGETHER)  # the last ones may be measured twice
        for k in range(TOGETHER):
            i = first + k
            work[0, k], work[1, k], work[2, k] = truth_m[i], noise[i, 0], tremor * noise[i, 1]
            work[3, k], work[4, k], work[5, k] = noise[i, 2], cosines[i], sines[i]
            work[6, k] = angles[i]
        for k in range(TOGETHER):
            far = work[0, k]
            work[0, k] = far + bias + work[1, k] * (std + more * far * far)
            work[3, k] = 1.0 if (far <= farthest) & (work[3, k] >= miss) else 0.0
        if quantum > 0:
            for k in range(TOGETHER):
                work[0, k] = quantum * np.rint(work[0, k] / quantum)
        for k in range(TOGETHER):
            far, tremble, cosine, sine = work[0, k], work[2, k], work[4, k], work[5, k]
            seen = (work[3, k] > 0.0) & (far >= nearest) & (far <= farthest)
            quality = base - decay * far
            quality = 1.0 if quality < 1.0 else quality
            work[8, k] = 255.0 if quality > 255.0 else quality
            square = tremble * tremble
            cos = 1.0 - square * (0.5 - square / 24.0)
            sin = tremble * (1.0 - square * (1.0 / 6.0 - square / 120.0))
            ux, uy = cosine * cos - sine * sin, sine * cos + cosine * sin
            ahead = optical + far + mount_x * ux + mount_y * uy
            aside = mount_y * ux - mount_x * uy
            distance = math.sqrt(ahead * ahead + aside * aside)
            work[7, k] = distance if centred else far
            work[9, k] = 1.0 if seen else 0.0
            usual = (abs(tremble) < SMALL_RAD) & (ahead > 0.001) & (ahead < 1e6)  # not nan
            work[3, k] = 1.0 if seen & centred & (not usual) else 0.0
            work[4, k], work[5, k] = ahead if usual else 1.0, aside if usual else 0.0
        for k in range(TOGETHER):
            ahead, aside = work[4, k], work[5, k]
            q = aside / ahead
            square = q * q
            near = q * (
                1.0
                - square
                * (
                    1.0 / 3.0
                    - square * (0.2 - square * (1.0 / 7.0 - square * (1.0 / 9.0 - square / 11.0)))
                )
            )
            shift = near if (q > -0.1) & (q < 0.1) else _ahead_angle(aside, ahead)
            angle = work[6, k] + work[2, k]
            angle = angle + (offset + shift) if centred else angle
            work[6, k] = angle - 2 * math.pi * np.floor((angle + math.pi) / (2 * math.pi))
        odd = 0.0
        for k in range(TOGETHER):
            i = first + k
            out[0, i], out[1, i], out[2, i], out[3, i] = (
                work[6, k], work[7, k], work[8, k], work[9, k],
            )  # fmt: skip
            odd += work[3, k]
        for k in range(TOGETHER if odd > 0.0 else 0):
            if work[3, k] > 0.0:
                i = first + k
                _measure_alone(
                    setup, angles, cosines, sines, truth_m, noise, key, number, i, i + 1, out
                )


@inlined
def _ahead_angle(y: float, x: float) -> float:
    """Return atan2(y, x) of `rigless.kernel.elementary` for a positive x, without branches."""
    wide, high = x, abs(y)
    steep = high > wide
    short, long = (wide, high) if steep else (high, wide)
    k = int(8.0 * (short / long) + 0.5)
    part = 0.125 * k
    u = (short - part * long) / (long + part * short)
    z = u * u
    slope = (
        ((z * -0.09001134067072747 + 0.11110719670008637) * z + -0.14285713510126363) * z
        + 0.19999999999329088
    ) * z + -0.3333333333333314
    angle, rest = _ATAN[k], u + (_ATAN_REST[k] + u * z * slope)
    whole = HALF_PI - angle
    turned = ((HALF_PI - whole) - angle) + (HALF_PI_REST - rest)
    total = whole + turned if steep else angle + rest
    return -total if y < 0.0 else total


@compiled
def _measure_alone(
    setup: Array, angles: Array, cosines: Array, sines: Array, truth_m: Array, noise: Array,
    key: Any, number: int, first: int, last: int, out: Array,
) -> None:  # fmt: skip
    """Do the work of `measure_all` for the beams from `first` to before `last`, one by one."""
    for k in range(first, last):
        seen, angle, distance, quality = measure(
            setup, angles[k], cosines[k], sines[k], truth_m[k], noise, k, key, number, k
        )
        out[0, k], out[1, k], out[2, k] = angle, distance, quality
        out[3, k] = 1.0 if seen else 0.0


@inlined
def turned(c: float, s: float, angle: float) -> tuple[float, float]:
    """Rotate a unit vector. Small angles, the rule here, use a series (error below 1e-12)."""
    if -SMALL_RAD < angle < SMALL_RAD:
        square = angle * angle
        cos, sin = (
            1.0 - square * (0.5 - square / 24.0),
            angle * (1.0 - square * (1.0 / 6.0 - square / 120.0)),
        )
    else:
        sin, cos = sin_cos(angle)
    return c * cos - s * sin, s * cos + c * sin


@inlined
def _small_angle(aside: float, ahead: float) -> float:
    """Return atan2(aside, ahead), by its series where that is good to 1e-11."""
    q = aside / ahead if ahead > 0 else 1.0
    if -0.1 < q < 0.1:
        square = q * q
        return q * (
            1.0
            - square
            * (
                1.0 / 3.0
                - square * (0.2 - square * (1.0 / 7.0 - square * (1.0 / 9.0 - square / 11.0)))
            )
        )
    return atan2(aside, ahead)


@compiled
def find_echoes(
    setup: Array, squares: Any, material: Any, discs: Array, boxes: Array, hits: Hits, noise: Array
) -> None:
    """Change ranges to the map into ranges to what gives an echo, in cells; inf if nothing does."""
    rays, ranges, cells, across = hits
    longest = (setup[MAX_RANGE] + 1.0) / setup[RES]
    grazing, materials, mixed = setup[GRAZING], setup[MATERIALS] > 0, setup[MIXED]
    moving = discs.shape[0] + boxes.shape[0] > 0
    for k in range(rays.shape[0]):
        x, y, dx, dy, luck = rays[k, 0], rays[k, 1], rays[k, 2], rays[k, 3], noise[k, 3]
        distance = ranges[k]
        if moving:
            near = cast_shapes(discs, boxes, x, y, dx, dy)
            if near < distance:
                ranges[k] = near
                continue
        if distance == np.inf:
            continue
        if (abs(dx) if across[k] else abs(dy)) < grazing:
            ranges[k] = np.inf
            continue
        if materials:
            kind = material[cells[k, 1], cells[k, 0]]
            if (kind == GLASS and luck < GLASS_LOST) or (kind == DARK and luck < DARK_LOST):
                ranges[k] = np.inf
                continue
            if kind == MIRROR:
                back = 1e-6
                hit_x, hit_y = x + dx * (distance - back), y + dy * (distance - back)
                out_x, out_y = (-dx, dy) if across[k] else (dx, -dy)
                ranges[k] = distance + cast_ray(squares, hit_x, hit_y, out_x, out_y, longest)[0]
                continue
        if mixed > 0 and luck < mixed:
            beside = cast_ray(squares, x, y, dx - EDGE_RAD * dy, dy + EDGE_RAD * dx, longest)[0]
            if beside < np.inf and abs(beside - distance) > EDGE_STEP:
                ranges[k] = distance + (beside - distance) * (luck / mixed)
