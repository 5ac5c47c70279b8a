"""Requests and responses of the panel's own API routes, as in `rigless.host.api.models`.

`scripts/build-api-types` makes the JSDoc types of the front end from them.
"""

from typing import Annotated, Literal

from pydantic import Field, StrictBool
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.api.models import Body, FileName

SourceName = Literal["live", "recording"]
StageName = Literal["live", "recording", "second"]  # all simulations that can be looked at


# Requests


class EmergencyStop(Body):
    """Set (`on`) or release the emergency stop of one robot, or of all."""

    on: StrictBool = True
    robot: str = ""


class RunAction(Body):
    """Run one of the actions on a robot's page."""

    name: str


class MoveSlider(Body):
    """Set a slider on a robot's page."""

    name: str
    value: float


class OpenRecording(Body):
    """Open a recording in the player: one of the list, by its name or its path."""

    file: FileName


class PlayRecording(Body):
    """Play at a factor of real time, or "fast"."""

    speed: float | str = 1.0


class SeekRecording(Body):
    """Go to a time in the recording."""

    time_s: float


class StepRecording(Body):
    """Go forward, or back, by some milliseconds."""

    ms: Annotated[float, Field(ge=-3.6e6, le=3.6e6)] = 10.0


class TrimRecording(Body):
    """Cut the part between two times out of a recording."""

    file: FileName
    begin_s: Annotated[float, Field(ge=0, le=1e9)]
    end_s: Annotated[float, Field(ge=0, le=1e9)]


class LinkRecording(Body):
    """Make a link to a recording."""

    file: FileName


# Responses


class RecordingLink(TypedDict):
    """Links to a recording: for programs on this machine, and one that opens it in Foxglove."""

    url: str
    foxglove: str


class StoppedRobots(TypedDict):
    """The robots whose emergency stop was set or released."""

    on: bool
    robots: list[str]


class Lane(TypedDict):
    """Lines from node to node of a layout, in this direction or in both."""

    points: list[tuple[float, float]]
    both: bool


class LayoutPlace(TypedDict):
    """A place of a layout: x, y and heading of a robot, or of the table of a station."""

    id: str
    kind: Literal["parking", "charger", "station", "lift"]
    pose: tuple[float, float, float]


class LayoutPicture(TypedDict):
    """The layout of a warehouse: its lanes, conveyor belts and places."""

    lanes: list[Lane]
    belts: list[list[tuple[float, float]]]
    places: list[LayoutPlace]


class GridInfo(TypedDict):
    """Size and place of a map. Its origin is x, y and yaw of the lower left corner."""

    width: int
    height: int
    resolution_m: float
    origin: tuple[float, float, float]
    wall_m: float
    layout: LayoutPicture | None


class MapObject(TypedDict):
    """A robot or an obstacle on the map: a disc, or a box if it has a size."""

    name: str
    robot: bool
    status: str
    radius_m: float
    size_m: tuple[float, float] | None
    pose: tuple[float, float, float]


class WorldMap(TypedDict):
    """The map of a world, or null on an open plane, and the objects on it."""

    grid: GridInfo | None
    things: list[MapObject]


class RecordingStatus(TypedDict):
    """State of a recording that is open."""

    file: str | None
    time_s: float
    begin_s: float
    end_s: float
    cut: bool
    note: str
    failure: str


class PlayerStatus(RecordingStatus):
    """State of the player. `seeking` is the progress of a seek from 0 to 1, or null."""

    playing: bool
    speed: float | Literal["fast"]
    seeking: float | None
    events: int


class SecondStatus(RecordingStatus):
    """State of the second recording. It is `level` if it shows the time of the player."""

    level: bool


class RecordingFile(TypedDict):
    """A recording that the player can open."""

    name: str
    path: str
    bytes: int
    modified: str
    writing: bool


class ProgramStatus(TypedDict):
    """The state of a robot's program file.

    `revision` grows with each loaded program and each finished check. `line` is the number of the
    line in motion, 0 for none; `problem_line` that of the line which ended the program.
    """

    name: str
    revision: int
    checking: bool
    state: Literal["idle", "running", "holding", "waiting", "done", "stopped", "failed"]
    line: int
    sent_line: int
    problem: str
    problem_line: int


class NewRecording(TypedDict):
    """A recording that was uploaded or cut out. `missing` is the part that is missing, if any."""

    name: str
    path: str
    records: int
    begin_s: float
    end_s: float
    missing: str


class ComparedRecord(TypedDict):
    """Two records of one topic side by side; `different` names the fields that differ."""

    left_s: float | None
    right_s: float | None
    left: dict[str, str]
    right: dict[str, str]
    different: list[str]


class ComparedRecordings(TypedDict):
    """The first difference between two recordings; `rows[first]` is the record that differs."""

    equal: bool
    records: int
    text: str
    topic: str
    time_s: float
    field_name: str
    rows: list[ComparedRecord]
    first: int
