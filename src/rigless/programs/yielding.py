"""Programs that yield: they drive a robot only while nothing else does.

Theory of operation. On a port of its own (a stream such as TCP, a terminal), a client counts as
soon as it connects, because many robots accept one client only. On a network that all share
(ZeroMQ, ROS, WebSocket), a client counts when it sends to the robot: others may listen. A NATS
server or MQTT broker does not say who sent a message, so that every other client of it counts. The
panel and the API count when they send a message to the robot, except for an emergency stop, which
does not drive it. A client of the program itself is known by its process: the process holds the
other end of the connection.
"""

import os
import time
from collections.abc import Callable

from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.kernel.events import Severity
from rigless.kernel.ports import Port
from rigless.programs.connections import clients_of, is_peer
from rigless.programs.program import Program
from rigless.programs.reaper import processes_below_quickly
from rigless.scenario.model.program import Yields
from rigless.scenario.planned_inputs import matching_robots
from rigless.transports.capabilities import capabilities
from rigless.transports.transport import PeerProcesses

BROKER_S = 1.0  # between two looks at the clients of a message broker
Log = Callable[[str, str, str, Severity], None]  # program, code, text, severity


class Yielding:
    """Withdraws one program while its robots have another client, and starts it again."""

    def __init__(self, host: Host, program: Program, rule: Yields, log: Log):
        self._host, self._program, self._rule, self._log = host, program, rule, log
        self.robots = set(matching_robots(rule.robots, host.sim.robots))
        ports = [(robot, port) for robot in sorted(self.robots) for port in _ports(host, robot)]
        self._streams = {key for key in ports if _accepts(_port(host, *key))}
        brokers = [key for key in ports if _is_broker(_port(host, *key))]
        self._brokers = {host.urls[key]: key for key in brokers if key in host.urls}
        self._others: dict[int, str] = {}  # link of another client → who it is
        self._own: set[int] = set()  # links of the program
        self._claims: set[str] = set()  # robots that a part of the panel drives
        self._free_at_s = 0.0  # wall time from which the program may drive
        self._looked_s = 0.0
        self._epoch = host.epoch
        self.counts_sent = True  # messages of the panel and the API count as driving
        host.yielders.append(self)

    @property
    def driving(self) -> bool:
        """True until the program has ended."""
        return self._program.alive

    def claim(self, robot: str, by: str) -> None:
        """Withdraw the program and keep it away until `release`."""
        self._claims.add(robot)
        self._yield_to(f"{by} drives {robot}")

    def release(self, robot: str) -> None:
        """End a claim; the program returns after its time."""
        self._claims.discard(robot)
        self._keep_away()

    def input(self, given: inp.AnyInput) -> None:
        """Take note of an input of the simulation that came from outside."""
        if getattr(given, "robot", "") not in self.robots:
            return
        match given:
            case inp.Connect(robot, port, link) if (robot, port) in self._streams:
                self._judge(robot, port, link)
            case inp.Arrive(robot, port, link):
                self._judge(robot, port, link)
            case inp.Disconnect(_, _, link):
                self._own.discard(link)
                if self._others.pop(link, None) is not None:
                    self._keep_away()
            case inp.Send(robot, port) if self.counts_sent:
                self._yield_to(f"the panel or the API sends to {robot}/{port}")

    def _judge(self, robot: str, port: str, link: int) -> None:
        if link in self._own or link in self._others:
            return
        broker = _is_broker(_port(self._host, robot, port))
        if link == inp.LOCAL or broker:
            return
        peer = self._host.live[link][2] if link in self._host.live else ""
        if self._is_own(robot, port, peer):
            self._own.add(link)
            return
        self._others[link] = peer
        self._yield_to(f"{peer or 'a client'} uses {robot}/{port}")

    def _is_own(self, robot: str, port: str, peer: str) -> bool:
        pids = self._processes()
        transport = self._host.transports.get((robot, port))
        if isinstance(transport, PeerProcesses):
            return transport.process_of(peer) in pids
        return is_peer(peer, pids)

    def _processes(self) -> list[int]:
        process = self._program.process
        if process is None or not process.root:
            return []
        return processes_below_quickly(process.root)

    # Times

    def look(self) -> None:
        """Look at the clients of brokers, and start the program again when it may drive."""
        now_s = time.monotonic()
        if self._brokers and now_s - self._looked_s >= BROKER_S:
            self._looked_s = now_s
            self._look_at_brokers()
        if self._epoch != self._host.epoch:  # robots were put back: begin again with them
            self._epoch = self._host.epoch
            if self._program.alive:
                self._program.restart()
        self._forget_closed()
        program = self._program
        free = not (self._others or self._claims) and now_s >= self._free_at_s
        if program.withdrawn and free and not program.alive:
            text = f"{program.name} drives {self._rule.robots} again: no other client"
            self._log(program.name, "program-returned", text, "info")
            program.start()

    def _forget_closed(self) -> None:
        """Drop links that the robot has closed: for these there is no input."""
        if closed := self._others.keys() - self._host.live.keys():
            for link in closed:
                del self._others[link]
            self._keep_away()

    def _look_at_brokers(self) -> None:
        known = [os.getpid(), *self._processes()]
        for url, (robot, port) in self._brokers.items():
            number = url.rpartition(":")[2]
            others = clients_of(int(number), known) if number.isdigit() else []
            if others:
                self._yield_to(f"{others[0]} uses {robot}/{port}")

    def _yield_to(self, reason: str) -> None:
        self._keep_away()
        program = self._program
        if not program.withdrawn and program.starts:
            text = f"{program.name} yields {self._rule.robots}: {reason}"
            self._log(program.name, "program-yielded", text, "info")
            program.withdraw()

    def _keep_away(self) -> None:
        self._free_at_s = time.monotonic() + self._rule.return_s


def _is_broker(port: Port) -> bool:
    can = capabilities(port.transport)
    return can.nats or can.mqtt


def _accepts(port: Port) -> bool:
    """Return whether a client occupies the port by its connection."""
    return port.kind == "stream" and port.direction != "out"


def _ports(host: Host, robot: str) -> list[str]:
    return [port.name for port in host.sim.robot(robot).ports]


def _port(host: Host, robot: str, name: str) -> Port:
    return host.sim.core.links.port(host.sim.robot(robot), name)
