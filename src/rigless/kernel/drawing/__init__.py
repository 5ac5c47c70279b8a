"""The page of a robot as data: parts that are declared once, and numbers that fill them.

A robot's `view.py` declares the parts; the panel asks for the numbers while a browser shows them.

A colour is a meaning, and the panel has a light and a dark shade of each. Normal things are calm;
`warn` and `bad` are for abnormal ones. Bodies, curves and clouds may have a user's own colour
(`Paint`). Positions are in world metres, angles in radians.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.kernel.drawing.summary import Summary as Summary
from rigless.kernel.inputs import AnyInput, SetInput

UNITS = {
    "m": "m", "mm": "mm", "s": "s", "ms": "ms", "mps": "m/s", "rad": "rad", "deg": "°",
    "radps": "rad/s", "c": "°C", "w": "W", "v": "V", "a": "A", "hz": "Hz", "wh": "Wh", "n": "N",
    "percent": "%", "degps": "°/s", "degps2": "°/s²", "nm": "N·m", "mm2": "mm²", "kj": "kJ",
    "kjpmm": "kJ/mm", "mpm": "m/min", "lpm": "l/min", "mps2": "m/s²", "us": "µs", "ns": "ns",
}  # fmt: skip
Colour = Literal["plain", "accent", "sense", "path", "ghost", "ok", "warn", "bad"]
Paint = str  # a Colour, or a paint of the user's own as #rrggbb
Style = Literal["solid", "ghost", "wire"]  # of bodies: opaque, transparent, or edges only


@dataclass(frozen=True)
class Part:
    """A part of a page.

    `columns` is the length of a row of its drawing; 0 means that it is not on the map. Parts of one
    `group` share a card. Drawn parts are visible at first if `shown` is true.
    """

    columns: ClassVar[int] = 0
    name: str
    label: str
    group: str = field(default="", kw_only=True)
    shown: bool = field(default=True, kw_only=True)


@dataclass(frozen=True)
class Disc(Part):
    """Circles on the floor. A row is x, y, theta and a tone: 0 for `colour`, or n of `tones`."""

    columns = 4
    radius_m: float
    colour: Paint = "accent"
    tones: tuple[Paint, ...] = ()
    height_m: float = 0.0
    heading: bool = True  # draw a wedge in the direction of theta


@dataclass(frozen=True)
class Polygon(Part):
    """Closed outlines in a frame of their own. A row is x, y, theta and a tone."""

    columns = 4
    points: tuple[tuple[float, float], ...]
    colour: Colour = "accent"
    tones: tuple[Colour, ...] = ()
    height_m: float = 0.0


@dataclass(frozen=True)
class Rays(Part):
    """Beams. A row is x, y of the origin and x, y of the end.

    With `fan`, beams of one turn, in order, are drawn as the area that they sweep.
    """

    columns = 4
    colour: Colour = "accent"
    height_m: float = 0.0
    fan: bool = True


@dataclass(frozen=True)
class Points(Part):
    """Dots. A row is x, y."""

    columns = 2
    colour: Colour = "sense"
    height_m: float = 0.0


@dataclass(frozen=True)
class Path(Part):
    """A line through points. A row is x, y; NaN breaks the line."""

    columns = 2
    colour: Colour = "path"


@dataclass(frozen=True)
class Ellipse(Part):
    """An ellipse of uncertainty. A row is x, y, the angle of the first axis, both half axes."""

    columns = 5
    colour: Colour = "ghost"


@dataclass(frozen=True)
class Solid:
    """A body in the frame of its part, z up.

    `size_m` holds three sides of a box, radius and height of a cylinder along z, or the radius of a
    sphere. A mesh has `points` (float32 x, y, z) and `triangles` (three uint32 each), both
    little-endian. The centre is at `at`, rotated by the quaternion `turn` (x, y, z, w).
    """

    kind: Literal["box", "cylinder", "sphere", "mesh"]
    size_m: tuple[float, ...]
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    colour: Paint = "accent"
    turn: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    points: bytes = b""
    triangles: bytes = b""
    name: str = ""


@dataclass(frozen=True)
class Links(Part):
    """An arm or another chain of bodies in space. A page with links opens in 3-D.

    Row n is the pose of link n: x, y, z, a quaternion x, y, z, w, and a tone.
    """

    columns = 8
    links: tuple[tuple[Solid, ...], ...]
    tones: tuple[Paint, ...] = ("bad",)
    style: Style = "solid"
    colour: Paint = "accent"  # of the whole, in legends


@dataclass(frozen=True)
class Scene(Part):
    """Fixed bodies in the world frame. Row n is the tone of body n. A map shows their outlines."""

    columns = 1
    solids: tuple[Solid, ...]
    tones: tuple[Paint, ...] = ("bad",)
    style: Style = "solid"
    colour: Paint = "plain"


@dataclass(frozen=True)
class Curve(Part):
    """A line in space. A row is x, y, z and a shade; NaN breaks the line.

    With a `ramp`, a shade from 0 to 1 selects a colour of it.
    """

    columns = 4
    colour: Paint = "path"
    ramp: tuple[Paint, ...] = ()
    width_px: float = 3.0


@dataclass(frozen=True)
class Cloud(Part):
    """Dots in space. A row is x, y, z and a shade, as in a curve."""

    columns = 4
    colour: Paint = "sense"
    ramp: tuple[Paint, ...] = ()
    size_m: float = 0.02


@dataclass(frozen=True)
class Axes(Part):
    """Frames in space, as x (red), y (green) and z (blue) axes.

    A row is x, y, z and a quaternion x, y, z, w.
    """

    columns = 7
    length_m: float = 0.1
    colour: Paint = "plain"


@dataclass(frozen=True)
class Trail(Part):
    """The past path of a point, on the floor or in space; `View.trace` gives the point.

    With a `width_m` it is a band on the map, such as the floor that a brush has swept.
    """

    colour: Colour = "path"
    width_m: float = 0.0


@dataclass(frozen=True)
class Gauge(Part):
    """A number from `View.measure`, with its unit. Outside `low` to `high` it is abnormal."""

    unit: str = ""
    low: float = float("-inf")
    high: float = float("inf")
    digits: int = 2


@dataclass(frozen=True)
class Word(Part):
    """One of several words, by the number from `View.measure`. `warn` and `bad` have colours."""

    words: tuple[tuple[str, Colour], ...]


@dataclass(frozen=True)
class Lamp(Part):
    """A lamp that is on if the number from `View.measure` is not zero.

    With a `short` name it is a small square in a row of others.
    """

    colour: Colour = "ok"
    short: str = ""


@dataclass(frozen=True)
class Plot(Part):
    """Numbers from `View.measure` over time; `lines` are (name, label) pairs."""

    lines: tuple[tuple[str, str], ...]
    unit: str = ""


@dataclass(frozen=True)
class Switch(Part):
    """A virtual input of the robot, by its name: a switch, a number or a text.

    A switch with a `short` name is a small square in a row of others.
    """

    short: str = ""


@dataclass(frozen=True)
class Button(Part):
    """A virtual input that has the value `pressed` while held, and `released` otherwise."""

    pressed: bool | int | float = True
    released: bool | int | float = False


@dataclass(frozen=True)
class Action(Part):
    """A single command to the robot, as a client would send it; see `View.act`."""

    colour: Colour = "plain"


@dataclass(frozen=True)
class Hint(Part):
    """A text over the map while its number is above 0, with a button that runs an action."""

    action: str
    button: str


@dataclass(frozen=True)
class Compose(Part):
    """A form that sends a message of one of these types over the robot's real port."""

    port: str
    types: tuple[str, ...]


@dataclass(frozen=True)
class Drive(Part):
    """Driving by keyboard, along the axes that the robot has."""

    axes: tuple[Literal["forward", "left", "turn"], ...] = ("forward", "turn")


@dataclass(frozen=True)
class Slider(Part):
    """A number that can be set from `low` to `high` in steps, or only to one of `stops`.

    `View.measure` gives its value, `View.slide` sets it. Other values than `normal` are abnormal.
    """

    unit: str
    low: float
    high: float
    step: float = 1.0
    normal: float | None = None
    stops: tuple[float, ...] = ()


@dataclass(frozen=True)
class Jog(Part):
    """Axes that can be jogged by one of `steps`, or while a button is held.

    An axis is the name of its number in `View.measure`, its label and its unit. `speeds` are
    fractions of full speed. With `sets` the axes are divided into that many equal groups, of which
    one is shown at a time. See `View.jog` and `View.halt`.
    """

    axes: tuple[tuple[str, str, str], ...]
    steps: tuple[float, ...] = (0.1, 1.0, 5.0, 10.0)
    speeds: tuple[float, ...] = (0.1, 0.3, 1.0)
    sets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Listing(Part):
    """Lines of text with a current one, such as a program; see `View.lines`.

    `empty` is shown if there are none. Long lines are cut off, or wrapped with `wrap`.
    """

    empty: str = "nothing yet"
    wrap: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Lines:
    """The content of a listing. `first` is the number of its first line.

    Lines before `current` are done, lines after `read` are received but not read yet, and the
    lines in `wrong` were rejected.
    """

    first: int = 1
    texts: tuple[str, ...] = ()
    current: int = 1
    read: int = 0
    wrong: tuple[int, ...] = ()


@dataclass(frozen=True)
class Scan:
    """The last turn of a lidar: readings on `beams` even directions, of which some may be missing.

    Angles are counter-clockwise from the x axis of `pose`. `parts` names the drawn parts that show
    the same readings.
    """

    pose: tuple[float, float, float]
    angles_rad: ArrayLike
    ranges_m: ArrayLike
    beams: int = 360
    height_m: float = 0.0
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fix:
    """A measured place on the Earth, with the variances of each horizontal axis and of height.

    A latitude that is not a number means that there is no fix.
    """

    latitude_deg: float
    longitude_deg: float
    height_m: float = 0.0
    variance_m2: float = 0.0
    up_variance_m2: float = 0.0


@dataclass(frozen=True)
class Alarm:
    """A condition that stops a robot, for the top of its page: the reason, and what ends it."""

    text: str
    fix: str = ""


class Viewed(Protocol):
    """The parts of a robot that every page uses. Pages of one kind use more."""

    name: str

    def truth(self) -> Any: ...

    def footprint(self) -> tuple[float, float, float] | None: ...


class View:
    """The page of a robot: `parts`, and methods that return their numbers.

    No method may change the robot.
    """

    parts: tuple[Part, ...] = ()

    def __init__(self, robot: Viewed):
        self.robot: Any = robot

    def draw(self) -> Mapping[str, ArrayLike]:
        """Return the rows of the drawn parts, by name."""
        return {}

    def draw_static(self) -> Mapping[str, ArrayLike]:
        """Return the rows of drawn parts that never change, by name."""
        return {}

    def measure(self) -> Mapping[str, float]:
        """Return the numbers of gauges, words, lamps, plots, sliders and jogged axes, by name."""
        return {}

    def trace(self) -> Mapping[str, tuple[float, ...]]:
        """Return the current points of trails by name: x and y, or x, y and z."""
        return {}

    def scans(self) -> Mapping[str, Scan]:
        """Return the last scans of lidars by name, for viewers other than the panel."""
        return {}

    def fixes(self) -> Mapping[str, Fix]:
        """Return the last fixes of receivers by name, for viewers other than the panel."""
        return {}

    def drive(self, forward: float, left: float, turn: float) -> list[AnyInput]:
        """Return the inputs that drive the robot at these speeds, each from −1 to 1."""
        return []

    def lines(self) -> Mapping[str, Lines]:
        """Return the content of listings by name. Keep it short: it is sent after each change."""
        return {}

    def act(self, name: str) -> list[AnyInput]:
        """Return the inputs of one of the page's actions."""
        return []

    def slide(self, name: str, value: float) -> list[AnyInput]:
        """Return the inputs that set a slider to a value within its range."""
        return []

    def jog(self, axis: int, by: float, speed: float) -> list[AnyInput]:
        """Return the inputs that jog an axis, without end if `by` is infinite.

        `speed` is a fraction of full speed.
        """
        return []

    def halt(self) -> list[AnyInput]:
        """Return the inputs that end a jog. They must be harmless if there is none."""
        return []

    def stop(self, on: bool) -> list[AnyInput]:
        """Return the inputs that press or release the emergency stop, if there is one."""
        return [SetInput(self.robot.name, "estop", on)] if "estop" in self.robot.inputs else []

    @property
    def stopped(self) -> bool | None:
        """True if the emergency stop is on; None if there is none."""
        return bool(self.robot.input["estop"]) if "estop" in self.robot.inputs else None

    def place(self) -> tuple[float, float, float] | None:
        """Return x, y and heading on the map, quickly; None if the robot has no place."""
        footprint = self.robot.footprint()
        if footprint is None:
            return None
        pose = getattr(self.robot.truth(), "pose", None)
        heading = float(pose[2]) if pose is not None and len(pose) == 3 else 0.0
        return float(footprint[0]), float(footprint[1]), heading

    def summary(self) -> Summary:
        """Return the line of the robot in a table of many."""
        return Summary()

    @property
    def alarm(self) -> Alarm | None:
        """The condition that keeps the robot from its work; None if there is none."""
        return None


def rows(part: Part, values: ArrayLike) -> NDArray[np.float32]:
    """Return the rows of a part as float32. Raises ValueError if their length is wrong."""
    found = np.asarray(values, np.float32)
    if found.size == 0:
        return np.empty((0, part.columns), np.float32)
    found = np.atleast_2d(found)
    if found.ndim != 2 or found.shape[1] != part.columns:
        raise ValueError(
            f"{part.name} needs rows of {part.columns} numbers, not an array of shape {found.shape}"
        )
    return found


def unit(name: str) -> str:
    """Return the unit at the end of a name such as `speed_mps`, or an empty text."""
    return UNITS.get(name.rpartition("_")[2], "") if "_" in name else ""


def label(name: str) -> str:
    """Return a name as a label, without its unit."""
    plain = name.rpartition("_")[0] if unit(name) else name
    return plain.replace("_", " ").replace(".", " ").capitalize()
