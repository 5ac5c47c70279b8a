"""A robot with only a machine, for tests of the machine."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rigless.kernel.inputs import SetInput
from rigless.kernel.ports import Link
from rigless.kernel.robot import Defaults, Robot, VirtualInput, every, on
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import World
from rigless.robots.agv.config import RobotConfig, own
from rigless.robots.agv.machine import sensing
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.state import MachineState


@dataclass
class BenchState:
    machine: MachineState = field(default_factory=MachineState)


class Bench(Robot):
    Config = RobotConfig
    State = BenchState

    @cached_property
    def inputs(self) -> dict[str, VirtualInput]:  # type: ignore[override]
        return sensing.virtual_inputs(self.config)

    @cached_property
    def own_faults(self) -> dict[str, tuple[str, ...]]:  # type: ignore[override]
        return sensing.own_faults(self.config)

    @cached_property
    def sensors(self) -> tuple[str, ...]:  # type: ignore[override]
        return sensing.sensors(self.config)

    @cached_property
    def actuators(self) -> tuple[str, ...]:  # type: ignore[override]
        return sensing.actuators(self.config)

    def defaults(self) -> Defaults:
        return Defaults()

    @property
    def state(self) -> BenchState:  # type: ignore[override]
        return self._state

    @state.setter
    def state(self, state: BenchState) -> None:
        self._state = state
        if hasattr(self, "machine"):
            self.machine.bind(state.machine)

    def start(self) -> None:
        self.machine = Machine(
            self, self.config, self.state.machine, self.world, self.start_pose, self.all_of_world
        )
        self.dt_s = 1.0 / self.config.runtime.tickHz
        self.scanned: list[tuple[float, str, str]] = []
        self.noticed: list[tuple[float, str, str]] = []

    def all_of_world(self) -> list[Robot]:
        return [robot for robot in self.all_robots.values() if robot.world is self.world]

    @on(SetInput)
    def input_set(self, message: SetInput, link: Link) -> None:
        self.machine.resample()

    @every(lambda config: config.runtime.tickHz)
    def tick(self) -> None:
        self.machine.tick(self.dt_s)
        now_s = self.now_ns / 1e9
        self.scanned += [(now_s, device, code) for device, code in self.machine.scans]
        self.noticed += [(now_s, notice[0], notice[2]) for notice in self.machine.notices]


def bench(world: World | None = None, seed: int = 0, **changes: Any) -> tuple[Simulation, Bench]:
    """Return a simulation with one such robot: the bundled one with changes."""
    robot = Bench("agv", RobotConfig.model_validate({**own(), **changes}))
    return Simulation([robot], world, seed), robot


def profile(**script: Any) -> dict[str, Any]:
    """Return a runtime with this simulation profile."""
    return {**own()["runtime"], "simulationProfile": script}


def ticks(machine: Machine, count: int) -> None:
    """Tick only the machine, at one instant of the simulation."""
    for _ in range(count):
        machine.tick(0.01)


def trapezoid_s(distance: float, top: float, acc: float, dec: float) -> float:
    """Return the least time for a distance, from rest to rest."""
    peak = min(top, math.sqrt(2 * distance * acc * dec / (acc + dec)))
    return (
        peak / acc + peak / dec + (distance - peak**2 / (2 * acc) - peak**2 / (2 * dec)) / top
        if peak == top
        else (peak / acc + peak / dec)
    )
