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

    def close(self) -> None:
        self._host.sim.core.listeners.input.remove(self._input)

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
        transport = self._host.transports.get((self._robot, port))
        if isinstance(transport, PeerProcesses):
            ours = transport.process_of(peer) == os.getpid()
        else:
            ours = is_peer(peer, [os.getpid()])
        if ours:
            self._ours.add(link)
            self.peer = peer
        else:
            self.found = self.found or f"{peer or 'a client'} uses {self._robot}/{port}"

    def _counts_connected(self, name: str) -> bool:
        robot = self._host.sim.robot(self._robot)
        port = next((one for one in robot.ports if one.name == name), None)
        return port is not None and port.kind == "stream" and port.direction != "out"
