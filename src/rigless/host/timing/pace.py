"""The pace of simulated time: a factor of real time, as fast as possible, or lockstep.

It changes how long the host sleeps and nothing else.
"""

from dataclasses import dataclass
from typing import Literal

from rigless.kernel.problems import InputError, Problem

SLOWEST, FASTEST = 0.1, 100.0
Mode = Literal["real", "fast", "lockstep"]


@dataclass
class Pace:
    """The relation of simulated to wall time: in `real` mode sim = sim0 + (wall − wall0) × speed.

    The anchor (wall0, sim0) moves when the speed changes or time was lost.
    """

    mode: Mode = "real"
    speed: float = 1.0
    wall0_ns: int = 0
    sim0_ns: int = 0

    @classmethod
    def of(cls, speed: float | str) -> "Pace":
        """Parse a pace: a factor from 0.1 to 100, 'fast' or 'lockstep'."""
        if speed == "fast" or speed == "lockstep":
            return cls("fast" if speed == "fast" else "lockstep")
        try:
            factor = float(speed)
        except ValueError:
            factor = 0.0
        if not SLOWEST <= factor <= FASTEST:
            fix = f"a factor from {SLOWEST:g} to {FASTEST:g}, 'fast' or 'lockstep'"
            raise InputError(Problem("speed", f"{speed!r} is not a pace", fix))
        return cls("real", factor)

    def anchor(self, wall_ns: int, sim_ns: int) -> None:
        self.wall0_ns, self.sim0_ns = wall_ns, sim_ns

    def sim_at(self, wall_ns: int) -> int:
        return self.sim0_ns + int((wall_ns - self.wall0_ns) * self.speed)

    def wall_at(self, sim_ns: int) -> int:
        """Return the first wall time at which `sim_at` reaches this time."""
        return self.wall0_ns + -int(-(sim_ns - self.sim0_ns) // self.speed)

    def __str__(self) -> str:
        return f"{self.speed:g}×" if self.mode == "real" else self.mode
