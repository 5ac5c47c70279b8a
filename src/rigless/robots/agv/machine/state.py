"""The state of the machine, as plain data. Its arrays get their size when the robot starts."""

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
    latched: list[str] = field(default_factory=list)  # errors that only a reset clears
    reset_ns: list[int] = field(default_factory=list)  # when each was last reset; -1: never
    motor_faults: list[str] = field(default_factory=list)  # ERROR or DISCONNECTED; "": healthy
    taken: list[int] = field(default_factory=list)  # ids of the faults that are applied
    faulted: bool = False  # faults must be applied again, as one acts in every tick

    # Drive
    drive: Array = field(default_factory=lambda: np.zeros(DRIVE_SIZE))
    path: Array = field(default_factory=lambda: np.zeros((0, PATH_SIZE)))
    map_id: str = "map"
    drive_allowed: bool = True
    speed_limit: float = math.inf
    moving: bool = False  # something moves, or has a target
    frozen: dict[int, float] = field(
        default_factory=dict
    )  # targets of axes when the e-stop was pressed

    # Inputs, outputs, devices
    wired: dict[str, bool] = field(default_factory=dict)  # inputs as drivers read them
    sampled: bool = False  # inputs were read since the last change
    inputs: dict[str, bool] = field(default_factory=dict)
    outputs: dict[str, bool] = field(default_factory=dict)
    readings: dict[str, Any] = field(default_factory=dict)  # of devices
    edges: Array = field(default_factory=lambda: np.zeros(0))  # 1 for a limit sensor that is on
    off: list[str] = field(default_factory=list)  # devices that are off

    # Safety
    pressed: str = "NONE"  # emergency stop: NONE, MANUAL or REMOTE
    estop: str = "NONE"  # likewise, until it is acknowledged
    released: bool = False  # it was seen released in this boot, so that a stop may latch
    obstacle_m: float = math.inf
    blocked: bool = False  # within the stop distance, for simulated guards
    guarded: bool = False  # a guard input is on
    obstacle_stop: bool = False
    field_violation: bool = False

    # Contacts
    touching: dict[str, float] = field(default_factory=dict)  # depth in m when last reported
    collided: bool = False  # stopped by a collision, until it is acknowledged
    load_size_m: tuple[float, float] | None = None  # length and width of the load on the robot

    # Script of the simulation profile
    cursor: int = 0  # next entry
    due_ns: int = 0  # its time
    ahead_m: float = math.inf  # nearest scripted obstacle that moves with the robot
    placed: Array = field(default_factory=lambda: np.zeros((0, 3)))  # the others: x, y, radius
    over: Array = field(
        default_factory=lambda: np.zeros(0)
    )  # 1 for a marker that the robot is over
    chances_ns: list[int] = field(default_factory=list)  # when each rule by chance is due
    driven: list[bool] = field(default_factory=list)  # rules by distance that have begun

    # Power
    soc: float = 1.0
    charging: bool = False
    charger: str = ""  # of the layout, at which the robot charges
    charger_w: float = math.inf  # the most that it supplies
    load_id: str = ""  # of the load on the robot
    load_type: str = ""
    load_height_m: float = 0.0
    load_kg: float = 0.0
    rest_s: float = 0.0  # time at rest that battery and motors do not include yet

    remote: RemoteState = field(default_factory=RemoteState)  # real parts

    # Of this tick
    scans: list[tuple[str, str]] = field(default_factory=list)
    notices: list[tuple[str, str, str, str, dict[str, Any]]] = field(default_factory=list)
    collisions: list[dict[str, Any]] = field(default_factory=list)
    changes: int = 0  # counts changes of published values

    def wake(self) -> None:
        """Mark that something may move again, so that the next tick evaluates everything."""
        self.moving, self.changes = True, self.changes + 1
