"""What robots are told of the world outside, as inputs like any other: the date, which of their lives this is, how late their host is, what time it lost.

A robot that wants to know has an input of that name; so the recording has what it was told.
"""

import time
from typing import TYPE_CHECKING
from uuid import uuid4

from rigless.host.lateness import Lateness
from rigless.kernel.events import Event
from rigless.kernel.inputs import SetInput
from rigless.kernel.robot import Robot

if TYPE_CHECKING:
    from rigless.host.host import Host

EPOCH = "epoch_s"  # the input of robots that stamp what they say with a date
LOST = "lost_s"  # the input of robots that tell how much time their machine has lost
LATE = "late_ms"  # the input of robots that tell how late their loop is
BOOT = "boot_id"  # the input of robots that say in which of their lives they say it
DATE_WALL_NS = 1_000_000_000  # how often the date is looked at
DATE_OFF_S = 1.0  # so far robots may be from it


class HostInputs:
    def __init__(self, host: "Host"):
        self.host, self.sim = host, host.sim
        self.lateness = Lateness()
        self._date_due_ns = 0

    def boot(self) -> None:
        """A new life, before anybody hears of it: what is said in two of them must not be taken for the same."""
        self.lateness = Lateness()
        for robot in self.sim.robots.values():
            if BOOT in robot.inputs and self._boots(robot):
                self.sim.apply(SetInput(robot.name, BOOT, str(uuid4())))
                self.sim.apply(SetInput(robot.name, EPOCH, time.time() - self.sim.now_s))

    def date(self) -> None:
        """Robots whose stamps can count from the present do so in a run at the pace of the wall clock, and those that have boots
        whenever they are on the air."""
        pace = self.host.pace
        fresh = pace.mode == "real" and pace.speed == 1.0 and not self.sim.now_ns
        for robot in self.sim.robots.values():
            if EPOCH in robot.inputs and (self._boots(robot) if BOOT in robot.inputs else fresh):
                self.host.apply(SetInput(robot.name, EPOCH, time.time() - self.sim.now_s))

    def keep_date(self) -> None:
        """The machine's date may be set, and time is lost or paused: robots on the air stamp what they say by the present."""
        wall_ns = time.monotonic_ns()
        if wall_ns < self._date_due_ns or self.host.failure or self.host.pace.speed != 1.0:
            return
        self._date_due_ns = wall_ns + DATE_WALL_NS
        epoch_s = time.time() - self.sim.now_s
        off = [
            robot
            for robot in self.sim.robots.values()
            if BOOT in robot.inputs
            and abs(epoch_s - robot.input[EPOCH]) > DATE_OFF_S
            and self._boots(robot)
        ]
        if off:
            moved_s = epoch_s - off[0].input[EPOCH]
            text = f"by this machine's date {abs(moved_s):.1f} s were {'lost' if moved_s > 0 else 'gained'}: robots go by it"
            self.sim.core.log(
                Event(self.sim.now_ns, "", "date", "info", text, {"moved_s": moved_s})
            )
        for robot in off:
            self.sim.apply(SetInput(robot.name, EPOCH, epoch_s))

    def late(self, wall_ns: int) -> None:
        if self.lateness.changed(wall_ns):
            self._tell_all(LATE, self.lateness.p99_ms)

    def lost(self, lost_ns: int) -> None:
        self._tell_all(LOST, lost_ns / 1e9)

    def _tell_all(self, name: str, value: float) -> None:
        for robot in self.sim.robots.values():
            if name in robot.inputs:
                self.sim.apply(SetInput(robot.name, name, value))

    def _boots(self, robot: Robot) -> bool:
        environment, fast = self.host.environment, self.host.pace.mode == "fast"
        return all(environment.is_live(port, fast) for port in robot.ports)
