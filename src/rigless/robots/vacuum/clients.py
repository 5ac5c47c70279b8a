"""The vacuum's clients: which may connect, and the links that carry their telemetry."""

from collections.abc import Callable
from typing import Any, Protocol

from rigless.kernel.ports import Link
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.state import VacuumState
from rigless.robots.vacuum.wire import DeviceVersion, Scan, Status

VERSION = ("MockDevice v1.0", 100)
EPOCH_US = 1_700_000_000_000_000  # a fixed start of the timestamps, so that runs repeat


class Connected(Protocol):
    """The part of a robot that its clients need: time, state, and the links of its ports."""

    @property
    def now_ns(self) -> int: ...
    @property
    def state(self) -> VacuumState: ...
    def wanted(self, port: str) -> bool: ...
    def links(self, port: str) -> list[Link]: ...
    def open(self, port: str, address: str) -> Link: ...
    def close(self, link: Link) -> None: ...
    def emit(self, port: str, message: Any, to: Link | None = None) -> None: ...


class Clients:
    """Accept clients and send them telemetry. `note` logs an event as the log level allows."""

    def __init__(self, robot: Connected, config: VacuumConfig, note: Callable[..., None]):
        self._robot, self._config, self._note = robot, config, note

    @property
    def _state(self) -> VacuumState:
        return self._robot.state

    @property
    def listening(self) -> bool:
        """True if telemetry has a receiver."""
        return self._robot.wanted("telemetry") or bool(self._state.over_tcp)

    def timestamp_us(self) -> int:
        return EPOCH_US + self._robot.now_ns // 1000

    def accept(self, link: Link) -> None:
        """Register a new connection, or close it if the policy is to reject a second client."""
        others = [
            other
            for other in self._robot.links("commands")
            if other.id != link.id and other.id in self._state.clients
        ]
        if others and self._config.client_policy == "reject":
            text = f"{link.peer}: another client is connected"
            self._note("client-rejected", text, "warning")
            self._robot.close(link)
            return
        for other in others:
            self._robot.close(other)
        self._open_telemetry(link)
        self._note("client-connected", f"{link.peer} connected")
        self._robot.emit("telemetry", self._version())

    def forget(self, link: Link) -> bool:
        """Release the links of a client that disconnected; False if it was not accepted."""
        if link.port != "commands" or link.id not in self._state.clients:
            return False
        self._close_telemetry(link)
        del self._state.clients[link.id]
        self._note("client-gone", f"{link.peer} disconnected")
        return True

    def route_telemetry(self, action: str, link: Link) -> None:
        """Send telemetry over the TCP connection (ENABLE) or over UDP again (DISABLE).

        This is our extension, for clients behind NAT.
        """
        if link.id not in self._state.clients:
            return
        if action == "enable" and link.id not in self._state.over_tcp:
            self._close_telemetry(link)
            self._state.over_tcp.append(link.id)
            self._robot.emit("commands", self._version(), to=link)
        elif action == "disable" and link.id in self._state.over_tcp:
            self._close_telemetry(link)
            self._open_telemetry(link)

    def send(self, message: Status | Scan) -> None:
        self._robot.emit("telemetry", message)
        for link in self._robot.links("commands") if self._state.over_tcp else ():
            if link.id in self._state.over_tcp:
                self._robot.emit("commands", message, to=link)

    def _open_telemetry(self, link: Link) -> None:
        """Open datagram links to the client's host, at the port numbers that the config names."""
        network, host = self._config.network, link.peer.rpartition(":")[0] or "127.0.0.1"
        tcp_port = link.local.rpartition(":")[2]
        client_port = network.udp_client_port or (
            int(tcp_port) if tcp_port.isdigit() else network.udp_streaming_port
        )
        choices = {
            "both": (network.udp_streaming_port, client_port),
            "streaming": (network.udp_streaming_port,),
        }
        numbers = dict.fromkeys(choices.get(network.udp_ports, (client_port,)))
        self._state.clients[link.id] = [
            self._robot.open("telemetry", f"{host}:{number}").id for number in numbers
        ]

    def _close_telemetry(self, link: Link) -> None:
        own = self._state.clients.get(link.id, [])
        for telemetry in self._robot.links("telemetry"):
            if telemetry.id in own:
                self._robot.close(telemetry)
        if link.id in self._state.over_tcp:
            self._state.over_tcp.remove(link.id)

    def _version(self) -> DeviceVersion:
        return DeviceVersion(self.timestamp_us(), *VERSION)
