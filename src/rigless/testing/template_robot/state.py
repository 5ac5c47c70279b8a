"""The robot's state: one dataclass of plain values, so that snapshots and replays work."""

from dataclasses import dataclass


@dataclass
class TemplateRobotState:
    """The angle of the table, its target, and the last reading of the sensor."""

    angle_deg: float = 0.0
    target_deg: float = 0.0
    measured_deg: float | None = None
