"""Digital inputs, with the e-stop chain, and devices, as the configuration has them.

An input is on if its driver reports it, if a user has set it, or, for a simulated one, if what it
watches holds: for a limit sensor, the axis is at its end; for a guard (OBSTACLE, BUMPER or LIDAR in
its type), something is within the stop distance. Sensor faults of the kernel may change it. A chain
or guard without a value counts as on.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.robot import VirtualInput
from rigless.robots.agv.config import DigitalInput, RobotConfig
from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.services import SensingServices
from rigless.robots.agv.units import unit_of

Array = NDArray[np.float64]

ESTOP, LIMIT, LIDAR, SCANNER = "ESTOP_CHAIN", "LIMIT_SENSOR", "LIDAR", "BARCODE_SCANNER"
GUARDS = (
    "LIDAR",
    "OBSTACLE",
    "BUMPER",
)  # in the type of an input that detects obstacles
TOLERANCE = 1e-3  # m or rad: distance from the end of the axis at which a limit sensor is on
MOTOR, LOWEST, HIGHEST, EDGE_SIZE = range(4)  # of a limit sensor: its motor, and its range


def virtual_inputs(config: RobotConfig) -> dict[str, VirtualInput]:
    """Return the inputs that users can set: every digital input, and an e-stop in any case."""
    given = {
        entry.ioId: VirtualInput(False, f"digital input, {entry.type}")
        for entry in config.io.digitalInputs
    }
    return {
        "estop": VirtualInput(False, "the e-stop is pressed"),
        **given,
        "remote_estop": VirtualInput(False, "an e-stop by remote control"),
        "obstacle_m": VirtualInput(-1.0, "distance to an obstacle ahead, m; -1: none", -1.0, 1e6),
        "charging": VirtualInput(False, "the robot is on a charger"),
    }


def own_faults(config: RobotConfig) -> dict[str, tuple[str, ...]]:
    """Return the faults of motors and devices beyond those of the kernel."""
    return {
        **{motor.motorId: ("error", "disconnected") for motor in config.motors},
        **{device.deviceId: ("off",) for device in config.io.devices},
    }


def sensors(config: RobotConfig) -> tuple[str, ...]:
    return tuple(
        virtual for virtual in virtual_inputs(config) if virtual not in ("obstacle_m", "charging")
    )


def guards_of(config: RobotConfig) -> tuple[str, ...]:
    """Return the inputs that are on while an obstacle is ahead."""
    return tuple(
        entry.ioId
        for entry in config.io.digitalInputs
        if any(word in entry.type for word in GUARDS)
    )


def actuators(config: RobotConfig) -> tuple[str, ...]:
    return tuple(motor.motorId for motor in config.motors)


@compiled
def on_edges(motors: Array, edges: Array, on: Array) -> bool:
    """Update which limit sensors are on. Return True if any has changed."""
    changed = False
    for k in range(edges.shape[0]):
        position = motors[int(edges[k, MOTOR]), m.POSITION]
        now = 1.0 if edges[k, LOWEST] <= position <= edges[k, HIGHEST] else 0.0
        changed = changed or now != on[k]
        on[k] = now
    return changed


class Sensing:
    """The inputs and devices of one robot."""

    def __init__(self, services: SensingServices, config: RobotConfig, limits: Array):
        self._services = services
        self._ids = tuple(entry.ioId for entry in config.io.digitalInputs)
        self._names = self._ids if "estop" in self._ids else ("estop", *self._ids)
        safety = config.safety
        self._latches = safety.stopOnEstop and safety.estopAcknowledge == "MANUAL"
        self._chains = (
            "estop",
            *(entry.ioId for entry in config.io.digitalInputs if entry.type == ESTOP),
        )
        self.devices = {device.deviceId: device.type for device in config.io.devices}
        self.scanners = tuple(name for name, kind in self.devices.items() if kind == SCANNER)
        simulated = [
            entry
            for entry in config.io.digitalInputs
            if config.runtime.mode == "MOCK" or entry.driver.type == "MOCK"
        ]
        names = {entry.ioId for entry in simulated}
        self._real_chains = [name for name in self._chains if name in {*self._ids} - names]
        found = {entry.ioId: row for entry in simulated if (row := _edge(entry, config, limits))}
        self._watching = tuple(found)
        self.guards = guards_of(config)
        self._seeing = names & set(self.guards)
        self.edges = np.array(list(found.values())).reshape(-1, EDGE_SIZE)

    def begin(self, state: MachineState) -> None:
        state.edges = np.zeros(len(self.edges))
        on_edges(state.motors, self.edges, state.edges)
        self.sample(state)

    def sample(self, state: MachineState) -> None:
        """Read all inputs, and which devices respond."""
        services, given, wired = self._services, self._services.input, state.wired
        on = {name for name, edge in zip(self._watching, state.edges.tolist(), strict=True) if edge}
        if state.blocked:
            on |= self._seeing
        faulty = bool(services.faults)
        values: dict[str, bool] = {}
        for name in self._names:
            value: Any = bool(given.get(name, False)) or name in on or wired.get(name, False)
            if faulty and (value := services.sense(name, value)) is None:
                value = name in self._chains or name in self.guards
            values[name] = bool(value > 0.5) if value is not True and value is not False else value
        remote: Any = given.get("remote_estop", False)
        if faulty:
            remote = services.sense("remote_estop", remote)
        pressed = any(values.get(name, False) for name in self._chains)
        now = "MANUAL" if pressed else "REMOTE" if remote is None or remote else "NONE"
        # ISO 13850: a release must not start motion, so the stop stays until acknowledged.
        held = now == "NONE" and self._latches and state.released
        estop = state.estop if held else now
        if now == "NONE" and not state.released:
            state.released = all(name in wired for name in self._real_chains)
        state.guarded = any(values[name] for name in self.guards)
        if values != state.inputs:
            state.inputs, state.changes = values, state.changes + 1
        if (now, estop) != (state.pressed, state.estop):
            state.pressed, state.estop, state.changes = now, estop, state.changes + 1
        lost = state.remote.lost
        off = (
            [name for name in self.devices if name in lost or services.fault(name, "off")]
            if faulty or lost
            else []
        )
        if off != state.off:
            self._notice_devices(state, off)

    def acknowledge(self, state: MachineState) -> None:
        """End an emergency stop that is no longer pressed."""
        self.sample(state)
        if state.pressed == "NONE" and state.estop != "NONE":
            state.estop, state.changes = "NONE", state.changes + 1

    def _notice_devices(self, state: MachineState, off: list[str]) -> None:
        for name in self.devices:
            if name in off and name not in state.off:
                state.notices.append(
                    ("DEVICE_OFF", "WARNING", name, f"{name} does not respond", {"deviceId": name})
                )
            elif name in state.off and name not in off:
                state.notices.append(
                    ("DEVICE_ON", "INFO", name, f"{name} responds again", {"deviceId": name})
                )
        state.off, state.changes = off, state.changes + 1

    def scan(self, state: MachineState, code: str, device_id: str | None = None) -> None:
        """Let one scanner, or all of them, read a code."""
        for name in self.scanners if device_id is None else (device_id,):
            if name not in state.off:
                state.scans.append((name, code))
                reads = state.readings.get(name, {}).get("reads")
                state.readings[name] = {
                    "lastCode": code,
                    "reads": reads + 1 if isinstance(reads, int) else 1,
                }
                state.changes += 1

    def read_devices(self, state: MachineState) -> dict[str, Any]:
        """Return the readings of all devices."""
        found: dict[str, Any] = {}
        for name, kind in self.devices.items():
            if name in state.off:
                found[name] = {"online": False}
                continue
            found[name] = {"online": True, **state.readings.get(name, {})}
            if kind == LIDAR and "nearestM" not in found[name]:
                found[name]["nearestM"] = (
                    None if math.isinf(state.obstacle_m) else round(state.obstacle_m, 4)
                )
        return found


def _edge(entry: DigitalInput, config: RobotConfig, limits: Array) -> list[float] | None:
    """Return the range in which a limit sensor is on, or None if it names no motor."""
    given = entry.driver.config
    index = next(
        (i for i, motor in enumerate(config.motors) if motor.motorId == given.get("motorId")), None
    )
    if entry.type != LIMIT or index is None:
        return None
    tolerance, near = TOLERANCE, given.get("tolerance")
    if isinstance(near, dict):
        tolerance = float(near["value"]) * unit_of(str(near["unit"]), "position").si
    if given.get("edge", "MIN") == "MIN":
        return [index, -math.inf, limits[index, m.LOW] + tolerance]
    return [index, limits[index, m.HIGH] - tolerance, math.inf]
