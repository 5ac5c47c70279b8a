"""Two robots that are only for these tests: one that counts, and one that writes down what happens to it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.inputs import SetInput
from rigless.kernel.ports import Connected, Disconnected, Link, Port, WireError
from rigless.kernel.robot import Config, Robot, VirtualInput, every, on
from rigless.kernel.simulation import Simulation

LONGEST_LINE = 32


@dataclass(frozen=True)
class Add:
    amount: int = 1


@dataclass(frozen=True)
class Later:
    seconds: float
    amount: int


@dataclass(frozen=True)
class Hang:
    pass


@dataclass(frozen=True)
class Subscribe:
    address: str


@dataclass(frozen=True)
class Fail:
    pass


@dataclass(frozen=True)
class Odd:
    """Nobody handles it."""

    text: str


@dataclass(frozen=True)
class Total:
    total: int


@dataclass(frozen=True)
class Beat:
    n: int
    level: float | None


@dataclass
class LineCodec:
    """`add 3`, `later 0.5 3`, `hang`, `subscribe host:1`, `fail`; a line of more than 32 bytes breaks the protocol."""

    pending: bytes = b""

    def decode(self, data: bytes):
        self.pending += data
        while b"\n" in self.pending:
            line, _, self.pending = self.pending.partition(b"\n")
            yield self.parse(line.decode("latin-1"))
        if len(self.pending) > LONGEST_LINE:
            raise WireError("the line is too long")

    def parse(self, line: str) -> object:
        match line.split():
            case ["add", amount] if amount.isdecimal():
                return Add(int(amount))
            case ["later", seconds, amount] if seconds.replace(".", "", 1).isdecimal() and amount.isdecimal():
                return Later(float(seconds), int(amount))
            case ["hang"]:
                return Hang()
            case ["subscribe", address]:
                return Subscribe(address)
            case ["fail"]:
                return Fail()
        return Odd(line)

    def encode(self, message: Total) -> bytes:
        return b"%d\n" % message.total


@dataclass
class BeatCodec:
    """Numbers each datagram it makes, so that a snapshot must hold the encoder too."""

    sent: int = 0

    def decode(self, data: bytes):
        raise WireError("nothing comes in here")

    def encode(self, message: Beat) -> bytes:
        self.sent += 1
        return f"{self.sent} {message.n} {message.level}".encode()


@dataclass
class SubjectCodec:
    def decode(self, data: bytes, subject: str):
        if subject == "count.add":
            yield Add(int(data))

    def encode(self, message: Total) -> tuple[str, bytes]:
        return "count.total", b"%d" % message.total


class CounterConfig(Config):
    tick_hz: float = Field(10.0, ge=0)
    beat_hz: float = Field(5.0, ge=0)


@dataclass
class CounterState:
    total: int = 0
    ticks: int = 0
    level: float | None = 0.0
    drive: float = 0.0
    window: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))


class Counter(Robot):
    """Adds what it is told to and measures a level that is 1 plus noise."""

    Config = CounterConfig
    State = CounterState
    ports = (
        Port("line", LineCodec, "tcp", "127.0.0.1:1"),
        Port("beat", BeatCodec, "udp", "127.0.0.1:2", kind="datagram", direction="out"),
        Port("bus", SubjectCodec, "nats", "127.0.0.1:3", kind="message"),
    )
    inputs = {
        "button": VirtualInput(False),
        "load": VirtualInput(0.0),
        "mode": VirtualInput("slow"),
        "gear": VirtualInput(1),
    }
    sensors = ("level",)
    actuators = ("drive",)
    conditions = {"fuse": ("blown", "loose")}

    @every(lambda config: config.tick_hz)
    def tick(self) -> None:
        self.state.ticks += 1
        self.state.window = np.roll(self.state.window, 1)
        self.state.window[0] = 1.0 + 0.1 * self.random("level").standard_normal()
        self.state.level = self.sense("level", float(self.state.window[0]))
        self.state.drive = self.actuate("drive", 1.0, 0.1, full=2.0)

    @every(lambda config: config.beat_hz)
    def beat(self) -> None:
        self.emit("beat", Beat(self.state.ticks, self.state.level))

    @on(Add)
    def add(self, message: Add, link: Link) -> None:
        self.grow(message.amount)
        self.emit(link.port, Total(self.state.total), to=link)

    @on(Later)
    def later(self, message: Later, link: Link) -> None:
        self.after(message.seconds, self.grow, message.amount)

    @on(Hang)
    def hang(self, message: Hang, link: Link) -> None:
        self.close(link)

    @on(Subscribe)
    def subscribe(self, message: Subscribe, link: Link) -> None:
        self.open("beat", message.address)

    @on(Fail)
    def fail(self, message: Fail, link: Link) -> None:
        raise ZeroDivisionError("the counter broke")

    def grow(self, amount: int) -> None:
        self.state.total += amount
        self.count("grown", amount)
        self.event("grown", f"by {amount}", amount=amount)


@dataclass
class DiaryState:
    entries: list[tuple[int, str]] = field(default_factory=list)


class Diary(Robot):
    """Writes down, with the time, all that the simulation calls it for."""

    State = DiaryState
    ports = (Port("line", LineCodec, "tcp", "127.0.0.1:1"),)
    inputs = {"button": VirtualInput(False)}
    sensors = ("eye",)
    conditions = {"ink": ("dry",)}

    def write(self, what: str) -> None:
        self.state.entries.append((self.now_ns, what))

    @every(10)
    def zulu(self) -> None:
        self.write("zulu")

    @every(5)
    def alpha(self) -> None:
        self.write("alpha")

    @on(Add, Odd, Connected, Disconnected, Injected, Cleared, SetInput)
    def note(self, message: object, link: Link) -> None:
        self.write(type(message).__name__)


def tap(sim: Simulation) -> list[tuple[int, str, str, int, bytes]]:
    """A list to which each output is added as (time, robot, port, link, bytes)."""
    seen: list[tuple[int, str, str, int, bytes]] = []
    sim.listeners.output.append(lambda at, out: seen.append((at, out.robot, out.port, out.link, out.data)))
    return seen
