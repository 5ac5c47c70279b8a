"""The state of the VDA 5050 front end, as plain data."""

from dataclasses import dataclass, field

from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r

WAITING, RUNNING, PAUSED, RETRIABLE = "WAITING", "RUNNING", "PAUSED", "RETRIABLE"
FINISHED, FAILED = "FINISHED", "FAILED"
FINAL = (FINISHED, FAILED)
INSTANT, OF_ZONE = -1, -2  # instead of a sequence id


@dataclass(slots=True)
class ActionRecord:
    """An action of the order or of a zone, or an instant action.

    `at` is the sequence id of its node or edge. `zone` is the zone inside of which it goes on.
    """

    action: r.Action
    status: str = WAITING
    at: int = INSTANT
    zone: str = ""
    result: str = ""
    left_ns: int = 0  # of its duration
    file: r.Downloaded | None = None  # of its download
    due_ns: int = 0  # of its download; 0: none
    job: int = 0  # the job of the core that carries it out
    failed: bool = False  # by itself, not rejected and not cancelled
    at_place: bool = False  # the core shall carry it out at a station or a charger


@dataclass(slots=True)
class OrderState:
    """The held order. `nodes` and `edges` are still to be traversed; an edge leads to each node.

    The machine has the first `sent` nodes as its path; `marks` are their counts of waypoints.
    """

    order_id: str = ""
    update_id: int = 0
    zone_set_id: str = ""
    content: str = ""  # fingerprint of the last accepted message
    cancelled: bool = False
    cancelling: bool = False  # stopping, by cancelOrder, an operating mode or hibernation
    last_node: str = ""
    last_sequence: int = 0
    nodes: list[r.Node] = field(default_factory=list)
    edges: list[r.Edge] = field(default_factory=list)
    actions: dict[str, ActionRecord] = field(default_factory=dict)  # in the order of the message
    queue: list[str] = field(default_factory=list)  # triggered actions that are not final
    entered: int = -1  # sequence id of the edge that the robot is on
    sent: int = 0
    marks: list[int] = field(default_factory=list)
    job: int = 0  # the job that holds the drive
    odometer_m: float = 0.0  # at the last node
    last_place: tuple[float, float] | None = None  # of the last node
    edge_start: tuple[float, float] = (0.0, 0.0)  # position where the edge was entered


@dataclass(slots=True)
class SessionState:
    """The session with the broker; "" without a transport, as in virtual time."""

    state: str = ""
    begun: bool = False  # the first messages were published
    headers: dict[str, int] = field(default_factory=dict)  # next headerId by topic
    changed: bool = False  # publish a state at the end of this tick
    state_ns: int = -(10**12)  # when the state was last published
    facts: tuple[object, ...] = ()
    hibernating: bool = False
    falls_asleep: bool = False  # hibernates after the next state
    wake_ns: int = 0  # end of hibernation; 0: none
    off: bool = False  # after shutdown
    will: m.Will | None = None  # of the present connection


@dataclass(slots=True)
class VdaState:
    session: SessionState = field(default_factory=SessionState)
    order: OrderState = field(default_factory=OrderState)
    instant: dict[str, ActionRecord] = field(default_factory=dict)
    maps: dict[str, list[str]] = field(default_factory=dict)  # "id\nversion" → id, version, status
    loads: list[m.Load] = field(default_factory=list)
    order_errors: list[m.Error] = field(default_factory=list)
    action_errors: list[m.Error] = field(default_factory=list)
    information: list[m.Info] = field(default_factory=list)
    mode: str = "AUTOMATIC"
    astray: str = ""  # edgeId of the corridor that the robot has left
    last_order: r.Order | None = None  # for the fault that delivers it again
    zone_sets: dict[str, r.ZoneSet] = field(default_factory=dict)
    enabled_zones: dict[str, str] = field(default_factory=dict)  # zone set by mapId
    requests: dict[str, m.Request] = field(default_factory=dict)
    zone_actions: dict[str, ActionRecord] = field(default_factory=dict)
    zone_queue: list[str] = field(default_factory=list)  # those that are not final
    inside: list[str] = field(default_factory=list)  # ids of ACTION zones that the robot is in
    leases: dict[str, int] = field(default_factory=dict)  # ends of granted requests, by key
    spans: dict[str, list[int]] = field(default_factory=dict)  # edges of REPLANNING requests
    zones_changed: bool = False  # zones or releases may stop the robot, or slow it down
    asked: int = 0  # requests of this boot
    trigger: bool = False  # the local trigger, as last read
    switch: bool = False  # the switch, as last read
    acknowledge: bool = False  # the button that acknowledges, as last read
    clearing: int = 0  # the job that clears faults after it
    unreachable: str = ""  # nodeId that the robot cannot reach
