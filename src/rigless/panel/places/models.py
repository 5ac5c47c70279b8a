"""Requests and responses of the routes for places on the map."""

from typing import Annotated

from pydantic import Field, StrictBool
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.api.models import Body

Name = Annotated[str, Field(max_length=100)]
Metres = Annotated[float, Field(ge=-1e9, le=1e9)]
Radians = Annotated[float, Field(ge=-1e6, le=1e6)]
Size = Annotated[float, Field(gt=0, le=1000)]


class PutObstacle(Body):
    """Add an obstacle, a disc or a box; or change one, which keeps its shape if none is given.

    Without a name it gets the next free one. `robot` is a robot in whose world it is. With
    `nearest`, a place that is not free is replaced by the nearest one that is.
    """

    name: Name = ""
    x_m: Metres
    y_m: Metres
    theta_rad: Radians = 0.0
    radius_m: Size | None = None
    size_m: tuple[Size, Size] | None = None
    robot: str = ""
    nearest: StrictBool = False


class PutRobot(Body):
    """Put a robot at a pose while time stands still; without `theta_rad` it keeps its heading."""

    x_m: Metres
    y_m: Metres
    theta_rad: Radians | None = None
    nearest: StrictBool = False


class DrawZone(Body):
    """Draw a zone: a rectangle (`x` and `y` from, to) or a circle. One of its name is replaced."""

    name: Annotated[str, Field(max_length=60, pattern=r"^[A-Za-z0-9_. -]*$")] = ""
    robot: str = ""
    x: tuple[Metres, Metres] | None = None
    y: tuple[Metres, Metres] | None = None
    center: tuple[Metres, Metres] | None = None
    radius_m: Size | None = None


class BlockZone(Body):
    """Forbid a zone to the AGVs of its world, or allow it again."""

    name: Name
    on: StrictBool


class Placed(TypedDict):
    """The pose of an obstacle or a robot that was placed."""

    name: str
    x_m: float
    y_m: float
    theta_rad: float


class Zone(TypedDict):
    """A zone on the map of a world: a rectangle or a circle.

    `toml` is an expectation on it for a scenario. `blockable` is true if there are
    AGVs in its world; `blocked` names those that it is forbidden to.
    """

    name: str
    world: int
    x: tuple[float, float] | None
    y: tuple[float, float] | None
    center: tuple[float, float] | None
    radius_m: float | None
    toml: str
    blockable: bool
    blocked: list[str]
