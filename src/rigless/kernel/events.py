"""Log entries with a code, a severity and data: what happened, for people, expectations and recordings alike."""

from typing import Any, Literal

import msgspec

Severity = Literal["debug", "info", "warning", "error", "critical"]
SEVERITIES: tuple[Severity, ...] = ("debug", "info", "warning", "error", "critical")


class Event(msgspec.Struct, frozen=True):
    """`code` is for programs (kebab-case), `text` for people, `data` for both. `robot` is empty for the simulation's own."""

    time_ns: int
    robot: str
    code: str
    severity: Severity
    text: str
    data: dict[str, Any] = {}

    def __repr__(self) -> str:
        source = f"{self.robot} " if self.robot else ""
        return f"<Event {self.time_ns / 1e9:g} s {self.severity} {source}{self.code}: {self.text}>"
