"""The part of a fleet that one process steps, and the poses that the parts exchange.

Every process builds the whole scenario, so that all agree on names and starts. It steps the robots
of its own shard. The other robots stand in its world as they are described by `Follow` inputs:
they are seen, they block, and they are bumped into.

The n-th robot of the scenario belongs to shard n modulo the number of shards.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem

MOST_SHARDS = 256


class Whereabouts(NamedTuple):
    """Pose and velocity of a robot; all NaN if it has no place.

    `extra` is an integer with a meaning of its own for each kind of robot, such as its load.
    """

    x_m: float
    y_m: float
    theta_rad: float
    v_mps: float = 0.0
    omega_radps: float = 0.0
    extra: float = 0.0


NOWHERE = Whereabouts(*(float("nan"),) * len(Whereabouts._fields))
ROW_BYTES = 8 * len(NOWHERE)


@dataclass(frozen=True)
class Shard:
    """Shard `number` of `count`. Number 0 steps no robot and observes all."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Parse a shard such as "2/4". Raises InputError."""
        number, slash, count = text.partition("/")
        if slash and number.isdecimal() and count.isdecimal() and len(text) < 10:
            found = cls(int(number), int(count))
            if found.number <= found.count and 1 <= found.count <= MOST_SHARDS:
                return found
        what = f"{text!r} is not a part of a fleet"
        fix = f"give its number and the number of parts, at most {MOST_SHARDS}: 2/4"
        raise InputError(Problem("shard", what, fix))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def owner(self, index: int) -> int:
        """Return the number of the shard that steps the robot at this place of the scenario."""
        return index % self.count + 1


class Membership:
    """The shard of each robot of a simulation. Without shards, all robots are stepped here."""

    def __init__(self, shard: Shard | None, robots: Iterable[str]):
        self.shard = shard
        self.names: dict[int, list[str]] = {}  # of each shard, in their order
        if shard is not None:
            for index, name in enumerate(robots):
                self.names.setdefault(shard.owner(index), []).append(name)
        self.owners = {name: number for number, some in self.names.items() for name in some}
        here = 0 if shard is None else shard.number
        self.rows: dict[str, Any] = {}  # last status of robots elsewhere, for panels
        self.elsewhere = frozenset(name for name, owner in self.owners.items() if owner != here)

    @property
    def number(self) -> int | None:
        """The number of the shard of this process; None without shards."""
        return None if self.shard is None else self.shard.number

    @property
    def count(self) -> int:
        """The number of shards."""
        return 1 if self.shard is None else self.shard.count

    def check_here(self, robot: str) -> None:
        """Raise InputError if another shard steps this robot."""
        if robot in self.elsewhere:
            what = f"is stepped by shard {self.owners[robot]}, not by {self.shard}"
            raise InputError(Problem(robot, what, "send it to that process"))

    def check_shard(self, shard: int) -> None:
        """Raise InputError if there is no such shard."""
        if shard not in self.names:
            what = f"there is no shard {shard}"
            raise InputError(Problem("shard", what, f"this process is shard {self.shard}"))

    def check(self, shard: int, poses: bytes) -> None:
        """Raise InputError unless these are poses of the robots of another shard."""
        here = None if self.shard is None else self.shard.number
        expected = ROW_BYTES * len(self.names.get(shard, ()))
        if here is None or shard == here or shard not in self.names:
            what = f"there is no other shard {shard}"
            raise InputError(Problem("shard", what, f"this process is shard {self.shard}"))
        if len(poses) != expected:
            what = f"{len(poses)} bytes are not the poses of its robots ({expected} bytes)"
            raise InputError(Problem(f"shard {shard}", what, "run the same scenario everywhere"))


def to_bytes(rows: Iterable[Whereabouts]) -> bytes:
    """Return whereabouts as bytes, in little-endian order."""
    return np.array(list(rows), "<f8").tobytes()


def from_bytes(data: bytes) -> list[Whereabouts]:
    """Return the whereabouts in bytes made by `to_bytes`."""
    rows: NDArray[np.float64] = np.frombuffer(data, "<f8").reshape(-1, len(NOWHERE))
    return [Whereabouts(*row) for row in rows.tolist()]


def follow(robots: Mapping[str, Any], names: Iterable[str], poses: bytes) -> None:
    """Put the robots of another shard where they are."""
    for name, place in zip(names, from_bytes(poses), strict=True):
        if all(map(np.isfinite, place)):
            robots[name].follow_pose(place)
