"""AGVs that tick together: their state in arrays, and which of them a shared tick may advance.

The arrays of a robot's state (drive, motors, gauges, limit sensors) are rows of arrays of the
group, so that both use the same numbers. After a tick of its own a robot is `sorted`: if nothing is
in progress but driving or standing, the group ticks it until something happens, at the latest at
its next timer. An input, and each change that code of the robot makes, ends this.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rigless.kernel.inputs import SetInput
from rigless.robots.agv.link.host_inputs import MEASURED
from rigless.robots.agv.machine.drivers import MockDrivers
from rigless.robots.agv.machine.machine import SETTLE_S, Machine
from rigless.robots.agv.machine.state import CHANGES, GAUGES, MachineState
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import field as f
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.state import AgvState
from rigless.robots.agv.together import step as s
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.raycast import free_squares

PATH = 8  # legs that the arrays hold at first
NEVER = 2**62
DRIVING = ("MOVE", "FOLLOW_ROUTE", "DOCK")  # jobs that wait for the drive only
NO_SQUARES = free_squares(np.zeros((1, 1), bool))


def groups_of(robots: Sequence[Any]) -> list["FleetTick"]:
    """Return groups of two or more simulated robots with arrays of the same sizes."""
    alike: dict[tuple[Any, ...], list[Any]] = {}
    for robot in robots:
        machine = robot.machine
        if isinstance(machine.drivers, MockDrivers) and robot.vda is None:
            state = machine.state
            sizes = len(state.motors), len(state.edges), len(machine.wheels)
            alike.setdefault(sizes, []).append(robot)
    only = all(hasattr(robot, "machine") for robot in robots[0].neighbour_robots())
    members = [some for some in alike.values() if len(some) > 1 and only]
    if not members:
        return []
    floor = members[0][0].machine.protection.floor()
    floor.use_blocks([])  # those of before a restore are stale
    found = [FleetTick(some) for some in members]
    floor.use_blocks([(group.numbers, group.drives) for group in found])
    return found


class FleetTick:
    """A group of AGVs in one world."""

    def __init__(self, robots: Sequence[Any]):
        self.robots = robots
        self._places = {id(robot): n for n, robot in enumerate(robots)}
        self._machines = [robot.machine for robot in robots]
        first, count = self._machines[0], len(robots)
        self.floor = first.protection.floor()
        self.numbers = np.array([one.protection.number for one in self._machines], np.int64)
        motors, on = first.state.motors.shape[0], len(first.state.edges)
        self._modes, self._next = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self._expected, self._alone = np.zeros(count), np.zeros(count, np.int64)
        self.drives = np.zeros((count, d.DRIVE_SIZE))
        self._motors = np.zeros((count, motors, m.MOTOR_SIZE))
        self._gauges, self._on = np.zeros((count, GAUGES)), np.zeros((count, on))
        self._paths, self._lengths = np.zeros((count, PATH, d.PATH_SIZE)), np.zeros(count, np.int64)
        self._given: list[Any] = [None] * count  # the paths that were copied
        self._versions = [(-1, -1)] * count
        self._consts = np.zeros((count, d.CONST_SIZE))
        self._wheels = np.array([one.wheels for one in self._machines])
        self._limits = np.zeros((count, motors, m.LIMIT_SIZE))
        self._edges = np.array([one.sensing.edges for one in self._machines])
        self._knobs, self._last = np.zeros((count, s.KNOB_SIZE)), np.zeros((count, f.FIELD_SIZE))
        self._shown = np.zeros(count, np.int64)  # version of the obstacles at the last look
        self._touching, self._touched = np.zeros(len(self.floor.names), bool), False
        grid = robots[0].world.grid if isinstance(robots[0].world, GridWorld) else None
        self._squares = NO_SQUARES if grid is None else grid.squares
        self._frame = np.zeros(6)
        for place, machine in enumerate(self._machines):
            self._adopt(place, machine.state)
            robots[place].group = self
        walls = first.protection.walls
        if walls is not None:
            self._frame[:] = walls.frame
        self._step()  # compile or load it before the run: no member ticks yet

    def _adopt(self, place: int, state: MachineState) -> None:
        """Make the arrays of a state rows of the arrays of the group."""
        for rows, name in (
            (self.drives, "drive"), (self._motors, "motors"), (self._gauges, "gauges"),
            (self._on, "edges"),
        ):  # fmt: skip
            rows[place] = getattr(state, name)
            setattr(state, name, rows[place])

    def disturb(self, robot: Any, message: Any) -> None:
        """Let a robot tick by itself next time; how late the host is does not change its tick."""
        if isinstance(message, SetInput) and message.name in MEASURED:
            return
        self._modes[self._places[id(robot)]] = s.ALONE

    def modes(self) -> list[int]:
        """Return the modes of the members, in their order."""
        return self._modes.tolist()

    def end(self) -> None:
        """Leave the members to themselves."""
        self.floor.use_blocks([])
        for robot in self.robots:
            robot.group = None

    def advance(self) -> Iterable[int]:
        """Tick all members that only drive on or stand; return the places of the others."""
        if not self._modes.any():
            return range(len(self.robots))
        return self._step()

    def _step(self) -> Iterable[int]:
        floor, now_ns = self.floor, self.robots[0].now_ns
        fields, touching = floor.at(now_ns)
        if touching or self._touched:
            self._touching[:] = False
            self._touching[list(touching)] = self._touched = bool(touching)
        count, moved = s.step(
            now_ns, self._modes, self._next, self._expected, self.drives, self._motors,
            self._gauges, self._on, self._paths, self._lengths, self._consts, self._wheels,
            self._limits, self._edges, self._knobs, self.numbers, fields, self._last,
            self._touching, floor.version, self._shown, floor.discs, floor.boxes, self._squares,
            self._frame, self._alone,
        )  # fmt: skip
        if moved:
            floor.moved()
        return self._alone[:count].tolist()

    # After a tick of one robot

    def sort(self, robot: Any) -> None:
        """Decide, after a tick of its own, if the group can tick this robot."""
        place = self._places[id(robot)]
        mode = _mode(robot, robot.parts)
        self._modes[place] = mode
        if mode == s.ALONE:
            return
        machine, parts = robot.machine, robot.parts
        state, protection = machine.state, machine.protection
        self._expected[place] = state.gauges[CHANGES]
        task = parts.task.active
        deadline_ns = NEVER if task is None or task.deadline_ns is None else task.deadline_ns
        due_ns = state.due_ns, robot.site.due_ns, parts.traffic.next_ns, deadline_ns
        self._next[place] = min(due_ns)
        versions = machine.version, protection.version
        if versions != self._versions[place]:
            self._versions[place] = versions
            self._measure(place, machine)
        self._knobs[place, s.LIMIT] = state.speed_limit if state.drive_allowed else 0.0
        if mode == s.STANDS:
            self._shown[place] = self.floor.version
            if protection.sees_robots:
                self._last[place, : f.FIELD_SIZE] = protection.last_look
        elif state.path is not self._given[place]:
            self._copy_path(place, state.path)

    def _copy_path(self, place: int, path: m.Array) -> None:
        if len(path) > self._paths.shape[1]:
            longer = np.zeros((len(self.robots), 2 * len(path), d.PATH_SIZE))
            longer[:, : self._paths.shape[1]] = self._paths
            self._paths = longer
        self._paths[place, : len(path)] = path
        self._lengths[place], self._given[place] = len(path), path

    def _measure(self, place: int, machine: Machine) -> None:
        """Read the constants of a machine."""
        protection, knobs = machine.protection, self._knobs[place]
        self._consts[place], self._limits[place] = machine.const, machine.limits
        knobs[s.STOP_M : s.WALLED + 1] = protection.knobs()
        knobs[s.IDLE_W : s.LOW + 1] = machine.battery_knobs()
        knobs[s.WARMTH], knobs[s.DT] = machine.drivers.warmth, machine.dt_s
        knobs[s.SETTLE] = SETTLE_S


def _mode(robot: Any, parts: AgvState) -> int:
    """Return the mode of a robot after its tick: ALONE, DRIVES or STANDS."""
    machine, state, core = robot.machine, parts.machine, parts.core
    if (
        state.touching
        or not state.sampled
        or core.changed
        or core.rate_limits
        or not core.booted
        or state.scans
        or state.notices
        or state.collisions
        or state.lift
        or machine.drivers.changed()
    ):
        return s.ALONE
    traffic, task = parts.traffic, parts.task
    if traffic.zones or traffic.blocked or task.queue or task.unfinished:
        return s.ALONE
    if task.active is not None and not (task.active.job and core.may_drive):
        return s.ALONE
    if parts.jobs.by_id and not _only_driving(parts):
        return s.ALONE
    if state.moving:
        return s.DRIVES if _drives_freely(robot, state) else s.ALONE
    return s.STANDS if machine.protection.knows_all else s.ALONE


def _only_driving(parts: AgvState) -> bool:
    """Return True if all jobs wait for the end of a leg, and nothing else."""
    following = parts.route.following
    if following is not None and following.action >= 0:
        return False
    for job in parts.jobs.by_id.values():
        if job.state != "RUNNING" or job.kind not in DRIVING or parts.core.status == "ERROR":
            return False
        if job.kind == "FOLLOW_ROUTE" and following is None:  # it waits for a response
            return False
    return not any(command.waits for command in parts.commands.running.values())


def _drives_freely(robot: Any, state: MachineState) -> bool:
    """Return True if nothing stops the drive or acts on it."""
    return not (
        state.obstacle_stop
        or state.blocked
        or state.guarded
        or state.collided
        or state.rest_s
        or len(state.over)
        or len(state.placed)
        or state.frozen
        or state.charging
        or state.soc <= 0.0
        or any(state.motor_faults)
        or state.estop != "NONE"
        or state.ahead_m < np.inf
        or robot.input.get("obstacle_m", -1.0) >= 0.0
        or robot.machine.scripts.watches_distance
        or robot.parts.core.circle_ns
        or robot.parts.route.blocked_ns
    )
