"""The welder's state, all of it plain data, and its ground truth."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.motion import planner
from rigless.robots.welder.gcode.modal import AXES, Coordinates, Modal
from rigless.robots.welder.gcode.parameters import Parameters
from rigless.robots.welder.pins import Outputs
from rigless.robots.welder.weld_state import Weld

NO_CLIENT = ("", -1)
WRONG = 50  # marked lines of a program that are remembered


def six_zeros() -> list[float]:
    return [0.0] * AXES


@dataclass
class Arrival:
    """A received realtime byte (`code`) or line (code −1), and when it takes effect."""

    due_ns: int
    code: int = -1
    text: str = ""
    size: int = 0
    overflow: bool = False
    startup: bool = False
    pendant: bool = False  # from the panel: a sender on the wire gets no reply to it


@dataclass
class Schedule:
    """Fields of status reports: reports until offsets and overrides are due, and forced fields."""

    offsets_in: int = 0
    overrides_in: int = 0
    offsets: bool = False
    overrides: bool = False
    accessories: bool = True
    input: bool = False
    homed: bool = False
    tool: bool = False
    reference: bool = True  # TLR, the reference of the tool length
    scaling: bool = False
    system: bool = False  # WCS
    all: bool = False


@dataclass
class Switches:
    """Switches of the operator. Power-on and reset clear them."""

    optional_stop_off: bool = False  # M1 does not stop
    block_delete: bool = False  # lines that begin with / are skipped
    single_block: bool = False  # feed hold after each line
    reporting: bool = False  # send a status report every $481 milliseconds


@dataclass
class Probe:
    """The last probing cycle: its position and result. `mode` is 382 to 385 while one runs."""

    position: list[float] = field(default_factory=six_zeros)
    touched: bool = False
    mode: int = 0


@dataclass
class Forecast:
    """Contacts that the collision look-ahead found in the queue, in order, and its memory.

    A contact is (tag, fraction of the block, link, other, point in mm, depth in mm, line of the
    program, whether it lasts from an earlier line). `left_m`, `touching` and `at_rad` are the
    checker's memory at the end of the queue. `touched` holds the bodies in contact there (two
    names, a line of text each) with the last line of the program that was reported for them.
    """

    contacts: list[tuple[Any, ...]] = field(default_factory=list)
    touched: dict[str, int] = field(default_factory=dict)
    left_m: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    touching: dict[int, tuple[str, ...]] = field(default_factory=dict)
    at_rad: list[float] = field(default_factory=six_zeros)


@dataclass
class Course:
    """A Cartesian move while its segments are queued.

    `word` and `feed` (units/min) are the step's, `path` and `end` its path and its last pose.
    `segments` are those cut so far, `queued` of them are in the planner; they end at `share` of
    the path. `guess` is the expected share of the next segment.
    """

    word: str = "line"
    feed: float = 0.0
    path: list[float] = field(default_factory=list)
    end: list[float] = field(default_factory=six_zeros)
    segments: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, AXES + 1)))
    queued: int = 0
    share: float = 0.0
    guess: float = 0.0


@dataclass
class Program:
    """The program as received over the wire, for display."""

    texts: list[str] = field(default_factory=list)  # the last lines that were read
    read: int = 0  # lines read in all
    ended: bool = True  # the next line starts another program
    wrong: list[int] = field(default_factory=list)  # lines rejected, or with an alarm
    sources: dict[int, int] = field(default_factory=dict)  # tag of a block → number of its line

    def mark_wrong(self, number: int) -> None:
        """Mark a line, and forget old marks."""
        if number not in self.wrong:
            self.wrong.append(number)
            del self.wrong[:-WRONG]


@dataclass
class WelderState:
    mode: str = "Idle"
    alarm: int = 0
    alarm_cause: str = ""  # such as the contact; empty if the alarm's own text says it
    critical: bool = False  # only a reset ends this alarm
    alarm_at_rest: int = 0  # raised when the axes have come to rest
    homed: int = 0  # a bit an axis
    blocks: NDArray[np.float64] = field(default_factory=lambda: planner.new_queue(1))
    run: NDArray[np.float64] = field(default_factory=lambda: planner.new_run(np.zeros(AXES)))
    tag: int = 0  # of the last block
    lines: dict[int, int] = field(default_factory=dict)  # tag → line number
    program: Program = field(default_factory=Program)
    block_outputs: dict[int, list[tuple[Any, ...]]] = field(default_factory=dict)  # by tag
    pending_outputs: list[tuple[Any, ...]] = field(default_factory=list)  # for the next block
    cancelling: bool = False  # braking; then the queue is dropped
    legs: list[tuple[Any, ...]] = field(default_factory=list)  # remaining homing moves
    modal: Modal = field(default_factory=Modal)
    coordinates: Coordinates = field(default_factory=Coordinates)
    position: list[float] = field(default_factory=six_zeros)  # of the parser
    planned: list[float] = field(default_factory=six_zeros)  # joints at that position
    course: Course = field(default_factory=Course)
    parameters: Parameters = field(default_factory=Parameters)
    settings: dict[int, float] = field(default_factory=dict)
    startup: list[str] = field(default_factory=lambda: ["", ""])
    build_info: str = ""
    error: int = 0  # sticky: later G-code lines get the same error
    arriving: list[Arrival] = field(default_factory=list)
    paced_ns: int = 0  # end of transmission of the last line, at the serial line's rate
    rx: list[Arrival] = field(default_factory=list)  # the receive buffer
    waiting: int = 0  # bytes received since the buffer was last empty
    line: Arrival | None = None  # the line in execution
    steps: list[tuple[Any, ...]] = field(default_factory=list)  # its remaining steps
    until_ns: int = -1  # end of the current dwell or wait; −1 before a step has begun
    edge_armed: bool = False  # M66 waits for an edge, and the opposite level was seen
    outgoing: list[tuple[int, str]] = field(default_factory=list)  # due time, text
    client: tuple[str, int] = NO_CLIENT
    feed_percent: int = 100
    rapid_percent: int = 100
    spindle_percent: int = 100
    spindle: int = 5  # M code of the actual spindle state
    spindle_speed: float = 0.0
    mist: bool = False
    flood: bool = False
    schedule: Schedule = field(default_factory=Schedule)
    reports_due: bool = False  # the timer of periodic status reports runs
    switches: Switches = field(default_factory=Switches)
    probe: Probe = field(default_factory=Probe)
    forecast: Forecast = field(default_factory=Forecast)
    m66_result: int = -2  # −1: timed out, −2: there was no M66
    tool: int = 0  # that M6 asks for
    tool_acknowledged: bool = False  # by the sender: lines are read during the tool change
    held: list[Arrival] = field(default_factory=list)  # lines received before that
    tool_reference: list[float] = field(default_factory=list)  # $TLR: a position, or none
    feed_override: bool = True  # M50: overrides have an effect
    speed_override: bool = True
    feed_hold: bool = True  # M53: the feed hold is enabled
    home: list[float] = field(default_factory=six_zeros)  # joints where axes were homed
    last_signals: str = ""  # for $LEV
    outputs: Outputs = field(default_factory=Outputs)
    weld: Weld = field(default_factory=Weld)
    measured_a: float = 0.0
    measured_v: float = 0.0
    torch_m: list[float] = field(default_factory=list)  # at the last step of a weld
    stickout_mm: float = -1.0  # last measured in the cell; −1: not yet for this arc
    bead: list[tuple[float, ...]] = field(default_factory=list)  # rows as in process/bead.py
    counted_deg: list[float] = field(default_factory=six_zeros)  # joints at the odometer's reading
    ticks: int = 0
    welded_tick: int = 0  # of the last step of the process
    noise_key: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(2, np.uint64))


@dataclass(frozen=True)
class Truth:
    """Ground truth, more exact than what the wire reports."""

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
