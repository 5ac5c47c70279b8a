"""A robot for tests of the host: at the start it warns and opens a link; it notes its boots."""

from dataclasses import dataclass, field

from rigless.kernel.ports import Connected, Link, Port
from rigless.kernel.robot import Robot as Base
from rigless.kernel.robot import VirtualInput, on


@dataclass(frozen=True)
class Line:
    text: str


@dataclass
class LineCodec:
    def decode(self, data: bytes):
        return [Line(data.decode("latin-1"))]

    def encode(self, message: Line) -> bytes:
        return message.text.encode("latin-1")


@dataclass
class State:
    greeted: list[str] = field(default_factory=list)


class Robot(Base):
    State = State
    ports = (
        Port("line", LineCodec, "memory", "memory/line"),
        Port("radio", LineCodec, "memory", "memory/radio", kind="datagram", direction="out"),
    )
    inputs = {
        "boot_id": VirtualInput(""),
        "epoch_s": VirtualInput(0.0),
        "lost_s": VirtualInput(0.0),
    }

    def start(self) -> None:
        self.event("no-name", "give the robot a name", "warning")
        self.open("radio", "127.0.0.1:9")

    @on(Connected)
    def welcome(self, message: Connected, link: Link) -> None:
        self.state.greeted.append(self.input["boot_id"])
