"""The streams of a robot: for messages to it, for its durable messages, and for its state.

A stream that exists is used as it is. Latest-wins subjects that the outbound stream does not take
have a stream of their own, so that a thousand states a second cannot evict an acknowledgement. An
outbound stream that an earlier version made on an embedded server holds both; it is split here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rigless.transports.jetstream import audit, streams
from rigless.transports.jetstream.connection import Connection
from rigless.transports.jetstream.streams import Stream

STATE_NAME = "ROBOT_STATE"


@dataclass(frozen=True)
class StreamPlan:
    """Names and subject patterns of the streams of a robot. An empty `state` is the default."""

    robot: str
    inbound: str
    outbound: str
    state: str
    subjects_in: tuple[str, ...]
    subjects_out: tuple[str, ...]
    subjects_latest: tuple[str, ...]

    def own(self, patterns: Sequence[str]) -> list[str]:
        """Return the robot's own subjects of these patterns."""
        return [pattern.replace("*", self.robot) for pattern in patterns]


@dataclass(frozen=True)
class RobotStreams:
    """The streams as they are, and remarks for the operator. `state` may be `outbound`."""

    inbound: Stream
    outbound: Stream
    state: Stream
    remarks: list[str]
    hint: str = ""  # about all robots of the server


async def ensure_streams(
    connection: Connection, plan: StreamPlan, listens: Sequence[str]
) -> RobotStreams:
    """Return the streams; create those that do not exist.

    Raises LinkError, also if messages would be lost.
    """
    everything = (*plan.subjects_out, *plan.subjects_latest)
    if plan.inbound == plan.outbound:
        both = (*plan.subjects_in, *everything)
        inbound = outbound = await streams.ensure(connection, plan.inbound, both, streams.OUT)
    else:
        inbound = await streams.ensure(connection, plan.inbound, plan.subjects_in, streams.IN)
        outbound = await streams.ensure(connection, plan.outbound, plan.subjects_out, streams.OUT)
        if connection.embedded and _is_ours(outbound, everything):
            await streams.update(connection, outbound, plan.subjects_out)
            outbound.subjects = list(plan.subjects_out)
    audit.check_inbound(inbound, listens)
    remarks = audit.check_outbound(outbound, plan.own(plan.subjects_out))
    rest = [
        pattern
        for pattern, own in zip(plan.subjects_latest, plan.own(plan.subjects_latest), strict=True)
        if not outbound.takes(own)
    ]
    if not rest:
        hint = audit.eviction_hint(outbound, plan.subjects_latest)
        return RobotStreams(inbound, outbound, outbound, remarks, hint)
    state = await streams.ensure(connection, plan.state or STATE_NAME, rest, streams.STATE)
    audit.check_state(state, plan.own(rest))
    return RobotStreams(inbound, outbound, state, remarks)


def _is_ours(outbound: Stream, everything: Sequence[str]) -> bool:
    """Return whether an earlier version made this stream, and nobody has changed it."""
    limits = {key: outbound.config.get(key) for key in streams.OUT}
    return set(outbound.subjects) == set(everything) and limits == streams.OUT
