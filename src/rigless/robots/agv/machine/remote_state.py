"""The state of the real parts: the last reading and the last command of each."""

import math
from dataclasses import dataclass, field
from typing import Any

NO_READING = "no reading yet"


@dataclass(slots=True)
class RemoteMotor:
    read_ns: int = -1  # last reading; -1: none since its driver came up
    position: float = 0.0
    velocity: float = 0.0
    state: str = "DISABLED"
    fault: str = ""
    current_a: float = 0.0
    temperature_c: float = 0.0
    reason: str = NO_READING  # why it is lost
    zero: float = 0.0  # offset of the reference from its position, for wheels
    zeroed: bool = False
    sent: str = ""  # the last command
    value: float = 0.0
    sent_ns: int = -1


@dataclass(slots=True)
class RemoteSignal:
    """An input, an output or a device."""

    read_ns: int = -1
    reason: str = NO_READING
    sent: bool | None = None  # last value of an output
    sent_ns: int = -1


@dataclass(slots=True)
class RemoteState:
    motors: dict[str, RemoteMotor] = field(default_factory=dict)
    signals: dict[str, RemoteSignal] = field(default_factory=dict)  # by kind/id
    lost: list[str] = field(
        default_factory=list
    )  # ids of inputs, outputs and devices that do not respond
    ahead_m: float = math.inf  # distance ahead to an obstacle, as devices report
    violated: bool = False  # something is in a protective field
    scans: list[tuple[str, str]] = field(default_factory=list)  # read since the last tick
    notices: list[tuple[str, str, str, str, dict[str, Any]]] = field(default_factory=list)
