"""The robot's state: one dataclass of plain values, so that snapshots and replays work."""

from dataclasses import dataclass


@dataclass
class TemplateRobotState:
    """Where the table is, where it goes, and what the sensor last read."""

    angle_deg: float = 0.0
    target_deg: float = 0.0
    measured_deg: float | None = None
