"""Turns the reports of transports into inputs, and reconciles links after time jumped."""

from collections.abc import Callable
from typing import Protocol, cast

from rigless.kernel import inputs as inp
from rigless.kernel.events import Event, Severity
from rigless.kernel.loop.links import OPENED
from rigless.kernel.ports import Link
from rigless.kernel.simulation import Simulation
from rigless.transports.transport import Dialer, Transport


class LinkHost(Protocol):
    """The parts of a host that its ports use. `live` is link → robot, port, peer, local.

    Functions in `before_connect` get robot, port and peer of a client that is about to connect.
    """

    sim: Simulation
    failure: str
    live: dict[int, tuple[str, str, str, str]]
    dropped: dict[str, int]
    transports: dict[tuple[str, str], Transport]

    before_connect: list[Callable[[str, str, str], None]]

    def new_link(self) -> int: ...

    def apply(self, given: inp.AnyInput, /) -> None: ...


class PortInbox:
    """Turns the reports of one port's transport into inputs of the simulation."""

    def __init__(self, host: LinkHost, robot: str, port: str):
        self._host, self._robot, self._port = host, robot, port

    @property
    def robot_failed(self) -> bool:
        return bool(self._host.failure)

    def new_link(self) -> int:
        return self._host.new_link()

    def connected(self, link: int, peer: str, local: str) -> None:
        for make_way in list(self._host.before_connect):
            make_way(self._robot, self._port, peer)
        self._host.live[link] = (self._robot, self._port, peer, local)
        self._host.apply(inp.Connect(self._robot, self._port, link, peer, local))

    def received(self, link: int, data: bytes, subject: str = "") -> None:
        self._host.apply(inp.Arrive(self._robot, self._port, link, data, subject))

    def disconnected(self, link: int) -> None:
        if self._host.live.pop(link, None) is not None:
            self._host.apply(inp.Disconnect(self._robot, self._port, link))

    def dropped(self, link: int) -> None:
        place = f"{self._robot}/{self._port}"
        self._host.dropped[place] = self._host.dropped.get(place, 0) + 1

    def log(self, text: str, severity: Severity) -> None:
        sim, place = self._host.sim, {"robot": self._robot, "port": self._port}
        sim.core.log(
            Event(sim.now_ns, "", f"{self._port}-told", severity, f"{self._robot}: {text}", place)
        )


def reconcile(host: LinkHost, before: dict[int, Link]) -> None:
    """Make the simulation's links match the connected peers, after a reset or restore.

    Peers that are connected get a link, others lose theirs. A byte stream keeps its codec, since
    the peer was not rewound.
    """
    sim = host.sim
    for (robot, port), links in sim.core.links.by_port.items():
        for link in list(links.values()):
            if inp.LOCAL < link.id < OPENED:
                if (
                    host.live.get(link.id) == (robot, port, link.peer, link.local)
                    and link.id in before
                ):
                    link.codec = before[link.id].codec
                else:  # disconnected, or a link of another process with the same number
                    sim.apply(inp.Disconnect(robot, port, link.id))
    for link_id, (robot, port, peer, local) in list(host.live.items()):
        if link_id not in sim.core.links.by_port[robot, port]:
            sim.apply(inp.Connect(robot, port, link_id, peer, local))
            again = sim.core.links.by_port[robot, port].get(link_id)
            if again is not None and link_id in before:
                again.codec = before[link_id].codec
    for (robot, port), transport in host.transports.items():
        for old in before.values():
            if old.id >= OPENED and old.port == port:
                transport.close_link(old.id)
        open_links(host, robot, port)


def open_links(host: LinkHost, robot: str, port: str) -> None:
    """Open on the network the links of a port that its robot opened before, as in `start`."""
    for link in host.sim.core.links.by_port[robot, port].values():
        if link.id >= OPENED:
            cast(Dialer, host.transports[robot, port]).open_link(link.id, link.peer)
