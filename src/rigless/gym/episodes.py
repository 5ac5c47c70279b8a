"""Episodes of a batch: seeds, start poses, variants of the config and faults, drawn at each begin.

Everything of an episode is drawn from the generator of its environment, so an episode does not
depend on how many others run with it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.batch.templates import build_raw_robot
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.sweeps.vary.axis import Axis
from rigless.sweeps.vary.free_space import free_space
from rigless.sweeps.vary.parse import parse_axes

Options = Mapping[str, Any]
NAMES = ("beams", "config", "map", "vary", "variants", "faults", "device")
VARIANTS = 32  # configs that are drawn if `vary` is given


def check_options(options: Options) -> None:
    """Raise InputError for an unknown option of an environment."""
    for name in options:
        if name not in NAMES:
            fix = did_you_mean(name, NAMES)
            raise InputError(Problem("make", f"{name!r} is no option of this environment", fix))


class Episodes:
    """A batch, and the draws with which episodes of its robots begin."""

    def __init__(
        self,
        batch: type[Any],
        n: int,
        config: Mapping[str, Any],
        options: Options,
        default_map: str | None,
    ):
        check_options(options)
        self.config = _merge(config, options.get("config") or {})
        self.map = options.get("map") or default_map
        keys = {} if self.map is None else {batch.map_key: self.map}
        simulation = build_raw_robot(batch.kind, {**self.config, **keys}, 0)
        axes, _ = parse_axes((), dict(options.get("vary") or {}), lambda: simulation)
        self.variants = _draw(axes, batch.kind, int(options.get("variants") or VARIANTS))
        device = str(options.get("device") or "cpu")
        self.robots = batch(n, self.config, map=self.map, variants=self.variants, device=device)
        self._free = free_space(f"{batch.kind}.start", simulation)
        self.faults = [_fault(self.robots, fault) for fault in options.get("faults") or ()]
        self.broken: list[list[int]] = []  # robots with each fault, of the last begin
        self.seeds = np.zeros(n, np.int64)
        self.starts = np.zeros((n, 3))
        self.chosen = np.zeros(n, np.int64)

    @property
    def places(self) -> NDArray[np.float64]:
        """The free places that a robot can reach, one row (x, y) each."""
        return self._free.places

    def place(self, generator: np.random.Generator) -> NDArray[np.float64]:
        """Draw a free pose (x, y, theta)."""
        pose = self._free.at(float(generator.random()))
        return np.array((pose["x"], pose["y"], pose["theta"]))

    def begin(self, rows: NDArray[np.int64], generators: Sequence[np.random.Generator]) -> None:
        """Begin new episodes of these robots."""
        broken: list[list[int]] = [[] for _ in self.faults]
        self.broken = broken
        for row, generator in zip(rows, generators, strict=True):
            self.seeds[row] = generator.integers(2**32)
            self.starts[row] = self.place(generator)
            self.chosen[row] = generator.integers(max(len(self.variants), 1))
            for found, fault in zip(broken, self.faults, strict=True):
                if generator.random() < fault["probability"]:
                    found.append(int(row))
        self.robots.reset(rows, self.starts[rows], self.seeds[rows], self.chosen[rows])
        for found, fault in zip(broken, self.faults, strict=True):
            if found:
                self.robots.inject(fault["target"], fault["kind"], found, **fault["params"])

    def variant(self, row: int) -> Mapping[str, Any]:
        """Return the varied keys of a robot's episode."""
        return self.variants[self.chosen[row]] if self.variants else {}


def _draw(axes: Sequence[Axis], kind: str, count: int) -> list[dict[str, Any]]:
    """Draw variants of the config. They are the same in every process."""
    generator = np.random.default_rng(0)
    if not axes:
        return []
    return [
        {axis.key.removeprefix(f"{kind}."): axis.at(float(generator.random())) for axis in axes}
        for _ in range(count)
    ]


def _fault(robots: Any, fault: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fault with its parts apart, after it was tried."""
    params = {k: v for k, v in fault.items() if k not in ("target", "kind", "probability")}
    found = {
        "target": str(fault.get("target", "")),
        "kind": str(fault.get("kind", "")),
        "probability": float(fault.get("probability", 1.0)),
        "params": params,
    }
    robots.inject(found["target"], found["kind"], [0], **params)
    robots.clear()
    return found


def _merge(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(one)
    for key, value in two.items():
        inner = found.get(key)
        both = isinstance(inner, Mapping) and isinstance(value, Mapping)
        found[key] = _merge(inner, value) if both and inner is not None else value
    return found
