"""Save the poses of robots, and start them there in the next run on the network.

Robots decide by `last_pose()` whether they resume. The starts are part of the scenario that a
recording contains, so a replay starts at the same poses.
"""

import json
import math
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Protocol

from rigless.host.environment import Environment
from rigless.host.storage.saved_settings import with_saved_settings
from rigless.host.timing.pace import Pace
from rigless.kernel.events import Event
from rigless.kernel.fleet import FleetMember, LastPose
from rigless.kernel.problems import InputError
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.scenario.build import Built, rebuild_with

FILE = "poses.sqlite"
PERIOD_WALL_NS = 1_000_000_000
PATIENCE_S = 0.25  # wait for the lock of another process; this blocks the event loop
SCHEMA = """CREATE TABLE IF NOT EXISTS pose
(robot TEXT PRIMARY KEY, world TEXT, x REAL, y REAL, theta REAL)"""

Pose = tuple[float, float, float]


class PoseHost(Protocol):
    """The parts of a host that decide where poses are saved."""

    sim: Simulation
    environment: Environment
    pace: Pace
    begun: bool


class LastPoses:
    """Saves the poses of a host's robots once a second, and at the end of the run."""

    def __init__(self, host: PoseHost):
        self._host = host
        self._saved: dict[str, LastPose] = {}
        self._due_wall_ns = 0
        self._failed = False

    def save_if_due(self) -> None:
        wall_ns = time.monotonic_ns()
        if wall_ns >= self._due_wall_ns:
            self._due_wall_ns = wall_ns + PERIOD_WALL_NS
            self.save()

    def save(self) -> None:
        """Save the poses that have changed. If that fails, log it once."""
        host = self._host
        folder = host.environment.kept_folder
        if not host.begun or folder is None:
            return
        poses = _resuming(host.sim, host.environment, host.pace.mode == "fast")
        changed = {name: pose for name, pose in poses.items() if pose != self._saved.get(name)}
        if not changed:
            return
        core = host.sim.core
        scenario = _scenario_map(core.origin["scenario"])
        rows = [
            (_id(core.robots[name]), _world(scenario, pose), *pose[:3])
            for name, pose in changed.items()
        ]
        path = folder / FILE
        try:
            with closing(sqlite3.connect(path, timeout=PATIENCE_S)) as database, database:
                database.execute("PRAGMA synchronous = OFF")  # a sync would delay ticks
                database.execute(SCHEMA)
                database.executemany("INSERT OR REPLACE INTO pose VALUES (?, ?, ?, ?, ?)", rows)
        except (OSError, sqlite3.Error) as error:
            if not self._failed:
                self._failed = True
                text = f"the poses cannot be saved in {path}: {error}; use another --state folder"
                core.log(Event(host.sim.now_ns, "", "poses", "warning", text, {}))
            return
        self._saved |= changed


def with_saved_state(built: Built, environment: Environment, fast: bool) -> Built:
    """Return the simulation built with the settings and poses that earlier runs have saved."""
    return with_last_poses(with_saved_settings(built, environment, fast), environment, fast)


def _resuming(sim: Simulation, environment: Environment, fast: bool) -> dict[str, LastPose]:
    """Return the poses of the robots on the network that resume at their last one."""
    poses = {
        robot.name: robot.last_pose()
        for robot in sim.core.stepped
        if isinstance(robot, FleetMember)
        and all(environment.is_live(port, fast) for port in robot.ports)
    }
    return {name: pose for name, pose in poses.items() if pose is not None}


def with_last_poses(built: Built, environment: Environment, fast: bool) -> Built:
    """Return the simulation built with the last poses of its robots.

    A robot whose last pose was on another map, or is not free now, starts as configured.
    """
    core, folder = built.simulation.core, environment.kept_folder
    if folder is None:
        return built
    live = _resuming(built.simulation, environment, fast)
    scenario, saved = _scenario_map(core.origin["scenario"]), _read(folder / FILE)
    found = {name: saved.get(_id(core.robots[name])) for name in live}
    starts = {
        name: last[1]
        for name, last in found.items()
        if last is not None and last[0] == _world(scenario, live[name])
    }
    refused: dict[str, str] = {}
    while starts:
        notes = [f"{name} starts as configured: {why}" for name, why in refused.items()]
        notes.append(_note(starts))
        try:
            return rebuild_with(built, {}, notes, starts)
        except InputError as error:
            bad = {problem.where: problem.what for problem in error.problems}
            bad = {name: why for name, why in bad.items() if name in starts}
            if not bad:
                raise
            refused |= bad
            starts = {name: pose for name, pose in starts.items() if name not in bad}
    built.notes += tuple(f"{name} starts as configured: {why}" for name, why in refused.items())
    return built


def _read(path: Path) -> dict[str, tuple[str, Pose]]:
    """Return the saved worlds and poses by robot; {} if there are none that can be read."""
    if not path.is_file():
        return {}
    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE_S)) as database:
            rows = database.execute("SELECT robot, world, x, y, theta FROM pose").fetchall()
    except sqlite3.Error:
        return {}
    return {
        robot: (world, (x, y, theta))
        for robot, world, x, y, theta in rows
        if isinstance(world, str) and all(_is_finite(value) for value in (x, y, theta))
    }


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _scenario_map(scenario: str) -> str:
    world = json.loads(scenario).get("world", {})
    return str(world.get("map") or world.get("layout") or "")


def _world(scenario: str, pose: LastPose) -> str:
    return scenario or pose.map


def _id(robot: Robot) -> str:
    """Return the name under which a pose is saved: kind, and name on the wire."""
    assert isinstance(robot, FleetMember)
    return f"{type(robot).__module__}/{robot.wire_name(robot.config) or robot.name}"


def _note(starts: dict[str, Pose]) -> str:
    (name, (x, y, theta)), *more = starts.items()
    if more:
        return f"{len(starts)} robots start at their last poses: {name}, {more[0][0]}, …"
    return f"{name} starts at its last pose ({x:.2f}, {y:.2f}), heading {theta:.2f} rad"
