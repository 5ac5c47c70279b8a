"""Ticks of a machine in tests of the drive, with its limits checked in every tick."""

import math

from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import motors as m

DT_S = 0.01
COARSE_S = 0.04  # tick of the property tests
TOP, ACC, DEC, BASE = 1.2, 0.8, 1.0, 0.56  # of the robot that comes with rigless


def until(machine, done, most=20_000):
    """Tick until a condition holds; return the number of ticks."""
    for count in range(most):
        if done():
            return count
        machine.tick(DT_S)
    raise AssertionError(
        f"not within {most} ticks: at {machine.drive.pose}, {machine.drive.velocity},"
        f" phase {machine.state.drive[d.PHASE]}"
    )


class Watch:
    """Ticks a machine, and checks limits of wheels and travel in every tick."""

    def __init__(self, robot, dt_s=COARSE_S, strict=False):
        self.robot, self.machine, self.dt_s, self.strict = robot, robot.machine, dt_s, strict
        self.before = robot.machine.state.motors[:2, m.VELOCITY].tolist()

    def tick(self):
        machine, dt_s = self.machine, self.dt_s
        drive, path = machine.state.drive, machine.state.path
        phase, leg, heading = drive[d.PHASE], int(drive[d.LEG]), drive[d.HEADING]
        machine.tick(dt_s)
        wheels = machine.state.motors[:2, m.VELOCITY].tolist()
        slower = True
        for now, before in zip(wheels, self.before, strict=True):
            change = abs(now) - abs(before)
            assert abs(now) <= TOP * (1 + 1e-9)
            assert now * before >= 0, "no wheel turns back without coming to rest"
            assert -DEC * dt_s * (1 + 1e-9) <= change <= ACC * dt_s * (1 + 1e-9)
            slower = slower and change <= 0
        self.before = wheels
        if phase == d.ROLL == drive[d.PHASE]:
            assert drive[d.V] * (-1.0 if drive[d.BACK] else 1.0) >= 0, "no way is driven back"
        if self.strict and drive[d.PHASE] == d.ROLL:
            assert abs(drive[d.V]) <= path[int(drive[d.LEG]), d.PATH_SPEED] * (1 + 1e-9)
        if phase == d.ROLL:
            assert abs(drive[d.V]) <= path[leg, d.PATH_SPEED] * (1 + 1e-9) + 1e-9 or slower
            if drive[d.PHASE] == d.ROLL and drive[d.LEG] == leg and path[leg, d.PATH_STOP]:
                way = -1.0 if drive[d.BACK] else 1.0
                dx, dy = path[leg, 0] - drive[d.X], path[leg, 1] - drive[d.Y]
                assert way * (dx * math.cos(heading) + dy * math.sin(heading)) >= -1e-6

    def do(self, what, value):
        machine = self.machine
        match what:
            case "limit":
                machine.drive.limit_speed(value)
            case "allow":
                machine.drive_allowed = value
            case "obstacle":
                self.robot.input["obstacle_m"] = value
            case "estop":
                self.robot.input["estop"] = value
            case "extend":
                machine.drive.extend(value)

    def to_the_end(self):
        for what, value in (("limit", None), ("allow", True), ("obstacle", -1.0), ("estop", False)):
            self.do(what, value)
        for _ in range(20_000):
            if self.machine.drive.arrived:
                return
            self.tick()
        raise AssertionError(f"never arrives: {self.machine.state.drive}")
