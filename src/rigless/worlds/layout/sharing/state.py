"""The changing part of a world with a layout, and the requests of robots for its things."""

from dataclasses import dataclass, field

from rigless.kernel.world import WorldState
from rigless.worlds.layout.devices import BeltState, LiftState
from rigless.worlds.layout.stock import Load, Stock


@dataclass
class Answer:
    """The result of a request; `why` says why it was not granted."""

    granted: bool = True
    why: str = ""
    load: Load | None = None


@dataclass
class Request:
    """The use of a thing by a robot."""

    robot: str
    action: str
    thing: str  # its kind and its id: stations/S1
    load: Load | None = None
    load_id: str = ""
    floor: int = 0
    open: bool = False
    made_ns: int = 0
    sent_ns: int = 0
    polled_ns: int = 0  # when the robot last asked for the answer
    answer: Answer | None = None

    @property
    def key(self) -> str:
        return f"{self.robot} {self.action} {self.thing}"

    def is_like(self, other: "Request") -> bool:
        """Return True if both ask for the same."""
        wanted = self.key, self.load_id, self.floor, self.open
        return wanted == (other.key, other.load_id, other.floor, other.open)


@dataclass
class DoorNow:
    """The state of a door, or where it moves to."""

    open: bool
    used_ns: int = 0


@dataclass
class SharedState:
    """Requests of this shard, and the last ones that it has answered, by their keys."""

    requests: dict[str, Request] = field(default_factory=dict)
    answered: dict[str, Request] = field(default_factory=dict)


@dataclass
class SiteState(WorldState):
    """The changing part of a world with a layout."""

    stocks: dict[str, Stock] = field(default_factory=dict)  # by station
    loads_made: int = 0
    loads_step: int = 1
    claims: dict[str, str] = field(default_factory=dict)  # robots by the chargers that they use
    door_used_ns: dict[str, int] = field(default_factory=dict)  # when a robot was near
    lifts: dict[str, LiftState] = field(default_factory=dict)
    belts: dict[str, BeltState] = field(default_factory=dict)
    ticked_ns: int = -(10**9)
    shared: SharedState = field(default_factory=SharedState)
