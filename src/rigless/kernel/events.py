"""Log entries, for people, expectations and recordings."""

from typing import Any, Literal

import msgspec

Severity = Literal["debug", "info", "warning", "error", "critical"]
KERNEL_CODES = (
    "fault-injected",
    "fault-cleared",
    "wire-error",
    "unhandled-message",
    "obstacle-on-robot",
    "placed",
)
SEVERITIES: tuple[Severity, ...] = ("debug", "info", "warning", "error", "critical")


class Event(msgspec.Struct, frozen=True):
    """A log entry: `code` (kebab-case) is for programs, `text` for people, `data` for both.

    `robot` is empty for events of the host. Any robot can have an event of KERNEL_CODES; its other
    codes are in `Robot.event_codes`.

        [event.text for event in sim.events if event.severity == "error"]
    """

    time_ns: int
    robot: str
    code: str
    severity: Severity
    text: str
    data: dict[str, Any] = {}

    def __repr__(self) -> str:
        source = f"{self.robot} " if self.robot else ""
        return f"<Event {self.time_ns / 1e9:g} s {self.severity} {source}{self.code}: {self.text}>"
