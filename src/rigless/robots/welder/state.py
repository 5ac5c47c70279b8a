"""What the welder remembers, all of it plain data, and what is true of it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.motion import planner
from rigless.robots.welder.controller.program_listing import Program
from rigless.robots.welder.gcode.modal import AXES, Coordinates, Modal
from rigless.robots.welder.gcode.parameters import Parameters
from rigless.robots.welder.pins import Outputs
from rigless.robots.welder.process.welding import Weld

NOBODY = ("", -1)


@dataclass
class Arrival:
    """Something from the wire that the controller will see when it is due: a real-time byte (`code`), or a line (code −1)."""

    due_ns: int
    code: int = -1
    text: str = ""
    size: int = 0
    overflow: bool = False
    startup: bool = False
    pendant: bool = False  # from the panel: a sender on the wire gets no answer to it


@dataclass
class Schedule:
    """When the next status report carries offsets and overrides, and what the next one must carry."""

    offsets_in: int = 0
    overrides_in: int = 0
    offsets: bool = False
    overrides: bool = False
    accessories: bool = False
    input: bool = False
    all: bool = False


@dataclass
class Switches:
    """What an operator can set beside the program; a start and a reset put them back."""

    optional_stop_off: bool = False  # M1 does not stop
    block_delete: bool = False  # lines that begin with / are left out
    single_block: bool = False  # a hold after each line
    reporting: bool = False  # status reports come by themselves, each $481 milliseconds


@dataclass
class Probe:
    """The last probing: where it touched, whether it did; `mode` is 382 to 385 while one runs."""

    position: list[float] = field(default_factory=lambda: [0.0] * AXES)
    touched: bool = False
    mode: int = 0


@dataclass
class Ahead:
    """What queued blocks will hit, in order: (tag, share of the block, link, other, place in mm, depth in mm); and what is
    remembered of each pair of bodies, up to where the queue ends."""

    contacts: list[tuple[Any, ...]] = field(default_factory=list)
    left_m: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    touching: dict[int, tuple[str, ...]] = field(default_factory=dict)
    at_rad: list[float] = field(default_factory=lambda: [0.0] * AXES)


@dataclass
class Course:
    """A step of the Cartesian profile while its chords are queued: the step's word and feed (units/min), its path and its end as a pose, the chords cut so far and how
    many of them are queued, how much of the path these are, and a guess of how much of it the next chord may be."""

    word: str = "line"
    feed: float = 0.0
    path: list[float] = field(default_factory=list)
    end: list[float] = field(default_factory=lambda: [0.0] * AXES)
    chords: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, AXES + 1)))
    queued: int = 0
    share: float = 0.0
    guess: float = 0.0


@dataclass
class WelderState:
    mode: str = "Idle"
    alarm: int = 0
    critical: bool = False  # the alarm is one that only a reset ends
    alarm_at_rest: int = 0  # raised when the axes have come to rest
    homed: int = 0  # a bit an axis
    blocks: NDArray[np.float64] = field(default_factory=lambda: planner.new_queue(1))
    run: NDArray[np.float64] = field(default_factory=lambda: planner.new_run(np.zeros(AXES)))
    tag: int = 0  # of the last block
    lines: dict[int, int] = field(default_factory=dict)  # tag → line number
    program: Program = field(default_factory=Program)
    attached: dict[int, list[tuple[Any, ...]]] = field(
        default_factory=dict
    )  # tag → outputs that go with its start
    unattached: list[tuple[Any, ...]] = field(
        default_factory=list
    )  # outputs that wait for the next block
    cancelling: bool = False  # braking, to drop what is queued
    legs: list[tuple[Any, ...]] = field(default_factory=list)  # what is left of homing
    modal: Modal = field(default_factory=Modal)
    coordinates: Coordinates = field(default_factory=Coordinates)
    position: list[float] = field(default_factory=lambda: [0.0] * AXES)  # where the parser is
    planned: list[float] = field(default_factory=lambda: [0.0] * AXES)  # the joints there
    course: Course = field(default_factory=Course)
    parameters: Parameters = field(default_factory=Parameters)
    settings: dict[int, float] = field(default_factory=dict)
    startup: list[str] = field(default_factory=lambda: ["", ""])
    build_info: str = ""
    error: int = 0
    arriving: list[Arrival] = field(default_factory=list)
    paced_ns: int = 0  # when the serial line will have brought what has arrived
    rx: list[Arrival] = field(default_factory=list)
    waiting: int = 0  # what has come since nothing waited, in bytes
    line: Arrival | None = None  # the line that is being done
    steps: list[tuple[Any, ...]] = field(default_factory=list)  # what is left of it
    until_ns: int = -1  # the end of a dwell or wait; −1: none has begun
    resumed: bool = False
    saying: list[tuple[int, str]] = field(default_factory=list)
    client: tuple[str, int] = NOBODY
    feed_percent: int = 100
    rapid_percent: int = 100
    spindle_percent: int = 100
    spindle: int = 5  # what is really on: an M code
    spindle_speed: float = 0.0
    mist: bool = False
    flood: bool = False
    schedule: Schedule = field(default_factory=Schedule)
    reports_due: bool = False  # a timer runs for reports that come by themselves
    switches: Switches = field(default_factory=Switches)
    probe: Probe = field(default_factory=Probe)
    ahead: Ahead = field(default_factory=Ahead)
    waited: int = -1  # the result of the last M66
    tool: int = 0
    outputs: Outputs = field(default_factory=Outputs)
    weld: Weld = field(default_factory=Weld)
    measured_a: float = 0.0
    measured_v: float = 0.0
    torch_m: list[float] = field(
        default_factory=list
    )  # where the torch was at the last step of a weld
    bead: list[tuple[float, ...]] = field(
        default_factory=list
    )  # where it has welded, as in bead.py
    counted_deg: list[float] = field(
        default_factory=lambda: [0.0] * AXES
    )  # up to where the torch's way is counted
    ticks: int = 0
    welded_tick: int = 0  # when the process was last advanced
    noise_key: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(2, np.uint64))


@dataclass(frozen=True)
class Truth:
    """Ground truth, which the wire does not tell as exactly."""

    mode: str
    alarm: int
    joints_deg: tuple[float, ...]
    velocities_degps: tuple[float, ...]
    accelerations_degps2: tuple[float, ...]
    torques_nm: tuple[float, ...]  # zeros without enable_dynamics
    torch_mm: tuple[float, float, float]
    line: int
    queued_blocks: int
    digital_outputs: int
    digital_inputs: int
    analog_outputs: tuple[float, ...]
    analog_inputs: tuple[float, ...]
    homed: bool
    weld: Weld
