"""The packets of one simulation in a bounded ring, with exact statistics.

It observes the simulation only while it is attached. Packets are kept as they are; they are
converted for display when a client reads them.
"""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from rigless.kernel.loop.links import ALL
from rigless.kernel.loop.listeners import Output
from rigless.kernel.loop.wire_packets import WirePacket
from rigless.kernel.simulation import Simulation
from rigless.panel.wire import display
from rigless.panel.wire.statistics import Key, Statistics

PENDING = 4096  # packets that are taken in at once if no client reads earlier
JUMP = WirePacket("", "", "in", "local", 0, "")


class Entry(NamedTuple):
    """One message of a packet; `part` is −1 if the packet has no message."""

    number: int
    time_ns: int
    packet: WirePacket
    part: int
    kind: str

    @property
    def jump(self) -> bool:
        """True if this marks that time was reset or restored."""
        return self.packet is JUMP

    @property
    def abnormal(self) -> bool:
        """True for messages that are shown first: refused, changed by a fault, connections."""
        packet = self.packet
        usual = packet.what in ("data", "unsent")
        return bool(packet.refused or packet.passage.effects or not usual)


class WireLog:
    """The newest messages of a simulation, at most `kept` of them and `kept_bytes` of packets.

    With `unsent` it has outputs without a receiver too, if the simulation encodes them.
    """

    def __init__(self, kept: int = 20_000, kept_bytes: int = 32 << 20, unsent: bool = False):
        self.kept, self.kept_bytes = kept, kept_bytes
        self.unsent = unsent
        self.sim: Simulation | None = None
        self.clear()

    def clear(self) -> None:
        self.entries: deque[Entry] = deque()
        self.statistics = Statistics()
        self.next_number = 0
        self._pending: list[tuple[int, WirePacket]] = []
        self._decoding = 0  # place of the last input in _pending, which may not be decoded yet
        self._bytes = 0
        self._last_ns = 0

    def attach(self, sim: Simulation) -> None:
        """Observe this simulation and no other."""
        if self.sim is not sim:
            self.detach()
            self.sim = sim
            sim.core.listeners.wire.append(self.observe)
            if self.unsent:
                sim.core.listeners.output.append(self._observe_unsent)

    def detach(self) -> None:
        """Stop observing, and forget everything."""
        if self.sim is not None:
            self.sim.core.listeners.wire.remove(self.observe)
            if self.unsent:
                self.sim.core.listeners.output.remove(self._observe_unsent)
            self.sim = None
        self.clear()

    def observe(self, time_ns: int, packet: WirePacket) -> None:
        """Take in one packet."""
        if packet.direction == "in":
            self._decoding = len(self._pending)
        self._pending.append((time_ns, packet))
        if self._decoding > PENDING:
            self._take_in(self._decoding)

    def _observe_unsent(self, time_ns: int, output: Output) -> None:
        """Take in an output if no client is there; the others come as packets."""
        assert self.sim is not None
        if output.link != ALL or self.sim.core.links.by_port[output.robot, output.port]:
            return
        packet = WirePacket(
            output.robot, output.port, "out", "unsent", ALL, "", output.data, output.subject,
            [output.message], late_type=output.late_type,
        )  # fmt: skip
        self.observe(time_ns, packet)

    def update(self) -> None:
        """Take in the packets since the last call."""
        self._take_in(len(self._pending))

    def _take_in(self, count: int) -> None:
        taken, self._pending = self._pending[:count], self._pending[count:]
        self._decoding = max(0, self._decoding - count)
        add, statistics = self.entries.append, self.statistics
        for time_ns, packet in taken:
            if time_ns < self._last_ns:
                add(Entry(self._number(), time_ns, JUMP, -1, "jump"))
            self._last_ns = time_ns
            self._bytes += len(packet.data)
            kind: str
            if not packet.messages:
                kind = packet.what if packet.what != "data" else "refused" if packet.refused else ""
                add(Entry(self._number(), time_ns, packet, -1, kind))
                if packet.what == "data":
                    statistics.add(
                        Key(packet.robot, packet.port, packet.direction, kind, packet.subject),
                        time_ns,
                        len(packet.data),
                    )
                continue
            share = len(packet.data) // len(packet.messages)
            for part, message in enumerate(packet.messages):
                kind = packet.late_type or type(display.content(message)).__name__
                add(Entry(self._number(), time_ns, packet, part, kind))
                key = Key(packet.robot, packet.port, packet.direction, kind, packet.subject)
                statistics.add(key, time_ns, share)
        self._evict()

    def _number(self) -> int:
        self.next_number += 1
        return self.next_number - 1

    @property
    def full(self) -> bool:
        """True if the next message would replace the oldest one."""
        return len(self.entries) >= self.kept or self._bytes >= self.kept_bytes

    def _evict(self) -> None:
        entries = self.entries
        while len(entries) > self.kept or (self._bytes > self.kept_bytes and len(entries) > 1):
            gone = entries.popleft()
            if gone.part <= 0:
                self._bytes -= len(gone.packet.data)

    def since(self, number: int) -> Iterator[Entry]:
        """Yield the entries from a number on that are still there."""
        first = self.entries[0].number if self.entries else 0
        return islice(self.entries, min(max(0, number - first), len(self.entries)), None)

    def find(self, number: int) -> Entry | None:
        """Return an entry by its number, or None if it is not there any more."""
        return next((entry for entry in self.since(number) if entry.number == number), None)
