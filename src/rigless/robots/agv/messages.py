"""The payloads between the robot and its backend. Names are those on the wire.

Outbound payloads have no defaults for required fields; fields that are None are left out. Inbound
payloads may hold unknown fields.
"""

from typing import Any, ClassVar, Literal

from msgspec import Struct

Status = Literal["RUNNING", "WARNING", "PAUSED", "ERROR", "OFFLINE"]
AckStatus = Literal[
    "ACCEPTED", "RUNNING", "SUCCEEDED", "FAILED", "REJECTED", "CANCELLED", "EXPIRED"
]
MotorState = Literal["IDLE", "RUNNING", "ERROR", "DISABLED"]
Severity = Literal["INFO", "WARNING", "ERROR", "CRITICAL"]

# The codes of an acknowledgement; any other failure has only a message.
ACK_CODES = frozenset(
    (
        "REQUIRED_MOTOR_UNAVAILABLE",
        "STATUS_FORBIDS",
        "NOT_SUPPORTED",
        "INVALID_PARAMS",
        "EXPIRED",
        "BUSY",
        "RESET_COOLDOWN",
        "MALFORMED_ENVELOPE",
    )
)
FINAL: frozenset[str] = frozenset(("SUCCEEDED", "FAILED", "REJECTED", "CANCELLED", "EXPIRED"))


class Outbound(Struct, frozen=True, omit_defaults=True):
    """Base of messages that the robot publishes."""


class Inbound(Struct, frozen=True, kw_only=True):
    """Base of messages to the robot.

    The codec adds these fields: the server's time of receipt (Unix ns; None: use the robot's
    clock), the message's age at receipt, and the correlation for replies.
    """

    ADDED: ClassVar = ("receivedAtNs", "ageS", "correlationId")
    receivedAtNs: int | None = None
    ageS: float = 0.0
    correlationId: str = ""


# Outbound


class Ref(Outbound, frozen=True):
    key: str
    value: str


class Pose(Outbound, frozen=True):
    x: float
    y: float
    theta: float
    mapId: str


class Velocity(Outbound, frozen=True):
    v: float
    omega: float


class Safety(Outbound, frozen=True):
    estop: Literal["NONE", "MANUAL", "REMOTE"]
    obstacleStop: bool
    fieldViolation: bool


class MotorHealth(Outbound, frozen=True):
    motorId: str
    role: str
    connected: bool
    state: MotorState
    functionKey: str | None = None
    position: float | None = None
    velocity: float | None = None
    faultCode: str | None = None


class Fault(Outbound, frozen=True):
    """An entry of `errors` in the state."""

    code: str
    level: Literal["WARNING", "ERROR", "FATAL"]
    refs: list[Ref]
    message: str
    hint: str | None = None


class BatteryState(Outbound, frozen=True):
    soc: float
    charging: bool
    chargerId: str | None = None


class LoadState(Outbound, frozen=True):
    """The load on the robot."""

    loadId: str
    type: str
    lengthM: float
    widthM: float
    heightM: float
    massKg: float


class Heartbeat(Outbound, frozen=True):
    status: Status
    mode: str
    uptimeS: float
    intervalMs: int
    outboxDepth: int
    settingsVersion: int
    tickOverruns: int


class State(Outbound, frozen=True):
    status: Status
    statusReasons: list[str]
    pose: Pose
    velocity: Velocity
    driving: bool
    safety: Safety
    holds: list[str]
    motors: list[MotorHealth]
    errors: list[Fault]
    missingFunctionKeys: list[str]
    commandId: str | None = None
    taskId: str | None = None
    battery: BatteryState | None = None
    load: LoadState | None = None


class MotorReadings(Outbound, frozen=True):
    motorId: str
    currentA: float
    tempC: float
    position: float
    velocity: float


class Telemetry(Outbound, frozen=True):
    motors: list[MotorReadings]
    battery: dict[str, Any]
    io: dict[str, bool]
    devices: dict[str, Any]
    loop: dict[str, float]


class Event(Outbound, frozen=True):
    eventId: str
    code: str
    severity: Severity
    source: str
    message: str
    data: dict[str, Any]
    raisedAt: str
    clearedAt: str | None = None


class CommandAck(Outbound, frozen=True):
    commandId: str
    status: AckStatus
    refs: list[Ref]
    code: str | None = None
    message: str | None = None
    progress: float | None = None
    result: dict[str, Any] | None = None
    replayed: bool | None = None


class RejectedSetting(Outbound, frozen=True):
    key: str
    code: str
    message: str


class SettingsReported(Outbound, frozen=True):
    desiredVersion: int
    effective: dict[str, Any]
    rejected: list[RejectedSetting]
    restartRequired: list[str]
    desired: dict[
        str, Any
    ]  # all accepted settings; an extension of the contract, used after a restart


class TaskProgress(Outbound, frozen=True):
    """Progress of a task.

    `revision` is an extension of the contract: with taskId it identifies a task after a restart. A
    rejected task has none.
    """

    taskId: str
    state: str
    stepId: str | None
    stepIndex: int
    stepCount: int
    pct: float
    etaS: float | None = None
    revision: int | None = None


class TaskDone(Outbound, frozen=True):
    taskId: str
    startedAt: str
    finishedAt: str
    metrics: dict[str, float]
    revision: int | None = None


class TaskFailed(Outbound, frozen=True):
    taskId: str
    code: str
    message: str
    recoverable: bool
    stepId: str | None = None
    motorId: str | None = None
    revision: int | None = None


class TrafficState(Outbound, frozen=True):
    pose: Pose
    velocity: Velocity
    footprint: list[tuple[float, float]]  # corners, in map metres
    nextNodes: list[str]
    held: bool
    holdIds: list[str]
    stopDistanceM: float
    edgeId: str | None = None
    s: float | None = None


class RouteRequest(Outbound, frozen=True):
    requestId: str
    reason: Literal["REROUTE", "PREVIEW"]
    start: dict[str, float]
    to: dict[str, float]
    avoid: list[str]


class TeachPoint(Outbound, frozen=True):
    sessionId: str
    pointId: str
    index: int
    pose: Pose
    actions: list[dict[str, Any]]


class TeachResult(Outbound, frozen=True):
    sessionId: str
    status: Literal["DONE", "CANCELLED", "REJECTED"]
    points: list[TeachPoint]
    message: str | None = None


# Inbound


class CommandRequest(Inbound, frozen=True):
    """A command.

    `params` depend on `commandType`; without `expiresAt` it does not expire. On the wire expiresAt
    is required.
    """

    commandId: str
    commandType: str
    params: dict[str, Any] = {}
    issuedAt: str = ""
    expiresAt: str = ""
    expectedBootId: str | None = None


class SettingsDesired(Inbound, frozen=True):
    version: int
    settings: dict[str, Any]
    mode: Literal["PATCH", "REPLACE"] = "PATCH"


class Step(Struct, frozen=True):
    stepId: str
    type: str
    params: dict[str, Any] = {}
    requires: list[str] = []
    onFail: Literal["ABORT", "SKIP", "RETRY"] = "ABORT"


class TaskAssign(Inbound, frozen=True):
    taskId: str
    revision: int
    steps: list[Step]
    priority: int = 0
    deadline: str | None = None


class TaskCancel(Inbound, frozen=True):
    taskId: str
    mode: str = "GRACEFUL"


class TrafficControl(Inbound, frozen=True):
    controlId: str
    kind: Literal["HOLD", "RELEASE", "SPEED_LIMIT", "ZONE_BLOCK", "GRANT"]
    seq: int
    validUntil: str = ""
    value: Any = None
    zone: Any = None


class Node(Struct, frozen=True):
    nodeId: str
    sequenceId: int
    x: float
    y: float
    released: bool
    theta: float | None = None
    actions: list[dict[str, Any]] = []


class Edge(Struct, frozen=True):
    edgeId: str
    sequenceId: int
    startNodeId: str
    endNodeId: str
    maxSpeed: float | None = None


class RouteResponse(Inbound, frozen=True):
    requestId: str
    status: Literal["OK", "NO_ROUTE", "REJECTED"] = "OK"
    routeId: str = ""  # default: the requestId
    revision: int = 0
    nodes: list[Node] = []
    edges: list[Edge] = []


class TeachStart(Inbound, frozen=True):
    sessionId: str = ""  # default, here and below: the open session
    name: str = ""


class TeachRecord(Inbound, frozen=True):
    sessionId: str = ""
    pointId: str = ""
    actions: list[dict[str, Any]] = []


class TeachStop(Inbound, frozen=True):
    sessionId: str = ""
    cancel: bool = False


# Internal messages


class Malformed(Struct, frozen=True):
    """A message that cannot be decoded, with the ids that can be read from it."""

    REFUSED: ClassVar = "what"
    type: str
    what: str
    code: Literal["MALFORMED_ENVELOPE", "INVALID_PARAMS"]
    commandId: str = ""
    correlationId: str = ""
    taskId: str = ""


class Recalled(Struct, frozen=True):
    """The last message of an earlier boot about a subject, from the robot's outbox."""

    type: str
    payload: dict[str, Any]
    bootId: str
    correlationId: str = ""  # of the request that it answered


class LinkReport(Struct, frozen=True):
    """The state of the connection, reported by the transport when it changes."""

    connected: bool
    outboxDepth: int = 0
    why: str = ""
