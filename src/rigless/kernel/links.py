"""Links with their codecs, and the wire faults between robots and peers."""

from collections.abc import Callable
from typing import Any, Protocol

from rigless.kernel import faults as fault_models
from rigless.kernel import inputs as inp
from rigless.kernel.agenda import TIMER, Agenda
from rigless.kernel.listeners import Listeners, Output
from rigless.kernel.ports import Connected, Disconnected, Link, Port, WireError
from rigless.kernel.problems import unknown
from rigless.kernel.robot import Robot

OPENED = 1 << 32  # links that robots open are numbered from here, those of the host below
ALL = -1  # the link of an output that goes to every link of its port


class LinkServices(Protocol):
    """The parts of a simulation that links use."""

    robots: dict[str, Robot]
    agenda: Agenda
    listeners: Listeners
    recording: bool

    @property
    def now_ns(self) -> int: ...

    def dispatch(self, robot: Robot, message: Any, link: Link, optional: bool = False) -> None: ...


class Links:
    """The links of one simulation."""

    def __init__(self, core: LinkServices):
        self._core = core
        self._ports: dict[tuple[str, str], Port] = {}
        self.by_port: dict[tuple[str, str], dict[int, Link]] = {}
        self.encoders: dict[tuple[str, str], Any] = {}
        self.next_link = OPENED
        # robot/port/direction → when its last delayed packet is due; packets keep their order
        self.lanes: dict[str, int] = {}
        for robot in core.robots.values():
            for port in robot.ports:
                self._ports[robot.name, port.name] = port
                self.by_port[robot.name, port.name] = {}
                self.encoders[robot.name, port.name] = port.codec()

    def port(self, robot: Robot, name: str) -> Port:
        """Return a port of a robot. Raises InputError."""
        found = self._ports.get((robot.name, name))
        if found is None:
            raise unknown("port", name, (port.name for port in robot.ports), robot.name)
        return found

    # In

    def connect(self, robot: Robot, given: inp.Connect) -> None:
        """Open a link for a peer, unless a disconnect fault is active."""
        if given.link in self.by_port[robot.name, given.port]:
            return
        port = self._ports[robot.name, given.port]
        link = Link(given.port, given.link, given.peer, given.local, port.codec())
        if robot.fault(given.port, "disconnect"):
            self._notify(robot, link, False)
            return
        self.by_port[robot.name, given.port][given.link] = link
        self._core.dispatch(robot, Connected(given.peer, given.local), link, optional=True)

    def disconnect(self, robot: Robot, given: inp.Disconnect) -> None:
        """Remove the link of a peer that has gone."""
        link = self.by_port[robot.name, given.port].pop(given.link, None)
        if link is not None:
            self._core.dispatch(robot, Disconnected(link.peer), link, optional=True)

    def receive(self, robot: Robot, given: inp.Arrive) -> None:
        """Pass bytes from a peer through the wire faults and deliver them, now or later."""
        for due_ns, data in self._apply_faults(robot, given.port, "in", given.data):
            packet = inp.Arrive(given.robot, given.port, given.link, data, given.subject)
            if due_ns is None:
                self.deliver(packet)
            else:
                self._core.agenda.add(due_ns, TIMER, "deliver", packet)

    def deliver(self, given: inp.Arrive) -> None:
        """Decode bytes and dispatch their messages to the robot."""
        robot = self._core.robots[given.robot]
        links = self.by_port[given.robot, given.port]
        link = links.get(given.link)
        if link is None:
            return
        decode: Callable[..., Any] = link.codec.decode
        listeners = self._core.listeners.message
        subject = (given.subject,) if self._ports[given.robot, given.port].kind == "message" else ()
        try:
            for message in decode(given.data, *subject):
                if listeners:
                    self.notify_message(robot, link, message)
                self._core.dispatch(robot, message, link)
                if links.get(given.link) is not link:  # the robot closed the link
                    return
        except WireError as error:
            robot.event(
                "wire-error", f"{given.port}: {error}", "warning", port=given.port, peer=link.peer
            )
            if error.hang_up:
                self.close(robot, link)

    # Out

    def emit(self, robot: Robot, port: str, message: Any, to: Link | None) -> None:
        """Encode a message and send it through the wire faults."""
        links = self.by_port[robot.name, port]
        faulty = bool(robot.faults) and any(
            fault.seam == "wire" and fault.target == port for fault in robot.faults
        )
        if not self._core.recording and not links and not faulty:
            return  # with a fault it is encoded in any case: the fault draws random numbers
        codec = self.encoders[robot.name, port] if to is None or to.codec is None else to.codec
        wire = codec.encode(message)
        subject, data = wire if isinstance(wire, tuple) else ("", wire)
        target = ALL if to is None else to.id
        for due_ns, packet in self._apply_faults(robot, port, "out", data):
            output = Output(robot.name, port, target, packet, subject, message)
            if due_ns is None:
                self.transmit(output)
            else:
                self._core.agenda.add(due_ns, TIMER, "transmit", output.as_plain_data())

    def transmit(self, output: Output) -> None:
        """Pass an output to the listeners."""
        for listener in self._core.listeners.output:
            listener(self._core.now_ns, output)

    def open(self, robot: Robot, port: str, address: str) -> Link:
        """Open a link to a peer at an address."""
        if self.port(robot, port).kind == "stream":
            raise ValueError(
                f"{robot.name}: the stream port {port!r} accepts connections; it cannot open any"
            )
        self.next_link += 1
        link = Link(port, self.next_link, address, "", self.port(robot, port).codec())
        self.by_port[robot.name, port][link.id] = link
        self._notify(robot, link, True)
        return link

    def close(self, robot: Robot, link: Link) -> None:
        """Close a link. The robot gets Disconnected now, the peer when the host closes it."""
        if self.by_port[robot.name, link.port].pop(link.id, None) is None:
            return
        self._notify(robot, link, False)
        self._core.dispatch(robot, Disconnected(link.peer), link, optional=True)

    def notify_message(self, robot: Robot, link: Link, message: Any) -> None:
        """Pass a message that a robot receives to the listeners."""
        for listener in self._core.listeners.message:
            listener(self._core.now_ns, robot.name, link.port, link, message)

    def _notify(self, robot: Robot, link: Link, opened: bool) -> None:
        for listener in self._core.listeners.link:
            listener(self._core.now_ns, robot.name, link.port, link, opened)

    def _apply_faults(
        self, robot: Robot, port: str, direction: str, data: bytes
    ) -> list[tuple[int | None, bytes]]:
        """Return the remaining packets, each with its due time; None means at once."""
        lane = f"{robot.name}/{port}/{direction}"
        now_ns = self._core.now_ns
        if not robot.faults and lane not in self.lanes:
            return [(None, data)]
        packets = [(0, data)]
        for fault in robot.faults:
            if (
                fault.seam == "wire"
                and fault.target == port
                and fault.params.get("direction", "both") in ("both", direction)
            ):
                packets = fault_models.transmit(fault, packets, robot.random(f"fault/{port}"))
        due: list[tuple[int | None, bytes]] = []
        for delay_ns, packet in packets:
            busy_ns = self.lanes.get(lane, -1)
            if delay_ns == 0 and busy_ns < now_ns:
                self.lanes.pop(lane, None)
                due.append((None, packet))
            else:
                self.lanes[lane] = max(now_ns + delay_ns, busy_ns)
                due.append((self.lanes[lane], packet))
        return due
