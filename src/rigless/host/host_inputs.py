"""Inputs that the host sets: the date, the boot id, its lateness and the time that it lost.

A robot that needs one declares an input of that name. They are recorded like all inputs, so a
replay gets the same values.
"""

import time
from typing import Protocol
from uuid import uuid4

from rigless.host.environment import Environment
from rigless.host.timing.lateness import Lateness
from rigless.host.timing.pace import Pace
from rigless.kernel.events import Event
from rigless.kernel.inputs import AnyInput, SetInput
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation

EPOCH = "epoch_s"  # date of simulated time zero, for robots that send time stamps
LOST = "lost_s"  # simulated time that the host skipped
LATE = "late_ms"  # lateness of the host
BOOT = "boot_id"  # identity of this boot
DATE_WALL_NS = 1_000_000_000  # interval of the checks of the date
DATE_OFF_S = 1.0  # larger differences are corrected
STAMP_OFF_S = 0.05  # the same for stamps that other nodes compare with the wall clock


class InputHost(Protocol):
    """The parts of a host that decide its inputs."""

    sim: Simulation
    pace: Pace
    environment: Environment
    begun: bool
    paused: bool
    failure: str

    def apply(self, given: AnyInput, /) -> None: ...


class HostInputs:
    """Sets the inputs of all robots of a host that declare them."""

    def __init__(self, host: InputHost):
        self.host, self.sim = host, host.sim
        self.lateness = Lateness()
        self._date_due_ns = 0
        self._pace_reported = False

    def boot(self) -> None:
        """Assign a new boot_id, so that messages of two boots are never confused."""
        self.lateness = Lateness()
        for robot in self.sim.core.stepped:
            if BOOT in robot.inputs and self._is_live(robot):
                self.sim.apply(SetInput(robot.name, BOOT, str(uuid4())))
                self.sim.apply(SetInput(robot.name, EPOCH, time.time() - self.sim.now_s))

    def set_date(self) -> None:
        """Set the date: at 1x at time zero, and for robots with a boot_id in every live run."""
        pace = self.host.pace
        fresh = pace.mode == "real" and pace.speed == 1.0 and not self.sim.now_ns
        for robot in self.sim.core.stepped:
            if EPOCH in robot.inputs and (self._is_live(robot) if BOOT in robot.inputs else fresh):
                self.host.apply(SetInput(robot.name, EPOCH, time.time() - self.sim.now_s))
        self._report_pace()

    def check_date(self) -> None:
        """Correct the date now, after a pause, lost time or a change of speed."""
        self._date_due_ns = 0
        if self.host.begun and not self.host.paused and self.host.pace.mode == "real":
            self.correct_date()
        self._report_pace()

    def correct_date(self) -> None:
        """Correct the date after this machine's clock was set, or time was lost or paused."""
        wall_ns = time.monotonic_ns()
        if wall_ns < self._date_due_ns or self.host.failure or self.host.pace.speed != 1.0:
            return
        self._date_due_ns = wall_ns + DATE_WALL_NS
        epoch_s = time.time() - self.host.pace.sim_at(wall_ns) / 1e9
        off = [
            robot
            for robot in self.sim.core.stepped
            if (most_s := self._tolerance_s(robot)) is not None
            and abs(epoch_s - robot.input[EPOCH]) > most_s
            and self._is_live(robot)
        ]
        if off:
            moved_s = epoch_s - off[0].input[EPOCH]
            side = "behind" if moved_s > 0 else "ahead of"
            text = f"{abs(moved_s):.1f} s {side} real time: the robots' date is corrected"
            self.sim.core.log(
                Event(self.sim.now_ns, "", "date", "info", text, {"moved_s": moved_s})
            )
        for robot in off:
            self.sim.apply(SetInput(robot.name, EPOCH, epoch_s))

    def _tolerance_s(self, robot: Robot) -> float | None:
        """Return how far the robot's date may be off; None if it does not follow the clock.

        A robot that counts its stamps from 0 continues to do so.
        """
        if BOOT in robot.inputs:
            return DATE_OFF_S
        follows = EPOCH in robot.inputs and bool(robot.inputs[EPOCH].clock_key)
        return STAMP_OFF_S if follows and robot.input[EPOCH] else None

    def _report_pace(self) -> None:
        """Log once that stamps cannot follow the wall clock at this pace."""
        pace = self.host.pace
        if self._pace_reported or pace.mode == "fast":
            return
        if pace.mode == "real" and pace.speed == 1.0:
            return
        for robot in self.sim.core.stepped:
            spec = robot.inputs.get(EPOCH)
            if spec is not None and spec.clock_key and self._is_live(robot):
                self._pace_reported = True
                text = (
                    f"{robot.name}: stamps do not follow the wall clock at {pace}; publish the "
                    f"clock (--set {spec.clock_key}=true) and give your nodes use_sim_time"
                )
                self.sim.core.log(Event(self.sim.now_ns, "", "stamps", "warning", text, {}))
                return

    def set_lateness(self, wall_ns: int) -> None:
        if self.lateness.changed(wall_ns):
            self._set_all(LATE, self.lateness.p99_ms)

    def set_lost(self, lost_ns: int) -> None:
        self._set_all(LOST, lost_ns / 1e9)

    def _set_all(self, name: str, value: float) -> None:
        for robot in self.sim.core.stepped:
            if name in robot.inputs:
                self.sim.apply(SetInput(robot.name, name, value))

    def _is_live(self, robot: Robot) -> bool:
        environment, fast = self.host.environment, self.host.pace.mode == "fast"
        return all(environment.is_live(port, fast) for port in robot.ports)
