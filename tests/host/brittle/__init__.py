"""A robot for tests of the host: on command it counts, echoes, floods, disconnects and raises."""

from dataclasses import dataclass

from rigless.kernel.ports import Connected, Link, Port
from rigless.kernel.robot import Robot as Base
from rigless.kernel.robot import every, on


@dataclass(frozen=True)
class Line:
    text: str


@dataclass
class LineCodec:
    pending: bytes = b""

    def decode(self, data: bytes):
        self.pending += data
        while b"\n" in self.pending:
            line, _, self.pending = self.pending.partition(b"\n")
            yield Line(line.decode("latin-1"))

    def encode(self, message: Line) -> bytes:
        return message.text.encode("latin-1") + b"\n"


@dataclass
class State:
    ticks: int = 0
    lines: int = 0


class Robot(Base):
    State = State
    ports = (
        Port("line", LineCodec, "tcp", "127.0.0.1:0"),
        Port("box", LineCodec, "memory", "memory/box"),
    )

    @every(100)
    def tick(self) -> None:
        self.state.ticks += 1

    @on(Connected)
    def welcome(self, message: Connected, link: Link) -> None:
        self.event("welcome", f"a peer on {link.port}")

    @on(Line)
    def hear(self, message: Line, link: Link) -> None:
        self.state.lines += 1
        match message.text.split(" "):
            case ["fail"]:
                raise ZeroDivisionError("told to")
            case ["later"]:
                self.after(0.05, self.break_down)
            case ["misuse"]:
                self.open("nowhere", "127.0.0.1:1")
            case ["flood", count]:
                for number in range(int(count)):
                    self.emit(link.port, Line(f"{number:08d} " + "x" * 990), to=link)
            case ["hang"]:
                self.close(link)
            case _:
                self.emit(link.port, Line(message.text), to=link)

    def break_down(self) -> None:
        raise ZeroDivisionError("broke down")
