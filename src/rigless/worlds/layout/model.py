"""The keys of a layout file: a navigation graph, and the places and devices on it.

SI units and radians, in the frame of the map. Elements refer to nodes and stations by id.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

ID = r"^\S([^\x00-\x1f\x7f]{0,62}\S)?$"  # as VDA 5050 allows; A-Z a-z 0-9 _ . : - are recommended
MOST_SLOTS = 1000


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is expected")
    return value


Number = Annotated[float, BeforeValidator(_no_bool)]
Id = Annotated[str, Field(pattern=ID)]
Text = Annotated[str, Field(max_length=200)]
Coordinate = Annotated[Number, Field(ge=-1e6, le=1e6)]
Angle = Annotated[Number, Field(ge=-100, le=100)]
Positive = Annotated[Number, Field(gt=0, le=1e6)]
Seconds = Annotated[Number, Field(ge=0, le=1e6)]


class Element(BaseModel):
    """Base of the tables of a layout file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Node(Element):
    """A point where robots stand or turn. `theta` is the heading to stand in, if it matters."""

    id: Id
    x: Coordinate
    y: Coordinate
    theta: Angle | None = None


class Edge(Element):
    """Straight lines from node to node, in this direction only or in both."""

    nodes: Annotated[tuple[Id, ...], Field(min_length=2)]
    direction: Literal["forward", "both"] = "forward"
    speed_mps: Positive | None = None  # the limit; default: that of the robot
    width_m: Positive | None = None  # the room for a robot with its load


class LoadType(Element):
    """The kind of load that a station holds: length, width and height, and mass."""

    type: Text = "box"
    size_m: tuple[Positive, Positive, Positive] = (0.6, 0.4, 0.3)
    mass_kg: Annotated[Number, Field(ge=0, le=1e6)] = 10.0


class Pose(Element):
    """A place that is drawn, such as the table of a station."""

    x: Coordinate
    y: Coordinate
    theta: Angle = 0.0


class Station(Element):
    """A place for loads, used by a robot that stands at `node`.

    A `source` gets a new load `every_s` while it has room. A `sink` removes a load `every_s` after
    it was put down. `loads` is the number at the start. `place` is where the loads are drawn.
    """

    id: Id
    node: Id
    kind: Literal["storage", "source", "sink"] = "storage"
    slots: Annotated[int, Field(ge=1, le=MOST_SLOTS)] = 1
    loads: Annotated[int, Field(ge=0, le=MOST_SLOTS)] = 0
    load: LoadType = LoadType()
    every_s: Seconds = 30.0
    place: Pose | None = None


class Charger(Element):
    """A charger for a robot that stands at `node`, in the heading of the node."""

    id: Id
    node: Id
    power_w: Positive | None = None  # the most that it supplies; default: what the robot takes


class Door(Element):
    """A sliding door: a wall of `width_m` at x, y, along `theta`, that slides open in `seconds`.

    An `auto` door opens for a robot that comes near. `close_after_s` later it closes again, unless
    a robot stands in it; 0 keeps it open.
    """

    id: Id
    x: Coordinate
    y: Coordinate
    theta: Angle = 0.0
    width_m: Positive = 1.6
    thickness_m: Positive = 0.1
    seconds: Seconds = 3.0
    auto: bool = True
    close_after_s: Seconds = 10.0
    open: bool = False


class Floor(Element):
    """A stop of a lift: the robot stands at `node`; `door` is open only while the car is there."""

    name: Annotated[str, Field(pattern=ID)]
    node: Id
    door: Id | None = None
    map_id: Id | None = None  # that robots report from here on; default: the same as before


class Lift(Element):
    """A lift with one car. It takes the robot at the node of its floor along to another floor."""

    id: Id
    floors: Annotated[tuple[Floor, ...], Field(min_length=2)]
    seconds: Seconds = 8.0  # from one floor to the next


class Conveyor(Element):
    """A conveyor that takes loads from one station to another."""

    id: Id
    start: Id
    end: Id
    speed_mps: Positive = 0.3
    running: bool = True


class Layout(Element):
    """A whole layout file."""

    name: Text = "layout"
    nodes: Annotated[tuple[Node, ...], Field(min_length=1, max_length=100_000)]
    edges: Annotated[tuple[Edge, ...], Field(max_length=100_000)] = ()
    parking: Annotated[tuple[Id, ...], Field(max_length=100_000)] = ()
    chargers: tuple[Charger, ...] = ()
    stations: tuple[Station, ...] = ()
    doors: tuple[Door, ...] = ()
    lifts: tuple[Lift, ...] = ()
    conveyors: tuple[Conveyor, ...] = ()
