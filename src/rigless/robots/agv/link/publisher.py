"""How the robot speaks: envelopes with their numbers and times, and what becomes of them while nobody can hear.

Messages of which only the latest counts are said while the way to the backend is open, and else not at all. The others are always said:
to the link, which keeps them (the transport's outbox), or while there is none into `pending`, for the next link.
"""

import uuid
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from rigless.kernel import timestamps
from rigless.kernel.rate import to_ns
from rigless.robots.agv.wire import OUT, Envelope, Sim

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

PORT = "nats"
OF_THE_HOST = (
    "boot_id",
    "epoch_s",
    "lost_s",
    "late_ms",
)  # inputs of which the machine knows nothing
EPOCH_NS = timestamps.to_ns("2026-01-01T00:00:00Z")
LATEST_EPOCH_S = 4e9
LONGEST_BOOT_ID = 40
MOST_PENDING = 2000
FARTHEST_NS = 2**62


class Publisher:
    def __init__(self, robot: "Agv"):
        self.robot = robot
        self.robot_id = robot.config.identity.robotId
        self.mock = robot.config.runtime.mode == "MOCK"

    # Who and when

    def boot(self) -> None:
        """Which boot this is, from the inputs; messages are counted anew."""
        robot, core = self.robot, self.robot.state.core
        made = blake2b(f"{robot.seed}\0{robot.name}".encode(), digest_size=16).digest()
        core.boot_id = robot.input["boot_id"][:LONGEST_BOOT_ID] or str(
            uuid.UUID(bytes=made, version=4)
        )
        core.boot_ns = robot.now_ns
        core.said, core.raised, core.seqs, core.met = 0, 0, {}, False
        if core.link != "UP":
            core.link = "DOWN" if robot.input["boot_id"] else "NONE"

    def set_date(self) -> None:
        epoch_s = self.robot.input["epoch_s"]
        self.robot.state.core.epoch_ns = (
            to_ns(min(max(epoch_s, 0.0), LATEST_EPOCH_S)) if epoch_s else EPOCH_NS
        )

    def uptime_s(self) -> float:
        return (self.robot.now_ns - self.robot.state.core.boot_ns) / 1e9

    def wall_ns(self) -> int:
        """Nanoseconds since 1970 by the robot's own clock."""
        return self.robot.state.core.epoch_ns + self.robot.now_ns

    def now(self) -> str:
        return timestamps.to_text(self.wall_ns())

    def at(self, sim_ns: int) -> str:
        """A simulated instant as it stands on the wire."""
        return timestamps.to_text(self.robot.state.core.epoch_ns + sim_ns)

    def deadline_ns(self, text: str, received_ns: int | None) -> int:
        """When, in simulated time, an instant from outside comes, judged by when it was received."""
        left = timestamps.to_ns(text) - (self.wall_ns() if received_ns is None else received_ns)
        return max(-FARTHEST_NS, min(FARTHEST_NS, self.robot.now_ns + left))

    # The way to the backend

    @property
    def connected(self) -> bool:
        core = self.robot.state.core
        return core.reported and not core.cut and core.link != "DOWN"

    def link_up(self) -> None:
        core = self.robot.state.core
        core.link, core.reported = "UP", True
        self._catch_up()

    def wire_changed(self) -> None:
        """A fault on the wire may have begun or ended."""
        core = self.robot.state.core
        core.cut = self.robot.fault(PORT, "disconnect") is not None
        if core.link != "DOWN" and not core.cut:
            self._catch_up()

    def _catch_up(self) -> None:
        """Say what had to wait."""
        core = self.robot.state.core
        pending, core.pending = core.pending, []
        for envelope in pending:
            payload = msgspec.convert(envelope.payload, OUT[envelope.type])
            self.robot.emit(PORT, msgspec.structs.replace(envelope, payload=payload))

    def link_down(self) -> None:
        """One that a fault on the wire cuts is open again when the fault ends, unless somebody has to come back to it."""
        core, robot = self.robot.state.core, self.robot
        core.cut = robot.fault(PORT, "disconnect") is not None
        core.link = "NONE" if core.cut and not robot.input["boot_id"] else "DOWN"

    # Saying

    def wanted(self) -> bool:
        """Whether something of which only the latest counts would be heard: ask before building it, or else count it as `skipped`."""
        return self.connected and self.robot.wanted(PORT)

    def skip(self, type: str) -> None:
        """Count a message that nobody hears, so that listening changes no number."""
        if self.connected:
            core = self.robot.state.core
            core.said += 1
            core.seqs[type] = core.seqs.get(type, 0) + 1

    def publish(self, type: str, payload: Any, correlation: str = "") -> None:
        """Of what only the latest counts, nothing is said that is not `wanted`."""
        robot, core = self.robot, self.robot.state.core
        core.said += 1
        seq = core.seqs.get(type, 0) + 1
        core.seqs[type] = seq
        now_ns = robot.now_ns
        sim = Sim(core.boot_id, now_ns / 1e9, robot.seed) if self.mock else None
        envelope = Envelope(1, f"{core.boot_id}-{core.said}", type, self.robot_id, core.boot_id, seq,
                            timestamps.to_text(core.epoch_ns + now_ns), payload, correlation or None, sim)  # fmt: skip
        if core.link != "DOWN" and not core.cut:
            robot.emit(PORT, envelope)
            return
        if len(core.pending) >= MOST_PENDING:
            del core.pending[0]
            robot.count("messages_lost")
        core.pending.append(msgspec.structs.replace(envelope, payload=msgspec.to_builtins(payload)))

    def event_id(self) -> str:
        core = self.robot.state.core
        core.raised += 1
        return f"{core.boot_id}-e{core.raised}"
