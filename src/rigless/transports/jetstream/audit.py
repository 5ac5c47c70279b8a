"""Checks streams, consumers and buckets that an operator created before the robot connected.

They may have other settings than those that the robot would choose, and are used as they are. Raise
an error if messages would be lost; return remarks on settings that an operator should know about.
Nothing is changed here.
"""

from collections.abc import Sequence
from typing import Any

from rigless.transports.jetstream.errors import LinkError
from rigless.transports.jetstream.streams import S, Stream

SHORT_MEMORY = {
    "workqueue": "is a work queue",
    "interest": "keeps only messages with an interested consumer",
}


def check_inbound(stream: Stream, subjects: Sequence[str]) -> None:
    """Raise LinkError if the stream would not store messages to the robot."""
    if not (
        stream.config.get("mirror") or stream.config.get("sources")
    ):  # its subjects are those of its origin
        _check_subjects(stream, subjects)


def check_state(stream: Stream, subjects: Sequence[str]) -> None:
    """Raise LinkError if the stream would not store latest-wins messages."""
    _check_writable(stream, "streamState")
    _check_subjects(stream, subjects)


def check_outbound(stream: Stream, subjects: Sequence[str]) -> list[str]:
    """Return remarks. Raises LinkError if the stream would not store or acknowledge messages."""
    _check_writable(stream, "streamOut")
    _check_subjects(stream, subjects)
    if stream.config.get("no_ack"):
        fix = f"switch no_ack off: nats stream edit {stream.name}, or recreate it"
        raise LinkError(
            f"the stream {stream.name} does not acknowledge messages (no_ack)",
            fix,
            final=True,
        )
    manner = SHORT_MEMORY.get(stream.config.get("retention", ""))
    if manner is None and stream.config.get("max_msgs_per_subject", -1) == 1:
        manner = "keeps only the last message of each subject"
    if manner is None:
        return []
    window_s = (stream.config.get("duplicate_window") or 0) / S
    return [
        f"the stream {stream.name} {manner}: it cannot be searched for stored messages, so those "
        f"in flight when an outage of more than its duplicate window ({window_s:g} s) began may be "
        "stored twice"
    ]


def eviction_hint(stream: Stream, latest: Sequence[str]) -> str:
    """Return how to separate states from other messages, if the stream may evict these."""
    config = stream.config
    limited = any((config.get(key) or -1) > 0 for key in ("max_bytes", "max_msgs"))
    if not limited or config.get("discard") == "new":
        return ""
    return (
        f"the stream {stream.name} takes states and telemetry as well, which evict "
        "acknowledgements and events when it is full; to give them a stream of their own, take "
        f"{', '.join(latest)} out of its subjects: nats stream edit {stream.name}"
    )


def _check_writable(stream: Stream, key: str) -> None:
    origin = stream.config.get("mirror")
    if origin:
        what = f"is a mirror of {origin.get('name')}: nothing can be published to it"
        fix = f"name the stream itself in nats.jetStream.{key}"
        raise LinkError(f"the stream {stream.name} {what}", fix, final=True)
    if stream.config.get("sealed"):
        what = f"the stream {stream.name} is sealed and accepts no messages"
        raise LinkError(what, "make another", final=True)


def _check_subjects(stream: Stream, subjects: Sequence[str]) -> None:
    missing = [subject for subject in subjects if not stream.takes(subject)]
    if missing:
        names = ", ".join(missing)
        fix = f"add them to its subjects: nats stream edit {stream.name}"
        raise LinkError(f"the stream {stream.name} does not take {names}", fix, final=True)


def check_consumer(stream: str, name: str, config: dict[str, Any], paused: bool) -> list[str]:
    """Return remarks. Raises LinkError if commands would be lost or never delivered."""
    why = ""
    policy = config.get("ack_policy", "none")
    if config.get("deliver_subject"):
        why = f"pushes to {config['deliver_subject']}"
    elif policy != "explicit":
        why = f"has the acknowledgement policy {policy}, so commands could be lost"
    elif config.get("headers_only"):
        why = "delivers headers only"
    elif config.get("priority_groups"):
        why = "serves priority groups"
    if why:
        fix = f"remove it, the robot makes its own: nats consumer rm {stream} {name}"
        raise LinkError(
            f"the consumer {name} of the stream {stream}, created by others, {why}",
            fix,
            final=True,
        )
    remarks = []
    if config.get("max_deliver", -1) > 0:
        tries = config["max_deliver"]
        remarks.append(
            f"delivers a command {tries} times at most (max_deliver): one that is not "
            "handled by then is lost"
        )
    if paused:
        remarks.append(f"is paused until {config.get('pause_until')}: no command comes before that")
    return [f"the consumer {name} of the stream {stream} {remark}" for remark in remarks]


def check_bucket(bucket: Stream, least_s: float, replicas: int) -> list[str]:
    """Return remarks. Raises LinkError if the bucket cannot hold a lease."""
    life_s = (bucket.config.get("max_age") or 0) / S
    if 0 < life_s < least_s:
        fix = f"nats stream edit {bucket.name} --max-age={least_s:g}s, or remove it"
        raise LinkError(
            f"the bucket {bucket.name} expires entries after {life_s:g} s; a lease needs "
            f"{least_s:g} s",
            fix,
            final=True,
        )
    if bucket.replicas < replicas:
        fix = f"nats stream edit {bucket.name} --replicas={replicas}"
        return [
            f"the bucket {bucket.name} has {bucket.replicas} replica, the robot's streams "
            f"have {replicas}: "
            f"while its server is down no robot can connect ({fix})"
        ]
    return []
