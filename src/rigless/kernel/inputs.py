"""Inputs of a simulation as data: stamped, recorded, applied, and replayed from a recording.

sim.schedule(2_000_000_000, rigless.inputs.SetInput("thermostat", "window_open", True))
"""

from typing import Any

import msgspec

LOCAL = 0  # the link of messages that come from Python, not over a wire


class Input(msgspec.Struct, frozen=True, tag_field="input", tag=str.lower):
    """Base of all inputs; the tag names the kind in recordings."""


class Connect(Input, frozen=True):
    """A peer connects to a port."""

    robot: str
    port: str
    link: int
    peer: str = ""
    local: str = ""


class Disconnect(Input, frozen=True):
    """A peer has closed its link."""

    robot: str
    port: str
    link: int


class Arrive(Input, frozen=True):
    """Bytes from a peer: part of a stream, a datagram, or the payload of a message."""

    robot: str
    port: str
    link: int
    data: bytes
    subject: str = ""


class Send(Input, frozen=True):
    """A message that bypasses the codec: the name of its type and its fields."""

    robot: str
    port: str
    type: str
    fields: dict[str, Any] = {}


class SetInput(Input, frozen=True):
    """Set a virtual input of the robot, such as a button or an e-stop."""

    robot: str
    name: str
    value: Any


class Inject(Input, frozen=True):
    """Begin a fault on a robot."""

    robot: str
    target: str
    kind: str
    params: dict[str, Any] = {}
    until_ns: int | None = None


class Clear(Input, frozen=True):
    """End the faults of a robot, or only those on one target."""

    robot: str
    target: str = ""


class MoveObstacle(Input, frozen=True):
    """Move an obstacle of the world, at once or evenly over some time."""

    name: str
    x_m: float
    y_m: float
    theta_rad: float = 0.0
    over_s: float = 0.0


class PlaceObstacle(Input, frozen=True):
    """Add an obstacle, a disc (`radius_m`) or a box (`size_m`), or change the one of this name.

    `world_of` names a robot in whose world it is; the default is the main world.
    """

    name: str
    x_m: float
    y_m: float
    theta_rad: float = 0.0
    radius_m: float = 0.0
    size_m: tuple[float, float] | None = None
    world_of: str = ""


class RemoveObstacle(Input, frozen=True):
    """Take an obstacle out of the world."""

    name: str
    world_of: str = ""


class SetDevice(Input, frozen=True):
    """Set a device of the world, such as a lift (its `floor`) or a conveyor (`running`)."""

    name: str
    key: str
    value: bool | int | float | str


class PlaceRobot(Input, frozen=True):
    """Lift a robot and put it down at a pose, at rest."""

    robot: str
    x_m: float
    y_m: float
    theta_rad: float = 0.0


class Follow(Input, frozen=True):
    """Put the robots of another shard where they are (`kernel/fleet/shard.py`)."""

    shard: int
    poses: bytes


class Share(Input, frozen=True):
    """Take what another shard has sent about loads and devices (`World.receive`)."""

    shard: int
    content: dict[str, Any]


AnyInput = (
    Connect
    | Disconnect
    | Arrive
    | Send
    | SetInput
    | Inject
    | Clear
    | MoveObstacle
    | PlaceObstacle
    | RemoveObstacle
    | SetDevice
    | PlaceRobot
    | Follow
    | Share
)
