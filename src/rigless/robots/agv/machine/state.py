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


# Numbers that most ticks change, in one array, so that a group of robots can tick in one call.
SOC, OBSTACLE_M, NEAR, REST_S, CHANGES, GAUGES = range(6)


def _gauges() -> Array:
    return np.array([1.0, math.inf, 0.0, 0.0, 0.0])


@dataclass(slots=True)
class MachineState:
    gauges: Array = field(default_factory=_gauges)

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
    blocked: bool = False  # within the stop distance, for simulated guards
    guarded: bool = False  # a guard input is on
    obstacle_stop: bool = False

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
    charging: bool = False
    charger: str = ""  # of the layout, at which the robot charges
    charger_w: float = math.inf  # the most that it supplies
    lift: str = ""  # of the layout, that carries the robot
    load_id: str = ""  # of the load on the robot
    load_type: str = ""
    load_height_m: float = 0.0
    load_kg: float = 0.0

    remote: RemoteState = field(default_factory=RemoteState)  # real parts

    # Of this tick
    scans: list[tuple[str, str]] = field(default_factory=list)
    notices: list[tuple[str, str, str, str, dict[str, Any]]] = field(default_factory=list)
    collisions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def soc(self) -> float:
        """The state of charge of the battery, 0 to 1."""
        return self.gauges.item(SOC)

    @soc.setter
    def soc(self, soc: float) -> None:
        self.gauges[SOC] = soc

    @property
    def obstacle_m(self) -> float:
        """The distance to the nearest obstacle ahead; inf if there is none."""
        return self.gauges.item(OBSTACLE_M)

    @obstacle_m.setter
    def obstacle_m(self, distance_m: float) -> None:
        self.gauges[OBSTACLE_M] = distance_m

    @property
    def field_violation(self) -> bool:
        """True if something is in the protective field."""
        return self.gauges.item(NEAR) > 0.0

    @field_violation.setter
    def field_violation(self, near: bool) -> None:
        self.gauges[NEAR] = near

    @property
    def rest_s(self) -> float:
        """The time at rest that battery and motors do not include yet."""
        return self.gauges.item(REST_S)

    @rest_s.setter
    def rest_s(self, seconds: float) -> None:
        self.gauges[REST_S] = seconds

    @property
    def changes(self) -> int:
        """The number of changes of published values."""
        return int(self.gauges.item(CHANGES))

    @changes.setter
    def changes(self, number: int) -> None:
        self.gauges[CHANGES] = number

    def wake(self) -> None:
        """Mark that something may move again, so that the next tick evaluates everything."""
        self.moving, self.changes = True, self.changes + 1
