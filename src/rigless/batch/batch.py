"""The common part of all batches: seeds, maps, commands, faults, poses, reset."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.batch.engines import Graphics, Processor, Task, make_engine
from rigless.batch.sensors import KINDS, Sensed, SensorFaults
from rigless.batch.templates import Config, Seeds, Variants, build_template, check_seeds
from rigless.kernel.compiled.faults import CODES, OTHER
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.kernel.timing.rate import Rate
from rigless.worlds.grid import Grid
from rigless.worlds.grid_rows import gather

Floats = NDArray[np.float64]
Maps = str | Path | Sequence[str | Path] | None


class Batch:
    """N robots of one config, advanced by one call.

    Robot i has the numbers of `rigless.load(kind, seed=seeds[i])` bit for bit, whatever n is.
    `map` is the name or the path of a map, or one for each robot. `starts` are poses (x, y, theta).
    `variants` are config keys in which robots differ; robot i has variants[i % len(variants)].
    """

    kind: ClassVar[str]
    map_key: ClassVar[str]  # the config's key of the map
    command_names: ClassVar[tuple[str, ...]]
    own_kinds: ClassVar[tuple[str, ...]] = ()  # kinds of faults that `_apply_own` knows
    sensor_counters: Mapping[str, int] = {}  # sensors with faults: what numbers their readings
    holding: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # kinds that hold the next reading
    keeping: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # kinds that keep the last reading
    pose_index: ClassVar[int]  # of x, y, theta in the body
    _advance: ClassVar[Task]
    _robots: Any
    _model: Any
    _maps: Any

    def __init__(
        self,
        n: int,
        config: Config = None,
        map: Maps = None,
        seeds: Seeds = 0,
        starts: ArrayLike | None = None,
        device: str = "cpu",
        threads: int | None = None,
        variants: Variants = (),
    ):
        self.seeds = check_seeds(n, seeds)
        self.n = len(self.seeds)
        self._engine = make_engine(device, threads)
        self._sensors: dict[str, SensorFaults] = {}  # those that have a fault
        self._xp = self._engine.arrays
        names = [map] if map is None or isinstance(map, str | Path) else list(map)
        if len(names) not in (1, self.n):
            what = f"{len(names)} maps for {self.n} robots"
            raise InputError(Problem("map", what, "give one map, or one for each robot"))
        kinds = list(dict.fromkeys(None if name is None else str(name) for name in names))
        seed = int(self.seeds[0])
        self._variants = max(len(variants), 1)
        self._templates: list[Any] = [
            build_template(
                self.kind, config, {**({} if name is None else {self.map_key: name}), **keys}, seed
            )
            for name in kinds
            for keys in variants or ({},)
        ]
        which = [kinds.index(None if name is None else str(name)) for name in names]
        self._map_numbers = np.resize(np.array(which, np.int64), self.n)
        chosen = self._map_numbers * self._variants + np.arange(self.n) % self._variants
        put = self._engine.put
        self._model, self._maps = put(self._make_model()), put(gather(self._grids()))
        self._robots = put(self._make_robots(chosen, self.seeds))
        self._starts = None if starts is None else np.array(starts, float).reshape(self.n, 3)
        if self._starts is not None:
            self.place(self._starts)
        self._begin(np.arange(self.n))

    @property
    def engine(self) -> Processor | Graphics:
        """The engine that computes this batch. Its `arrays` is the module of the arrays."""
        return self._engine

    @property
    def template(self) -> Robot:
        """A single robot of the config, which does not move."""
        robot: Robot = self._templates[0]
        return robot

    def _grids(self) -> list[Grid]:
        """Return the grid of each variant's world."""
        return [template.grid for template in self._templates]

    def _make_model(self) -> Any:
        """Return the config as arrays."""
        raise NotImplementedError

    def _make_robots(self, chosen: NDArray[np.int64], seeds: NDArray[np.int64]) -> Any:
        """Return the state of robots of these variants and seeds at their start."""
        raise NotImplementedError

    def _begin(self, rows: NDArray[np.int64]) -> None:
        """Do what these robots do before their first tick."""

    def _shared(self, name: str, of: Callable[[Any], Any]) -> Any:
        """Return an array that all variants share. Raises InputError if they differ."""
        first, *others = [of(template) for template in self._templates]
        if not all(np.array_equal(first, other) for other in others):
            fix = "vary other keys, or make a batch for each variant"
            raise InputError(Problem("variants", f"{name} cannot differ in a batch", fix))
        return first

    # Time

    def step(self, commands: ArrayLike, ticks: int = 1) -> None:
        """Execute commands (one row per robot) for some ticks, as if they came now."""
        given = self._xp.asarray(commands, dtype=float)
        width = len(self.command_names)
        if given.shape != (self.n, width):
            what = f"the shape {given.shape} does not fit {self.n} robots"
            fix = f"give {self.n} rows of ({', '.join(self.command_names)})"
            raise InputError(Problem("commands", what, fix))
        if self._xp is np and not np.isfinite(given).all():
            row = int(np.argmin(np.isfinite(given).all(axis=1)))
            what = f"the command of robot {row} is not finite: {given[row].tolist()}"
            raise InputError(Problem("commands", what, "give numbers"))
        self._robots.commands[...] = self._limited(given)
        self._go(ticks, True)

    def advance(self, ticks: int) -> None:
        """Go on with the last commands for some ticks."""
        self._go(ticks, False)

    def _go(self, ticks: int, fresh: bool) -> None:
        if ticks < 0:
            raise InputError(Problem("ticks", f"{ticks} is negative", "give 0 or more"))
        left = int(ticks)
        while left and (waiting := self._waiting()):
            part = min(left, *(self._ticks_to_reading(name) for name in waiting))
            self._run(part, fresh)
            left, fresh = left - part, False
            for name in waiting:
                self._sensors[name].hold(self._measured(name), self._robots.counters)
        self._run(left, fresh)

    def _run(self, ticks: int, fresh: bool) -> None:
        parts = self._robots, self._model, self._maps
        self._engine.run(self._advance, (self.n,), ticks, fresh, *parts)

    def _limited(self, commands: Any) -> Any:
        """Return the commands within the limits of the robot."""
        return commands

    # Faults

    def inject(
        self, target: str, kind: str = "", which: ArrayLike | None = None, **params: Any
    ) -> None:
        """Begin a fault on all robots, or on `which`, as `Simulation.inject` does.

        Each actuator and sensor has one fault at most. Faults that draw random numbers, those of
        wires, and lag are not offered; faults of sensors only with device "cpu".
        """
        actuators = list(self.template.actuators)
        kind, _, known = self.template.fault_targets.resolve(self.kind, target, kind, params)
        rows, value = self._rows(which), float(next(iter(known.values()), 0.0))
        if target in self.sensor_counters and kind in KINDS:
            self._break_sensor(target, kind, rows, value)
            return
        if target not in actuators or (kind not in CODES and kind not in self.own_kinds):
            moving, sensing = ", ".join(actuators), ", ".join(self.sensor_counters)
            fix = (
                f"in a batch {moving} can have: {', '.join([*CODES, *self.own_kinds])}; "
                f"{sensing} can have: {', '.join(KINDS)}"
            )
            raise InputError(Problem("inject", f"{target} {kind} is not offered", fix))
        place = actuators.index(target)
        self._robots.faults[rows, place, 0] = float(CODES.get(kind, OTHER))
        self._robots.faults[rows, place, 1] = value
        self._apply_own(rows, place, kind, known)

    def clear(self, target: str | None = None, which: ArrayLike | None = None) -> None:
        """End the fault of an actuator or a sensor, or all, on all robots or on `which`."""
        actuators = list(self.template.actuators)
        rows = self._rows(which)
        for place, name in enumerate(actuators):
            if target in (None, name):
                self._robots.faults[rows, place] = 0.0
                self._apply_own(rows, place, "", {})
        self._mend_sensors(rows, target)
        if target is not None and target not in (*actuators, *self.sensor_counters):
            fix = f"choose from {', '.join([*actuators, *self.sensor_counters])}"
            raise InputError(Problem("clear", f"nothing named {target!r} can have faults", fix))

    def _rows(self, which: ArrayLike | None) -> Any:
        """Return an index of robots, or of all, for the arrays of the engine."""
        return slice(None) if which is None else self._xp.asarray(which)

    def _apply_own(self, rows: Any, place: int, kind: str, params: dict[str, Any]) -> None:
        """Apply a robot's own kind of fault to actuator `place`; other kinds end it."""

    def _break_sensor(self, target: str, kind: str, rows: Any, value: float) -> None:
        if self._xp is not np:
            what, fix = f"{target} {kind} is not offered on a device", 'use device="cpu"'
            raise InputError(Problem("inject", what, fix))
        kept = self._returned(target) if kind in self.keeping.get(target, ()) else None
        if target not in self._sensors:
            holding = ("stuck", *self.holding.get(target, ()))
            self._sensors[target] = SensorFaults(self.n, self.sensor_counters[target], holding)
        self._sensors[target].begin(rows, kind, value, self._robots.counters)
        if kept is not None:
            self._sensors[target].keep(rows, kept)

    def _mend_sensors(self, rows: Any, target: str | None = None) -> None:
        for name, faults in list(self._sensors.items()):
            if target in (None, name):
                faults.end(rows)
            if not faults.any:
                del self._sensors[name]

    def _waiting(self) -> list[str]:
        """Return the sensors with a fault that keeps the next reading."""
        return [name for name, faults in self._sensors.items() if len(faults.waiting)]

    def _faulty(self, sensor: str, values: NDArray[Any]) -> list[Sensed]:
        """Return the readings of a sensor that faults change."""
        faults = self._sensors.get(sensor)
        return [] if faults is None else list(faults.apply(values, self._robots.counters))

    def _ticks_to_reading(self, sensor: str) -> int:
        """Return after how many ticks the first waiting robot can have the next reading."""
        return 1

    def _measured(self, sensor: str) -> NDArray[Any]:
        """Return the true readings of a sensor, a row per robot."""
        raise NotImplementedError

    def _returned(self, sensor: str) -> NDArray[Any]:
        """Return the readings of a sensor as faults leave them now, for kinds that keep them."""
        raise NotImplementedError

    # State

    @property
    def poses(self) -> Floats:
        """True poses, one row (x, y, theta) per robot."""
        return self._robots.bodies[:, self.pose_index : self.pose_index + 3]

    @property
    def contacts(self) -> NDArray[np.bool_]:
        """True for each robot that touched something in the last tick."""
        raise NotImplementedError

    @property
    def bumpers(self) -> NDArray[np.bool_]:
        """The contact of each robot as one column: this kind of robot has no bumpers."""
        return self.contacts[:, None]

    @property
    def state(self) -> Any:
        """The whole state as arrays with one row per robot; a copy of it can be given back.

        It does not have the faults of sensors.
        """
        return self._robots

    @state.setter
    def state(self, state: Any) -> None:
        for ours, given in zip(self._robots, state, strict=True):
            ours[...] = self._xp.asarray(given)

    def place(self, starts: ArrayLike, which: ArrayLike | None = None) -> None:
        """Put robots at rest at these poses (x, y, theta), as if they had started there."""
        raise NotImplementedError

    def reset(
        self,
        which: ArrayLike | None = None,
        starts: ArrayLike | None = None,
        seeds: Seeds | None = None,
        variants: ArrayLike | None = None,
    ) -> None:
        """Put robots, or `which` of them, back to the start of their runs, without faults.

        They keep their start poses, seeds and variants unless others are given.
        """
        rows = np.arange(self.n)[slice(None) if which is None else np.asarray(which)]
        if not len(rows):
            return
        if seeds is not None:
            self.seeds[rows] = check_seeds(len(rows), seeds)
        numbers = rows % self._variants if variants is None else np.asarray(variants)
        chosen = self._map_numbers[rows] * self._variants + numbers
        fresh = self._engine.put(self._make_robots(chosen, self.seeds[rows]))
        places = self._rows(rows)
        self._mend_sensors(places)
        for ours, new in zip(self._robots, fresh, strict=True):
            ours[places] = new
        if starts is not None:
            self.place(starts, rows)
        elif self._starts is not None:
            self.place(self._starts[rows], rows)
        self._begin(rows)

    def __repr__(self) -> str:
        name, maps = type(self).__name__, len(self._maps.table) // self._variants
        return f"<{name} {self.n} on {maps} map(s), {self._engine!r}>"


def rate_numbers(*rates: Any) -> list[int]:
    """Return numerators and denominators of rates in hertz."""
    return [number for hz in rates for number in (Rate(hz).num, Rate(hz).den)]
