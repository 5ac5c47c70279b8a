"""Tool paths in space, cut into chords that are straight lines in joint space.

Theory of operation. A path is a line, an arc or a helix of the tool centre point, with an
orientation that turns by the shortest rotation from its begin to its end. `frame_at` gives the
tool's frame at any share (0 to 1) of it. `cut_path` walks along the path: the end of the next chord
goes through inverse kinematics, on the branch nearest to the previous joints. Between the ends the
joints move straight, so the tool deviates from the path. It is compared with the path at three
points of the chord, and the chord is shortened until it keeps the tolerance. Near a singular wrist
or shoulder a path thus becomes short chords with much joint motion, which the planner runs as fast
as the joints allow. If there is no solution, or none without a jump, the cut ends and gives the
reason.

A path is one vector of plain numbers. Millimetres and degrees.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.arm import inverse, rotation
from rigless.motion.arm.closed_form import THETA
from rigless.motion.arm.kinematics import Mechanism, flange, product

# Elements of a path: begin, end, the rotation at the begin, the rotation vector to its end (rad);
# for arcs the plane's two axes, the centre from the begin and the angle (0: a line);
# length and turn.
BEGIN, END, TURN, VECTOR, FIRST, SECOND, CENTRE, ANGLE, LENGTH_MM, TURN_DEG, PATH_SIZE = (
    0,
    3,
    6,
    15,
    18,
    19,
    20,
    22,
    23,
    24,
    25,
)
# Status of a cut.
OK, OUT_OF_REACH, BEYOND_LIMIT, JUMP = range(4)
SHARE = 6  # column of a chord after its six joints

LEVELS = (0.25, 0.5, 0.75)  # points of a chord at which it is compared with the path
TURN_TOLERANCE_DEG = 0.05
PACE_TOLERANCE = 0.005  # lead or lag of the tool along a chord, relative to its length
LONGEST_MM, LONGEST_DEG = 20.0, 5.0
SHORTEST = 1e-3  # of the tolerance: the need for a shorter chord means a jump
STRAIGHT_DEG = 1e-6  # a wrist straighter than this leaves joints 4 and 6 undetermined


@compiled
def line(begin: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the path between two poses: x, y, z in mm; roll, pitch, yaw in degrees."""
    path = np.zeros(PATH_SIZE)
    first = rotation.from_rpy(begin[3], begin[4], begin[5])
    vector = rotation.vector_between(first, rotation.from_rpy(end[3], end[4], end[5]))
    length = turn = 0.0
    for n in range(3):
        path[BEGIN + n], path[END + n], path[VECTOR + n] = begin[n], end[n], vector[n]
        for m in range(3):
            path[TURN + 3 * n + m] = first[n, m]
        length += (end[n] - begin[n]) ** 2
        turn += vector[n] ** 2
    path[LENGTH_MM], path[TURN_DEG] = np.sqrt(length), np.sqrt(turn) / rotation.DEG
    return path


@compiled
def arc(
    begin: NDArray[np.float64],
    end: NDArray[np.float64],
    first: int,
    second: int,
    i: float,
    j: float,
    angle: float,
) -> NDArray[np.float64]:
    """Return the path around a centre (i, j from the begin) in the plane of two axes.

    `angle` is in radians. A motion of the third axis makes it a helix.
    """
    path = line(begin, end)
    path[FIRST], path[SECOND], path[CENTRE], path[CENTRE + 1], path[ANGLE] = (
        first,
        second,
        i,
        j,
        angle,
    )
    third = 3 - first - second
    path[LENGTH_MM] = np.sqrt((angle**2) * (i * i + j * j) + (end[third] - begin[third]) ** 2)
    return path


@compiled
def arc_position(path: NDArray[np.float64], share: float) -> tuple[float, float]:
    """Return the two coordinates in an arc's plane at a share of its angle."""
    i, j = path[CENTRE], path[CENTRE + 1]
    c, s = np.cos(path[ANGLE] * share), np.sin(path[ANGLE] * share)
    first, second = path[BEGIN + int(path[FIRST])], path[BEGIN + int(path[SECOND])]
    return first + i - i * c + j * s, second + j - i * s - j * c


@compiled
def position_at(path: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the tool's position at a share of the path.

    If the end of an arc is slightly off its circle, the gap is closed along the way.
    """
    found = np.empty(3)
    for n in range(3):
        found[n] = path[BEGIN + n] + share * (path[END + n] - path[BEGIN + n])
    if path[ANGLE] != 0.0:
        first, second = int(path[FIRST]), int(path[SECOND])
        u, v = arc_position(path, share)
        last_u, last_v = arc_position(path, 1.0)
        found[first] = u + share * (path[END + first] - last_u)
        found[second] = v + share * (path[END + second] - last_v)
    return found


@compiled
def frame_at(path: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the tool's frame (4×4) at a share of the path."""
    frame, begin, vector = np.zeros((4, 4)), np.empty((3, 3)), np.empty(3)
    for n in range(3):
        vector[n] = path[VECTOR + n]
        for m in range(3):
            begin[n, m] = path[TURN + 3 * n + m]
    turn, at = rotation.turned(begin, vector, share), position_at(path, share)
    for n in range(3):
        frame[n, 3] = at[n]
        for m in range(3):
            frame[n, m] = turn[n, m]
    frame[3, 3] = 1.0
    return frame


@compiled
def tool_frame(
    links: NDArray[np.float64], tool: NDArray[np.float64], joints_deg: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the tool's frame in the base frame, its position in mm.

    `tool` is the tool in the flange's frame, in metres.
    """
    joints = np.empty(6)
    for axis in range(6):
        joints[axis] = joints_deg[axis] * rotation.DEG
    frame = product(flange(links, joints), tool)
    for n in range(3):
        frame[n, 3] *= 1000.0
    return frame


@compiled
def wrist_deg(arm: Mechanism, joint_5: float) -> float:
    """Return how far joint 5 (degrees) is from the straight wrist, for arms with a closed form."""
    angle = arm.signs[4] * joint_5 + arm.table[4, THETA] / rotation.DEG
    return abs(rotation.near(angle, 0.0))


@compiled
def joints_near(
    arm: Mechanism,
    untool: NDArray[np.float64],
    goal: NDArray[np.float64],
    before: NDArray[np.float64],
    limits: NDArray[np.float64],
    turns: bool,
    out: NDArray[np.float64],
) -> tuple[int, int, float]:
    """Write the joints (degrees) for a goal: within limits, nearest in time to the previous ones.

    With `turns` a joint may take the other way round. Return the status, and the joint and its
    angle that is beyond a limit on the nearest branch of all (−1: none).

    `limits` has three rows: lowest, highest, and degrees per second. `untool` is the flange in the
    tool's frame.
    """
    metres = goal.copy()
    for n in range(3):
        metres[n, 3] /= 1000.0
    wanted = product(metres, untool)
    if turns or len(arm.starts) == 0:
        found, count = inverse.solve(arm, wanted)
    else:  # numerically, a path needs only the solution next to the previous joints
        found = np.empty((1, 6))
        for axis in range(6):
            found[0, axis] = before[axis] * rotation.DEG
        count = int(inverse.solve_near(arm.links, wanted, found[0]))
    least = least_within = np.inf
    beyond, beyond_deg = -1, 0.0
    joints = np.empty(6)
    for n in range(count):
        for axis in range(6):
            joints[axis] = found[n, axis] / rotation.DEG
        if len(arm.starts) == 0 and wrist_deg(arm, joints[4]) < STRAIGHT_DEG:
            same = arm.signs[3] * arm.signs[5]
            joints[3], joints[5] = before[3], joints[5] + same * (joints[3] - before[3])
        far, off, off_deg = 0.0, -1, 0.0
        for axis in range(6):
            value = rotation.near(joints[axis], before[axis])
            low, high = limits[0, axis], limits[1, axis]
            if turns and not low <= value <= high:
                other = value + 360.0 if value < low else value - 360.0
                value = other if low <= other <= high else value
            if not low - 1e-6 <= value <= high + 1e-6:
                off, off_deg = axis, value
            joints[axis] = value
            far = max(far, abs(value - before[axis]) / limits[2, axis])
        if far < least:
            least, beyond, beyond_deg = far, off, off_deg
        if off < 0 and far < least_within:
            least_within = far
            for axis in range(6):
                out[axis] = joints[axis]
    if count == 0:
        return OUT_OF_REACH, -1, 0.0
    return OK if least_within < np.inf else BEYOND_LIMIT, beyond, beyond_deg


@compiled
def path_error(
    path: NDArray[np.float64],
    begin: float,
    end: float,
    joints: NDArray[np.float64],
    after: NDArray[np.float64],
    links: NDArray[np.float64],
    tool: NDArray[np.float64],
    tolerance_mm: float,
) -> float:
    """Return the deviation of the tool from the path on a chord, relative to the tolerance."""
    worst = 0.0
    ahead_mm = PACE_TOLERANCE * (end - begin) * path[LENGTH_MM] + tolerance_mm
    between = np.empty(6)
    for level in LEVELS:
        share = begin + level * (end - begin)
        for axis in range(6):
            between[axis] = joints[axis] + level * (after[axis] - joints[axis])
        frame, wanted = tool_frame(links, tool, between), frame_at(path, share)
        later, sooner = (
            position_at(path, share + 0.01 * (end - begin)),
            position_at(path, share - 0.01 * (end - begin)),
        )
        gap_sqr = along = norm_sqr = chord_sqr = 0.0
        for n in range(3):
            gap, course = frame[n, 3] - wanted[n, 3], later[n] - sooner[n]
            gap_sqr += gap * gap
            along += gap * course
            norm_sqr += course * course
            for m in range(3):
                chord_sqr += (frame[n, m] - wanted[n, m]) ** 2
        ahead = along / np.sqrt(norm_sqr) if norm_sqr > 1e-18 else 0.0
        aside = np.sqrt(max(gap_sqr - ahead * ahead, 0.0))
        turn_deg = (
            2.0 * np.arcsin(min(1.0, np.sqrt(chord_sqr / 8.0))) / rotation.DEG
        )  # |R − R'|² = 8·sin²(angle/2)
        worst = max(
            worst, aside / tolerance_mm, abs(ahead) / ahead_mm, turn_deg / TURN_TOLERANCE_DEG
        )
    return worst


@compiled
def cut_path(
    path: NDArray[np.float64],
    share: float,
    step: float,
    joints: NDArray[np.float64],
    arm: Mechanism,
    tool: NDArray[np.float64],
    untool: NDArray[np.float64],
    limits: NDArray[np.float64],
    tolerance_mm: float,
    chords: NDArray[np.float64],
) -> tuple[int, float, int, int, float]:
    """Fill `chords` (joints, and the share at which they end) from a share on.

    `step` is the first guess of a chord's length (0: unknown). Return the number of chords, the
    guess for the next one, and status, joint and angle as `joints_near` does.
    """
    length, turn = max(path[LENGTH_MM], 1e-9), max(path[TURN_DEG], 1e-9)
    longest = min(1.0, LONGEST_MM / length, LONGEST_DEG / turn)
    if path[ANGLE] != 0.0:
        longest = min(longest, 0.25 / abs(path[ANGLE]))
    shortest = SHORTEST * min(tolerance_mm / length, TURN_TOLERANCE_DEG / turn)
    step = longest if step <= 0.0 else min(step, longest)
    before, after = joints.copy(), np.empty(6)
    count = 0
    while share < 1.0 and count < len(chords):
        left = 1.0 - share
        end = 1.0 if left <= step * 1.0001 else share + (step if left > 2.0 * step else 0.5 * left)
        found, beyond, beyond_deg = joints_near(
            arm, untool, frame_at(path, end), before, limits, False, after
        )
        worst = np.inf
        if found == OK:
            worst = path_error(path, share, end, before, after, arm.links, tool, tolerance_mm)
            if worst <= 1.0:
                chords[count, SHARE] = end
                for axis in range(SHARE):
                    chords[count, axis] = before[axis] = after[axis]
                step = min(longest, (end - share) * min(2.0, 0.9 / np.sqrt(max(worst, 1e-6))))
                share = end
                count += 1
                continue
        step = (end - share) * max(0.1, min(0.7, 0.9 / np.sqrt(worst)))
        if step < shortest:
            status = found if found != OK else BEYOND_LIMIT if beyond >= 0 else JUMP
            return count, step, status, beyond, beyond_deg
    return count, step, OK, -1, 0.0
