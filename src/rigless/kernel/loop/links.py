"""Links with their codecs, and the wire faults between robots and peers."""

from collections.abc import Callable
from typing import Any, Literal, Protocol

from rigless.kernel import faults as fault_models
from rigless.kernel import inputs as inp
from rigless.kernel.loop.listeners import Listeners, Output
from rigless.kernel.loop.wire_packets import (
    DIRECT,
    LATE,
    Effects,
    Passage,
    WirePacket,
    effects_after,
    peer_names,
)
from rigless.kernel.ports import Connected, Disconnected, Link, Port, WireError
from rigless.kernel.problems import unknown
from rigless.kernel.robot import Robot
from rigless.kernel.timing.agenda import TIMER, Agenda

OPENED = 1 << 32  # links that robots open are numbered from here, those of the host below
ALL = -1  # the link of an output that goes to every link of its port
CLOSED = "the link is closed"
DISCONNECTED = "the fault 'disconnect' is active"


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
        # delayed packets by identity, for observers of the wire
        self.passages: dict[int, tuple[object, Passage]] = {}
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
        refused = bool(robot.fault(given.port, "disconnect"))
        self._observe_link(robot, link, "in", "connected", DISCONNECTED if refused else "")
        if refused:
            self._notify(robot, link, False)
            return
        self.by_port[robot.name, given.port][given.link] = link
        self._core.dispatch(robot, Connected(given.peer, given.local), link, optional=True)

    def disconnect(self, robot: Robot, given: inp.Disconnect) -> None:
        """Remove the link of a peer that has gone."""
        link = self.by_port[robot.name, given.port].pop(given.link, None)
        if link is not None:
            self._observe_link(robot, link, "in", "disconnected")
            self._core.dispatch(robot, Disconnected(link.peer), link, optional=True)

    def receive(self, robot: Robot, given: inp.Arrive) -> None:
        """Pass bytes from a peer through the wire faults and deliver them, now or later."""
        if not robot.faults and not self.lanes:
            self.deliver(given, DIRECT)
            return
        passed, lost = self._apply_faults(robot, given.port, "in", given.data)
        for effects in lost:
            self._observe_input(given, Passage(effects, given.data))
        for due_ns, data, passage in passed:
            packet = inp.Arrive(given.robot, given.port, given.link, data, given.subject)
            if due_ns is None:
                self.deliver(packet, passage)
            else:
                self._delay(due_ns, "deliver", packet, passage)

    def deliver(self, given: inp.Arrive, passage: Passage | None = None) -> None:
        """Decode bytes and dispatch their messages to the robot. A delayed one has no passage."""
        observed = self._observe_input(given, passage) if self._core.listeners.wire else None
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
                if observed is not None:
                    observed.messages.append(message)
                if listeners:
                    self.notify_message(robot, link, message)
                self._core.dispatch(robot, message, link)
                if links.get(given.link) is not link:  # the robot closed the link
                    return
        except WireError as error:
            if observed is not None:
                observed.refused = str(error)
            robot.event(
                "wire-error", f"{given.port}: {error}", "warning", port=given.port, peer=link.peer
            )
            if error.hang_up:
                self.close(robot, link)

    # Out

    def emit(self, robot: Robot, port: str, message: Any, to: Link | None) -> None:
        """Encode a message and send it through the wire faults."""
        name, faults, place = robot.name, robot.faults, (robot.name, port)
        if not (
            self._core.recording
            or self.by_port[place]
            # with a fault it is encoded in any case: the fault draws random numbers
            or (faults and any(each.seam == "wire" and each.target == port for each in faults))
        ):
            return
        codec = self.encoders[place] if to is None or to.codec is None else to.codec
        wire = codec.encode(message)
        subject, data = wire if isinstance(wire, tuple) else ("", wire)
        target = ALL if to is None else to.id
        if not faults and not self.lanes:
            self.transmit(Output(name, port, target, data, subject, message), DIRECT)
            return
        passed, lost = self._apply_faults(robot, port, "out", data)
        for effects in lost:
            output = Output(robot.name, port, target, data, subject, message)
            self._observe_output(output, Passage(effects, data))
        for due_ns, packet, passage in passed:
            output = Output(robot.name, port, target, packet, subject, message)
            if due_ns is None:
                self.transmit(output, passage)
            else:
                self._delay(due_ns, "transmit", output.as_plain_data(), passage)

    def transmit(self, output: Output, passage: Passage | None = None) -> None:
        """Pass an output to the listeners. A delayed one has no passage."""
        if self._core.listeners.wire:
            self._observe_output(output, passage)
        now_ns = self._core.agenda.now_ns
        for listener in self._core.listeners.output:
            listener(now_ns, output)

    def open(self, robot: Robot, port: str, address: str) -> Link:
        """Open a link to a peer at an address."""
        if self.port(robot, port).kind == "stream":
            raise ValueError(
                f"{robot.name}: the stream port {port!r} accepts connections; it cannot open any"
            )
        self.next_link += 1
        link = Link(port, self.next_link, address, "", self.port(robot, port).codec())
        self.by_port[robot.name, port][link.id] = link
        self._observe_link(robot, link, "out", "connected")
        self._notify(robot, link, True)
        return link

    def close(self, robot: Robot, link: Link) -> None:
        """Close a link. The robot gets Disconnected now, the peer when the host closes it."""
        if self.by_port[robot.name, link.port].pop(link.id, None) is None:
            return
        self._observe_link(robot, link, "out", "disconnected")
        self._notify(robot, link, False)
        self._core.dispatch(robot, Disconnected(link.peer), link, optional=True)

    def notify_message(self, robot: Robot, link: Link, message: Any) -> None:
        """Pass a message that a robot receives to the listeners."""
        for listener in self._core.listeners.message:
            listener(self._core.now_ns, robot.name, link.port, link, message)

    def _notify(self, robot: Robot, link: Link, opened: bool) -> None:
        for listener in self._core.listeners.link:
            listener(self._core.now_ns, robot.name, link.port, link, opened)

    # Wire faults

    def _apply_faults(
        self, robot: Robot, port: str, direction: str, data: bytes
    ) -> tuple[list[tuple[int | None, bytes, Passage]], list[Effects]]:
        """Return the remaining packets, and for observers the effects on each lost packet.

        A packet has its due time; None means at once.
        """
        lane = f"{robot.name}/{port}/{direction}"
        now_ns = self._core.now_ns
        observed = bool(self._core.listeners.wire)
        packets, effects, lost = [(0, data)], [Effects()], list[Effects]()
        for fault in robot.faults:
            if (
                fault.seam == "wire"
                and fault.target == port
                and fault.params.get("direction", "both") in ("both", direction)
            ):
                before = packets
                packets = fault_models.transmit(fault, packets, robot.random(f"fault/{port}"))
                if observed:
                    effects, more = effects_after(fault, before, packets, effects)
                    lost += more
        due: list[tuple[int | None, bytes, Passage]] = []
        for n, (delay_ns, packet) in enumerate(packets):
            passage = Passage(effects[n], data, now_ns) if observed else DIRECT
            busy_ns = self.lanes.get(lane, -1)
            if delay_ns == 0 and busy_ns < now_ns:
                self.lanes.pop(lane, None)
                due.append((None, packet, passage))
            else:
                self.lanes[lane] = max(now_ns + delay_ns, busy_ns)
                due.append((self.lanes[lane], packet, passage))
        return due, lost

    def _delay(self, due_ns: int, action: str, packet: inp.Arrive | Output, by: Passage) -> None:
        if self._core.listeners.wire:
            self.passages[id(packet)] = (packet, by)
        self._core.agenda.add(due_ns, TIMER, action, packet)

    # Observers of the wire

    def _observe(self, packet: WirePacket) -> None:
        for observer in self._core.listeners.wire:
            observer(self._core.now_ns, packet)

    def _passage(self, packet: inp.Arrive | Output) -> Passage:
        """Return the effects on a packet that was delayed."""
        _, passage = self.passages.pop(id(packet), (None, LATE))
        if "delayed" in passage.effects:
            return passage
        return passage._replace(effects=(*passage.effects, "delayed"))  # it kept its place

    def _observe_input(self, given: inp.Arrive, passage: Passage | None) -> WirePacket:
        link = self.by_port[given.robot, given.port].get(given.link)
        packet = WirePacket(
            given.robot,
            given.port,
            "in",
            "data",
            given.link,
            "" if link is None else link.peer,
            given.data,
            given.subject,
            [],
            self._passage(given) if passage is None else passage,
            CLOSED if link is None else "",
        )
        self._observe(packet)
        return packet

    def _observe_output(self, output: Output, passage: Passage | None) -> None:
        """Pass an output to the observers if a peer is there to receive it."""
        passage = self._passage(output) if passage is None else passage
        links = self.by_port[output.robot, output.port]
        if output.link != ALL:
            links = {output.link: links[output.link]} if output.link in links else {}
        if links:
            self._observe(
                WirePacket(
                    output.robot,
                    output.port,
                    "out",
                    "data",
                    output.link,
                    peer_names(links),
                    output.data,
                    output.subject,
                    [output.message],
                    passage,
                    "",
                    output.late_type,
                )
            )

    def observe_local(self, robot: Robot, link: Link, message: Any) -> None:
        """Pass a message that bypasses the codec to the observers."""
        if self._core.listeners.wire:
            self._observe(
                WirePacket(
                    robot.name, link.port, "in", "local", link.id, link.peer, messages=[message]
                )
            )

    def _observe_link(
        self,
        robot: Robot,
        link: Link,
        direction: Literal["in", "out"],
        what: Literal["connected", "disconnected"],
        refused: str = "",
    ) -> None:
        if self._core.listeners.wire:
            packet = WirePacket(robot.name, link.port, direction, what, link.id, link.peer)
            packet.refused = refused
            self._observe(packet)
