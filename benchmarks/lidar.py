"""Rays a second on one core and their errors, next to other ray casters.

There are 360 beams of 8 m from random poses in a floor plan of 1000×1000 cells. Then the cost is
measured for larger maps and more beams.

The casters take turns; a figure is the median of the rounds, in CPU time of this process, so that
other load affects it little. Other simulators are far slower and run afterwards, in rounds of their
own: IR-SIM's threads keep spinning for a while and would double the time of the next caster.

The reference is a walk from cell to cell in float64. `wrong_rays` differ from it by more than a
micrometre or in whether they hit; `max_error_m` is the largest difference where both hit. Peers
that are not installed are listed with the command that installs them.

RIGLESS_BENCH_SECONDS below 30 reduces the number of rays.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from rigless.worlds.grid import Grid

from . import _irsim, _mujoco
from ._casters import dda, march
from ._floor import RESOLUTION_M, Array, Cells, draw_flat, free_poses
from ._timers import cpu_seconds

FULL_SECONDS = 30.0
ROUNDS = 9
MAX_RANGE_M = 8.0
RIGHT_M = 1e-6
BEAMS, SIZE, POSES, SLOW_POSES = 360, 1000, 400, 4


@dataclass(frozen=True)
class Entrant:
    """A caster with the beam angles and poses of one round."""

    cast: Callable[[Array], Array]
    angles: Array
    poses: Array


def run() -> dict[str, Any]:
    scale = min(1.0, float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS)) / FULL_SECONDS)
    cells = draw_flat(SIZE)
    poses, rounds = free_poses(cells, max(20, round(POSES * scale))), max(3, round(ROUNDS * scale))
    quick = _quick(cells, poses)
    speeds = _race(quick, rounds)
    growth = {f"map_{size}": _growth(size, BEAMS, scale) for size in (250, 500, 1000, 2000, 4000)}
    growth |= {f"beams_{beams}": _growth(SIZE, beams, scale) for beams in (90, 360, 1440, 3600)}
    slow, missing = _slow(cells, poses[: max(2, round(SLOW_POSES * scale))])
    for name, entrant in slow.items():
        speeds |= _race({name: entrant}, rounds)
    truth = dda(cells, MAX_RANGE_M)
    figures = {
        name: {"rays_per_s": speeds[name], **_errors(entrant, truth)}
        for name, entrant in (quick | slow).items()
    }
    return {
        **figures.pop("rigless"),
        "peers": {**figures, **missing},
        **growth,
    }


def _turn(beams: int) -> Array:
    return np.arange(beams) * (2 * np.pi / beams)


def _ours(cells: Cells, angles: Array) -> Callable[[Array], Array]:
    grid = Grid(cells, RESOLUTION_M)
    return lambda poses: grid.cast(poses, angles, MAX_RANGE_M)


def _quick(cells: Cells, poses: Array) -> dict[str, Entrant]:
    angles = _turn(BEAMS)
    walk, marching = dda(cells, MAX_RANGE_M), march(cells, MAX_RANGE_M)
    return {
        "rigless": Entrant(_ours(cells, angles), angles, poses),
        "numba_dda": Entrant(lambda poses: walk(poses, angles), angles, poses),
        "numba_distance_field": Entrant(lambda poses: marching(poses, angles), angles, poses),
    }


def _slow(cells: Cells, poses: Array) -> tuple[dict[str, Entrant], dict[str, dict[str, str]]]:
    """Return the installed simulators, and how to install the missing ones."""
    angles = _turn(BEAMS)
    entrants, missing = {}, {}
    try:
        multi_ray = _mujoco.lidar(cells, MAX_RANGE_M)
        entrants["mujoco"] = Entrant(lambda poses: multi_ray(poses, angles), angles, poses)
    except ImportError:
        missing["mujoco"] = {"missing": "pip install mujoco"}
    try:
        cast, own_angles = _irsim.lidar(cells, BEAMS, MAX_RANGE_M)
        entrants["irsim"] = Entrant(cast, own_angles, poses)
    except ImportError:
        missing["irsim"] = {"missing": "pip install ir-sim"}
    return entrants, missing


def _race(entrants: dict[str, Entrant], rounds: int) -> dict[str, float]:
    """Return rays per CPU second of each, the median of rounds in which they take turns."""
    rates: dict[str, list[float]] = {name: [] for name in entrants}
    for entrant in entrants.values():
        entrant.cast(entrant.poses[:1])  # numba compiles
    for _ in range(rounds):
        for name, entrant in entrants.items():
            entrant.cast(entrant.poses[: len(entrant.poses) // 2])  # fill the CPU's caches
            rays = len(entrant.poses) * len(entrant.angles)
            cast = partial(entrant.cast, entrant.poses)
            rates[name].append(rays / cpu_seconds(cast))
    return {name: median(measured) for name, measured in rates.items()}


def _errors(entrant: Entrant, truth: Callable[[Array, Array], Array]) -> dict[str, float]:
    ranges, right = entrant.cast(entrant.poses), truth(entrant.poses, entrant.angles)
    both = np.isfinite(ranges) & np.isfinite(right)
    errors = np.abs(ranges[both] - right[both])
    wrong = int((np.isfinite(ranges) != np.isfinite(right)).sum() + (errors > RIGHT_M).sum())
    return {
        "wrong_rays": wrong,
        "max_error_m": float(errors.max(initial=0.0)),
        "p99_error_m": float(np.percentile(errors, 99)) if errors.size else 0.0,
        "rays": ranges.size,
    }


def _growth(size: int, beams: int, scale: float) -> dict[str, float]:
    cells, angles = draw_flat(size), _turn(beams)
    poses = free_poses(cells, max(4, round(POSES * scale * BEAMS / beams)))
    begin = time.process_time()
    ours = _ours(cells, angles)
    ours(poses[:1])  # builds the table
    prepare_s = time.process_time() - begin
    walk = dda(cells, MAX_RANGE_M)
    entrants = {
        "ours": Entrant(ours, angles, poses),
        "dda": Entrant(lambda poses: walk(poses, angles), angles, poses),
    }
    speeds = _race(entrants, max(3, round(ROUNDS * scale)))
    return {
        "rays_per_s": speeds["ours"],
        "ns_per_ray": 1e9 / speeds["ours"],
        "dda_rays_per_s": speeds["dda"],
        "wrong_rays": _errors(entrants["ours"], walk)["wrong_rays"],
        "prepare_ms": prepare_s * 1e3,
    }
