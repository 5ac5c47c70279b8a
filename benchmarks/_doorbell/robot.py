"""A doorbell rings four times a second; a program answers each `RING` with `OPEN`."""

from collections.abc import Iterator
from dataclasses import dataclass

from rigless.kernel.ports import Link, Port
from rigless.kernel.robot import Robot, every, on


@dataclass(frozen=True)
class Ring:
    number: int


@dataclass(frozen=True)
class Open:
    pass


@dataclass
class LineCodec:
    pending: bytes = b""

    def decode(self, data: bytes) -> Iterator[Open]:
        *lines, self.pending = (self.pending + data).split(b"\n")
        for _ in lines:
            yield Open()

    def encode(self, message: Ring) -> bytes:
        return b"RING %d\n" % message.number


@dataclass
class DoorbellState:
    rings: int = 0
    answers: int = 0


class Doorbell(Robot):
    State = DoorbellState
    ports = (Port("line", LineCodec, transport="tcp", address="127.0.0.1:7799", emits=(Ring,)),)
    event_codes = ("ring",)

    @every(4.0)
    def ring(self) -> None:
        self.state.rings += 1
        self.event("ring", f"ring {self.state.rings}", "debug")
        self.emit("line", Ring(self.state.rings))

    @on(Open)
    def answer(self, message: Open, link: Link) -> None:
        self.state.answers += 1
