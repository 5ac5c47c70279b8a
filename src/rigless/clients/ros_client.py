"""Publish on a ROS topic over DDS, or subscribe to one, without an installed ROS.

The type of the topic and its quality of service are those of the endpoints that discovery finds.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rigless.kernel.problems import InputError, Problem, unknown

REACH_S = 5.0  # to discover the endpoints of a topic
POLL_S = 0.01
BATCH = 256


def exchange(
    url: str, messages: Sequence[str | bytes], subject: str, wait_s: float
) -> Iterator[bytes]:
    """Publish JSON (or CDR bytes) on a topic; without messages, yield those of the topic as JSON.

    Raises InputError if nothing subscribes to the topic, or publishes on it.
    """
    if not subject:
        what, fix = "a message to a ROS node needs a topic", "for example --subject /cmd_vel"
        raise InputError(Problem("--subject", what, fix))
    try:
        import cyclonedds  # noqa: F401
    except ModuleNotFoundError:
        raise InputError(
            Problem(url, "a ROS port needs 'cyclonedds'", "pip install 'rigless[dds]'")
        ) from None
    with _Client(url) as client:
        if messages:
            client.publish(subject, messages)
        else:
            yield from client.subscribe(subject, wait_s)


class _Client:
    """A participant in the domain of a URL."""

    def __init__(self, url: str):
        from cyclonedds.core import DDSException
        from cyclonedds.domain import Domain, DomainParticipant

        from rigless.transports.cyclone.settings import configuration, domain_of

        self._url = url
        number = domain_of(url, os.environ)
        try:
            self._domain: Any = Domain(number, configuration(os.environ))
        except DDSException as error:
            if error.code != DDSException.DDS_RETCODE_PRECONDITION_NOT_MET:
                raise OSError(error.msg) from None
            self._domain = None  # this process has it already
        self._participant: Any = DomainParticipant(number)

    def __enter__(self) -> "_Client":
        return self

    def __exit__(self, *error: object) -> None:
        self._participant = self._domain = None  # Cyclone closes what nothing refers to

    def publish(self, subject: str, messages: Sequence[str | bytes]) -> None:
        from cyclonedds.builtin import BuiltinTopicDcpsSubscription
        from cyclonedds.pub import DataWriter

        from rigless.ros import cdr
        from rigless.transports.cyclone.samples import sample_type

        kind, topic, quality = self._discover(subject, BuiltinTopicDcpsSubscription)
        data = [
            message if isinstance(message, bytes) else cdr.encode(_message(kind, message))
            for message in messages
        ]
        writer = DataWriter(self._participant, topic, quality)
        _until(lambda: writer.get_matched_subscriptions())
        for one in data:
            writer.write(sample_type(kind).of(one))
        writer.wait_for_acks(int(REACH_S * 1e9))

    def subscribe(self, subject: str, wait_s: float) -> Iterator[bytes]:
        import msgspec
        from cyclonedds.builtin import BuiltinTopicDcpsPublication
        from cyclonedds.internal import InvalidSample
        from cyclonedds.sub import DataReader

        from rigless.ros import cdr

        kind, topic, quality = self._discover(subject, BuiltinTopicDcpsPublication)
        reader = DataReader(self._participant, topic, quality)
        end = time.monotonic() + wait_s
        while time.monotonic() < end:
            for sample in reader.take(BATCH):
                if not isinstance(sample, InvalidSample):
                    yield msgspec.json.encode(cdr.decode(kind, sample.data))
            time.sleep(POLL_S)

    def _discover(self, subject: str, endpoints: Any) -> tuple[type, Any, Any]:
        """Return a topic's message type, the topic, and the quality of service of its endpoint."""
        from cyclonedds.builtin import BuiltinDataReader
        from cyclonedds.qos import Policy
        from cyclonedds.topic import Topic as DdsTopic

        from rigless.ros.topics import Topic
        from rigless.ros.types import dds_type_name, known
        from rigless.transports.cyclone.participant import quality
        from rigless.transports.cyclone.samples import sample_type

        found: dict[str, Any] = {}
        listing = BuiltinDataReader(self._participant, endpoints)
        wanted = f"rt{subject}"

        def look() -> bool:
            found.update((sample.topic_name, sample) for sample in listing.take(BATCH))
            return wanted in found

        if not _until(look):
            topics = [name.removeprefix("rt") for name in found if name.startswith("rt/")]
            raise unknown("topic", subject, sorted(topics), self._url)
        endpoint = found[wanted]
        types = {dds_type_name(kind): kind for kind in known()}
        kind = types.get(endpoint.type_name)
        if kind is None:
            what = f"rigless does not know the type {endpoint.type_name} of {subject}"
            raise InputError(Problem(self._url, what, "use a ROS client"))
        reliable = endpoint.qos[Policy.Reliability] != Policy.Reliability.BestEffort
        kept = endpoint.qos[Policy.Durability] == Policy.Durability.TransientLocal
        return (
            kind,
            DdsTopic(self._participant, wanted, sample_type(kind)),
            quality(Topic(subject, kind, "out", reliable, kept)),
        )


def _until(condition: Callable[[], object]) -> bool:
    """Poll until a condition holds; return False after REACH_S."""
    end = time.monotonic() + REACH_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(POLL_S)
    return True


def _message(kind: type, text: str) -> Any:
    """Return a message from the JSON of its fields. Raises InputError."""
    from rigless.ros.codec import message_of

    try:
        fields = json.loads(text)
    except ValueError as error:
        raise InputError(Problem("TEXT", f"is not JSON: {error}", "use --json")) from None
    if not isinstance(fields, dict):
        what = f"a {kind.__name__} is an object"
        raise InputError(Problem("--json", what, 'for example --json \'{"linear": {"x": 0.5}}\''))
    return message_of(kind, fields)
