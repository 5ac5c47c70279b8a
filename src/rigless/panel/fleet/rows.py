"""The places, numbers and words of all robots of a simulation, read once for all clients."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.host.api.control import status_of
from rigless.kernel.drawing import View
from rigless.kernel.loop.listeners import Output
from rigless.kernel.simulation import Simulation
from rigless.panel.fleet.models import FleetRow
from rigless.panel.map_objects import world_numbers
from rigless.panel.stream.sources import Source
from rigless.scenario.kinds import kind_of

Values = NDArray[np.float32]
NOWHERE = (np.nan, np.nan, np.nan)
LONGEST = 160  # characters of a text


class FleetRows:
    """The robots of one simulation of a source. `number` identifies this list of robots.

    The age of a robot's last message is counted from `open` on: only then outputs are observed.
    """

    def __init__(self, source: Source, sim: Simulation, view: Callable[[str], View], number: int):
        self.source, self.sim, self.number = source, sim, number
        self._view = view
        self.names = list(sim.robots)
        self.places: Values = np.full((len(self.names), 3), np.nan, np.float32)
        self.numbers: Values = np.full((len(self.names), 3), np.nan, np.float32)
        self.rows: list[FleetRow] = []
        self.radius_m: Values = self._radii()
        self._sent_ns: dict[str, int] = {}
        self._epoch = source.epoch
        sim.core.listeners.output.append(self._note_output)

    def close(self) -> None:
        """Observe no more outputs."""
        self.sim.core.listeners.output.remove(self._note_output)

    def _note_output(self, time_ns: int, output: Output) -> None:
        self._sent_ns[output.robot] = time_ns

    def _radii(self) -> Values:
        found = np.full(len(self.names), np.nan, np.float32)
        for n, robot in enumerate(self.sim.robots.values()):
            try:
                footprint = robot.footprint()
            except Exception:  # user code
                continue
            found[n] = np.nan if footprint is None else footprint[2]
        return found

    def read_places(self) -> bool:
        """Read x, y and heading of each robot. Return True if one of them has changed."""
        before = self.places
        self.places = np.array([self._place(name) for name in self.names], np.float32)
        return before.tobytes() != self.places.tobytes()

    def _place(self, name: str) -> tuple[float, float, float]:
        try:
            return self._view(name).place() or NOWHERE
        except Exception:  # user code; the row has the reason
            return NOWHERE

    def read_table(self) -> None:
        """Read the words of each robot, and speed, battery and the age of the last message."""
        if self._epoch != self.source.epoch:  # time jumped: these messages were never sent
            self._epoch = self.source.epoch
            self._sent_ns.clear()
        worlds, now_ns = world_numbers(self.sim), self.sim.now_ns
        numbers, self.rows = [], []
        for n, name in enumerate(self.names):
            row, speed, battery = self._read(n, name, worlds[name])
            self.rows.append(row)
            sent_ns = self._sent_ns.get(name)
            age_s = np.nan if sent_ns is None else (now_ns - sent_ns) / 1e9
            numbers.append((speed, battery, age_s))
        self.numbers = np.array(numbers, np.float32)

    def _read(self, n: int, name: str, world: int) -> tuple[FleetRow, Any, Any]:
        robot = self.sim.robots[name]
        row: FleetRow = {
            "n": n,
            "name": name,
            "kind": kind_of(type(robot)),
            "world": world,
            "status": status_of(robot),
            "stop": None,
            "task": "",
            "error": "",
            "faults": len(robot.faults),
        }
        if (there := robot.membership.rows.get(name)) is not None:
            row |= {"stop": there.stop, "task": there.task[:LONGEST], "faults": there.faults}
            row["error"] = there.error[:LONGEST]
            return row, _or_nan(there.speed_mps), _or_nan(there.battery_percent)
        try:
            view = self._view(name)
            found, alarm = view.summary(), view.alarm
            row["stop"], row["task"] = view.stopped, found.task[:LONGEST]
            row["error"] = "" if alarm is None else alarm.text[:LONGEST]
        except Exception as error:  # user code
            row["error"] = f"its view failed: {type(error).__name__}: {error}"[:LONGEST]
            return row, np.nan, np.nan
        return row, _or_nan(found.speed_mps), _or_nan(found.battery_percent)


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


class ViewCache:
    """The views of the robots of a simulation that is not live."""

    def __init__(self, sim: Simulation):
        self._sim = sim
        self._views: dict[str, View] = {}

    def __call__(self, name: str) -> View:
        robot = self._sim.robots[name]
        view = self._views.get(name)
        if view is None or view.robot is not robot:
            view = self._views[name] = robot.view()
        return view
