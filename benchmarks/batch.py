"""The speed of batches: rays, ticks, scans and environment steps a second, cost of a call.

Times are CPU time of one thread, so that other load affects them little; `two_threads` is by the
clock. With CuPy and a graphics processor the same is measured there, with more robots.
RIGLESS_BENCH_SECONDS below 20 reduces all counts.
"""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rigless.batch import Pacbots, Rovers, Vacuums
from rigless.kernel.problems import InputError

from ._casters import dda
from ._floor import draw_flat, free_poses
from ._indoors import SCANS, measure_irsim
from .lidar import BEAMS, MAX_RANGE_M, Entrant, _errors, _ours, _race, _turn

FULL_SECONDS = 20.0
SIZES = (1024, 16_384, 131_072, 1_048_576)  # on a graphics processor
ROBOTS: dict[str, tuple[type[Any], int, dict[str, Any]]] = {
    "vacuum": (Vacuums, 2, {"map": "apartment"}),
    "pacbot": (Pacbots, 4, {"map": "arena"}),
    "rover": (Rovers, 2, {}),
}


def run() -> dict[str, Any]:
    scale = min(1.0, float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS)) / FULL_SECONDS)
    n = max(20, round(400 * scale))
    found: dict[str, Any] = {kind: _robots(kind, n) for kind in ROBOTS}
    found["rays"] = {str(size): _rays(size, n, scale) for size in (250, 500, 1000, 2000, 4000)}
    found["scans"] = {str(beams): _scans(beams, n) for beams in (36, 360)}
    found["environment_steps"] = {str(beams): _steps(beams, n) for beams in (36, 360)}
    found["peers"] = _peers()
    found["cuda"] = _cuda()
    return found


def _commands(n: int, width: int) -> Any:
    return np.random.default_rng(1).uniform(0.05, 0.3, (n, width))


def _robots(kind: str, n: int) -> dict[str, float]:
    make, width, options = ROBOTS[kind]
    robots, commands = make(n, threads=1, **options), _commands(n, width)
    two = make(n, threads=2, **options)
    robots.step(commands, 10)
    two.step(commands, 10)
    alone = make(1, threads=1, **options)
    call_s = _best(lambda: alone.advance(0), time.perf_counter, 50)
    return {
        "ticks_per_s_one_core": n * 50 / _best(lambda: robots.advance(50), time.process_time),
        "ticks_per_s_two_threads": n * 50 / _best(lambda: two.advance(50), time.perf_counter),
        "call_of_one_robot_us": 1e6 * call_s,
        "bytes_per_robot": sum(part.nbytes for part in robots.state) / n,
    }


def _rays(size: int, n: int, scale: float) -> dict[str, Any]:
    """Measure rays of whole scans, and of as many random poses with one beam each."""
    cells = draw_flat(size)
    ways = {
        "scans": Entrant(_ours(cells, _turn(BEAMS)), _turn(BEAMS), free_poses(cells, n)),
        "random": Entrant(_ours(cells, np.zeros(1)), np.zeros(1), free_poses(cells, 90 * n)),
    }
    speeds, truth = _race(ways, max(3, round(9 * scale))), dda(cells, MAX_RANGE_M)
    wrong = {name: _errors(way, truth)["wrong_rays"] for name, way in ways.items()}
    return {name: {"rays_per_s_one_core": speeds[name], "wrong_rays": wrong[name]} for name in ways}


def _scans(beams: int, n: int) -> dict[str, float]:
    config = {"lidar": {"num_rays": beams}}
    robots = Vacuums(n, config, map="apartment", threads=1)
    robots.step(_commands(n, 2), 110)
    robots.scan()
    seconds = _best(robots.scan, time.process_time)
    return {"scans_per_s_one_core": n / seconds, "rays_per_s_one_core": n * beams / seconds}


def _steps(beams: int, n: int) -> dict[str, Any]:
    """Measure steps of 0.2 s (22 ticks and a scan) of the vector environment."""
    try:
        import rigless.gym  # noqa: F401
        from rigless.gym.vector import RobotVectorEnv
    except ModuleNotFoundError as error:
        return {"left_out": str(error)}
    envs = RobotVectorEnv("VacuumGoal", n, beams=beams)
    envs.task.robots._engine.threads = 1
    envs.reset(seed=1)
    actions = _commands(n, 2).astype(np.float32)
    envs.step(actions)
    seconds = _best(lambda: envs.step(actions), time.process_time)
    envs.task.robots._engine.threads = 2
    both_s = _best(lambda: envs.step(actions), time.perf_counter)
    return {
        "steps_per_s_one_core": n / seconds,
        "ticks_per_s_one_core": 22 * n / seconds,
        "steps_per_s_two_threads": n / both_s,
    }


def _peers() -> dict[str, Any]:
    """Measure steps a second of IR-SIM: 0.2 s of one robot with 360 beams."""
    found = measure_irsim(2)
    irsim = {"steps_per_s": found["sensing_x"] * SCANS} if "sensing_x" in found else found
    return {"irsim": irsim, "f1tenth_gym": {"missing": "it is not on PyPI"}}


def _cuda() -> dict[str, Any]:
    try:
        robots = Vacuums(2, device="cuda")
    except InputError as error:
        return {"left_out": str(error)}
    cupy, found = robots._engine.arrays, {"device": repr(robots._engine)}
    for kind, (make, width, options) in ROBOTS.items():
        for n in SIZES:
            many = make(n, device="cuda", **options)
            commands = cupy.asarray(_commands(n, width))
            figures = {}
            for name, act in (("tick", lambda m=many: m.advance(22)), ("scan", many.scan)):
                many.step(commands, 22)
                act()

                def timed(act: Callable[[], Any] = act) -> None:
                    act()
                    cupy.cuda.Device().synchronize()

                figures[name] = _best(timed, time.perf_counter)
            found[f"{kind} {n}"] = {
                "ticks_per_s": n * 22 / figures["tick"],
                "scans_per_s": n / figures["scan"],
            }
    return found


def _best(act: Callable[[], Any], clock: Callable[[], float], times: int = 5) -> float:
    """Return the shortest time of a few calls."""
    found = []
    for _ in range(times):
        begin = clock()
        act()
        found.append(clock() - begin)
    return max(min(found), 1e-9)
