"""The robot that all robots of a batch are copies of, built as `rigless.load` builds it."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.streams import Streams, stream_key
from rigless.scenario.load import build_raw, open_target
from rigless.scenario.source import Source

Config = Mapping[str, Any] | str | Path | None
Variants = Sequence[Mapping[str, Any]]
Seeds = Sequence[int] | NDArray[np.integer[Any]] | range | int


def build_template(kind: str, config: Config, settings: Mapping[str, Any], seed: int) -> Robot:
    """Return a robot of a kind that has started.

    `config` holds the robot's config keys, or is the path of its native file. `settings` go before
    it. Raises InputError with everything that is wrong.
    """
    if isinstance(config, str | Path):
        texts = [f"{key}={value}" for key, value in settings.items()]
        built = open_target(config, texts, seed, collect=False)
    else:
        both = merged(config or {}, settings)
        raw = {"name": kind, "robots": [{"kind": kind, "config": both}]}
        built = build_raw(raw, Source(), (), seed, collect=False)
    robots = list(built.simulation.robots.values())
    if len(robots) != 1 or type(robots[0]).__module__.split(".")[2:3] != [kind]:
        found = ", ".join(robot.name for robot in robots)
        fix = f"give the keys of its config, or a native file of one {kind}"
        raise InputError(Problem("config", f"a batch needs one {kind}; this has {found}", fix))
    return robots[0]


def build_raw_robot(
    kind: str, config: Mapping[str, Any], seed: int, start: Mapping[str, float] | None = None
) -> Simulation:
    """Return a simulation of one robot with this config, at a start pose if one is given."""
    entry: dict[str, Any] = {"kind": kind, "config": dict(config)}
    if start is not None:
        entry["start"] = dict(start)
    raw = {"name": kind, "robots": [entry]}
    return build_raw(raw, Source(), (), seed, collect=False).simulation


def merged(config: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config with these keys; a dot in a key goes into a table."""
    found = copy.deepcopy(dict(config))
    for key, value in settings.items():
        *tables, last = key.split(".")
        table = found
        for name in tables:
            table = table.setdefault(name, {})
        table[last] = value
    return found


def check_seeds(n: int, seeds: Seeds) -> NDArray[np.int64]:
    """Return a seed for each robot. A single number is the first of consecutive ones."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InputError(Problem("n", f"{n!r} is no number of robots", "give 1 or more"))
    found = np.arange(seeds, seeds + n) if isinstance(seeds, int) else np.asarray(seeds)
    if found.shape != (n,) or found.dtype.kind not in "iu":
        what = f"{n} robots need {n} whole numbers; this has the shape {found.shape}"
        raise InputError(Problem("seeds", what, f"give seeds=range({n}), or the first seed"))
    return found.astype(np.int64)


def noise_keys(robot: str, streams: Sequence[str], seeds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the keys of a robot's random streams for each seed."""
    keys = [[stream_key(int(seed), f"{robot}/{name}") for name in streams] for seed in seeds]
    return np.array(keys, np.uint64)


def noise_of(seed: int, name: str) -> np.random.Generator:
    """Return the generator of a random stream."""
    return Streams(int(seed)).get(name)
