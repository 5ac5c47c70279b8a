"""Messages of VDA 5050 as one internal model, with the names of 2.1 and the fields of 3.0.

dialect.py maps it to the names of each version. An optional field is None and left out.
"""

from typing import Any, ClassVar, Literal

from msgspec import Struct

from rigless.robots.agv.vda5050_model.received import Incoming, Trajectory


class Header(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first fields of every message; the publisher fills them in."""

    ADDED: ClassVar = Incoming.ADDED
    headerId: int = -1
    timestamp: str = ""
    version: str = ""
    manufacturer: str = ""
    serialNumber: str = ""


class Connection(Header, frozen=True, kw_only=True, omit_defaults=True):
    connectionState: Literal["ONLINE", "OFFLINE", "CONNECTIONBROKEN", "HIBERNATING"]


class Will(Connection, frozen=True, kw_only=True, omit_defaults=True):
    """The message that the broker publishes if the connection breaks."""


class Session(Struct, frozen=True):
    """A request to the transport, for faults: cut, takeover, or leave and the seconds."""

    request: str


class Download(Struct, frozen=True):
    """A request to the transport to download a file for an action; with its `text` or without."""

    id: str
    url: str
    text: bool = False


class Position(Struct, frozen=True, kw_only=True, omit_defaults=True):
    x: float
    y: float
    theta: float
    mapId: str
    positionInitialized: bool
    localizationScore: float | None = None


class Velocity(Struct, frozen=True, kw_only=True):
    vx: float
    vy: float
    omega: float


class NodeStatePosition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    x: float
    y: float
    mapId: str
    theta: float | None = None


class NodeState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    nodeId: str
    sequenceId: int
    released: bool
    nodeDescription: str | None = None
    nodePosition: NodeStatePosition | None = None


class EdgeState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    edgeId: str
    sequenceId: int
    released: bool
    edgeDescription: str | None = None
    trajectory: Trajectory | None = None


class ActionState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    actionId: str
    actionType: str
    actionStatus: str
    actionDescription: str | None = None
    resultDescription: str | None = None


class MapState(Struct, frozen=True, kw_only=True):
    mapId: str
    mapVersion: str
    mapStatus: str


class ZoneSetState(Struct, frozen=True, kw_only=True):
    zoneSetId: str
    mapId: str
    zoneSetStatus: str


class Request(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request for a zone or for a corridor (3.0)."""

    requestId: str
    requestType: str
    requestStatus: str
    zoneId: str | None = None
    zoneSetId: str | None = None
    edgeId: str | None = None
    sequenceId: int | None = None
    trajectory: Trajectory | None = None


class PlannedPath(Struct, frozen=True, kw_only=True):
    """The path along the base (3.0)."""

    trajectory: Trajectory
    traversedNodes: list[str]


class EtaPoint(Struct, frozen=True, kw_only=True):
    x: float
    y: float
    theta: float
    eta: str


class IntermediatePath(Struct, frozen=True, kw_only=True):
    """The first part of the path, with times of arrival (3.0)."""

    polyline: list[EtaPoint]


class Load(Struct, frozen=True, kw_only=True, omit_defaults=True):
    loadId: str | None = None
    loadType: str | None = None
    loadPosition: str | None = None
    weight: float | None = None


class Battery(Struct, frozen=True, kw_only=True, omit_defaults=True):
    batteryCharge: float
    charging: bool
    batteryVoltage: float | None = None
    batteryHealth: int | None = None
    reach: int | None = None


class Reference(Struct, frozen=True):
    referenceKey: str
    referenceValue: str


class Error(Struct, frozen=True, kw_only=True, omit_defaults=True):
    errorType: str
    errorLevel: str
    errorReferences: list[Reference]
    errorDescription: str
    errorHint: str | None = None


class Info(Struct, frozen=True, kw_only=True, omit_defaults=True):
    infoType: str
    infoLevel: str
    infoReferences: list[Reference]
    infoDescription: str | None = None


class Safety(Struct, frozen=True, kw_only=True):
    eStop: str
    fieldViolation: bool


class State(Header, frozen=True, kw_only=True, omit_defaults=True):
    orderId: str
    orderUpdateId: int
    lastNodeId: str
    lastNodeSequenceId: int
    driving: bool
    paused: bool
    newBaseRequest: bool
    distanceSinceLastNode: float
    operatingMode: str
    nodeStates: list[NodeState]
    edgeStates: list[EdgeState]
    agvPosition: Position
    velocity: Velocity
    loads: list[Load]
    actionStates: list[ActionState]
    batteryState: Battery
    errors: list[Error]
    information: list[Info]
    safetyState: Safety
    maps: list[MapState]
    zoneSetId: str | None = None
    zoneSets: list[ZoneSetState] | None = None
    instantActionStates: list[ActionState] | None = None
    zoneActionStates: list[ActionState] | None = None
    zoneRequests: list[Request] | None = None
    edgeRequests: list[Request] | None = None
    plannedPath: PlannedPath | None = None
    intermediatePath: IntermediatePath | None = None


class Visualization(Header, frozen=True, kw_only=True, omit_defaults=True):
    agvPosition: Position
    velocity: Velocity
    referenceStateHeaderId: int | None = None
    plannedPath: PlannedPath | None = None
    intermediatePath: IntermediatePath | None = None


class Factsheet(Header, frozen=True, kw_only=True, omit_defaults=True):
    """The capabilities of the robot; factsheet.py fills its tables in."""

    typeSpecification: dict[str, Any]
    physicalParameters: dict[str, Any]
    protocolLimits: dict[str, Any]
    protocolFeatures: dict[str, Any]
    agvGeometry: dict[str, Any]
    loadSpecification: dict[str, Any]
    vehicleConfig: dict[str, Any] | None = None


PUBLISHED: dict[type, str] = {
    Connection: "connection",
    Will: "connection",
    State: "state",
    Visualization: "visualization",
    Factsheet: "factsheet",
}
