"""A ROS peer for tests: plain Cyclone endpoints in their own participant."""

from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic as DdsTopic

from rigless.ros import cdr
from rigless.transports.cyclone.samples import sample_type


class Peer:
    def __init__(self, domain):
        self.participant = DomainParticipant(domain)
        self.endpoints = []

    def quality(self, reliable=True, kept=False, depth=50):
        return Qos(
            Policy.Reliability.Reliable(10**9) if reliable else Policy.Reliability.BestEffort,
            Policy.Durability.TransientLocal if kept else Policy.Durability.Volatile,
            Policy.History.KeepLast(depth),
            Policy.DurabilityService(0, Policy.History.KeepLast(depth), -1, -1, -1),
            Policy.DataRepresentation(use_cdrv0_representation=True),
        )

    def topic(self, name, kind):
        return DdsTopic(self.participant, name, sample_type(kind))

    def reader(self, name, kind, **quality):
        found = DataReader(self.participant, self.topic(name, kind), self.quality(**quality))
        self.endpoints.append(found)
        return found

    def writer(self, name, kind, **quality):
        found = DataWriter(self.participant, self.topic(name, kind), self.quality(**quality))
        self.endpoints.append(found)
        return found

    def leave(self):
        self.endpoints.clear()
        del self.participant


def write(writer, kind, message):
    writer.write(
        sample_type(kind).of(message if isinstance(message, bytes) else cdr.encode(message))
    )


def taken(reader):
    """Return the bytes of received samples."""
    return [sample.data for sample in reader.take(100) if hasattr(sample, "data")]
