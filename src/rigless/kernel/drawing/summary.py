"""A robot in one line, for tables of many robots."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """A robot in one line of a table. None and empty texts are shown as a dash."""

    speed_mps: float | None = None
    battery_percent: float | None = None
    task: str = ""
