"""The publisher: envelopes with boot, sequence number and time, and what happens without a link.

Streams of which only the latest message counts (heartbeat, state, telemetry, traffic.state) are
published while the robot is connected, and dropped otherwise. All other messages are kept: by the
transport's outbox, or in `pending` until the next link if there is none.
"""

import uuid
from hashlib import blake2b
from typing import Any

import msgspec

from rigless.kernel.timing import timestamps
from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.services import Services
from rigless.robots.agv.state import LinkState
from rigless.robots.agv.wire import OUT, Envelope, Sim

PORT = "nats"
EPOCH_NS = timestamps.to_ns("2026-01-01T00:00:00Z")
LATEST_EPOCH_S = 4e9
LONGEST_BOOT_ID = 40
MOST_PENDING = 2000
FARTHEST_NS = 2**62


class Publisher:
    def __init__(self, services: Services, state: LinkState, config: RobotConfig, seed: int):
        self._services, self._state, self._seed = services, state, seed
        self._robot_id = config.identity.robotId
        self._mock = config.runtime.mode == "MOCK"
        self._alone = config.vda5050 is not None and not config.vda5050.nats

    # Boot and clock

    def boot(self) -> None:
        """Begin a new boot: take boot_id from the inputs, and restart all numbering."""
        services, state = self._services, self._state
        made = blake2b(f"{self._seed}\0{services.name}".encode(), digest_size=16).digest()
        given = services.input["boot_id"]
        state.boot_id = given[:LONGEST_BOOT_ID] or str(uuid.UUID(bytes=made, version=4))
        state.boot_ns = services.now_ns
        state.published, state.events, state.seqs, state.was_connected = 0, 0, {}, False
        if state.connection != "UP":
            state.connection = "DOWN" if given and not self._alone else "NONE"

    def set_epoch(self) -> None:
        """Take the Unix time of simulated time zero from the inputs."""
        epoch_s = self._services.input["epoch_s"]
        self._state.epoch_ns = (
            to_ns(min(max(epoch_s, 0.0), LATEST_EPOCH_S)) if epoch_s else EPOCH_NS
        )

    @property
    def boot_id(self) -> str:
        return self._state.boot_id

    def uptime_s(self) -> float:
        return (self._services.now_ns - self._state.boot_ns) / 1e9

    def unix_ns(self) -> int:
        """Return the Unix time of the robot's own clock."""
        return self._state.epoch_ns + self._services.now_ns

    def now(self) -> str:
        return timestamps.to_text(self.unix_ns())

    def at(self, sim_ns: int) -> str:
        """Return the wire format of a simulated time."""
        return timestamps.to_text(self._state.epoch_ns + sim_ns)

    def deadline_ns(self, text: str, received_ns: int | None) -> int:
        """Convert a deadline of the backend to simulated time, relative to the time of receipt."""
        left = timestamps.to_ns(text) - (self.unix_ns() if received_ns is None else received_ns)
        return max(-FARTHEST_NS, min(FARTHEST_NS, self._services.now_ns + left))

    # Link

    @property
    def link_facts(self) -> tuple[bool, bool, str, str]:
        """The facts that `connected` and `refused` follow from."""
        state = self._state
        return state.transport_up, state.cut, state.connection, state.refused

    @property
    def refused(self) -> str:
        """The reason why the backend does not store messages of this robot, or ""."""
        return self._state.refused if self.connected else ""

    @property
    def outbox_depth(self) -> int:
        return self._state.outbox_depth

    @property
    def connected(self) -> bool:
        state = self._state
        return state.transport_up and not state.cut and state.connection != "DOWN"

    @property
    def was_connected(self) -> bool:
        """True once the robot has been connected in this boot."""
        return self._state.was_connected

    def mark_connected(self) -> None:
        self._state.was_connected = True

    def link_up(self) -> None:
        self._state.connection, self._state.transport_up = "UP", True
        self._flush()

    def link_down(self) -> None:
        """Mark the link as down.

        If a fault cuts the wire and no transport serves it, the link returns with the fault's end.
        """
        state, services = self._state, self._services
        state.cut = services.fault(PORT, "disconnect") is not None
        state.connection = "NONE" if state.cut and not services.input["boot_id"] else "DOWN"

    def report_transport(self, connected: bool, outbox_depth: int, why: str) -> None:
        state = self._state
        state.transport_up, state.outbox_depth = connected, max(outbox_depth, 0)
        state.refused = why if connected else ""

    def wire_changed(self) -> None:
        """Handle the begin or end of a fault on the wire."""
        state = self._state
        state.cut = self._services.fault(PORT, "disconnect") is not None
        if state.connection != "DOWN" and not state.cut:
            self._flush()

    def _flush(self) -> None:
        """Publish the pending messages."""
        pending, self._state.pending = self._state.pending, []
        for envelope in pending:
            payload = msgspec.convert(envelope.payload, OUT[envelope.type])
            self._services.emit(PORT, msgspec.structs.replace(envelope, payload=payload))

    # Publishing

    def wanted(self) -> bool:
        """Return True if a stream message would be received; otherwise call `skip`."""
        return self.connected and self._services.wanted(PORT)

    def skip(self, type: str) -> None:
        """Count a message without a subscriber, so that subscribers do not change numbering."""
        if self.connected:
            state = self._state
            state.published += 1
            state.seqs[type] = state.seqs.get(type, 0) + 1

    def publish(self, type: str, payload: Any, correlation: str = "") -> None:
        """Publish a message; one of a stream only if `wanted`."""
        services, state = self._services, self._state
        state.published += 1
        seq = state.seqs.get(type, 0) + 1
        state.seqs[type] = seq
        now_ns = services.now_ns
        sim = Sim(state.boot_id, now_ns / 1e9, self._seed) if self._mock else None
        envelope = Envelope(
            1,
            f"{state.boot_id}-{state.published}",
            type,
            self._robot_id,
            state.boot_id,
            seq,
            timestamps.to_text(state.epoch_ns + now_ns),
            payload,
            correlation or None,
            sim,
        )
        if state.connection != "DOWN" and not state.cut:
            services.emit(PORT, envelope)
            return
        if len(state.pending) >= MOST_PENDING:
            del state.pending[0]
            services.count("messages_lost")
        plain = msgspec.to_builtins(payload)
        state.pending.append(msgspec.structs.replace(envelope, payload=plain))

    def event_id(self) -> str:
        self._state.events += 1
        return f"{self._state.boot_id}-e{self._state.events}"
