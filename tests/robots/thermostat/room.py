"""The room of these tests and a client on its line."""

from pathlib import Path

from rigless.kernel import inputs as inp
from rigless.kernel.simulation import Simulation
from rigless.scenario.load import open_target

ROOT = Path(__file__).resolve().parents[3]
THERMOSTAT = ROOT / "examples" / "thermostat"
GOLDEN = Path(__file__).with_name("golden")
HEATER, LOSS, CAPACITY = 1500.0, 40.0, 60_000.0


def room(*settings: str, seed: int = 1) -> Simulation:
    return open_target(THERMOSTAT, settings, seed).simulation


class Peer:
    """A client on the line. It sends at once and stores what it receives."""

    def __init__(self, sim: Simulation, link: int = 1, host: str = "10.0.0.9"):
        self.sim, self.link = sim, link
        self.heard = b""
        self.gone = False
        sim.core.listeners.output.append(self._output)
        sim.core.listeners.link.append(self._link)
        sim.apply(inp.Connect("thermostat", "line", link, f"{host}:4000", "10.0.0.1:7777"))

    def say(self, data: bytes) -> bytes:
        """Send bytes and return the immediate answer."""
        before = len(self.heard)
        self.sim.apply(inp.Arrive("thermostat", "line", self.link, data))
        return self.heard[before:]

    def hang_up(self) -> None:
        self.sim.apply(inp.Disconnect("thermostat", "line", self.link))

    def _output(self, at_ns, output) -> None:
        if (output.port, output.link) == ("line", self.link):
            self.heard += output.data

    def _link(self, at_ns, robot, port, link, opened) -> None:
        self.gone |= (port, link.id, opened) == ("line", self.link, False)


def reports(sim: Simulation) -> list[tuple[float, bytes, tuple[str, ...]]]:
    """Return a list that collects reports as (time in s, bytes, receivers' addresses)."""
    seen: list[tuple[float, bytes, tuple[str, ...]]] = []

    def note(at_ns, output) -> None:
        if output.port == "reports":
            peers = tuple(link.peer for link in sim.robot("thermostat").links("reports"))
            seen.append((at_ns / 1e9, output.data, peers))

    sim.core.listeners.output.append(note)
    return seen
