"""What the robot remembers of its real parts: the last that was read of them and the last that was asked."""

import math
from dataclasses import dataclass, field
from typing import Any

UNHEARD = "nothing heard of it yet"


@dataclass(slots=True)
class RemoteMotor:
    heard_ns: int = -1  # when something was last read; -1: never since its driver came up
    position: float = 0.0
    velocity: float = 0.0
    state: str = "DISABLED"
    fault: str = ""
    current_a: float = 0.0
    temperature_c: float = 0.0
    reason: str = UNHEARD  # why it is lost, while it is
    zero: float = 0.0  # what is added to its position to get the reference's; of wheels
    zeroed: bool = False
    asked: str = ""  # the command that it was last given
    value: float = 0.0
    asked_ns: int = -1


@dataclass(slots=True)
class RemoteSignal:
    """An input, an output or a device."""

    heard_ns: int = -1
    reason: str = UNHEARD
    asked: bool | None = None  # of an output
    asked_ns: int = -1


@dataclass(slots=True)
class RemoteState:
    motors: dict[str, RemoteMotor] = field(default_factory=dict)
    signals: dict[str, RemoteSignal] = field(default_factory=dict)  # by kind/id
    lost: list[str] = field(
        default_factory=list
    )  # ids of inputs, outputs and devices that do not answer
    ahead_m: float = math.inf  # the free way ahead, by what devices say
    violated: bool = False  # something is in a protective field
    scans: list[tuple[str, str]] = field(default_factory=list)  # read since the last tick
    notices: list[tuple[str, str, str, str, dict[str, Any]]] = field(default_factory=list)
