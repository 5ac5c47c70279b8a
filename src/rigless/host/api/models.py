"""Requests and responses of the control API, from which /openapi.json is made.

Requests are pydantic models, which check what a client sends. Responses are typed dictionaries: the
type checker and FastAPI know their fields, and building one costs no more than a dictionary.
The panel adds models of its own routes and of its WebSocket messages in `rigless.panel`.
"""

from typing import Annotated, Any, NotRequired

from pydantic import BaseModel, ConfigDict, Field, StrictBool
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.host import State
from rigless.host.outcome_models import OutcomeStatus
from rigless.host.timing.pace import Mode
from rigless.kernel.events import Severity
from rigless.kernel.ports import Direction
from rigless.kernel.problems import Problem

InputValue = bool | int | float | str

# Requests


class Body(BaseModel):
    """A JSON object in a request. Unknown keys, NaN and infinity are errors."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Step(Body):
    """Advance by this many milliseconds of simulated time."""

    ms: Annotated[float, Field(gt=0, le=3.6e6)] = 10.0


class SetSpeed(Body):
    """A factor of real time, "fast" or "lockstep"."""

    speed: float | str


class SetInputs(Body):
    """New values of inputs of a robot, by name. All are set, or none."""

    inputs: dict[str, InputValue]


class InjectFault(Body):
    """A fault to inject, for ever or for a time."""

    robot: str
    target: str
    kind: str = ""
    params: dict[str, Any] = {}
    for_s: Annotated[float, Field(gt=0, le=1e9)] | None = None


class SendMessage(Body):
    """A message to deliver on a port, as if a peer had sent it. Its key `type` names its type."""

    port: str
    message: dict[str, Any]


SnapshotName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_. -]*$", max_length=100)]
FileName = Annotated[str, Field(max_length=4096)]


class TakeSnapshot(Body):
    """Take a snapshot: the name to keep it under, and a file in the recordings folder to write.

    Both are optional. A file that exists is replaced only with `force`.
    """

    name: SnapshotName = ""
    file: FileName = ""
    force: StrictBool = False


class RestoreSnapshot(Body):
    """Go to a snapshot: kept by name, in a file of the recordings folder, or its content."""

    name: SnapshotName = ""
    file: FileName = ""
    data: str = ""


class RecordTo(Body):
    """The file in the recordings folder to record to. The default is SCENARIO-DATE-TIME.mcap.

    A file that exists is replaced only with `force`.
    """

    file: FileName | None = None
    force: StrictBool = False


# Responses


class ProblemEntry(TypedDict):
    """One mistake in a request: the key, the reason and the fix."""

    where: str
    what: str
    fix: str
    file: NotRequired[str]
    line: NotRequired[int]
    code: NotRequired[str]


def problem_entry(problem: Problem) -> ProblemEntry:
    """Return the fields of a problem that are part of the API."""
    return {
        "where": problem.where,
        "what": problem.what,
        "fix": problem.fix,
        "file": problem.file,
        "line": problem.line,
        "code": problem.code,
    }


class Problems(TypedDict):
    """The body of every response that is not 200."""

    problems: list[ProblemEntry]


class PortStatus(TypedDict):
    """A port: its URL, connected peers, dropped messages, and a shell command that uses it.

    `problem` is the reason why it does not work at present, or "". `direction` is "in" or "out" if
    the robot only receives or only sends on it.
    """

    name: str
    transport: str
    direction: Direction
    url: str
    links: int
    dropped: int
    problem: str
    example: str
    example_label: str


class FaultStatus(TypedDict):
    """An active fault."""

    id: int
    robot: str
    target: str
    kind: str
    seam: str
    params: dict[str, Any]
    since_ns: int
    until_ns: int | None
    memory: dict[str, Any]


class RobotStatus(TypedDict):
    """The state of one robot as its operator sees it."""

    name: str
    status: str
    ports: list[PortStatus]
    inputs: dict[str, InputValue]
    metrics: dict[str, Any]
    faults: list[FaultStatus]


class InputInfo(TypedDict):
    """An input that a robot declares. The host sets those with `by_host`.

    A number may have bounds (null: none), a text choices (none: any text).
    """

    default: InputValue
    help: str
    label: str
    by_host: bool
    low: float | None
    high: float | None
    choices: list[str]


class FaultParam(TypedDict):
    """A parameter of a fault: a number with bounds (null: none), or a text with choices."""

    default: float | str
    low: float | None
    high: float | None
    choices: list[str]


class RobotDetails(RobotStatus):
    """The state of one robot, its inputs, and the faults that can be injected into it."""

    declared_inputs: dict[str, InputInfo]
    fault_targets: dict[str, dict[str, dict[str, float | str]]]
    fault_params: dict[str, dict[str, dict[str, FaultParam]]]


class RunStatus(TypedDict):
    """The state of the run as a whole. `epoch` grows whenever time jumps.

    `outcome` is null until the duration of the scenario is over.
    """

    name: str
    state: State
    failure: str
    time_s: float
    epoch: int
    pace: Mode
    speed: float
    wall_s: float
    real_time_factor: float
    lost_s: float
    seed: int
    recording: str | None
    outcome: OutcomeStatus | None


class Status(RunStatus):
    """The state of the run and of all robots."""

    robots: list[RobotStatus]


class Truth(TypedDict):
    """The ground truth of one robot. Its fields depend on the kind of robot."""

    time_s: float
    truth: Any


class Metrics(TypedDict):
    """Counters of the run, of the ports (`dropped`, by ROBOT/PORT) and of the robots."""

    time_s: float
    events_processed: int
    recorded_messages: int
    dropped: dict[str, int]
    robots: dict[str, dict[str, Any]]


class EventEntry(TypedDict):
    """An event of the run. `robot` is empty for events of the simulation itself."""

    time_ns: int
    robot: str
    code: str
    severity: Severity
    text: str
    data: dict[str, Any]


class SnapshotEntry(TypedDict):
    """A snapshot that is kept in memory."""

    name: str
    time_s: float


class SnapshotContent(SnapshotEntry):
    """A snapshot that is kept in memory, with the content of a snapshot file in base64."""

    data: str


class SavedSnapshot(SnapshotEntry):
    """A snapshot that was taken, and the file that it was written to, if any."""

    file: str


class FinishedRecording(TypedDict):
    """The file of a recording that was stopped."""

    file: str
