"""A welder on a test bench, with a client on its wire."""

import re

from rigless.kernel import inputs as inp
from rigless.kernel.simulation import Simulation
from rigless.robots.welder.wire import Text
from rigless.scenario.load import open_target

INSTANT = ("command_delay_ms=0", "feedback_delay_ms=0")
SIX = ",".join(["0.000"] * 6)


def welder(*settings: str, seed: int = 1, collect: bool = True) -> Simulation:
    return open_target("welder", list(settings), seed, collect=collect).simulation


class Bench:
    """Sends lines and bytes to a welder without delays, and returns its output."""

    def __init__(self, *settings: str, seed: int = 1):
        self.sim = welder(*INSTANT, *settings, seed=seed)
        self.robot = self.sim.robot("welder")
        self.greeting = self.send(b"")

    def send(self, data: bytes | str, seconds: float = 0.0) -> str:
        raw = data.encode("latin-1") if isinstance(data, str) else data
        self.sim.send("welder", "grbl", raw)
        self.sim.run(seconds)
        return self.said()

    def said(self) -> str:
        return "".join(
            message.text for message in self.sim.take("welder", "grbl") if isinstance(message, Text)
        )

    def ask(self, line: str, seconds: float = 0.0) -> list[str]:
        """Return the lines of the reply."""
        return self.send(line + "\n", seconds).split("\r\n")[:-1]

    def run(self, seconds: float) -> str:
        self.sim.run(seconds)
        return self.said()

    def until_idle(self, most_s: float = 120.0) -> float:
        """Run until standstill; return the time this took, to a millisecond."""
        begin = self.sim.now_s
        while self.state.mode not in ("Idle", "Alarm"):  # a status report each time takes long
            assert self.sim.now_s < begin + most_s, self.state.mode
            self.sim.run(0.001)
        assert self.status()["mode"].partition(":")[0] == self.state.mode
        return self.sim.now_s - begin

    @property
    def state(self):
        return self.robot.state

    @property
    def truth(self):
        return self.sim.truth("welder")

    def status(self) -> dict[str, str]:
        return fields(self.send("?"))

    def input(self, name, value) -> str:
        self.sim.set_input("welder", name, value)
        return self.said()

    def events(self, code: str) -> list:
        return [event for event in self.sim.events if event.code == code]


def fields(report: str) -> dict[str, str]:
    """Return a status report by field; the state is `mode`."""
    inside = re.search(r"<([^>]*)>", report)
    assert inside, report
    mode, *rest = inside[1].split("|")
    return {"mode": mode, **dict(part.partition(":")[::2] for part in rest)}


class Peer:
    """A client on a port of the welder."""

    def __init__(self, sim: Simulation, port: str = "grbl", link: int = 1):
        self.sim, self.port, self.link = sim, port, link
        self.received, self.gone = b"", False
        sim.core.listeners.output.append(self._output)
        sim.core.listeners.link.append(self._link)
        sim.apply(inp.Connect("welder", port, link, f"10.0.0.9:40{link:02}", "10.0.0.1:1"))

    def say(self, data: bytes) -> None:
        self.sim.apply(inp.Arrive("welder", self.port, self.link, data))

    def hang_up(self) -> None:
        self.sim.apply(inp.Disconnect("welder", self.port, self.link))

    def _output(self, at_ns, output) -> None:
        if (output.port, output.link) == (self.port, self.link):
            self.received += output.data

    def _link(self, at_ns, robot, port, link, opened) -> None:
        self.gone |= (port, link.id, opened) == (self.port, self.link, False)
