"""Inverse kinematics of any six-axis arm: the closed form, or numeric if the arm has none.

The numeric solver is for arms without a spherical wrist (UR and others). It is a damped
least-squares iteration (Levenberg-Marquardt) on the error of the flange, from many starting points.
Forward kinematics decides: a solution brings the flange to the goal within CLOSE. A path needs only
the solution next to the last one (`solve_near`), which takes a few iterations.
"""

import numpy as np

from rigless.kernel.compiled import compiled
from rigless.motion.arm.closed_form import Floats, closed_form, solve_table
from rigless.motion.arm.kinematics import Mechanism, product
from rigless.motion.arm.rotation import vector_between
from rigless.motion.arm.urdf import JOINTS, Description
from rigless.worlds.frames import Matrix, inverse

MOST = 16  # a general arm of six revolute joints has at most 16 solutions
STARTS = 64  # all solutions of 300 random poses of a UR arm were found with 48
PRIMES = (2, 3, 5, 7, 11, 13)
CLOSE = 1e-9  # metres and radians
SAME = 1e-5  # radians: nearer solutions are one
ITERATIONS = 60
LONGEST_STEP = 0.7  # radians
NO_STARTS = np.zeros((0, JOINTS))


def mechanism_of(description: Description) -> Mechanism:
    """Return the geometry of an arm from its URDF."""
    links, before = np.empty((JOINTS + 1, 4, 4)), np.eye(4)
    for n, joint in enumerate(description.joints):
        to_z = _z_along(joint.axis)
        links[n] = before @ joint.origin @ to_z
        before = inverse(to_z)
    links[JOINTS] = before @ description.flange
    form = closed_form(description)
    if form is None:
        nothing = np.eye(4)
        return Mechanism(links, np.zeros((6, 4)), np.ones(6), nothing, nothing, starts(STARTS))
    return Mechanism(
        links, form.table, form.signs, inverse(form.base), inverse(form.end), NO_STARTS
    )


def starts(count: int) -> Floats:
    """Return starting points that are spread evenly over all angles (a Halton sequence)."""
    found = np.empty((count, JOINTS))
    for row in range(count):
        for joint, prime in enumerate(PRIMES):
            value, share, n = 0.0, 1.0, row + 1
            while n:
                share /= prime
                value += share * (n % prime)
                n //= prime
            found[row, joint] = np.pi * (2.0 * value - 1.0)
    return found


def _z_along(axis: Floats) -> Matrix:
    """Return a rotation that takes z to the axis; the identity for z itself."""
    found = np.eye(4)
    if axis[2] > 1.0 - 1e-12:
        return found
    if axis[2] < -1.0 + 1e-12:
        found[1, 1] = found[2, 2] = -1.0
        return found
    side = np.cross((0.0, 0.0, 1.0), axis)
    side /= np.linalg.norm(side)
    found[:3, :3] = np.column_stack((side, np.cross(axis, side), axis))
    return found


@compiled
def solve(arm: Mechanism, goal: Floats) -> tuple[Floats, int]:
    """Return all joint angles, in (−π, π], that bring the flange to the goal.

    Return the rows, and the number of rows that are filled.
    """
    if len(arm.starts) == 0:
        found, count = solve_table(arm.table, product(product(arm.base_back, goal), arm.end_back))
        for n in range(count):
            for joint in range(6):
                found[n, joint] *= arm.signs[joint]
        return found, count
    found, joints, count = np.empty((MOST, 6)), np.empty(6), 0
    for n in range(len(arm.starts)):
        for joint in range(6):
            joints[joint] = arm.starts[n, joint]
        if count < MOST and solve_near(arm.links, goal, joints):
            count += add_new(found, count, joints)
    return found, count


@compiled
def add_new(found: Floats, count: int, joints: Floats) -> int:
    """Write joints, wrapped to (−π, π], behind the rows found; return 0 if they are among them."""
    for joint in range(6):
        joints[joint] = np.pi - (np.pi - joints[joint]) % (2.0 * np.pi)
    for n in range(count):
        widest = 0.0
        for joint in range(6):
            gap = abs(found[n, joint] - joints[joint])
            widest = max(widest, min(gap, 2.0 * np.pi - gap))
        if widest < SAME:
            return 0
    for joint in range(6):
        found[count, joint] = joints[joint]
    return 1


@compiled
def solve_near(links: Floats, goal: Floats, joints: Floats) -> bool:
    """Move joints to a solution for the goal. Return False if the iteration finds none."""
    frames, error, slope = np.empty((7, 3, 4)), np.empty(6), np.empty((6, 6))
    gradient, tried, damping = np.empty(6), np.empty(6), 1e-3
    size = error_at(links, goal, joints, frames, error)
    for _ in range(ITERATIONS):
        if largest(error) < CLOSE:
            return True
        linearise(frames, slope)
        for i in range(6):
            gradient[i] = 0.0
            for k in range(6):
                gradient[i] += slope[k, i] * error[k]
        if largest(gradient) < 1e-7 * np.sqrt(size) and size > 1e-12:
            return False  # a local minimum: the goal is out of reach from here
        after = np.inf
        while after >= size:
            if damping > 1e3:
                return size < 36 * CLOSE * CLOSE
            damped_step(slope, gradient, damping, tried)
            shorter = min(1.0, LONGEST_STEP / largest(tried))
            for i in range(6):
                tried[i] = joints[i] + shorter * tried[i]
            after = error_at(links, goal, tried, frames, error)
            damping *= 8.0
        for i in range(6):
            joints[i] = tried[i]
        damping = max(damping / 80.0, 1e-12)
        size = after
    return largest(error) < CLOSE


@compiled
def largest(values: Floats) -> float:
    """Return the largest absolute value."""
    found = 0.0
    for value in values:
        found = max(found, abs(value))
    return found


@compiled
def error_at(links: Floats, goal: Floats, joints: Floats, frames: Floats, error: Floats) -> float:
    """Write the frames of joints and flange, and what the flange lacks to the goal.

    The error is in the base frame: metres, then a rotation vector. Return the sum of squares.
    """
    for n in range(7):
        one, at = links[n], frames[n]
        for i in range(3):
            for j in range(4):
                if n == 0:
                    at[i, j] = one[i, j]
                    continue
                at[i, j] = frames[n - 1, i, 3] if j == 3 else 0.0
                for k in range(3):
                    at[i, j] += frames[n - 1, i, k] * one[k, j]
            if n < 6:
                c, s = np.cos(joints[n]), np.sin(joints[n])
                at[i, 0], at[i, 1] = at[i, 0] * c + at[i, 1] * s, at[i, 1] * c - at[i, 0] * s
    at, total = frames[6], 0.0
    turn = vector_between(at[:, :3], goal[:3, :3])
    for i in range(3):
        error[i] = goal[i, 3] - at[i, 3]
        error[3 + i] = at[i, 0] * turn[0] + at[i, 1] * turn[1] + at[i, 2] * turn[2]
        total += error[i] ** 2 + error[3 + i] ** 2
    return total


@compiled
def linearise(frames: Floats, slope: Floats) -> None:
    """Write the Jacobian of the flange from the frames of `error_at`."""
    for n in range(6):
        zx, zy, zz = frames[n, 0, 2], frames[n, 1, 2], frames[n, 2, 2]
        px, py, pz = (
            frames[6, 0, 3] - frames[n, 0, 3],
            frames[6, 1, 3] - frames[n, 1, 3],
            frames[6, 2, 3] - frames[n, 2, 3],
        )
        slope[0, n], slope[1, n], slope[2, n] = (
            zy * pz - zz * py,
            zz * px - zx * pz,
            zx * py - zy * px,
        )
        slope[3, n], slope[4, n], slope[5, n] = zx, zy, zz


@compiled
def damped_step(slope: Floats, gradient: Floats, damping: float, step: Floats) -> None:
    """Solve (slopeᵀ·slope + damping) · step = gradient, by Cholesky's decomposition."""
    lower = np.empty((6, 6))
    for i in range(6):
        step[i] = gradient[i]
        for j in range(i + 1):
            total = damping if i == j else 0.0
            for k in range(6):
                total += slope[k, i] * slope[k, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            lower[i, j] = np.sqrt(max(total, 1e-300)) if i == j else total / lower[j, j]
        for k in range(i):
            step[i] -= lower[i, k] * step[k]
        step[i] /= lower[i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            step[i] -= lower[k, i] * step[k]
        step[i] /= lower[i, i]
