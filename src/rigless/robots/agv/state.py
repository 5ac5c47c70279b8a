"""What the robot remembers: a part for each of its modules and one for the machine; and what is true of it."""

from dataclasses import dataclass, field
from typing import Any

from rigless.robots.agv import messages as m
from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.wire import Envelope


@dataclass(slots=True)
class Raised:
    """A condition that holds: the event that told of it, to be told again when it ends."""

    eventId: str
    code: str
    severity: str
    source: str
    message: str
    raisedAt: str


@dataclass(slots=True)
class Flood:
    """Events of one code within a second: when that ends, and how many more there were."""

    until_ns: int
    more: int = 0
    severity: str = "WARNING"


@dataclass(slots=True)
class CoreState:
    """`link` is NONE while nobody has offered a way to the backend (in virtual time), then UP or DOWN."""

    boot_id: str = ""
    boot_ns: int = 0  # when it began
    epoch_ns: int = 0
    said: int = 0  # messages of this boot
    seqs: dict[str, int] = field(default_factory=dict)
    link: str = "NONE"
    met: bool = False  # the backend has been in reach in this boot
    cut: bool = False  # by a fault on the wire
    reported: bool = True  # what the transport last said of the way
    outbox_depth: int = 0
    pending: list[Envelope] = field(default_factory=list)
    status: str = "RUNNING"
    reasons: list[str] = field(default_factory=list)
    booted: bool = False
    raised: int = 0  # events of this boot
    conditions: dict[str, Raised] = field(default_factory=dict)
    floods: dict[str, Flood] = field(default_factory=dict)
    state_ns: int = -(10**12)  # when the state was last told
    lost_s: float = 0.0  # of the computer, up to the last telemetry
    changed: bool = True  # something that the state must tell at once
    left_out: int = 0  # how much of the state was, at most, because there is too much to tell


@dataclass(slots=True)
class Job:
    """Something that the robot does: asked for by a command, a step of a task, or an action at a node."""

    kind: str
    owner: str  # command, task or route
    params: dict[str, Any]
    id: int = 0
    drives: bool = False
    motors: list[str] = field(default_factory=list)  # the functional motors that it needs
    targets: list[float] = field(default_factory=list)  # where they go (SI)
    until_ns: int = 0
    way: float = 0.0  # how much there was to do as it began: m, rad or s
    part: float | None = None  # how much of it was done when it ended, 0 to 1
    state: str = "RUNNING"  # then SUCCEEDED, FAILED or CANCELLED
    code: str = ""
    message: str = ""
    motor: str = ""  # that was the reason
    result: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Read:
    """The last code that a scanner read, and where."""

    device: str
    code: str
    odometer_m: float


@dataclass(slots=True)
class JobsState:
    by_id: dict[int, Job] = field(default_factory=dict)
    begun: int = 0
    drive: int = 0  # the job that has the drive
    axes: dict[str, int] = field(default_factory=dict)  # motor → the job that has it
    frozen: bool = False  # axes stand because of an emergency stop
    read: Read | None = None


@dataclass(slots=True)
class Running:
    """A command that is being done; `waits`: it could not begin to drive yet."""

    type: str
    correlation: str
    expires_ns: int | None
    job: int
    waits: bool = False


@dataclass(slots=True)
class CommandsState:
    ledger: dict[str, m.CommandAck] = field(default_factory=dict)
    types: dict[str, str] = field(
        default_factory=dict
    )  # of the commands in the ledger, as far as they are known
    running: dict[str, Running] = field(default_factory=dict)
    paused: bool = False
    malformed_ns: int = -(10**12)  # the second in which these were counted
    malformed: int = 0


@dataclass(slots=True)
class SettingsState:
    """`desired` holds what the backend wishes, by dotted key: what counts at once, and what waits for the next start."""

    version: int = 0
    heard: bool = False  # anything from the backend in this boot
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
    tries: int = 0  # of this step, beyond the first
    retries: int = 0
    skipped: int = 0
    started_ns: int = -1
    held_s: float = 0.0
    odometer_m: float = 0.0
    again_ns: int = 0  # when a failed step is tried again


@dataclass(slots=True)
class Ended:
    """The last word of a task: its end, as it was told, and in answer to what."""

    type: str
    payload: dict[str, Any]
    correlation: str
    revision: int


@dataclass(slots=True)
class Unfinished:
    """A task from before this boot, of which no end was told."""

    step: str
    correlation: str
    revision: int


@dataclass(slots=True)
class TaskState:
    active: Task | None = None
    queue: list[Task] = field(default_factory=list)
    last: Task | None = None  # that ended
    finished: dict[str, Ended] = field(default_factory=dict)  # by taskId, the last one last
    refused: dict[str, str] = field(
        default_factory=dict
    )  # taskId → correlation; these may come again
    unfinished: dict[str, Unfinished] = field(default_factory=dict)  # by taskId
    recalled_ns: int = 0


@dataclass(slots=True)
class Zone:
    """A blocked place: corners, or a circle (x, y, radius); and a circle around it."""

    corners: list[tuple[float, float]]
    circle: tuple[float, float, float] | None
    around: tuple[float, float, float]
    until_ns: int


@dataclass(slots=True)
class TrafficState:
    holds: dict[str, int] = field(default_factory=dict)  # controlId → until_ns
    limits: dict[str, tuple[float, int]] = field(
        default_factory=dict
    )  # controlId → (m/s, until_ns)
    zones: dict[str, Zone] = field(default_factory=dict)
    grants: dict[str, tuple[str, int]] = field(
        default_factory=dict
    )  # controlId → (that of the zone, until_ns)
    seqs: dict[str, int] = field(default_factory=dict)  # controlId/kind → the last
    next_ns: int = 2**62  # when the next of all these ends
    blocked: list[str] = field(default_factory=list)  # zones that the robot stands before
    blocked_ns: int = 0  # since when


@dataclass(slots=True)
class Route:
    routeId: str
    revision: int
    nodes: list[m.Node]
    edges: list[m.Edge]


@dataclass(slots=True)
class Following:
    """The route being driven. `node` is the index of the next node to reach; `sent` of the last that the machine has as a waypoint, the
    first of which is node `first`."""

    route: Route
    job: int
    node: int = 0
    first: int = 0
    sent: int = -1
    action: int = -1  # of node - 1, being done; -1: none
    action_job: int = 0


@dataclass(slots=True)
class Asked:
    """A route.request that has not been answered."""

    requestId: str
    reason: str
    job: int
    until_ns: int


@dataclass(slots=True)
class RouteState:
    known: dict[str, Route] = field(default_factory=dict)
    following: Following | None = None
    asked: Asked | None = None
    requests: int = 0


@dataclass(slots=True)
class TeachState:
    session: str = ""
    points: list[m.TeachPoint] = field(default_factory=list)


@dataclass(slots=True)
class AgvState:
    machine: MachineState = field(default_factory=MachineState)
    core: CoreState = field(default_factory=CoreState)
    jobs: JobsState = field(default_factory=JobsState)
    commands: CommandsState = field(default_factory=CommandsState)
    settings: SettingsState = field(default_factory=SettingsState)
    task: TaskState = field(default_factory=TaskState)
    traffic: TrafficState = field(default_factory=TrafficState)
    route: RouteState = field(default_factory=RouteState)
    teach: TeachState = field(default_factory=TeachState)


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
