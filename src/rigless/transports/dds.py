"""ROS 2 topics over DDS: a robot is a node on a real ROS 2 network, without an installed ROS.

A link is a participant that has an endpoint that matches one of the robot's. Subjects are topic
names on the wire. A message without a subscriber is not written. A transient-local message is
written whenever it changes, for late joiners.
"""

import asyncio
import os
from typing import Any

from cyclonedds.core import DDSException, DDSStatus
from cyclonedds.internal import InvalidSample

from rigless.kernel.ports import Port
from rigless.ros.topics import Node, Topic
from rigless.transports.cyclone.participant import Participant, acquire
from rigless.transports.cyclone.samples import sample_type
from rigless.transports.cyclone.services import ParameterServices, offered
from rigless.transports.cyclone.settings import configuration, domain_of
from rigless.transports.transport import ALL, LINKS, Inbox

BATCH = 256  # samples of one topic before other topics are read
HANDLE = (1 << 64) - 1
RETURN_S = 1.0  # a closed link is opened again after this, since DDS cannot disconnect a peer


class TopicWriter:
    """A topic that the robot publishes."""

    def __init__(self, topic: Topic, writer: Any):
        self.topic, self.entity = topic, writer
        self.sample = sample_type(topic.type).of
        self.readers: dict[int, str] = {}  # matched: Cyclone's handle → participant
        self.kept = b""  # the last message of a transient-local topic

    def matched(self) -> dict[int, str]:
        return _participants(
            self.readers,
            self.entity.get_matched_subscriptions(),
            self.entity.get_matched_subscription_data,
        )


class TopicReader:
    """A topic that the robot subscribes to."""

    def __init__(self, subject: str, reader: Any):
        self.subject, self.entity = subject, reader
        self.writers: dict[int, str] = {}

    def matched(self) -> dict[int, str]:
        return _participants(
            self.writers,
            self.entity.get_matched_publications(),
            self.entity.get_matched_publication_data,
        )


def _participants(known: dict[int, str], handles: list[int], describe: Any) -> dict[int, str]:
    """Return the participants of matched endpoints, by handle.

    Cyclone's Python lists signed handles, but those of samples are unsigned.
    """
    found = {}
    for signed in handles:
        handle = signed & HANDLE
        if handle in known:
            found[handle] = known[handle]
        elif (endpoint := describe(signed)) is not None:  # else it has left
            found[handle] = str(endpoint.participant_key)
    return found


class Transport:
    """The ROS node of one robot."""

    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self.node: Node = port.options["node"]
        self.links: dict[str, int] = {}  # participant → link
        self._outlets: dict[str, TopicWriter] = {}
        self._inlets: list[TopicReader] = []
        self._services: ParameterServices | None = None
        self._participant: Participant | None = None
        self._url = ""
        self._returning: asyncio.TimerHandle | None = None

    async def open(self, address: str) -> str:
        domain = domain_of(address, os.environ)
        self._participant = participant = acquire(domain, configuration(os.environ))
        self._url = f"dds://domain/{domain}"
        try:
            for topic in self.node.topics:
                subject = self.node.full_name(topic.name)
                if topic.direction == "out":
                    self._outlets[subject] = TopicWriter(
                        topic, participant.writer(f"rt{subject}", topic)
                    )
                else:
                    self._inlets.append(
                        TopicReader(subject, participant.reader(f"rt{subject}", topic))
                    )
            if offered(os.environ):
                self._services = ParameterServices(participant.participant, self.node)
        except DDSException as error:
            await self.close()
            raise OSError(f"Cyclone DDS refuses {topic.name}: {error.msg}") from None
        readers = [inlet.entity for inlet in self._inlets]
        writers = [outlet.entity for outlet in self._outlets.values()]
        if self._services is not None:
            readers += self._services.readers
            writers += self._services.writers
        participant.add_node(
            self, self.node.name, self.node.full_namespace, readers, writers, self._look
        )
        return self._url

    def send(self, link: int, data: bytes, subject: str) -> None:
        outlet = self._outlets.get(subject)
        if outlet is None or not (outlet.readers or outlet.topic.transient_local):
            return
        if outlet.topic.transient_local:
            if outlet.kept == data:
                return  # peers have it, and late joiners get it
            outlet.kept = data
        try:
            outlet.entity.write(outlet.sample(data))
        except DDSException:
            for number in self.links.values() if link == ALL else (link,):
                self.inbox.dropped(number)

    def close_link(self, link: int) -> None:
        """Ignore a peer for RETURN_S, since DDS cannot disconnect it."""
        for participant in [
            participant for participant, number in self.links.items() if number == link
        ]:
            self.links[participant] = 0
        if self._returning is None:
            self._returning = asyncio.get_running_loop().call_later(RETURN_S, self._return)

    def process_of(self, peer: str) -> int | None:
        return self._participant.process_of(peer) if self._participant is not None else None

    async def close(self) -> None:
        participant, self._participant = self._participant, None
        if participant is None:
            return
        if self._returning is not None:
            self._returning.cancel()
        endpoints = [outlet.entity for outlet in self._outlets.values()]
        endpoints += [inlet.entity for inlet in self._inlets]
        if self._services is not None:
            endpoints += self._services.readers + self._services.writers
        participant.remove_node(self, endpoints)
        endpoints.clear()
        self._services = None
        self._outlets.clear()
        self._inlets.clear()
        self.links.clear()
        participant.release()

    # Discovery and samples

    def _look(self) -> None:
        changed = [
            inlet
            for inlet in self._inlets
            if inlet.entity.take_status(DDSStatus.SubscriptionMatched)
        ]
        for inlet in changed:
            inlet.writers |= inlet.matched()
        for outlet in self._outlets.values():
            if outlet.entity.take_status(DDSStatus.PublicationMatched):
                outlet.readers = outlet.matched()
        self._meet()
        if self._services is not None:
            self._services.look()
        for inlet in self._inlets:
            self._take(inlet)
        for inlet in changed:  # drop writers that left after their last samples were read
            inlet.writers = inlet.matched()
        self._part()

    def _take(self, inlet: TopicReader) -> None:
        for sample in inlet.entity.take(BATCH):
            if isinstance(sample, InvalidSample):
                continue  # a writer left; there is no data
            writer = sample.sample_info.publication_handle
            if writer not in inlet.writers:  # matched since the last look
                inlet.writers |= inlet.matched()
                self._meet()
            participant = inlet.writers.get(writer)
            if participant is None:  # it came and left since the last look; `_part` closes the link
                participant = f"departed/{writer:x}"
                if participant not in self.links and len(self.links) < LINKS:
                    self._connect(participant)
            link = self.links.get(participant, 0)
            if link:
                self.inbox.received(link, sample.data, inlet.subject)

    def _present(self) -> set[str]:
        endpoints = [inlet.writers for inlet in self._inlets] + [
            outlet.readers for outlet in self._outlets.values()
        ]
        return {participant for found in endpoints for participant in found.values()}

    def _meet(self) -> None:
        for participant in sorted(self._present() - self.links.keys()):
            if len(self.links) < LINKS:
                self._connect(participant)

    def _part(self) -> None:
        for participant in self.links.keys() - self._present():
            link = self.links.pop(participant)
            if link:
                self.inbox.disconnected(link)

    def _connect(self, participant: str) -> None:
        self.links[participant] = link = self.inbox.new_link()
        self.inbox.connected(link, participant, self._url)

    def _return(self) -> None:
        self._returning = None
        for participant in [participant for participant, link in self.links.items() if not link]:
            self._connect(participant)
