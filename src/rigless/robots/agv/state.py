"""The state of the robot: one part per module, the machine's part, and the ground truth."""

from dataclasses import dataclass, field
from typing import Any

from rigless.robots.agv import messages as m
from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.vda5050_model.state import VdaState
from rigless.robots.agv.wire import Envelope


@dataclass(slots=True)
class LinkState:
    """The link to the backend. `connection` is NONE before the first link, then UP or DOWN."""

    boot_id: str = ""
    boot_ns: int = 0  # start of this boot
    epoch_ns: int = 0  # Unix time of simulated time zero
    published: int = 0  # messages of this boot
    events: int = 0  # events of this boot
    seqs: dict[str, int] = field(default_factory=dict)  # last seq per message type
    connection: str = "NONE"
    was_connected: bool = False  # in this boot
    cut: bool = False  # by a fault on the wire
    transport_up: bool = True  # as last reported by the transport
    outbox_depth: int = 0
    refused: str = ""  # why the backend does not store messages, as last reported
    pending: list[Envelope] = field(default_factory=list)  # to publish on the next link


@dataclass(slots=True)
class Condition:
    """A condition that holds, with its event, which is published again when it ends."""

    eventId: str
    code: str
    severity: str
    source: str
    message: str
    raisedAt: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class RateLimit:
    """Suppressed events of one code: the end of the second, and how many there were."""

    until_ns: int
    suppressed: int = 0
    severity: str = "WARNING"


@dataclass(slots=True)
class CoreState:
    status: str = "RUNNING"
    reasons: list[str] = field(default_factory=list)
    may_drive: bool = True  # follows from the status
    paused: bool = False  # by PAUSE, until RESUME
    booted: bool = False
    conditions: dict[str, Condition] = field(default_factory=dict)  # by reason
    rate_limits: dict[str, RateLimit] = field(default_factory=dict)  # by event code
    changed: bool = True  # publish the state at once
    state_ns: int = -(10**12)  # when the state was last published
    circle_ns: int = 0  # since when robots block each other with this one; 0: they do not
    circle_due_ns: int = 0  # when this is looked at again
    site_due_ns: int = 0  # when the robot looks at its place again
    errand: int = 0  # the job that drives to a charger by itself
    charges_itself: bool = False  # until chargeToSoc
    lost_s: float = 0.0  # time that the computer had lost at the last telemetry
    left_out: int = 0  # most reductions that a published state has needed


@dataclass(slots=True)
class Job:
    """Work in progress: for a command, a step of a task, or an action at a node."""

    kind: str
    owner: str  # command, task or route
    params: dict[str, Any]
    id: int = 0
    drives: bool = False
    motors: list[str] = field(default_factory=list)  # functional motors that it uses
    targets: list[float] = field(default_factory=list)  # their target positions (SI)
    until_ns: int = 0
    extent: float = 0.0  # total amount of work: m, rad or s
    progress: float | None = None  # 0 to 1, once it has ended or is being stopped
    state: str = "RUNNING"  # then SUCCEEDED, FAILED or CANCELLED
    code: str = ""
    message: str = ""
    motor: str = ""  # the motor that caused the failure
    result: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Scan:
    """The last code that a scanner read, and where."""

    device: str
    code: str
    odometer_m: float


@dataclass(slots=True)
class JobsState:
    by_id: dict[int, Job] = field(default_factory=dict)
    begun: int = 0
    drive: int = 0  # the job that uses the drive; 0: none
    axes: dict[str, int] = field(default_factory=dict)  # motor → the job that uses it
    frozen: bool = False  # axes stand while the robot is offline or paused
    scan: Scan | None = None


@dataclass(slots=True)
class Running:
    """A command in progress; `waits` until it may drive for the first time."""

    type: str
    correlation: str
    expires_ns: int | None
    job: int
    waits: bool = False


@dataclass(slots=True)
class CommandsState:
    ledger: dict[str, m.CommandAck] = field(default_factory=dict)  # last acknowledgement
    types: dict[str, str] = field(default_factory=dict)  # commandId → type, where known
    running: dict[str, Running] = field(default_factory=dict)
    malformed_ns: int = -(10**12)  # start of the second in which these were counted
    malformed: int = 0


@dataclass(slots=True)
class SettingsState:
    """`desired` has the backend's settings by dotted key, also those that need a restart."""

    version: int = 0
    received: bool = False  # any settings.desired in this boot
    desired: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Step:
    stepId: str
    type: str
    params: dict[str, Any]
    requires: list[str]
    onFail: str


@dataclass(slots=True)
class Task:
    taskId: str
    revision: int
    priority: int
    steps: list[Step]
    correlation: str = ""
    deadline_ns: int | None = None
    index: int = 0
    job: int = 0
    tries: int = 0  # retries of this step
    retries: int = 0
    skipped: int = 0
    started_ns: int = -1
    held_s: float = 0.0
    odometer_m: float = 0.0
    again_ns: int = 0  # when a failed step is tried again


@dataclass(slots=True)
class Ended:
    """The final message of a task, and the correlation of the request that it answers."""

    type: str
    payload: dict[str, Any]
    correlation: str
    revision: int


@dataclass(slots=True)
class Unfinished:
    """A task of an earlier boot without a final message."""

    step: str
    correlation: str
    revision: int


@dataclass(slots=True)
class TaskState:
    active: Task | None = None
    queue: list[Task] = field(default_factory=list)
    last: Task | None = None  # the last task that ended
    finished: dict[str, Ended] = field(default_factory=dict)  # by taskId, newest last
    refused: dict[str, str] = field(default_factory=dict)  # taskId → correlation
    unfinished: dict[str, Unfinished] = field(default_factory=dict)  # by taskId
    recalled_ns: int = 0


@dataclass(slots=True)
class Zone:
    """A blocked zone: corners or a circle (x, y, radius), and its bounding circle."""

    corners: list[tuple[float, float]]
    circle: tuple[float, float, float] | None
    around: tuple[float, float, float]
    until_ns: int


@dataclass(slots=True)
class TrafficState:
    holds: dict[str, int] = field(default_factory=dict)  # controlId → until_ns
    limits: dict[str, tuple[float, int]] = field(default_factory=dict)  # → (m/s, until_ns)
    zones: dict[str, Zone] = field(default_factory=dict)
    grants: dict[str, tuple[str, int]] = field(default_factory=dict)  # → (zone id, until_ns)
    seqs: dict[str, int] = field(default_factory=dict)  # controlId/kind → last seq
    next_ns: int = 2**62  # when the next control expires
    blocked: list[str] = field(default_factory=list)  # zones that the robot waits for
    blocked_ns: int = 0  # since when


@dataclass(slots=True)
class Route:
    routeId: str
    revision: int
    nodes: list[m.Node]
    edges: list[m.Edge]


@dataclass(slots=True)
class Following:
    """The route in progress. `node` is the index of the next node to reach.

    The machine has the nodes from `first` to `sent` as waypoints.
    """

    route: Route
    job: int
    node: int = 0
    first: int = 0
    sent: int = -1
    action: int = -1  # index of the action in progress at node `sent`; -1: none
    action_job: int = 0


@dataclass(slots=True)
class RouteQuery:
    """A route.request without a response yet."""

    requestId: str
    reason: str
    job: int
    until_ns: int


@dataclass(slots=True)
class RouteState:
    known: dict[str, Route] = field(default_factory=dict)
    following: Following | None = None
    query: RouteQuery | None = None
    blocked_ns: int = 0  # since when an obstacle blocks the motion, or the last request; 0: none
    requests: int = 0


@dataclass(slots=True)
class TeachState:
    session: str = ""
    points: list[m.TeachPoint] = field(default_factory=list)


@dataclass(slots=True)
class AgvState:
    machine: MachineState = field(default_factory=MachineState)
    link: LinkState = field(default_factory=LinkState)
    core: CoreState = field(default_factory=CoreState)
    jobs: JobsState = field(default_factory=JobsState)
    commands: CommandsState = field(default_factory=CommandsState)
    settings: SettingsState = field(default_factory=SettingsState)
    task: TaskState = field(default_factory=TaskState)
    traffic: TrafficState = field(default_factory=TrafficState)
    route: RouteState = field(default_factory=RouteState)
    teach: TeachState = field(default_factory=TeachState)
    vda: VdaState = field(default_factory=VdaState)


@dataclass(frozen=True)
class Truth:
    """Ground truth."""

    pose: tuple[float, float, float]
    velocity: tuple[float, float]
    odometer_m: float
    driving: bool
    status: str
    reasons: list[str]
    held: bool
    battery_soc: float
    charging: bool
    axes: dict[str, float]  # position of each functional motor (SI)
    command: str
    task: str
    settings_version: int
    outbox_depth: int
