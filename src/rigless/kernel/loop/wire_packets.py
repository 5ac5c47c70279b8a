"""Packets for observers of the wire: bytes, messages, and the effects of wire faults.

`Links` makes them only while `Listeners.wire` has an observer. They are no part of recordings or
snapshots, and no random number depends on them.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from rigless.kernel.faults import Fault
from rigless.kernel.ports import Link

Effect = Literal["dropped", "delayed", "duplicated", "corrupted"]
Effects = tuple[Effect, ...]
Packets = list[tuple[int, bytes]]  # extra delay in ns, and bytes
PEERS_NAMED = 3


class Passage(NamedTuple):
    """The effects of wire faults on one packet.

    `original` has the bytes before the faults, `since_ns` the time at which a delayed packet was
    sent; −1 if it is not known.
    """

    effects: Effects = ()
    original: bytes = b""
    since_ns: int = -1


DIRECT = Passage()
LATE = Passage(("delayed",))  # it was delayed before the observer came


@dataclass(slots=True, eq=False)
class WirePacket:
    """One packet on a port, or the beginning or end of a link.

    An input is passed to the observers before it is decoded: `messages` and `refused` are filled in
    afterwards. `what` is "data", "local" (a message from Python or the API, which has no bytes),
    "connected", "disconnected", or "unsent" (an output that is recorded, but had no receiver).
    """

    robot: str
    port: str
    direction: Literal["in", "out"]
    what: Literal["data", "local", "connected", "disconnected", "unsent"]
    link: int
    peer: str
    data: bytes = b""
    subject: str = ""
    messages: list[Any] = field(default_factory=list)
    passage: Passage = DIRECT
    refused: str = ""
    late_type: str = ""  # of a delayed output, whose message is plain data

    @property
    def dropped(self) -> bool:
        return "dropped" in self.passage.effects


def peer_names(links: dict[int, Link]) -> str:
    """Return the names of the peers of a port, or their number if there are many."""
    if len(links) > PEERS_NAMED:
        return f"{len(links)} peers"
    return ", ".join(link.peer for link in links.values())


def effects_after(
    fault: Fault, before: Packets, after: Packets, effects: list[Effects]
) -> tuple[list[Effects], list[Effects]]:
    """Return the effects on each packet after one more fault, and those on each lost packet.

    `after` is the result of `faults.transmit` for `before`.
    """
    match fault.kind:
        case "duplicate":
            copies: list[Effects] = []
            for n, packet in enumerate(after):
                if n and packet is after[n - 1]:
                    copies.append((*copies[-1], "duplicated"))
                else:
                    copies.append(effects[len(copies)])
            return copies, []
        case "corrupt":
            pairs = zip(before, after, effects, strict=True)
            return [
                (*so_far, "corrupted") if old[1] != new[1] else so_far for old, new, so_far in pairs
            ], []
        case "delay":
            pairs = zip(before, after, effects, strict=True)
            return [
                (*so_far, "delayed") if old[0] != new[0] else so_far for old, new, so_far in pairs
            ], []
    kept: list[Effects] = []
    lost: list[Effects] = []
    for packet, so_far in zip(before, effects, strict=True):
        if len(kept) < len(after) and after[len(kept)] is packet:
            kept.append(so_far)
        else:
            lost.append((*so_far, "dropped"))
    return kept, lost
