"""How simulated time follows the wall: real time × k, as fast as possible, or only when told. It changes how long the host
sleeps and nothing else."""

from dataclasses import dataclass
from typing import Literal

SLOWEST, FASTEST = 0.1, 100.0
Mode = Literal["real", "fast", "lockstep"]


@dataclass
class Pace:
    """In `real` mode sim = sim0 + (wall − wall0) × speed; the anchor moves when the speed changes or time was lost."""

    mode: Mode = "real"
    speed: float = 1.0
    wall0_ns: int = 0
    sim0_ns: int = 0

    @classmethod
    def of(cls, speed: float | str) -> "Pace":
        return cls(speed, 1.0) if speed in ("fast", "lockstep") else cls("real", float(speed))  # type: ignore[arg-type]

    def anchor(self, wall_ns: int, sim_ns: int) -> None:
        self.wall0_ns, self.sim0_ns = wall_ns, sim_ns

    def sim_at(self, wall_ns: int) -> int:
        return self.sim0_ns + int((wall_ns - self.wall0_ns) * self.speed)

    def wall_at(self, sim_ns: int) -> int:
        """The first wall time at which `sim_at` has reached this."""
        return self.wall0_ns + -int(-(sim_ns - self.sim0_ns) // self.speed)

    def __str__(self) -> str:
        return f"{self.speed:g}×" if self.mode == "real" else self.mode
