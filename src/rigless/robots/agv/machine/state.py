"""What the machine remembers: plain data, so that snapshots and replays follow from it. Made full size by machine.py when the robot starts."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.robots.agv.machine.remote_state import RemoteState
from rigless.robots.agv.motion.drive import DRIVE_SIZE, PATH_SIZE
from rigless.robots.agv.motion.motors import MOTOR_SIZE

Array = NDArray[np.float64]


@dataclass(slots=True)
class MachineState:
    # Motors, by index
    motors: Array = field(default_factory=lambda: np.zeros((0, MOTOR_SIZE)))
    codes: list[str] = field(default_factory=list)  # fault codes; "": none
    latched: list[str] = field(default_factory=list)  # errors that only a reset takes away
    reset_ns: list[int] = field(default_factory=list)  # when each was last reset; -1: never
    ills: list[str] = field(default_factory=list)  # ERROR or DISCONNECTED; "": it is well
    taken: list[int] = field(
        default_factory=list
    )  # the faults that motors, inputs and devices know of
    faulted: bool = (
        False  # they are to be told anew, for instance because a fault acts in every tick
    )

    # Drive
    drive: Array = field(default_factory=lambda: np.zeros(DRIVE_SIZE))
    path: Array = field(default_factory=lambda: np.zeros((0, PATH_SIZE)))
    map_id: str = "map"
    drive_allowed: bool = True
    speed_limit: float = math.inf
    moving: bool = False  # something moves, or has somewhere to go
    frozen: dict[int, float] = field(
        default_factory=dict
    )  # where axes were going when the e-stop was pressed

    # Inputs, outputs, devices
    wired: dict[str, bool] = field(default_factory=dict)  # what drivers read of inputs
    sampled: bool = False  # inputs were read since people last set one
    inputs: dict[str, bool] = field(default_factory=dict)
    outputs: dict[str, bool] = field(default_factory=dict)
    readings: dict[str, Any] = field(default_factory=dict)  # of devices
    edges: Array = field(default_factory=lambda: np.zeros(0))  # 1 for a limit sensor that is on
    off: list[str] = field(default_factory=list)  # devices that are off

    # Safety
    estop: str = "NONE"
    obstacle_m: float = math.inf
    blocked: bool = False  # that is within the stopping distance, for simulated inputs to see
    guarded: bool = False  # an input says that something is in the way
    obstacle_stop: bool = False
    field_violation: bool = False

    # What the simulation's profile has done
    cursor: int = 0  # the next entry of the script
    due_ns: int = 0  # when it is
    ahead_m: float = math.inf  # the nearest obstacle of the script that goes along
    placed: Array = field(default_factory=lambda: np.zeros((0, 3)))  # those at places: x, y, radius
    over: Array = field(
        default_factory=lambda: np.zeros(0)
    )  # 1 for a marker that the robot is over
    chances_ns: list[int] = field(default_factory=list)  # when each rule by chance is due
    driven: list[bool] = field(default_factory=list)  # rules by distance that have begun

    # Power
    soc: float = 1.0
    charging: bool = False
    rest_s: float = 0.0  # rest that motors and battery do not know of yet

    remote: RemoteState = field(default_factory=RemoteState)  # what is known of real parts

    # Of this tick
    scans: list[tuple[str, str]] = field(default_factory=list)
    notices: list[tuple[str, str, str, str, dict[str, Any]]] = field(default_factory=list)
    changes: int = 0  # counts whatever may change what the machine says of itself

    def wake(self) -> None:
        """Make the next tick look at everything: something that stood may move now."""
        self.moving, self.changes = True, self.changes + 1
