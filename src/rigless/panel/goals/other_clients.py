"""The clients of a robot other than the panel's own driver, for which it must not drive.

On a port of its own, such as TCP, a client counts as soon as it is connected; on a network that
many share (ZeroMQ, ROS), when it sends to the robot. So do the panel and the API when they send.
"""

import os
from collections.abc import Collection

from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.programs.connections import is_peer
from rigless.transports.transport import PeerProcesses


class OtherClients:
    """Watches the ports of one robot until `close`. `found` names the first other client.

    `idle_ports` do not drive the robot.
    """

    def __init__(self, host: Host, robot: str, idle_ports: Collection[str] = ()):
        self._host, self._robot, self._idle_ports = host, robot, idle_ports
        self._ours: set[int] = set()  # links of this process
        self.found = ""
        self.peer = ""  # our own end of the connection
        for link, (owner, port, peer, _) in list(host.live.items()):
            if owner == robot and self._counts_connected(port):
                self._judge(link, port, peer)
        host.sim.core.listeners.input.append(self._input)
        host.before_connect.append(self._make_way)

    def close(self) -> None:
        self._host.sim.core.listeners.input.remove(self._input)
        self._host.before_connect.remove(self._make_way)

    def _make_way(self, robot: str, port: str, peer: str) -> None:
        """Leave a port before another client connects, since it may accept one only."""
        if robot != self._robot or not self._counts_connected(port) or self._is_ours(port, peer):
            return
        for link in [link for link in self._ours if link in self._host.live]:
            if self._host.live[link][:2] == (robot, port):
                self._host.disconnect(link)

    def _input(self, time_ns: int, given: inp.AnyInput, source: str) -> None:
        if source != "live" or getattr(given, "robot", "") != self._robot:
            return
        if getattr(given, "port", "") in self._idle_ports:
            return
        match given:
            case inp.Connect(_, port, link, peer) if self._counts_connected(port):
                self._judge(link, port, peer)
            case inp.Arrive(_, port, link) if link != inp.LOCAL and link not in self._ours:
                known = self._host.live.get(link)
                self._judge(link, port, known[2] if known else "")
            case inp.Send(_, port):
                self.found = self.found or f"the panel or the API sends to {self._robot}/{port}"

    def _judge(self, link: int, port: str, peer: str) -> None:
        if self._is_ours(port, peer):
            self._ours.add(link)
            self.peer = peer
        else:
            self.found = self.found or f"{peer or 'a client'} uses {self._robot}/{port}"

    def _is_ours(self, port: str, peer: str) -> bool:
        """Return True if a client is a part of this process."""
        transport = self._host.transports.get((self._robot, port))
        if isinstance(transport, PeerProcesses):
            return transport.process_of(peer) == os.getpid()
        return is_peer(peer, [os.getpid()])

    def _counts_connected(self, name: str) -> bool:
        robot = self._host.sim.robot(self._robot)
        port = next((one for one in robot.ports if one.name == name), None)
        return port is not None and port.kind == "stream" and port.direction != "out"
