"""The messages between window and host, and their framing: msgpack behind its length.

Sixty times a second the window sends a `PictureRequest` and gets a `Picture`. If the window has the
walls of another world, a `Scene` comes first. Nothing else is sent, so nothing piles up.
"""

import struct
from typing import Annotated

import msgspec
from msgspec import Meta

Axis = Annotated[float, Meta(ge=-1, le=1)]
Word = Annotated[str, Meta(max_length=40)]


class Scene(msgspec.Struct, tag="scene", frozen=True):
    """The walls. `cells` has a byte per cell, rows × columns from the bottom left; 0 is free."""

    number: int
    name: str
    rows: int
    columns: int
    cells: bytes
    cell_m: float
    origin: tuple[float, float, float]  # x, y and angle of the corner in the world


class Ray(msgspec.Struct, frozen=True, array_like=True):
    """The true ray of a range sensor, from and to, and its reading."""

    x: float
    y: float
    to_x: float
    to_y: float
    reading_m: float


class Bot(msgspec.Struct, frozen=True):
    """A Pacbot. Velocities are in the world frame.

    Wheels, commands and encoders are north, south, east, west; wheels and commands as shares of
    full speed. `ranges`, `encoders` and `imu` are the last readings, as on the wire.
    """

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
    contact: tuple[float, float] | None = None  # the point of contact
    faults: list[str] = []
    ranges: list[tuple[str, float]] = []
    encoders: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    imu: tuple[float, float, float] = (0.0, 0.0, 0.0)


class Ghost(msgspec.Struct, frozen=True, array_like=True):
    x: float
    y: float
    direction: int
    frightened: bool


class Game(msgspec.Struct, frozen=True):
    """The game, with positions in the world frame."""

    cell_m: float
    pellets: list[tuple[float, float]]
    super_pellets: list[tuple[float, float]]
    ghosts: list[Ghost | None]  # red, pink, cyan, orange; None if not on the board
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
    chosen: int  # index of the bot that the keys drive
    game: Game | None = None
    recording: bool = False


class PictureRequest(msgspec.Struct, tag="ask", frozen=True, forbid_unknown_fields=True):
    """A request for the next picture.

    `axes` are forward, left and turn from the keys; `actions` were pressed since the last request.
    """

    scene: int
    axes: tuple[Axis, Axis, Axis] = (0.0, 0.0, 0.0)
    actions: Annotated[list[Word], Meta(max_length=32)] = []


class Hello(msgspec.Struct, tag="hello", frozen=True):
    """The window is open, or it failed to open with this error."""

    error: str = ""


ToWindow = Scene | Picture
ToHost = PictureRequest | Hello

LENGTH = struct.Struct("<I")
LONGEST = 1 << 26
_encode = msgspec.msgpack.Encoder().encode
_to_window: msgspec.msgpack.Decoder[ToWindow] = msgspec.msgpack.Decoder(ToWindow)
_to_host: msgspec.msgpack.Decoder[ToHost] = msgspec.msgpack.Decoder(ToHost)


def pack(message: ToWindow | ToHost) -> bytes:
    """Encode a message with its length before it."""
    data = _encode(message)
    return LENGTH.pack(len(data)) + data


def decode_for_window(data: bytes) -> ToWindow:
    return _to_window.decode(data)


def decode_for_host(data: bytes) -> ToHost:
    return _to_host.decode(data)
