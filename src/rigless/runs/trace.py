"""The trace of a run for reports: paths, messages a second, events, output of programs."""

from dataclasses import dataclass, field

from rigless.kernel.events import Event
from rigless.scenario.verdict import Series


@dataclass
class RobotTrace:
    """The path of one robot, sampled at a fixed rate. Without a heading `theta_rad` is empty."""

    name: str
    kind: str
    world: int  # index into Trace.worlds; −1 without one
    radius_m: float = 0.0
    times_s: list[float] = field(default_factory=list)
    x_m: list[float] = field(default_factory=list)
    y_m: list[float] = field(default_factory=list)
    theta_rad: list[float] = field(default_factory=list)
    corners_m: list[tuple[float, float]] = field(default_factory=list)  # none: a disc


@dataclass
class ObstacleTrace:
    """An obstacle where it was at the end of the run, and the path of one that moved."""

    name: str
    x_m: float
    y_m: float
    theta_rad: float = 0.0
    radius_m: float = 0.0
    size_m: tuple[float, float] | None = None
    times_s: list[float] = field(default_factory=list)
    poses: list[tuple[float, float, float]] = field(default_factory=list)  # x, y, theta


@dataclass
class RegionTrace:
    """A region of an expectation, by its place in the scenario: a circle, or ranges of x and y."""

    expectation: int
    world: int
    x_m: tuple[float, float] | None = None
    y_m: tuple[float, float] | None = None
    center_m: tuple[float, float] | None = None
    radius_m: float = 0.0


@dataclass
class WorldPicture:
    """A map as an image (PNG in base64) and its place, or only the obstacles of an open plane.

    The image is grey: white for walls, black for free floor, shades between for other cells.
    """

    name: str
    x_m: float = 0.0  # of the lower left corner
    y_m: float = 0.0
    width_m: float = 0.0
    height_m: float = 0.0
    yaw_rad: float = 0.0  # of the map, around the lower left corner
    png: str = ""
    obstacles: list[ObstacleTrace] = field(default_factory=list)


@dataclass
class MessageLane:
    """The number of messages of a port in one direction, in bins of Trace.bin_s."""

    robot: str
    port: str
    direction: str  # in or out, as the robot has it
    counts: list[int] = field(default_factory=list)


@dataclass
class OutputLine:
    """A line that a program printed. `stream` is out, err, or note for a line of rigless."""

    time_s: float
    stream: str
    text: str


@dataclass
class ProgramTrace:
    """The output and the use of the machine of one program."""

    name: str
    lines: list[OutputLine] = field(default_factory=list)
    cut: bool = False  # there was more output
    cpu: Series = field(default_factory=Series)  # in cores
    memory: Series = field(default_factory=Series)  # in MB
    periods: list[tuple[float, float]] = field(default_factory=list)  # from start to end


@dataclass
class Trace:
    """All that a report draws of one run, bounded in size."""

    duration_s: float = 0.0
    bin_s: float = 1.0
    robots: list[RobotTrace] = field(default_factory=list)
    worlds: list[WorldPicture] = field(default_factory=list)
    lanes: list[MessageLane] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    places: list[tuple[float, float] | None] = field(default_factory=list)  # of events, x and y
    events_left_out: int = 0
    robots_left_out: int = 0
    regions: list[RegionTrace] = field(default_factory=list)
    programs: list[ProgramTrace] = field(default_factory=list)
