"""Arcs of G2 and G3: centre, swept angle, and the chords that approximate them."""

import math

from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import AXES, Six, Step
from rigless.robots.welder.gcode.words import GcodeError

FAR, NEAR, SHARE = 0.5, 0.005, 0.001  # allowed difference of start and end radius, as in grbl


def radius(dx: float, dy: float, i: float, j: float) -> float:
    """Return the radius of an arc about a centre.

    Raises GcodeError if start and end are not equally far from the centre.
    """
    found, reached = math.hypot(i, j), math.hypot(dx - i, dy - j)
    differ = abs(found - reached)
    if found == 0.0 or (differ > NEAR and (differ > FAR or differ > SHARE * found)):
        raise GcodeError(codes.BAD_TARGET)
    return found


def centre_by_radius(
    dx: float, dy: float, radius: float, clockwise: bool
) -> tuple[float, float, float]:
    """Return the centre of an arc of given radius, and the radius. Raises GcodeError.

    A negative radius selects the longer arc.
    """
    if dx == 0.0 and dy == 0.0:
        raise GcodeError(codes.BAD_TARGET)
    rest = 4.0 * radius * radius - dx * dx - dy * dy
    if rest < 0.0:
        raise GcodeError(codes.BAD_RADIUS)
    height = -math.sqrt(rest) / math.hypot(dx, dy)
    if not clockwise:
        height = -height
    if radius < 0.0:
        height, radius = -height, -radius
    return 0.5 * (dx - dy * height), 0.5 * (dy + dx * height), radius


def swept(ax: float, ay: float, bx: float, by: float, clockwise: bool) -> float:
    """Return the swept angle from one radius to the other; equal radii are a full turn."""
    angle = math.atan2(ax * by - ay * bx, ax * bx + ay * by)
    if clockwise and angle >= -5e-7:
        angle -= 2 * math.pi
    elif not clockwise and angle <= 5e-7:
        angle += 2 * math.pi
    return angle


def segments(radius: float, angle: float, tolerance: float) -> int:
    """Return the number of chords that stay within the tolerance of the arc."""
    tolerance = min(tolerance, radius)
    chord = math.sqrt(tolerance * (2.0 * radius - tolerance))
    return max(1, int(abs(0.5 * angle * radius) / chord))


def chord_end(step: Step, n: int) -> Six:
    """Return the end of the n-th chord of an arc step."""
    first, second, i, j, angle, count = (
        int(step[2]),
        int(step[3]),
        *(float(value) for value in step[4:8]),
    )
    begin = tuple(float(value) for value in step[9 : 9 + AXES])
    end = tuple(float(value) for value in step[9 + AXES :])
    if n >= count:
        return end
    share = n / count
    turned = angle * share
    cosine, sine = math.cos(turned), math.sin(turned)
    point = [a + (b - a) * share for a, b in zip(begin, end, strict=True)]
    point[first] = begin[first] + i - i * cosine + j * sine
    point[second] = begin[second] + j - i * sine - j * cosine
    return tuple(point)
