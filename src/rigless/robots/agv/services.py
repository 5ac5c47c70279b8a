"""The services of the kernel that the modules use: clock, inputs, faults, ports, events, counters.

`rigless.kernel.robot.Robot` provides them. Modules take this protocol instead of the whole robot.
"""

from typing import Any, Protocol

from rigless.kernel.events import Severity
from rigless.kernel.faults import Fault


class Clock(Protocol):
    @property
    def now_ns(self) -> int: ...


class Services(Clock, Protocol):
    name: str
    input: dict[str, Any]
    faults: list[Fault]

    def fault(self, target: str, kind: str = "") -> Fault | None: ...

    def wanted(self, port: str) -> bool: ...

    def emit(self, port: str, message: Any) -> None: ...

    def count(self, metric: str, amount: float = 1) -> None: ...

    def event(self, code: str, text: str, /, severity: Severity = "info", **data: Any) -> None: ...
