"""The robot under test: its folder, its golden inputs, and fresh simulations of it."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rigless.kernel.problems import Problem
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.snapshot import Snapshot
from rigless.kernel.streams import Noise
from rigless.scenario import kinds
from rigless.scenario.build import build
from rigless.scenario.load import apply_config_settings
from rigless.scenario.model import Scenario
from rigless.testing.emissions import Emissions


@dataclass(frozen=True)
class Subject:
    """A robot under test.

    `golden/settings` holds settings for the tests, one `key=value` a line: a robot whose default
    config has no noise can be given some there.
    """

    target: str  # a robot kind, a dotted import path, or a folder
    name: str
    folder: Path
    golden: Path
    emissions: Emissions = field(default_factory=Emissions, compare=False)
    _ready: list[tuple[Simulation, Snapshot]] = field(default_factory=list, compare=False)
    _kept: dict[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, robot: str | Path | type[Robot], golden: str | Path | None = None) -> "Subject":
        """Return the subject for a folder, a kind or a robot class."""
        target = _kind(robot) if isinstance(robot, type) else str(robot)
        if target not in kinds.installed() and Path(target).is_dir():
            place = Path(target).resolve()  # a robot of rigless imports itself by its full name
            target = place.name if place in kinds.folders() else str(place)
        module = sys.modules[kinds.robot_class(target).__module__]
        package = sys.modules[module.__package__ or module.__name__]
        folder = Path(str(package.__file__)).parent
        return cls(
            target,
            kinds.default_name(target),
            folder,
            Path(golden) if golden else folder / "golden",
        )

    @property
    def settings(self) -> list[str]:
        file = self.golden / "settings"
        return file.read_text("utf-8").split() if file.is_file() else []

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Return the result of `make`, which is called only the first time for this name."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def load(
        self,
        seed: int = 1,
        collect: bool = False,
        settings: Iterable[str] | None = None,
        noise: Noise | None = None,
    ) -> tuple[Simulation, Robot]:
        """Return a fresh simulation that encodes every message, and the robot in it.

        The keys of `noise` are names or patterns of the robot's own streams.
        """
        problems: list[Problem] = []
        config: dict[str, Any] = {}
        apply_config_settings(config, self.settings if settings is None else settings, problems)
        assert not problems, f"{self.golden / 'settings'}: {problems[0]}"
        streams = {f"{self.name}/{stream}": value for stream, value in (noise or {}).items()}
        return self._build([{"kind": self.target, "config": config}], seed, collect, streams)

    def load_among(
        self, others: Iterable[dict[str, Any]], first: bool, seed: int = 1
    ) -> tuple[Simulation, Robot]:
        """Return a fresh simulation with other robots before or after this one."""
        config = self.load()[1].config.model_dump(mode="json")
        entry: dict[str, Any] = {"kind": self.target, "name": self.name, "config": config}
        return self._build([entry, *others] if first else [*others, entry], seed, False)

    def _build(
        self, robots: list[dict[str, Any]], seed: int, collect: bool, noise: Noise | None = None
    ) -> tuple[Simulation, Robot]:
        scenario = Scenario.model_validate({"robots": robots, "noise": noise or {}})
        sim = build(scenario, seed=seed, collect=collect).simulation
        sim.core.recording = True
        robot = sim.robot(self.name)
        self.emissions.watch(sim, robot)
        return sim, robot

    def restored(self) -> tuple[Simulation, Robot]:
        """Return a simulation at its start; it is built once, since that may take long."""
        if not self._ready:
            sim, _ = self.load()
            self._ready.append((sim, sim.snapshot()))
        sim, start = self._ready[0]
        sim.restore(start)
        sim.events.clear()
        return sim, sim.robot(self.name)


def _kind(robot: type[Robot]) -> str:
    """Return the kind of a robot class: the name of an installed robot, or its dotted package."""
    module = sys.modules[robot.__module__]
    package = module.__package__ or module.__name__
    return package.removeprefix("rigless.robots.")
