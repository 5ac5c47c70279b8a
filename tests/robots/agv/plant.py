"""A bench robot with real parts, and the parts: drives with a delay, in virtual time."""

import copy
from collections import deque
from typing import Any

from rigless.hardware.messages import (
    FROM_DRIVERS,
    DriverState,
    HardwareMessage,
    InputReading,
    MotorCommand,
    MotorReading,
    OutputCommand,
)
from rigless.kernel.ports import Port
from rigless.kernel.robot import on
from rigless.kernel.simulation import Simulation
from rigless.robots.agv.config import RobotConfig, own
from rigless.robots.agv.machine.hardware_port import PORT, hardware_port

from .bench import Bench

STEP_S = 0.02


def real_config(*real: str, **changes: Any) -> dict[str, Any]:
    """Return the bundled robot in mode REAL with these parts behind a PLC.

    Default: all motors and the e-stop.
    """
    config = copy.deepcopy(own())
    config["runtime"]["mode"] = "REAL"
    chosen = real or (*(motor["motorId"] for motor in config["motors"]), "estop", "buzzer")
    lists = [
        config["motors"],
        *(config["io"][kind] for kind in ("digitalInputs", "digitalOutputs", "devices")),
    ]
    for entry in (entry for entries in lists for entry in entries):
        name = entry.get("motorId") or entry.get("ioId") or entry.get("deviceId")
        if name in chosen:
            entry["driver"] = {"type": "ETHERNET" if "deviceId" in entry else "PLC", "config": {}}
    return {**config, **changes}


class RealBench(Bench):
    @property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        port = hardware_port(self.config)
        return (port,) if port else ()

    @on(*FROM_DRIVERS)
    def heed(self, message: HardwareMessage, link: Any) -> None:
        self.machine.drivers.take(message)  # type: ignore[attr-defined]


class Drive:
    """A drive that ramps to its setpoint of `late` steps ago, and stands without power."""

    def __init__(self, acceleration: float = 1.0, late: int = 2):
        self.position, self.velocity, self.state, self.fault = 0.0, 0.0, "DISABLED", ""
        self.acceleration, self.queue = acceleration, deque([MotorCommand("STOP")] * late)
        self.commands: list[MotorCommand] = []
        self.stuck = False

    def step(self, command: MotorCommand | None) -> None:
        if command is not None:
            self.commands.append(command)
            if command.kind == "RESET":
                self.fault = ""
                command = None
        self.queue.append(command or self.queue[-1])
        now = self.queue.popleft()
        wanted = now.value if now.kind == "VELOCITY" else 0.0
        if now.kind == "POSITION":
            wanted = max(-0.1, min((now.value - self.position) / (3 * STEP_S), 0.1))
        if self.fault or self.stuck:
            wanted = 0.0
        change = self.acceleration * STEP_S
        self.velocity += max(-change, min(wanted - self.velocity, change))
        self.position += self.velocity * STEP_S
        moves = abs(self.velocity) > 1e-6
        self.state = (
            "ERROR"
            if self.fault
            else "RUNNING"
            if moves
            else "DISABLED"
            if self.state == "DISABLED"
            else "IDLE"
        )

    def reading(self, id: str) -> MotorReading:
        feedback = self.position, self.velocity, self.state, self.fault
        return MotorReading(*feedback, 1.5, 40.0, id)  # type: ignore[arg-type]


class Plant:
    """All real parts of a robot, polled every 20 ms as by a transport.

    `silent` ones do not respond.
    """

    def __init__(self, config: dict[str, Any], seed: int = 0):
        self.robot = RealBench("agv", RobotConfig.model_validate(config))
        self.sim = Simulation([self.robot], seed=seed)
        parts = self.robot.ports[0].options["parts"]
        self.drives = {part.id: Drive() for part in parts if part.kind == "motor"}
        self.inputs = {part.id: False for part in parts if part.kind == "input"}
        self.outputs: dict[str, list[bool]] = {
            part.id: [] for part in parts if part.kind == "output"
        }
        self.silent: set[str] = set()

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.sim.run(STEP_S)
            self.exchange()

    def exchange(self) -> None:
        commands = self.sim.take("agv", PORT)
        for said in commands:
            if isinstance(said, OutputCommand):
                self.outputs[said.id].append(said.value)
        for part_id, drive in self.drives.items():
            mine = [
                said for said in commands if isinstance(said, MotorCommand) and said.id == part_id
            ]
            for extra in mine[:-1]:
                drive.commands.append(extra)
                drive.fault = "" if extra.kind == "RESET" else drive.fault
            drive.step(mine[-1] if mine else None)
            self.tell(part_id, drive.reading(part_id))
        for part_id, value in self.inputs.items():
            self.tell(part_id, InputReading(value, part_id))

    def tell(self, id: str, message: HardwareMessage) -> None:
        if id not in self.silent:
            self.sim.send("agv", PORT, message)

    def lose(self, id: str, reason: str) -> None:
        self.silent.add(id)
        self.sim.send("agv", PORT, DriverState(False, reason, "motor", id))

    def until(self, true: Any, most_s: float = 60.0) -> None:
        for _ in range(round(most_s / STEP_S)):
            if true():
                return
            self.run(STEP_S)
        raise AssertionError("waited in vain")
