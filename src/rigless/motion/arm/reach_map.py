"""Reach maps: for each point of a grid, the number of tool directions that the arm can reach there.

A direction counts if the tool reaches the point along it with at least one of several rolls about
its own axis. Points further from the shoulder than the arm's length are skipped.
"""

import itertools
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.problems import InputError, Problem
from rigless.motion.arm.broad_phase import Floats, Ints
from rigless.motion.arm.inverse import MOST
from rigless.motion.arm.kinematics import Mechanism, chain, product
from rigless.motion.arm.reach import Reach, ranked
from rigless.worlds.frames import inverse

DIRECTIONS = np.array([(0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1)], float)
ROLLS = 4
STARTS = 16  # of the numeric solver: a map needs one solution of a pose, not all
MOST_BYTES = 100_000_000  # of a file's arrays


@dataclass(frozen=True, eq=False)
class ReachMap:
    """A reach map in the base frame.

    `places_m` (n×3) are the points; `reached` (n) is how many of `directions` are reached there (0:
    out of reach).
    """

    places_m: Floats
    reached: NDArray[np.int16]
    directions: Floats
    resolution_m: float

    @property
    def bounds_m(self) -> tuple[Floats, Floats]:
        """The lowest and the highest corner of the reached points."""
        there = self.places_m[self.reached > 0]
        return (there.min(axis=0), there.max(axis=0)) if len(there) else (np.zeros(3), np.zeros(3))


def read_map(path: Path) -> ReachMap:
    """Read the .npz file that `rigless welder reach --map` writes."""
    fix = "rigless welder reach --map 50 --out reach.npz"
    try:
        with zipfile.ZipFile(path) as file:
            if sum(one.file_size for one in file.infolist()) > MOST_BYTES:
                raise InputError(Problem("", f"is longer than {MOST_BYTES} bytes", fix, str(path)))
        with np.load(path, allow_pickle=False) as found:
            places, reached = (
                np.asarray(found["places_m"], float),
                np.asarray(found["reached"], float),
            )
            directions, resolution_m = (
                np.asarray(found["directions"], float),
                float(found["resolution_m"]),
            )
    except OSError as error:
        raise InputError(
            Problem("", f"cannot be read: {error.strerror or error}", fix, str(path))
        ) from None
    except (
        ValueError,
        KeyError,
        TypeError,
        zipfile.BadZipFile,
        NotImplementedError,
        EOFError,
    ) as error:
        raise InputError(Problem("", f"is not a reach map: {error}", fix, str(path))) from None
    shaped = (
        places.ndim == 2
        and places.shape[1] == 3
        and reached.shape == places.shape[:1]
        and directions.ndim == 2
    )
    if (
        not shaped
        or not np.isfinite(places).all()
        or not 0 < resolution_m <= 10
        or not np.isfinite(reached).all()
    ):
        raise InputError(
            Problem("", "is not a reach map: its arrays do not fit together", fix, str(path))
        )
    return ReachMap(places, reached.astype(np.int16), directions, resolution_m)


def grid(reach: Reach, resolution_m: float) -> Floats:
    """Return the grid points to try, within the arm's length of its shoulder."""
    shoulder, longest = span_m(reach)
    steps = int(np.ceil(longest / resolution_m))
    middle = np.round(shoulder / resolution_m)
    x, y, z = (resolution_m * (centre + np.arange(-steps - 1, steps + 2)) for centre in middle)
    places = np.array(list(itertools.product(x, y, z)))
    found: Floats = places[np.linalg.norm(places - shoulder, axis=1) <= longest]
    return found


def span_m(reach: Reach) -> tuple[Floats, float]:
    """Return a point on axis 1, and an upper bound of the tool's distance from it."""
    places = chain(reach.arm.links, np.zeros(6))
    origins, axes = places[:, :3, 3], places[:6, :3, 2]
    centre = origins[0] + (origins[1] - origins[0]) @ axes[0] * axes[0]
    tool = float(np.linalg.norm(reach.tool[:3, 3]))
    longest = float(np.linalg.norm(origins[1] - centre)) + tool
    longest += float(np.linalg.norm(np.diff(origins[1:], axis=0), axis=1).sum())
    return centre, longest


def tool_turns(directions: Floats = DIRECTIONS, rolls: int = ROLLS) -> Floats:
    """Return rotations that point the tool's z along each direction: directions × rolls × 3 × 3."""
    found = np.empty((len(directions), rolls, 3, 3))
    for n, z in enumerate(directions / np.linalg.norm(directions, axis=1, keepdims=True)):
        side = np.eye(3)[int(np.argmin(np.abs(z)))]
        x = np.cross(side, z)
        x /= np.linalg.norm(x)
        for roll, angle in enumerate(np.arange(rolls) * 2 * np.pi / rolls):
            turned = np.cos(angle) * x + np.sin(angle) * np.cross(z, x)
            found[n, roll] = np.column_stack((turned, np.cross(z, turned), z))
    return found


def count_reached(reach: Reach, places_m: Floats, turns: Floats) -> NDArray[np.int16]:
    """Return the number of reached directions for each point."""
    counts = np.zeros(len(places_m), np.int16)
    size = turns.shape[0] * turns.shape[1] * MOST
    found, which, back = np.empty((size, 6)), np.empty(size, np.int64), inverse(reach.tool)
    arm = reach.arm._replace(starts=reach.arm.starts[:STARTS])
    free = reach.collider.free if reach.collider is not None else None
    for n, place in enumerate(places_m):
        number = fitting(arm, reach.low_rad, reach.high_rad, place, turns, back, found, which)
        done = -1
        for row, direction in enumerate(which[:number].tolist()):
            if direction != done and (free is None or free(found[row])):
                counts[n] += 1
                done = direction
    return counts


@compiled
def fitting(
    arm: Mechanism,
    low: Floats,
    high: Floats,
    place: Floats,
    turns: Floats,
    back: Floats,
    found: Floats,
    which: Ints,
) -> int:
    """Write all solutions within limits for the tool at a point, direction by direction.

    `found` gets the joints, `which` the number of the direction. Return the number of solutions.
    """
    count = 0
    goal = np.eye(4)
    for direction in range(turns.shape[0]):
        for roll in range(turns.shape[1]):
            goal[:3, :3] = turns[direction, roll]
            goal[:3, 3] = place
            solutions, margins, number = ranked(arm, product(goal, back), low, high)
            for n in range(number):
                if margins[n] >= 0.0:
                    found[count] = solutions[n]
                    which[count] = direction
                    count += 1
    return count
