"""`rigless compile`: have numba compile the functions of robots and keep the result on disk.

Each robot runs briefly in a process of its own, with what its clients may ask for later. Functions
that are in the cache already are only loaded.
"""

import os
import time
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from rigless.cli.robot_commands import commands_of, robots_with_commands
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
    if more := type(robot).Config.also_compile:
        warm_up(load(kind, settings=more))
    use_commands(kind)


def use_commands(kind: str) -> None:
    """Use what the robot's own commands need, if its `cli.py` has `use_all`."""
    if kind in robots_with_commands():
        getattr(commands_of(kind), "use_all", lambda: None)()


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
