"""What the window is told and what it says, as plain data, and how that travels: msgpack behind its length.

Sixty times a second the window sends an `Ask` and gets a `Picture`, with a `Scene` before it when what it knows of the walls is
of another world. Nothing else is ever sent, so nothing piles up.
"""

import struct
from typing import Annotated

import msgspec
from msgspec import Meta

Axis = Annotated[float, Meta(ge=-1, le=1)]
Word = Annotated[str, Meta(max_length=40)]


class Scene(msgspec.Struct, tag="scene", frozen=True):
    """The walls: `cells` is a byte for each cell of rows × columns from the bottom left, not zero for wall."""

    number: int
    name: str
    rows: int
    columns: int
    cells: bytes
    cell_m: float
    origin: tuple[float, float, float]  # x, y and angle of the corner in the world


class Ray(msgspec.Struct, frozen=True, array_like=True):
    """Where a range sensor looks from and to, and how far it says that is."""

    x: float
    y: float
    to_x: float
    to_y: float
    reading_m: float


class Bot(msgspec.Struct, frozen=True):
    """A Pacbot. Wheels are north, south, east, west, as shares of full speed; velocities are in the world."""

    name: str
    x: float
    y: float
    theta: float
    radius_m: float
    vx: float
    vy: float
    omega: float
    wheels: tuple[float, float, float, float]
    commands: tuple[float, float, float, float]
    rays: list[Ray] = []
    contact: tuple[float, float] | None = None  # where it touches something
    faults: list[str] = []


class Ghost(msgspec.Struct, frozen=True, array_like=True):
    x: float
    y: float
    direction: int
    frightened: bool


class Game(msgspec.Struct, frozen=True):
    """The game, in places of the world."""

    cell_m: float
    pellets: list[tuple[float, float]]
    super_pellets: list[tuple[float, float]]
    ghosts: list[Ghost | None]  # red, pink, cyan, orange; None is not on the board
    fruit: tuple[float, float] | None
    pacman: tuple[float, float] | None
    score: int
    lives: int
    level: int
    mode: str


class Picture(msgspec.Struct, tag="picture", frozen=True):
    scene: int
    time_s: float
    state: str
    pace: str
    real_time_factor: float
    bots: list[Bot]
    chosen: int  # which of them the keys drive
    game: Game | None = None
    recording: bool = False


class Ask(msgspec.Struct, tag="ask", frozen=True, forbid_unknown_fields=True):
    """The next picture, please. `axes` are forward, left and turn as the keys say; `actions` what was pressed since."""

    scene: int
    axes: tuple[Axis, Axis, Axis] = (0.0, 0.0, 0.0)
    actions: Annotated[list[Word], Meta(max_length=32)] = []


class Hello(msgspec.Struct, tag="hello", frozen=True):
    """The window is open, or why it could not be."""

    trouble: str = ""


ToWindow = Scene | Picture
ToHost = Ask | Hello

LENGTH = struct.Struct("<I")
LONGEST = 1 << 26
_encode = msgspec.msgpack.Encoder().encode
_to_window: msgspec.msgpack.Decoder[ToWindow] = msgspec.msgpack.Decoder(ToWindow)
_to_host: msgspec.msgpack.Decoder[ToHost] = msgspec.msgpack.Decoder(ToHost)


def pack(message: ToWindow | ToHost) -> bytes:
    data = _encode(message)
    return LENGTH.pack(len(data)) + data


def for_window(data: bytes) -> ToWindow:
    return _to_window.decode(data)


def for_host(data: bytes) -> ToHost:
    return _to_host.decode(data)
