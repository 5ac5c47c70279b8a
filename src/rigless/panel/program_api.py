"""API routes for robots that run program files: load, check, run, hold, single block, reach.

A robot's folder may have a package `panel` with a function `program_desk(host, robot)`. Its desk
streams programs over the robot's own port, as any sender does.
"""

import importlib
import importlib.util
from typing import Annotated, Protocol

from fastapi import FastAPI
from pydantic import Field, StrictBool
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.api.models import Body
from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.api_models import ProgramStatus

MAX_PROGRAM = 1_000_000  # characters; the server takes bodies of 1 MiB
Name = Annotated[str, Field(max_length=200)]


class LoadProgram(Body):
    """A program file: its name and its text."""

    name: Name
    text: Annotated[str, Field(max_length=MAX_PROGRAM)]


class RunProgram(Body):
    """Run from a line. With `single`, stop after each block."""

    first: Annotated[int, Field(ge=1)] = 1
    single: StrictBool = False


class ResumeProgram(Body):
    """Go on to the end, or by one block with `single`."""

    single: StrictBool = False


class ReachPose(Body):
    """A pose of the tool centre point: x, y, z in mm; roll, pitch, yaw in degrees.

    With `go`, the robot moves there if it can.
    """

    pose: Annotated[list[float], Field(min_length=6, max_length=6)]
    go: StrictBool = False


class ProgramFinding(TypedDict):
    """A problem that the check of a program has found in a line."""

    line: int
    level: str
    text: str
    fix: str


class ProgramContent(TypedDict):
    """The loaded program: its lines, the findings of its check, and its summary."""

    name: str
    lines: list[str]
    findings: list[ProgramFinding]
    summary: str


class ReachAnswer(TypedDict):
    """The answer to a pose, as a sentence. `joints_deg` are the joint angles, if any."""

    reachable: bool
    text: str
    joints_deg: list[float] | None


class ProgramDesk(Protocol):
    """The programs of one robot."""

    def load(self, name: str, text: str) -> None: ...

    def content(self) -> ProgramContent: ...

    def status(self) -> ProgramStatus: ...

    def run(self, first: int, single: bool) -> None: ...

    def hold(self) -> None: ...

    def resume(self, single: bool) -> None: ...

    def stop(self) -> None: ...

    async def reach(self, pose: list[float], go: bool) -> ReachAnswer: ...

    async def close(self) -> None: ...


class ProgramDesks:
    """The desks of a host's robots, made when first used."""

    def __init__(self, host: Host):
        self._host = host
        self._desks: dict[str, ProgramDesk] = {}
        self._without: set[str] = set()

    def find(self, robot: str) -> ProgramDesk | None:
        """Return the desk of a robot, or None if it runs no program files."""
        if robot in self._desks or robot in self._without:
            return self._desks.get(robot)
        package = type(self._host.sim.robot(robot)).__module__.rpartition(".")[0]
        name = f"{package}.panel"
        if not package or importlib.util.find_spec(name) is None:
            self._without.add(robot)
            return None
        make = getattr(importlib.import_module(name), "program_desk", None)
        if make is None:
            self._without.add(robot)
            return None
        desk: ProgramDesk = make(self._host, robot)
        self._desks[robot] = desk
        return desk

    def of(self, robot: str) -> ProgramDesk:
        """Return the desk of a robot. Raises InputError if it has none."""
        found = self.find(robot)
        if found is None:
            raise InputError(Problem(robot, "runs no program files", "choose a welder"))
        return found

    def status(self, robot: str) -> ProgramStatus | None:
        """Return the state of a robot's program for the panel, if it has a desk."""
        desk = self.find(robot)
        return None if desk is None else desk.status()

    async def close(self) -> None:
        """End all programs."""
        for desk in self._desks.values():
            await desk.close()


def add_program_routes(app: FastAPI, desks: ProgramDesks) -> None:
    """Add the routes of this module."""
    path = "/api/robots/{robot}/program"

    @app.get(path)
    async def content(robot: str) -> ProgramContent:
        """Return the loaded program and its state."""
        return desks.of(robot).content()

    @app.post(path)
    async def load(robot: str, body: LoadProgram) -> ProgramContent:
        """Load a program from its text."""
        desk = desks.of(robot)
        desk.load(body.name, body.text)
        return desk.content()

    @app.post(f"{path}/run")
    async def run(robot: str, body: RunProgram) -> ProgramStatus:
        """Run the loaded program, from a line if one is given."""
        desk = desks.of(robot)
        desk.run(body.first, body.single)
        return desk.status()

    @app.post(f"{path}/hold")
    async def hold(robot: str) -> ProgramStatus:
        """Hold the program at its next line."""
        desk = desks.of(robot)
        desk.hold()
        return desk.status()

    @app.post(f"{path}/resume")
    async def resume(robot: str, body: ResumeProgram) -> ProgramStatus:
        """Continue a held program."""
        desk = desks.of(robot)
        desk.resume(body.single)
        return desk.status()

    @app.post(f"{path}/stop")
    async def stop(robot: str) -> ProgramStatus:
        """Stop the program."""
        desk = desks.of(robot)
        desk.stop()
        return desk.status()

    @app.post("/api/robots/{robot}/reach")
    async def reach(robot: str, body: ReachPose) -> ReachAnswer:
        """Return if a pose can be reached, and drive there if `go` is true."""
        return await desks.of(robot).reach(body.pose, body.go)
