"""The thermostat's state: plain values, so that snapshots, reset and the panel follow from it."""

from dataclasses import dataclass, field


@dataclass
class ThermostatState:
    temperature_c: float = 0.0
    measured_c: float | None = None  # None while the sensor is silent
    setpoint_c: float = 0.0
    heating: bool = False
    subscribers: dict[int, int] = field(default_factory=dict)  # line link → report link
