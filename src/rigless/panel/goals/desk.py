"""The goal desks of robots, and where a robot's own is found.

A robot's folder may have a package `panel` with a function `goal_desk(host, robot)`.
"""

import importlib
import importlib.util
from typing import Protocol

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.goals.models import GiveGoal, GoalStatus


class GoalDesk(Protocol):
    """Takes one robot to places."""

    def status(self) -> GoalStatus: ...

    async def go(self, goal: GiveGoal) -> None:
        """Accept a goal, or raise InputError with the reason and the nearest possible one."""

    async def stop(self) -> None:
        """Stop the robot and forget the goal."""

    async def close(self) -> None: ...


class GoalDesks:
    """The desks of a host's robots, made when first used."""

    def __init__(self, host: Host):
        self._host = host
        self._desks: dict[str, GoalDesk | None] = {}

    def find(self, robot: str) -> GoalDesk | None:
        """Return the desk of a robot, or None if it cannot be sent to a place."""
        if robot not in self._desks:
            self._desks[robot] = self._make(robot)
        return self._desks[robot]

    def _make(self, robot: str) -> GoalDesk | None:
        package = type(self._host.sim.robot(robot)).__module__.rpartition(".")[0]
        name = f"{package}.panel"
        if not package or importlib.util.find_spec(name) is None:
            return None
        make = getattr(importlib.import_module(name), "goal_desk", None)
        try:
            desk: GoalDesk | None = make(self._host, robot) if make is not None else None
        except ImportError:  # of a protocol's library, which is not installed
            return None
        return desk

    def of(self, robot: str) -> GoalDesk:
        """Return the desk of a robot. Raises InputError if it has none."""
        found = self.find(robot)
        if found is None:
            what = "has no driver that takes it to a place"
            raise InputError(Problem(robot, what, "choose a vacuum, a pacbot, a rover or an AGV"))
        return found

    def status(self, robot: str) -> GoalStatus | None:
        """Return the goal of a robot for the panel, if it has a desk."""
        desk = self.find(robot)
        return None if desk is None else desk.status()

    async def close(self) -> None:
        """End all drivers."""
        for desk in self._desks.values():
            if desk is not None:
                await desk.close()
