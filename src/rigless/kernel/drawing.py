"""What a robot's page shows, as data. A robot's `view.py` declares the parts of its page once, in this small vocabulary, and
fills in their numbers as often as somebody looks; the panel does the rest.

A colour is a meaning, not a paint: the panel has a light and a dark one for each. What is normal is calm; `warn` and `bad` are
for what is not. Where a user has chosen colours, bodies, curves and clouds take them as they are (`Paint`). Places are in world metres,
angles in radians.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.kernel.inputs import AnyInput, SetInput

if TYPE_CHECKING:
    from rigless.kernel.robot import Robot

UNITS = {
    "m": "m", "mm": "mm", "s": "s", "ms": "ms", "mps": "m/s", "rad": "rad", "deg": "°", "radps": "rad/s", "c": "°C", "w": "W",
    "v": "V", "a": "A", "hz": "Hz", "wh": "Wh", "n": "N", "percent": "%",
}  # fmt: skip
Colour = Literal["plain", "accent", "sense", "path", "ghost", "ok", "warn", "bad"]
Paint = str  # a Colour, or a paint of the user's own as #rrggbb
Style = Literal[
    "solid", "ghost", "wire"
]  # of bodies: as they are, seen through, or their edges only


@dataclass(frozen=True)
class Part:
    """Something on a page. `columns` is how many numbers a row of its drawing has; 0: it is not drawn on the map. Parts of one
    `group` share a card of that name; without one they are with their kind. What is drawn is `shown` until somebody says otherwise."""

    columns: ClassVar[int] = 0
    name: str
    label: str
    group: str = field(default="", kw_only=True)
    shown: bool = field(default=True, kw_only=True)


@dataclass(frozen=True)
class Disc(Part):
    """Circles on the floor: a row is x, y, theta and a tone, which is 0 for `colour` or the number of one of `tones`."""

    columns = 4
    radius_m: float
    colour: Colour = "accent"
    tones: tuple[Colour, ...] = ()
    height_m: float = 0.0
    heading: bool = True  # whether a wedge shows where theta points


@dataclass(frozen=True)
class Polygon(Part):
    """Closed outlines, given in their own frame: a row is x, y, theta and a tone, as of a disc."""

    columns = 4
    points: tuple[tuple[float, float], ...]
    colour: Colour = "accent"
    tones: tuple[Colour, ...] = ()
    height_m: float = 0.0


@dataclass(frozen=True)
class Rays(Part):
    """Beams: a row is x, y of the origin and x, y of the end. Beams of one turn, in order, are shown as the area they sweep."""

    columns = 4
    colour: Colour = "accent"
    height_m: float = 0.0
    fan: bool = True


@dataclass(frozen=True)
class Points(Part):
    """Dots: a row is x, y."""

    columns = 2
    colour: Colour = "sense"
    height_m: float = 0.0


@dataclass(frozen=True)
class Path(Part):
    """A line through points (a row is x, y); a row that is not a number breaks it."""

    columns = 2
    colour: Colour = "path"


@dataclass(frozen=True)
class Ellipse(Part):
    """Uncertainty: a row is x, y, the angle of the first axis, and both half axes."""

    columns = 5
    colour: Colour = "ghost"


@dataclass(frozen=True)
class Solid:
    """A body in the frame of what it belongs to (z up): a box (its three sizes), a cylinder along z (radius, height), a sphere
    (radius), or a mesh (`points` are float32 x, y, z, `triangles` three uint32 each, little-endian). Its centre is `at` x, y, z,
    turned by the quaternion `turn` x, y, z, w. A thing that stands alone may have a `name`."""

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
    """An arm or any other chain of bodies in space: row n is where link n is, x, y, z, a quaternion x, y, z, w, and a tone as
    of a disc. Each link has its solids. A page with links opens in 3-D."""

    columns = 8
    links: tuple[tuple[Solid, ...], ...]
    tones: tuple[Paint, ...] = ("bad",)
    style: Style = "solid"
    colour: Paint = "accent"  # of the whole, where it is named


@dataclass(frozen=True)
class Scene(Part):
    """Things that stand in space and stay there, in the world's frame: row n is the tone of thing n. From above, their outlines."""

    columns = 1
    solids: tuple[Solid, ...]
    tones: tuple[Paint, ...] = ("bad",)
    style: Style = "solid"
    colour: Paint = "plain"


@dataclass(frozen=True)
class Curve(Part):
    """A line in space: a row is x, y, z and a shade; a row that is not a number breaks it. With a `ramp` a shade from 0 to 1 is a colour
    along it."""

    columns = 4
    colour: Paint = "path"
    ramp: tuple[Paint, ...] = ()
    width_px: float = 3.0


@dataclass(frozen=True)
class Cloud(Part):
    """Dots in space: a row is x, y, z and a shade as of a curve."""

    columns = 4
    colour: Paint = "sense"
    ramp: tuple[Paint, ...] = ()
    size_m: float = 0.02


@dataclass(frozen=True)
class Axes(Part):
    """Frames in space, each as its x (red), y (green) and z (blue) axis: a row is x, y, z and a quaternion x, y, z, w."""

    columns = 7
    length_m: float = 0.1
    colour: Paint = "plain"


@dataclass(frozen=True)
class Trail(Part):
    """Where something has been, on the floor or in space; `View.trace` says where it is."""

    colour: Colour = "path"


@dataclass(frozen=True)
class Gauge(Part):
    """A number from `View.measure`, with its unit; beyond `low` and `high` it is shown as abnormal."""

    unit: str = ""
    low: float = float("-inf")
    high: float = float("inf")
    digits: int = 2


@dataclass(frozen=True)
class Word(Part):
    """One of some words: the number from `View.measure` says which. Only `warn` and `bad` ones are coloured."""

    words: tuple[tuple[str, Colour], ...]


@dataclass(frozen=True)
class Lamp(Part):
    """On when the number from `View.measure` is not zero. With a `short` name it is a small square among its like."""

    colour: Colour = "ok"
    short: str = ""


@dataclass(frozen=True)
class Plot(Part):
    """Numbers from `View.measure` over time, one line each: (name, label) pairs."""

    lines: tuple[tuple[str, str], ...]
    unit: str = ""


@dataclass(frozen=True)
class Switch(Part):
    """A virtual input of the robot (`name` is the input's), shown as what it is: a switch, a number or a text. A switch with a
    `short` name is a small square among its like."""

    short: str = ""


@dataclass(frozen=True)
class Button(Part):
    """A virtual input that is `pressed` while held and `released` else."""

    pressed: bool | int | float = True
    released: bool | int | float = False


@dataclass(frozen=True)
class Action(Part):
    """Something to tell the robot once, as its clients do; `View.act` knows what."""

    colour: Colour = "plain"


@dataclass(frozen=True)
class Drive(Part):
    """The robot can be driven by keyboard; `axes` are those of forward, left and turn that it has."""

    axes: tuple[Literal["forward", "left", "turn"], ...] = ("forward", "turn")


@dataclass(frozen=True)
class Slider(Part):
    """A number that can be set from `low` to `high` in steps, or to one of `stops` only. Where it is comes from `View.measure`,
    what sets it from `View.slide`; away from `normal` it is shown as abnormal."""

    unit: str
    low: float
    high: float
    step: float = 1.0
    normal: float | None = None
    stops: tuple[float, ...] = ()


@dataclass(frozen=True)
class Jog(Part):
    """Axes that can be moved by hand: by one of `steps` at a press, or for as long as a button is held (`View.jog`, `View.halt`). An
    axis is the name of its number in `View.measure`, its label and its unit; `speeds` are shares of the full one."""

    axes: tuple[tuple[str, str, str], ...]
    steps: tuple[float, ...] = (0.1, 1.0, 5.0, 10.0)
    speeds: tuple[float, ...] = (0.1, 0.3, 1.0)


@dataclass(frozen=True)
class Listing(Part):
    """Lines of text of which one is being done, as of a program; `View.lines` gives them. `empty` stands there without any;
    long ones are cut off, or with `wrap` broken."""

    empty: str = "nothing yet"
    wrap: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Lines:
    """What a listing shows now: some lines, `first` being the number of the first of them. Those before `current` are done, those
    after `read` have come but wait unread, and those of `wrong` were refused."""

    first: int = 1
    texts: tuple[str, ...] = ()
    current: int = 1
    read: int = 0
    wrong: tuple[int, ...] = ()


class View:
    """A robot's page: `parts` is what there is on it; the methods fill in the numbers. Nothing here may change the robot."""

    parts: tuple[Part, ...] = ()

    def __init__(self, robot: "Robot"):
        self.robot: Any = robot

    def draw(self) -> Mapping[str, ArrayLike]:
        """The rows of the parts that are drawn, by name."""
        return {}

    def draw_static(self) -> Mapping[str, ArrayLike]:
        """The rows of drawn parts that never change, by name; asked for once, and not again until time jumps."""
        return {}

    def measure(self) -> Mapping[str, float]:
        """The numbers of gauges, words, lamps, plots, sliders and jogged axes, by name."""
        return {}

    def trace(self) -> Mapping[str, tuple[float, ...]]:
        """Where the ends of the trails are, by name: x and y, or x, y and z."""
        return {}

    def drive(self, forward: float, left: float, turn: float) -> list[AnyInput]:
        """The inputs that drive the robot like this, each from −1 to 1."""
        return []

    def lines(self) -> Mapping[str, Lines]:
        """What the listings show, by name. It goes over the wire whenever it has changed, so give what can be read at a glance."""
        return {}

    def act(self, name: str) -> list[AnyInput]:
        """The inputs of one of the page's actions."""
        return []

    def slide(self, name: str, value: float) -> list[AnyInput]:
        """The inputs that bring what a slider shows to a value within its range."""
        return []

    def jog(self, axis: int, by: float, speed: float) -> list[AnyInput]:
        """The inputs that move an axis by so much (infinite: on and on until `halt`), at a share of full speed."""
        return []

    def halt(self) -> list[AnyInput]:
        """The inputs that end a jog, and one that has not begun yet; they must do no harm when there is none."""
        return []

    def stop(self, on: bool) -> list[AnyInput]:
        """The inputs that stop the robot in an emergency, or let it go on; none if it has no such thing."""
        return [SetInput(self.robot.name, "estop", on)] if "estop" in self.robot.inputs else []

    @property
    def stopped(self) -> bool | None:
        """Whether the emergency stop is on; None if there is none."""
        return bool(self.robot.input["estop"]) if "estop" in self.robot.inputs else None


def rows(part: Part, values: ArrayLike) -> NDArray[np.float32]:
    """What was drawn of a part as rows of float32; a part that is drawn wrongly is the robot's bug and says so."""
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
    """The unit that ends a name, as our names do."""
    return UNITS.get(name.rpartition("_")[2], "") if "_" in name else ""


def label(name: str) -> str:
    """A name as people read it, without its unit."""
    plain = name.rpartition("_")[0] if unit(name) else name
    return plain.replace("_", " ").replace(".", " ").capitalize()
