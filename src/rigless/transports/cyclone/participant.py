"""The DDS participant of this process in a domain, shared by its robots.

It announces their nodes in the ROS graph. Cyclone has its own threads. One more thread here waits
for changes on any endpoint, wakes the event loop, and waits until the loop has handled them. All
else happens on the loop, so there are no locks.
"""

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsParticipant
from cyclonedds.core import DDSException, DDSStatus, Entity, GuardCondition, WaitSet
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic as DdsTopic

from rigless.ros import cdr
from rigless.ros.graph import DISCOVERY, Gid, NodeEntitiesInfo, ParticipantEntitiesInfo
from rigless.ros.topics import Topic
from rigless.ros.types import type_hash
from rigless.transports.cyclone.samples import sample_type

MOST_PARTICIPANTS = 256
FOREVER_NS = (1 << 63) - 1
ENCLAVE = b"enclave=/;"  # marks a ROS participant for ROS tools

_shared: dict[tuple[int, asyncio.AbstractEventLoop], "Participant"] = {}


def acquire(domain: int, configuration: str) -> "Participant":
    """Return the participant of a domain for the running loop. Pair with `release`."""
    key = (domain, asyncio.get_running_loop())
    if key not in _shared:
        _shared[key] = Participant(domain, configuration)
    _shared[key].users += 1
    return _shared[key]


def quality(topic: Topic) -> Qos:
    """Return the QoS of an endpoint, with the type hash that peers compare.

    Own messages are ignored, and writers never block.
    """
    return Qos(
        Policy.Reliability.Reliable(max_blocking_time=0)
        if topic.reliable
        else Policy.Reliability.BestEffort,
        Policy.Durability.TransientLocal if topic.transient_local else Policy.Durability.Volatile,
        Policy.History.KeepLast(topic.depth),
        Policy.DurabilityService(0, Policy.History.KeepLast(topic.depth), -1, -1, -1),
        Policy.DataRepresentation(use_cdrv0_representation=True),
        Policy.IgnoreLocal.Participant,
        Policy.Userdata(f"typehash={type_hash(topic.type)};".encode()),
    )


class Participant:
    def __init__(self, domain: int, configuration: str):
        self.users = 0
        self._loop = asyncio.get_running_loop()
        self._domain_number = domain
        try:
            self._domain: Domain | None = Domain(domain, configuration)
        except DDSException as error:
            if error.code != DDSException.DDS_RETCODE_PRECONDITION_NOT_MET:
                raise OSError(f"Cyclone DDS does not start: {error.msg}") from None
            self._domain = None  # another loop of this process, or the caller, created it
        try:
            self.participant = DomainParticipant(domain, Qos(Policy.Userdata(ENCLAVE)))
        except DDSException as error:
            raise OSError(f"Cyclone DDS does not start: {error.msg}") from None
        self._topics: dict[tuple[str, type], Any] = {}
        self._nodes: dict[object, NodeEntitiesInfo] = {}
        self._looks: dict[object, Callable[[], None]] = {}
        self._graph = self.writer(
            DISCOVERY, Topic(DISCOVERY, ParticipantEntitiesInfo, "out", True, True, 1)
        )
        self._waitset = WaitSet(self.participant)
        self._stop = GuardCondition(self.participant)
        self._waitset.attach(self._stop)
        self._looked = threading.Semaphore(0)
        self._ending = False
        self._thread = threading.Thread(target=self._listen, name=f"dds-{domain}", daemon=True)
        self._thread.start()

    # Endpoints

    def writer(self, name: str, topic: Topic) -> Any:
        return DataWriter(self.participant, self._topic(name, topic.type), quality(topic))

    def reader(self, name: str, topic: Topic) -> Any:
        return DataReader(self.participant, self._topic(name, topic.type), quality(topic))

    def _topic(self, name: str, kind: type) -> Any:
        """Return the Cyclone topic of a name and type, shared by all endpoints."""
        key = (name, kind)
        if key not in self._topics:
            self._topics[key] = DdsTopic(self.participant, name, sample_type(kind))
        return self._topics[key]

    def process_of(self, participant: str) -> int | None:
        """Return the process id of a participant on this machine, which Cyclone announces."""
        reader = BuiltinDataReader(self.participant, BuiltinTopicDcpsParticipant)
        for sample in reader.take(MOST_PARTICIPANTS):
            if str(sample.key) == participant:
                properties = {
                    policy.key: policy.value
                    for policy in sample.qos
                    if isinstance(policy, Policy.Property)
                }
                pid = properties.get("__Pid", "")
                here = properties.get("__Hostname") == socket.gethostname()
                return int(pid) if here and pid.isdigit() else None
        return None

    # Nodes

    def add_node(
        self,
        who: object,
        name: str,
        namespace: str,
        readers: list[Any],
        writers: list[Any],
        look: Callable[[], None],
    ) -> None:
        """Announce a node in the ROS graph; `look` is called after changes on its endpoints."""
        self._looks[who] = look
        self._nodes[who] = NodeEntitiesInfo(namespace, name, _gids(readers), _gids(writers))
        for reader in readers:
            self._watch(reader, DDSStatus.DataAvailable | DDSStatus.SubscriptionMatched)
        for writer in writers:
            self._watch(writer, DDSStatus.PublicationMatched)
        self._announce()

    def remove_node(self, who: object, endpoints: list[Any]) -> None:
        """Remove a node from the ROS graph."""
        for endpoint in endpoints:
            self._waitset.detach(endpoint)
        self._looks.pop(who, None)
        if self._nodes.pop(who, None) is not None and not self._ending:
            self._announce()

    def release(self) -> None:
        """Release the participant; the last user closes it."""
        self.users -= 1
        if self.users:
            return
        del _shared[self._domain_number, self._loop]
        self._ending = True
        self._stop.set(True)
        self._looked.release()
        self._thread.join()
        self._waitset.detach(self._stop)
        self._topics.clear()
        del self._graph, self._stop, self._waitset, self.participant
        self._domain = None

    def _watch(self, endpoint: Entity, status: int) -> None:
        endpoint.set_status_mask(status)
        self._waitset.attach(endpoint)

    def _announce(self) -> None:
        info = ParticipantEntitiesInfo(
            Gid(self.participant.guid.bytes), tuple(self._nodes.values())
        )
        self._graph.write(sample_type(ParticipantEntitiesInfo).of(cdr.encode(info)))

    # Changes

    def _listen(self) -> None:
        while not self._ending:
            self._waitset.wait(FOREVER_NS)
            if self._ending:
                return
            try:
                self._loop.call_soon_threadsafe(self._look)
            except RuntimeError:  # the loop was closed
                return
            self._looked.acquire()

    def _look(self) -> None:
        try:
            for look in list(self._looks.values()):
                look()
        finally:
            self._looked.release()


def _gids(endpoints: list[Any]) -> tuple[Gid, ...]:
    return tuple(Gid(endpoint.guid.bytes) for endpoint in endpoints)
