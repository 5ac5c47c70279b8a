"""Messages of a VDA 5050 master, in the internal model of messages.py."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

ANGLE = 3.14159265359 + 1e-9
LONGEST_ID = 256
MOST = 1000  # nodes, or actions of a node, in an order

Id = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]
Number = Annotated[int, Meta(ge=0, le=2**32 - 1)]
Metres = Annotated[float, Meta(ge=-1e6, le=1e6)]
Length = Annotated[float, Meta(ge=0, le=1e6)]
Angle = Annotated[float, Meta(ge=-ANGLE, le=ANGLE)]
Tilt = Annotated[float, Meta(ge=-ANGLE / 2, le=ANGLE / 2)]
Unit = Annotated[float, Meta(ge=0, le=1)]
Blocking = Literal["NONE", "SOFT", "SINGLE", "HARD"]


ZoneType = Literal[
    "BLOCKED", "LINE_GUIDED", "RELEASE", "COORDINATED_REPLANNING", "SPEED_LIMIT", "ACTION",
    "PRIORITY", "PENALTY", "DIRECTED", "BIDIRECTED",
]  # fmt: skip


class Incoming(Struct, frozen=True, kw_only=True):
    """The header of a received message."""

    ADDED: ClassVar = ("headerId", "timestamp", "version", "manufacturer", "serialNumber")
    headerId: Number = 0
    timestamp: str = ""
    version: str = ""
    manufacturer: str = ""
    serialNumber: str = ""


class Parameter(Struct, frozen=True):
    key: str
    value: Any


class Action(Struct, frozen=True, kw_only=True):
    actionType: Id
    actionId: Id
    blockingType: Blocking
    actionDescription: str | None = None
    actionParameters: Annotated[list[Parameter], Meta(max_length=MOST)] | None = None
    retriable: bool | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        return {entry.key: entry.value for entry in self.actionParameters or ()}


class Ellipse(Struct, frozen=True):
    a: Length
    b: Length
    theta: Tilt


class NodePosition(Struct, frozen=True, kw_only=True):
    x: Metres
    y: Metres
    mapId: str
    theta: Angle | None = None
    allowedDeviationXY: Length | Ellipse | None = None
    allowedDeviationTheta: Angle | None = None


class Node(Struct, frozen=True, kw_only=True):
    nodeId: Id
    sequenceId: Number
    released: bool
    actions: list[Action]
    nodeDescription: str | None = None
    nodePosition: NodePosition | None = None


class ControlPoint(Struct, frozen=True, kw_only=True, omit_defaults=True):
    x: Metres
    y: Metres
    weight: Length | None = None


class Trajectory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    controlPoints: Annotated[list[ControlPoint], Meta(max_length=MOST)]
    degree: Annotated[int, Meta(ge=1, le=20)] | None = None
    knotVector: Annotated[list[Unit], Meta(max_length=2 * MOST)] | None = None


class Corridor(Struct, frozen=True, kw_only=True):
    leftWidth: Length
    rightWidth: Length
    corridorRefPoint: Literal["KINEMATICCENTER", "CONTOUR"] | None = None
    releaseRequired: bool | None = None
    releaseLossBehavior: Literal["STOP", "RETURN"] | None = None


class Edge(Struct, frozen=True, kw_only=True):
    edgeId: Id
    sequenceId: Number
    released: bool
    actions: list[Action]
    edgeDescription: str | None = None
    startNodeId: str | None = None
    endNodeId: str | None = None
    maxSpeed: Length | None = None
    maxHeight: Length | None = None
    minHeight: Length | None = None
    orientation: Angle | None = None
    orientationType: Literal["GLOBAL", "TANGENTIAL"] | None = None
    direction: str | None = None
    rotationAllowed: bool | None = None
    reachOrientationBeforeEntering: bool | None = None
    maxRotationSpeed: Length | None = None
    length: Length | None = None
    trajectory: Trajectory | None = None
    corridor: Corridor | None = None


class Order(Incoming, frozen=True, kw_only=True):
    orderId: Id
    orderUpdateId: Number
    nodes: Annotated[list[Node], Meta(min_length=1)]
    edges: list[Edge]
    zoneSetId: str | None = None
    orderDescription: str | None = None


class InstantActions(Incoming, frozen=True, kw_only=True):
    actions: Annotated[list[Action], Meta(max_length=MOST)]


def actions_of(nodes: Iterable[Node], edges: Iterable[Edge]) -> list[Action]:
    """Return all actions of nodes and edges."""
    found = [action for node in nodes for action in node.actions]
    return found + [action for edge in edges for action in edge.actions]


class Vertex(Struct, frozen=True):
    x: Metres
    y: Metres


class Zone(Struct, frozen=True, kw_only=True):
    zoneId: Id
    zoneType: ZoneType
    vertices: Annotated[list[Vertex], Meta(min_length=3, max_length=MOST)]
    zoneDescriptor: str | None = None
    maximumSpeed: Length | None = None
    priorityFactor: Unit | None = None
    penaltyFactor: Unit | None = None
    direction: Metres | None = None  # rad, any number of turns
    directedLimitation: Literal["SOFT", "RESTRICTED", "STRICT"] | None = None
    bidirectedLimitation: Literal["SOFT", "RESTRICTED"] | None = None
    releaseLossBehavior: Literal["STOP", "CONTINUE", "EVACUATE"] | None = None
    entryActions: Annotated[list[Action], Meta(max_length=MOST)] | None = None
    duringActions: Annotated[list[Action], Meta(max_length=MOST)] | None = None
    exitActions: Annotated[list[Action], Meta(max_length=MOST)] | None = None

    @property
    def actions(self) -> list[Action]:
        return [*(self.entryActions or ()), *(self.duringActions or ()), *(self.exitActions or ())]


class ZoneSet(Struct, frozen=True, kw_only=True):
    mapId: str
    zoneSetId: Id
    zones: Annotated[list[Zone], Meta(max_length=MOST)]
    zoneSetDescriptor: str | None = None


class ZoneSetFile(Struct):
    """The file that downloadZoneSet names: the message on the topic, or its zone set alone."""

    zoneSet: ZoneSet


class ZoneSets(Incoming, frozen=True, kw_only=True):
    """The message on the topic zoneSet (3.0)."""

    zoneSet: ZoneSet


class Response(Struct, frozen=True, kw_only=True):
    requestId: str
    grantType: Literal["GRANTED", "QUEUED", "REVOKED", "REJECTED"]
    leaseExpiry: str | None = None


class Responses(Incoming, frozen=True, kw_only=True):
    """The message on the topic responses (3.0)."""

    responses: Annotated[list[Response], Meta(max_length=MOST)]


class Unreadable(Struct, frozen=True, kw_only=True):
    """A message that is not valid: its topic, the reason, and what could be read of it."""

    topic: str
    what: str
    references: dict[str, str] = {}


class Downloaded(Struct, frozen=True):
    """A report of the transport: the file for the action `id`, or `why` there is none."""

    id: str
    size: int = 0
    sha256: str = ""
    text: str = ""
    why: str = ""


class SessionReport(Struct, frozen=True):
    """A report of the transport: CONNECTING, UP, DOWN or CLOSING."""

    session: str
    why: str = ""


TOPICS: dict[str, type[Incoming]] = {
    "order": Order,
    "instantActions": InstantActions,
    "zoneSet": ZoneSets,
    "responses": Responses,
}
