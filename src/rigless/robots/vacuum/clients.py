"""The vacuum's clients: who may connect, and where their telemetry goes."""

from typing import TYPE_CHECKING, Any

from rigless.kernel.ports import Connected, Disconnected, Link
from rigless.kernel.robot import on
from rigless.robots.vacuum.wire import DeviceVersion, Scan, Status
from rigless.ros.bridge import PORT

if TYPE_CHECKING:
    from rigless.robots.vacuum.config import VacuumConfig
    from rigless.robots.vacuum.state import VacuumState

VERSION = ("MockDevice v1.0", 100)


class Clients:
    """The half of the vacuum that knows its peers; mixed into it."""

    if TYPE_CHECKING:
        config: VacuumConfig
        state: VacuumState
        links: Any
        open: Any
        close: Any
        emit: Any
        note: Any
        timestamp_us: Any
        set_velocity: Any
        turn_lidar: Any
        ros_greet: Any

    @on(Connected)
    def accept(self, message: Connected, link: Link) -> None:
        if link.port == PORT:
            self.turn_lidar(True)  # as a bridge does when it starts
            self.ros_greet()
            return
        others = [
            other
            for other in self.links("commands")
            if other.id != link.id and other.id in self.state.clients
        ]
        if others and self.config.client_policy == "reject":
            self.note("client-rejected", f"{message.peer}: another client is connected", "warning")
            self.close(link)
            return
        for other in others:
            self.close(other)
        self.open_telemetry(link)
        self.note("client-connected", f"{message.peer} connected")
        self.tell_version()

    @on(Disconnected)
    def leave(self, message: Disconnected, link: Link) -> None:
        if link.port != "commands" or link.id not in self.state.clients:
            return
        self.drop_telemetry(link)
        del self.state.clients[link.id]
        self.note("client-gone", f"{message.peer} is gone")
        if self.config.stop_on_disconnect:
            self.set_velocity(0.0, 0.0)

    def open_telemetry(self, link: Link) -> None:
        """Datagrams to the client of this connection, at the port numbers that the config wants."""
        network, host = self.config.network, link.peer.rpartition(":")[0] or "127.0.0.1"
        same = link.local.rpartition(":")[2]
        client_port = network.udp_client_port or (
            int(same) if same.isdigit() else network.udp_streaming_port
        )
        wanted = {
            "both": (network.udp_streaming_port, client_port),
            "streaming": (network.udp_streaming_port,),
        }
        numbers = dict.fromkeys(wanted.get(network.udp_ports, (client_port,)))
        self.state.clients[link.id] = [
            self.open("telemetry", f"{host}:{number}").id for number in numbers
        ]

    def drop_telemetry(self, link: Link) -> None:
        mine = self.state.clients.get(link.id, [])
        for telemetry in self.links("telemetry"):
            if telemetry.id in mine:
                self.close(telemetry)
        if link.id in self.state.over_tcp:
            self.state.over_tcp.remove(link.id)

    def send(self, message: Status | Scan) -> None:
        self.emit("telemetry", message)
        for link in self.links("commands") if self.state.over_tcp else ():
            if link.id in self.state.over_tcp:
                self.emit("commands", message, to=link)

    def tell_version(self, over_tcp: Link | None = None) -> None:
        version = DeviceVersion(self.timestamp_us(), *VERSION)
        if over_tcp is None:
            self.emit("telemetry", version)
        else:
            self.emit("commands", version, to=over_tcp)
