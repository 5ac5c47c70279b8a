"""A cart that rolls along its heading: an external robot for the scenario tests.

It has a pose, a native file and typed inputs.
"""

import math
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from rigless.kernel.ports import Link, Port, WireError
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Config, VirtualInput, every, on
from rigless.kernel.robot import Robot as Base


@dataclass(frozen=True)
class Go:
    speed_mps: float
    label: str = ""


@dataclass(frozen=True)
class Odometry:
    travelled_m: float | None


@dataclass
class GoCodec:
    """A byte is a speed in m/s; 255 breaks the protocol."""

    def decode(self, data: bytes):
        for byte in data:
            if byte == 255:
                raise WireError("too fast")
            yield Go(float(byte))

    def encode(self, message: Odometry) -> bytes:
        return repr(message.travelled_m).encode()


class Wheels(Config):
    radius_m: float = Field(0.1, gt=0)


class CartConfig(Config):
    speed_mps: float = 0.0
    colour: str = "red"
    wheels: Wheels = Wheels()


@dataclass
class CartState:
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0)
    speed_mps: float = 0.0
    travelled_m: float | None = 0.0
    labels: list[str] = field(default_factory=list)
    gears: dict[str, int] = field(default_factory=lambda: {"now": 1, "top": 5})


class Robot(Base):
    Config = CartConfig
    State = CartState
    ports = (
        Port("drive", GoCodec, "tcp", "127.0.0.1:6000", emits=()),
        Port(
            "odometry",
            GoCodec,
            "udp",
            "127.0.0.1:6100",
            kind="datagram",
            direction="out",
            emits=(Odometry,),
        ),
        Port("serial", GoCodec, "pty", "/dev/cart", direction="in"),
    )
    event_codes = ("booted", "go", "never")
    metric_names = ("sent", "never")
    inputs = {
        "brake": VirtualInput(False),
        "load_kg": VirtualInput(0.0),
        "gear": VirtualInput(1),
        "mode": VirtualInput("eco"),
    }
    sensors = ("odometer",)
    actuators = ("motor",)
    own_faults = {"tyre": ("flat", "burst")}

    @classmethod
    def read_file(cls, path: Path):
        """Read a `.cart` file, which holds a speed, or a TOML file with a [cart] table."""
        if path.suffix == ".toml":
            return tomllib.loads(path.read_text()).get("cart")
        if path.suffix != ".cart":
            return None
        try:
            return {"speed_mps": float(path.read_text())}
        except ValueError:
            raise InputError(
                Problem("speed", "is not a number", "write one", str(path), 1)
            ) from None

    def start(self) -> None:
        self.state = CartState(self.start_pose or (0.0, 0.0, 0.0), self.config.speed_mps)
        self.event("booted", "ready to roll")

    @every(100)
    def roll(self) -> None:
        state = self.state
        step_m = 0.0 if self.input["brake"] else self.actuate("motor", state.speed_mps, 0.01) * 0.01
        x, y, theta = state.pose
        state.pose = (x + step_m * math.cos(theta), y + step_m * math.sin(theta), theta)
        state.travelled_m = self.sense("odometer", math.hypot(state.pose[0], state.pose[1]))

    @every(10)
    def send_odometry(self) -> None:
        self.emit("odometry", Odometry(self.state.travelled_m))
        self.count("sent")

    @on(Go)
    def go(self, message: Go, link: Link) -> None:
        self.state.speed_mps = message.speed_mps
        self.state.labels.append(message.label)
        self.event("go", f"{message.speed_mps:g} m/s")
