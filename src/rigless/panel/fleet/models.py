"""The JSON messages of the fleet page, and the requests and responses of its API routes."""

from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.api.models import Body
from rigless.panel.api_models import SourceName

MOST_ROBOTS = 10_000  # in one request
Names = Annotated[list[str], Field(min_length=1, max_length=MOST_ROBOTS)]


class FleetRow(TypedDict):
    """The words in a robot's line. `n` is its place in the binary blocks.

    `stop` is the state of its emergency stop, null if it has none. `error` is its alarm, or the
    reason why its view fails. `faults` is the number of injected faults.
    """

    n: int
    name: str
    kind: str
    world: int
    status: str
    stop: bool | None
    task: str
    error: str
    faults: int


class FleetMessage(TypedDict):
    """The lines that have changed; all of them if `first` is set.

    `number` is that of the list of robots, as in the binary blocks. `asked_hz` is the number of
    pictures per second of the subscription, `hz` the number that the server allows itself, as one
    takes `cost_ms`, and `sent_hz` the number that it manages.
    """

    type: Literal["fleet"]
    stage: SourceName
    number: int
    first: bool
    total: int
    rows: list[FleetRow]
    hz: float
    asked_hz: int
    sent_hz: float
    cost_ms: float


class StopMany(Body):
    """Set (`on`) or release the emergency stop of these robots."""

    robots: Names
    on: StrictBool = True


class ActMany(Body):
    """Run an action of their pages on these robots."""

    robots: Names
    name: str


class InjectMany(Body):
    """Inject a fault into these robots, for ever or for a time."""

    robots: Names
    target: str
    kind: str = ""
    params: dict[str, Any] = {}
    for_s: Annotated[float, Field(gt=0, le=1e9)] | None = None


class ClearMany(Body):
    """Clear the faults of these robots."""

    robots: Names


class FailedRobot(TypedDict):
    """A robot on which it could not be done, and the reason."""

    robot: str
    problem: str


class DoneOnMany(TypedDict):
    """The robots on which it was done, and the others."""

    done: list[str]
    failed: list[FailedRobot]
