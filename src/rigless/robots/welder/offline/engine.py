"""The simulation engine of the seed document, as a thin layer on the kernel.

It has a controller, its I/O, the process, time and snapshots. Nothing sleeps or reads a clock:
`run(seconds)` is the time that passes for the caller, and the simulation advances by the time scale
times that.
"""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from rigless.kernel.snapshot import Snapshot as KernelSnapshot
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.sim_controller import NAME, VirtualController
from rigless.robots.welder.weld_state import Weld
from rigless.worlds.cells.cell import Cell

FAULT_S = 0.1  # duration of an injected fault; the process latches it


class SimulationState(Enum):
    STOPPED = "stopped"
    RUNNING = "running"
    PAUSED = "paused"
    ERROR = "error"


@dataclass(frozen=True)
class SimulationMetrics:
    """Metrics. `real_time_s` is the caller's time under the time scales that were set."""

    simulation_time_s: float = 0.0
    real_time_s: float = 0.0
    time_ratio: float = 1.0
    gcode_executed: int = 0
    collisions_detected: int = 0
    total_distance_mm: float = 0.0


@dataclass(frozen=True)
class Snapshot:
    """The complete state: simulation, the controller's connection, and the time scale."""

    kernel: KernelSnapshot
    line: dict[str, Any]
    clock: tuple[float, float, float]


class WeldingSimulator:
    """The welding process: its state, parameters and faults."""

    def __init__(self, controller: VirtualController):
        self._controller = controller

    @property
    def state(self) -> Weld:
        return self._controller.truth.weld

    def set_weld_parameters(self, current_a: float, voltage_v: float, wire_mpm: float) -> None:
        """Set the parameters with the analog outputs, like M67."""
        config = self._controller.config.welding
        scales = (config.amps_per_volt, config.volts_per_volt, config.mpm_per_volt)
        for channel, (value, scale) in enumerate(
            zip((current_a, voltage_v, wire_mpm), scales, strict=True)
        ):
            self._controller.io.set_analog_output(channel, value / scale)

    def arc_start(self) -> bool:
        return self._controller.send_gcode("M7") and self._controller.send_gcode("M3")

    def arc_stop(self) -> bool:
        return self._controller.send_gcode("M5") and self._controller.send_gcode("M9")

    def simulate_arc_fault(self) -> None:
        self._inject("arc", "arc_lost")

    def simulate_wire_fault(self) -> None:
        self._inject("wire", "no_wire")

    def simulate_gas_fault(self) -> None:
        self._inject("gas", "no_gas")

    def _inject(self, target: str, kind: str) -> None:
        sim = self._controller.running_simulation
        sim.inject(NAME, target, kind, until_s=sim.now_s + FAULT_S)


class SimulationEngine:
    def __init__(self, config: WelderConfig | None = None, seed: int = 0):
        self.controller = VirtualController(config, seed=seed)
        self.io = self.controller.io
        self.welding = WeldingSimulator(self.controller)
        self._scale, self._paused = 1.0, False
        self._since_s, self._real_s = (
            0.0,
            0.0,
        )  # simulated time at which this scale began, and the caller's time then

    def start(self) -> None:
        self.controller.connect()
        self.resume()

    def stop(self) -> None:
        self.controller.disconnect()

    def pause(self) -> None:
        self._paused = True
        self.controller.pause()

    def resume(self) -> None:
        self._paused = False
        self.controller.resume()

    def reset(self) -> None:
        """Restart at time zero in the same cell."""
        self.controller.reset()
        self._since_s = self._real_s = 0.0
        self.resume()

    def run(self, seconds: float) -> None:
        """Let time pass for the caller."""
        self.controller.run(seconds)

    @property
    def time_scale(self) -> float:
        return self._scale

    def set_time_scale(self, scale: float) -> None:
        self.controller.set_time_scale(scale)
        self._real_s, self._since_s, self._scale = self._caller_s(), self._now_s(), scale

    def _now_s(self) -> float:
        return self.controller.simulation_time_s if self.controller.is_connected else 0.0

    def _caller_s(self) -> float:
        return self._real_s + (self._now_s() - self._since_s) / self._scale

    @property
    def state(self) -> SimulationState:
        if not self.controller.is_connected:
            return SimulationState.STOPPED
        if self.controller.truth.mode == "Alarm":
            return SimulationState.ERROR
        return SimulationState.PAUSED if self._paused else SimulationState.RUNNING

    @property
    def metrics(self) -> SimulationMetrics:
        if not self.controller.is_connected:
            return SimulationMetrics()
        robot, sim_s, real_s = self.controller.robot, self._now_s(), self._caller_s()
        return SimulationMetrics(
            simulation_time_s=sim_s,
            real_time_s=real_s,
            time_ratio=sim_s / real_s if real_s else 1.0,
            gcode_executed=int(robot.metrics.get("gcode_lines", 0)),
            collisions_detected=int(robot.metrics.get("collisions", 0)),
            total_distance_mm=float(robot.metrics.get("distance_mm", 0.0)),
        )

    def take_snapshot(self) -> Snapshot:
        clock = self._scale, self._since_s, self._real_s
        return Snapshot(
            self.controller.running_simulation.snapshot(), self.controller.line_state(), clock
        )

    def restore_snapshot(self, saved: Snapshot) -> None:
        self.controller.running_simulation.restore(saved.kernel)
        self.controller.set_line_state(saved.line)
        scale, self._since_s, self._real_s = saved.clock
        self.controller.set_time_scale(scale)
        self._scale = scale

    def load_environment(self, cell: str | Path | Cell) -> None:
        """Set the cell around the arm: a YAML file, the name of a shipped one, or a Cell."""
        self.controller.set_cell(cell if isinstance(cell, Cell) else Cell.load(cell))
