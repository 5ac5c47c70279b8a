"""`rigless compile`: have numba compile the functions of robots and keep the result on disk.

Each robot runs briefly in a process of its own, with what its clients may ask for later. Functions
that are in the cache already are only loaded.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from rigless.console import print_line, print_note, stderr_console
from rigless.kernel.problems import InputError, Problem
from rigless.scenario import extras, kinds

POLL_S = 0.1


@dataclass(frozen=True)
class Progress:
    """The state of one robot: the last function, and how many are ready."""

    robot: str
    function: str = ""
    done: int = 0
    total: int = 1


def compile_robots(names: list[str]) -> int:
    """Compile the named robots, or all that are installed, and return the exit code.

    A robot outside the package is named by its folder or dotted path, as for `rigless run`.
    """
    from rigless.scenario.load import load

    for name in names:
        if name not in kinds.installed():
            _check_own(name)
            load(name)  # raises what is wrong with it here, not in another process
    chosen = list(dict.fromkeys(names)) or [k for k in kinds.installed() if not extras.missing(k)]
    lacking = {kind: extras.missing(kind) for kind in chosen}
    if problems := [
        Problem(kind, f"needs {', '.join(found)}, not installed", extras.install_command(kind))
        for kind, found in lacking.items()
        if found
    ]:
        raise InputError(problems)
    if not chosen:
        raise InputError(Problem("", "no robot is installed", "pip install 'rigless[all]'"))
    begun = time.monotonic()
    compiled = _compile_all(chosen)
    took_s = time.monotonic() - begun
    for kind, count in compiled.items():
        print_line(f"{kind}: {f'{count} functions compiled' if count else 'already compiled'}")
    print_note(f"{took_s:.0f} s; the first start of these robots is quick now", "dim")
    return 0


def _check_own(name: str) -> None:
    """Raise InputError with the fix if a name is no robot."""
    if not kinds.is_folder(name) and os.path.isfile(os.path.join(name, "__init__.py")):
        raise InputError(Problem("", f"unknown robot {name!r}", f"name its folder: ./{name}"))
    kinds.robot_class(name)


def _compile_all(robots: list[str]) -> dict[str, int]:
    """Compile robots on all cores and return the number of functions compiled for each."""
    context = get_context("spawn")
    with context.Manager() as manager, _bars(robots) as bars:
        reports: Any = manager.Queue()
        with ProcessPoolExecutor(mp_context=context) as pool:
            jobs = {robot: pool.submit(compile_robot, robot, reports) for robot in robots}
            while any(not job.done() for job in jobs.values()):
                time.sleep(POLL_S)
                _show(bars, reports, jobs)
        return {robot: job.result() for robot, job in jobs.items()}


def _show(bars: Any, reports: Any, jobs: dict[str, Future[int]]) -> None:
    tasks = dict(zip(jobs, bars.task_ids, strict=True))
    while not reports.empty():
        report: Progress = reports.get()
        text = f"{report.robot}: {report.function}" if report.function else report.robot
        done = report.done / max(report.total, 1)
        bars.update(tasks[report.robot], description=f"{text:<36}", completed=done)
    for robot, job in jobs.items():
        if job.done():
            bars.update(tasks[robot], description=f"{robot:<36}", completed=1.0)


def _bars(robots: list[str]) -> Any:
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    console = stderr_console()
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    bars = Bars(*columns, console=console, disable=not console.is_terminal, transient=True)
    for robot in robots:
        bars.add_task(f"{robot:<36}", total=1.0)
    return bars


# In the process of one robot


class _Reporter:
    """Sends the progress of this process to the parent."""

    def __init__(self, robot: str, reports: Any):
        self.functions = 0
        self._robot, self._reports, self._last = robot, reports, Progress(robot)

    def begin(self, function: str) -> None:
        self.functions += 1
        self._last = Progress(self._robot, function, self._last.done, self._last.total)
        self._reports.put(self._last)

    def end(self, done: int, total: int) -> None:
        self._last = Progress(self._robot, self._last.function, done, total)
        self._reports.put(self._last)


def compile_robot(kind: str, reports: Any) -> int:
    """Use everything of a robot once; return the number of functions that were compiled."""
    from rigless.kernel.compilation import observed

    reporter = _Reporter(kind, reports)
    with observed(reporter):
        use_robot(kind)
    return reporter.functions


def use_robot(kind: str) -> None:
    """Run a robot briefly, draw it, and use the parts that only clients ask for."""
    from rigless.scenario.load import load
    from rigless.scenario.warm_up import warm_up

    sim = load(kind)
    warm_up(sim)
    (robot,) = sim.robots.values()
    robot.view().draw()
    use_floor(robot)
    if kind in OPTIONS:
        warm_up(load(kind, settings=OPTIONS[kind]))
    MORE.get(kind, lambda: None)()


def use_floor(robot: Any) -> None:
    """Use what expectations on distances and coverage need."""
    from rigless.scenario.expect.safety import clearance_m, shape_of

    body, beams = shape_of(robot), robot.beams()
    if body is None:
        return
    use_routes(robot, body)
    from rigless.worlds.floor import Floor, SeenFloor
    from rigless.worlds.grid_world import GridWorld

    if not isinstance(robot.world, GridWorld):
        return
    clearance_m(robot)
    floor, seen = Floor(robot.world.grid, body.inner_m), SeenFloor(robot.world.grid)
    robot.world.grid.cast((body.x, body.y, 0.0), 0.0, 8.0)
    for each in (floor, seen):
        each.start(body.x, body.y)
    floor.sweep(body.x, body.y, body.x, body.y)
    if beams is not None:
        seen.see(beams)


def use_routes(robot: Any, body: Any) -> None:
    """Use what goals of the panel need."""
    from rigless.kernel.body import Body
    from rigless.worlds.route import find_route

    disc = Body(body.x, body.y, radius_m=body.outer_m)
    find_route(robot.world, disc, (body.x + 0.1, body.y), robot.now_ns)


def use_weld_cell() -> None:
    """Use the arm in its cell: Cartesian programs, cycle times, reach, maps, checked motions."""
    from importlib.resources import files

    import numpy as np

    from rigless.motion.arm.continuous_collision import contacts_along
    from rigless.motion.arm.point_in_mesh import is_inside
    from rigless.motion.arm.reach_map import count_reached, tool_turns
    from rigless.robots.welder import Arm as WelderArm
    from rigless.robots.welder.arm.body import reach
    from rigless.robots.welder.config import WelderConfig
    from rigless.robots.welder.offline.cycle_time import estimate
    from rigless.scenario.load import load
    from rigless.scenario.warm_up import warm_up
    from rigless.worlds.cells.cell import Cell

    warm_up(load("welder", settings=["coordinates=cartesian", "cell=weld_table"]))
    estimate("G91 G0 Z-1\nG1 Z-1 F600\nG2 X1 I0.5\n", WelderConfig(coordinates="cartesian"))
    WelderArm().forward([0.0] * 6)
    reach(WelderConfig(urdf=str(files("rigless.robots.welder") / "arm.urdf")))  # as a user's
    arm = reach(cell=Cell.load("weld_table"))
    assert arm.collider is not None
    arm.pose(arm.collider.model.tool(np.zeros(6)))
    count_reached(arm, np.zeros((1, 3)), tool_turns())
    contacts_along(arm.collider, np.zeros((2, 6)))
    is_inside(arm.collider.cell["part"].solid.mesh, np.zeros(3))


def use_fleet() -> None:
    """Use what AGVs of a fleet do together, in the warehouse that they have by default."""
    from rigless.scenario.load import load
    from rigless.scenario.warm_up import warm_up

    warm_up(load("agv", settings=["count=2"]))


_PROFILE = "runtime.simulationProfile"
OPTIONS = {  # settings with functions that the defaults do not use
    "agv": [f"{_PROFILE}.map=hall", f"{_PROFILE}.robotsAreObstacles=true"],
    "vacuum": ["scan_packed=true", "realism=hardware"],
}
MORE: dict[str, Callable[[], None]] = {"agv": use_fleet, "welder": use_weld_cell}
