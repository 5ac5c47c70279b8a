"""Two robots for these tests: one that counts, and one that logs its calls."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.inputs import SetInput
from rigless.kernel.ports import Connected, Disconnected, Link, Port
from rigless.kernel.robot import Config, Robot, VirtualInput, every, on
from rigless.kernel.simulation import Simulation

from .wires import (
    Add,
    Beat,
    BeatCodec,
    Fail,
    Hang,
    Later,
    LineCodec,
    Odd,
    SubjectCodec,
    Subscribe,
    Total,
)


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
    """Adds the amounts that it receives, and measures a level of 1 plus noise."""

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
        "gear": VirtualInput(1, low=0, high=7),
    }
    sensors = ("level",)
    actuators = ("drive",)
    own_faults = {"fuse": ("blown", "loose")}

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
    own_faults = {"ink": ("dry",)}

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
    sim.core.listeners.output.append(
        lambda at, out: seen.append((at, out.robot, out.port, out.link, out.data))
    )
    return seen
