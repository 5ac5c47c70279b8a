"""The JSON messages that the WebSocket sends to its clients, as models.

They are not built from these models, for speed. The tests check every message against them, and
`scripts/build-api-types` makes the JSDoc types of the front end from them.
"""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.api.models import ProblemEntry, RobotStatus, RunStatus, SnapshotEntry
from rigless.kernel.events import Severity
from rigless.panel.api_models import (
    MapObject,
    PlayerStatus,
    ProgramStatus,
    SecondStatus,
    StageName,
)
from rigless.panel.fleet.models import FleetMessage
from rigless.panel.goals.models import GoalStatus
from rigless.panel.page_models import Page
from rigless.panel.places.models import Zone
from rigless.panel.wire.models import WireMessage


class RobotSummary(TypedDict):
    """A robot in the status. Robots with the same number of `world` share a map."""

    name: str
    kind: str
    world: int
    status: str


class AlarmText(TypedDict):
    """A condition that stops a robot, and what ends it."""

    text: str
    fix: str


class LiveRobotSummary(RobotSummary):
    """A live robot. `stop` is the state of its emergency stop, null if it has none."""

    stop: bool | None
    alarm: AlarmText | None


class OpenSecond(SecondStatus):
    """The second recording of a comparison, and the robots in it."""

    robots: list[RobotSummary]


class OpenPlayer(PlayerStatus):
    """The player with a recording, the robots in it, and the recording next to it."""

    robots: list[RobotSummary]
    second: OpenSecond | None


class StatusMessage(RunStatus):
    """The run as a whole, ten times per second.

    With more than 64 robots, `robots` is in every tenth message, and in the one after an emergency
    stop.
    """

    type: Literal["status"]
    snapshots: list[SnapshotEntry]
    robots: NotRequired[list[LiveRobotSummary]]
    zones: list[Zone]
    deck: NotRequired[OpenPlayer | None]


class RobotMessage(RobotStatus):
    """The state of a robot that the client looks at.

    `program` is for robots with programs, `goal` for those that go to places. A `movable` one can
    be put at another place while time stands still.
    """

    type: Literal["robot"]
    stage: StageName
    program: NotRequired[ProgramStatus]
    goal: NotRequired[GoalStatus]
    movable: NotRequired[bool]


class AroundMessage(TypedDict):
    """The objects on the map of a world."""

    type: Literal["around"]
    stage: StageName
    world: int
    things: list[MapObject]


class ListingLines(TypedDict):
    """The lines of a listing. `first` is the number of the first line in `texts`."""

    first: int
    texts: list[str]
    current: int
    read: int
    wrong: list[int]


class ListingsMessage(TypedDict):
    """The listings of a robot's page, when they have changed."""

    type: Literal["listings"]
    stage: StageName
    robot: str
    listings: dict[str, ListingLines]


class EventMessage(TypedDict):
    """An event of the run, as it happens."""

    type: Literal["event"]
    time_s: float
    robot: str
    code: str
    severity: Severity
    text: str
    data: dict[str, Any]


class TruthMessage(TypedDict):
    """Ground truth of all robots."""

    type: Literal["truth"]
    time_s: float
    robots: dict[str, Any]


class TroubleMessage(TypedDict):
    """The view of a robot has failed."""

    type: Literal["trouble"]
    robot: str
    text: str


class DroppedMessage(TypedDict):
    """The number of dropped events: the client did not read, or there were too many."""

    type: Literal["dropped"]
    count: int


class ErrorMessage(TypedDict):
    """A message from the client could not be carried out."""

    type: Literal["error"]
    problems: list[ProblemEntry]


ServerMessage = Annotated[
    StatusMessage
    | RobotMessage
    | AroundMessage
    | Page
    | ListingsMessage
    | EventMessage
    | TruthMessage
    | TroubleMessage
    | DroppedMessage
    | WireMessage
    | FleetMessage
    | ErrorMessage,
    Field(discriminator="type"),
]
SERVER_MESSAGE: TypeAdapter[Any] = TypeAdapter(ServerMessage, config=ConfigDict(extra="forbid"))
