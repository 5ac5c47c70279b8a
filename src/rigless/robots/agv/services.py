"""The services of the kernel that the parts of the robot use, as small protocols.

`rigless.kernel.robot.Robot` provides all of them. Each part takes the protocol that it needs
instead of the whole robot.
"""

from typing import Any, Protocol

import numpy as np

from rigless.kernel.events import Severity
from rigless.kernel.faults import Fault, Targets
from rigless.kernel.inputs import Inject


class Clock(Protocol):
    @property
    def now_ns(self) -> int: ...


class DriverServices(Clock, Protocol):
    """Clock, faults of actuators, and the port of the real parts."""

    faults: list[Fault]
    actuated: dict[str, float]

    def actuate(self, actuator: str, command: float, dt_s: float, full: float = 1.0) -> float: ...

    def emit(self, port: str, message: Any) -> None: ...


class SensingServices(Protocol):
    """Inputs, and faults of sensors and devices."""

    input: dict[str, Any]
    faults: list[Fault]

    def fault(self, target: str, kind: str = "") -> Fault | None: ...

    def sense(self, sensor: str, value: Any) -> Any: ...


class ScriptServices(Protocol):
    """Faults that a script begins, and its random streams."""

    name: str
    fault_targets: Targets

    def fault(self, target: str, kind: str = "") -> Fault | None: ...

    def begin_fault(self, fault: Inject) -> None: ...

    def random(self, stream: str) -> np.random.Generator: ...


class MachineServices(DriverServices, SensingServices, ScriptServices, Protocol):
    """The services that the machine passes on to its parts."""


class Services(Clock, Protocol):
    """The services of the modules: clock, inputs, faults, ports, events and counters."""

    name: str
    input: dict[str, Any]
    faults: list[Fault]

    def fault(self, target: str, kind: str = "") -> Fault | None: ...

    def wanted(self, port: str) -> bool: ...

    def emit(self, port: str, message: Any) -> None: ...

    def count(self, metric: str, amount: float = 1) -> None: ...

    def event(self, code: str, text: str, /, severity: Severity = "info", **data: Any) -> None: ...
