"""Lifts and conveyors of a layout, as plain state that time advances.

A lift has one car. A robot calls it, or a scenario sends it; `user` is the robot for which it is
reserved, `rider` the one that it carries. A conveyor takes the oldest load of its first station,
and puts it down at the other one when there is a free slot; until then loads queue on the belt.
"""

import math
from dataclasses import dataclass, field

from rigless.kernel.timing.rate import to_ns
from rigless.worlds.layout.model import Lift
from rigless.worlds.layout.stock import Load, Stock

GAP_M = 0.1  # between two loads on a belt
RESERVED_S = 60.0  # for a robot that has called a lift and does not come


@dataclass
class LiftState:
    """The place of a car, or its destination and the time of its arrival."""

    floor: int = 0
    target: int = 0
    end_ns: int = 0  # 0: it stands
    running: bool = True
    user: str = ""
    until_ns: int = 0  # end of the reservation
    rider: str = ""
    by_hand: dict[str, bool] = field(default_factory=dict)  # doors opened or closed by hand

    @property
    def stands_at(self) -> int | None:
        """The index of the floor at which the car stands, or None while it moves."""
        return None if self.end_ns else self.floor

    def is_free(self, robot: str) -> bool:
        """Return True if a robot may use the lift now."""
        return self.running and not self.end_ns and self.user in ("", robot)

    def reserve(self, robot: str, now_ns: int) -> None:
        """Keep the lift for a robot. Its doors follow the car again."""
        self.user, self.until_ns = robot, now_ns + to_ns(RESERVED_S)
        self.by_hand = {}

    def release(self) -> None:
        self.user, self.rider, self.until_ns = "", "", 0

    def send(self, lift: Lift, target: int, now_ns: int, door_s: float) -> None:
        """Begin to go to a floor; the door needs some time to close first."""
        self.by_hand = {}
        if target != self.floor:
            self.target = target
            way_s = abs(target - self.floor) * lift.seconds
            self.end_ns = now_ns + max(to_ns(door_s + way_s), 1)

    def settle(self, now_ns: int) -> bool:
        """Arrive, if it is time. Return True if the car has arrived."""
        if self.user and not self.rider and now_ns >= self.until_ns:
            self.release()
        if not self.end_ns or now_ns < self.end_ns:
            return False
        self.floor, self.end_ns = self.target, 0
        return True


@dataclass
class OnBelt:
    """A load on a conveyor, and how far its front has come."""

    load: Load
    at_m: float = 0.0


@dataclass
class BeltState:
    """The loads on a conveyor, the first one ahead."""

    loads: list[OnBelt] = field(default_factory=list)
    running: bool = True
    since_ns: int = 0  # the time until which they have moved

    def settle(
        self, start: Stock, end: Stock, slots: int, length_m: float, mps: float, now_ns: int
    ) -> bool:
        """Move loads until now, deliver those at the end, and take the next one.

        Return True if a load was delivered or taken.
        """
        self.advance(length_m, mps, now_ns)
        if not self.running:
            return False
        before = len(start.loads), len(end.loads)
        while self.loads and self.loads[0].at_m >= length_m and len(end.loads) < slots:
            end.loads.append(self.loads.pop(0).load)
        last_m = self.loads[-1].at_m if self.loads else math.inf
        if start.loads and last_m >= (self.loads[-1].load.size_m[0] if self.loads else 0.0) + GAP_M:
            self.loads.append(OnBelt(start.loads.pop(0)))
        return before != (len(start.loads), len(end.loads))

    def advance(self, length_m: float, mps: float, now_ns: int) -> None:
        """Move loads until now, at most to the end."""
        moved_m = (now_ns - self.since_ns) * 1e-9 * mps
        self.since_ns = now_ns
        if not self.running:
            return
        room_m = length_m
        for one in self.loads:
            one.at_m = max(one.at_m, min(one.at_m + moved_m, room_m))
            room_m = one.at_m - one.load.size_m[0] - GAP_M
