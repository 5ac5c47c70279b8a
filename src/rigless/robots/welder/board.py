"""The board that the controller runs on, as its parts see it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rigless.kernel.events import Severity
from rigless.kernel.faults import Fault


class Board(Protocol):
    """Clock, input pins, serial output, timers, memory and log. The robot implements it."""

    on_collision: str  # "stop" or "report"
    on_limit: str  # "alarm", or "skip" the line

    @property
    def now_ns(self) -> int: ...

    @property
    def input(self) -> Mapping[str, Any]: ...

    @property
    def faults(self) -> Sequence[Fault]: ...

    def fault(self, target: str, kind: str = "") -> Fault | None: ...

    def sense(self, sensor: str, value: Any) -> Any: ...

    def set_input(self, name: str, value: bool) -> None:
        """Switch an input pin that the machine itself drives."""

    def set_input_after(self, seconds: float, name: str, value: bool) -> None: ...

    def wake_after(self, seconds: float) -> None:
        """Run the main loop again after this time."""

    def send_text(self, text: str) -> None:
        """Send text to the client after the feedback delay."""

    def store(self) -> None:
        """Write settings and offsets to non-volatile memory."""

    def start_periodic_reports(self) -> None: ...

    def event(self, code: str, text: str, /, severity: Severity = "info", **data: Any) -> None: ...

    def count(self, metric: str, amount: float = 1) -> None: ...
