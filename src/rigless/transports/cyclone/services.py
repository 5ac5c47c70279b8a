"""Services for peers on Cyclone's ROS layer (rmw_cyclonedds_cpp).

A service is two topics. Its ROS layer puts an id before the payload: 8 bytes for the client and 8
for the request. A reply begins with the id of its request. Other middleware has the id elsewhere,
where Cyclone DDS cannot write it, so services are offered only if RMW_IMPLEMENTATION says that the
peers use this one.
"""

from collections.abc import Mapping
from typing import Any

from cyclonedds.core import DDSException, DDSStatus
from cyclonedds.idl import make_idl_struct
from cyclonedds.idl import types as idl_types
from cyclonedds.idl.annotations import final
from cyclonedds.internal import InvalidSample
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic as DdsTopic

from rigless.ros import cdr
from rigless.ros.layout import shapes
from rigless.ros.parameter_services import SERVICES, Service
from rigless.ros.topics import Node
from rigless.transports.cyclone.samples import Sample, idl_type

MIDDLEWARE = "rmw_cyclonedds_cpp"
ENCAPSULATION, ID = 4, 16  # bytes
BATCH = 256
QUALITY = Qos(
    Policy.Reliability.Reliable(max_blocking_time=0),
    Policy.Durability.Volatile,
    Policy.History.KeepLast(1000),
    Policy.DataRepresentation(use_cdrv0_representation=True),
    Policy.IgnoreLocal.Participant,
)


def offered(environ: Mapping[str, str]) -> bool:
    """Return True if the peers use Cyclone's ROS layer."""
    return environ.get("RMW_IMPLEMENTATION") == MIDDLEWARE


def service_type(service: str, part: str, kind: type) -> type[Sample]:
    """Return the Cyclone type of a request or a response, with the id before its fields."""
    numbers: Any = idl_types
    fields = {"guid": numbers.uint64, "seq": numbers.int64}
    fields |= {name: idl_type(shape) for name, shape in shapes(kind)}
    name = f"rcl_interfaces::srv::dds_::{service}_{part}_"
    made: Any = final(make_idl_struct(f"{service}_{part}", name, fields, dataclassify=False))
    for method in ("of", "serialize", "deserialize", "deserialize_key"):
        setattr(made, method, Sample.__dict__[method])
    typed: type[Sample] = made
    return typed


def topic_names(node: Node, service: str) -> tuple[str, str]:
    """Return the names of the topics of requests and replies."""
    full = f"{node.full_namespace.rstrip('/')}/{node.name}/{service}"
    return f"rq{full}Request", f"rr{full}Reply"


class ParameterServices:
    """The parameter services of one node."""

    def __init__(self, participant: Any, node: Node):
        self._node = node
        self._services: list[tuple[Service, Any, Any, type[Sample]]] = []
        for service in SERVICES:
            asked, replied = topic_names(node, service.name)
            request = service_type(service.type, "Request", service.request)
            response = service_type(service.type, "Response", service.response)
            reader = DataReader(participant, DdsTopic(participant, asked, request), QUALITY)
            writer = DataWriter(participant, DdsTopic(participant, replied, response), QUALITY)
            self._services.append((service, reader, writer, response))

    @property
    def readers(self) -> list[Any]:
        return [reader for _, reader, _, _ in self._services]

    @property
    def writers(self) -> list[Any]:
        return [writer for _, _, writer, _ in self._services]

    def look(self) -> None:
        """Answer all requests that have arrived."""
        for service, reader, writer, response in self._services:
            reader.take_status(DDSStatus.SubscriptionMatched)  # else the wait set never sleeps
            writer.take_status(DDSStatus.PublicationMatched)
            for sample in reader.take(BATCH):
                if isinstance(sample, InvalidSample):
                    continue
                reply = answer(service, self._node, sample.data)
                if reply is not None:
                    try:
                        writer.write(response.of(reply))
                    except DDSException:
                        continue  # the client does not read


def answer(service: Service, node: Node, data: bytes) -> bytes | None:
    """Return the bytes of the reply to a request, or None if it cannot be decoded."""
    head, request_id = data[:ENCAPSULATION], data[ENCAPSULATION : ENCAPSULATION + ID]
    if len(request_id) < ID:
        return None
    if cdr.HEADERS.get(head[:2]) == ">":  # the reply is little-endian
        request_id = request_id[7::-1] + request_id[:7:-1]
    try:
        request = cdr.decode(service.request, head + data[ENCAPSULATION + ID :])
    except ValueError:
        return None
    reply = cdr.encode(service.reply(node, request))
    return reply[:ENCAPSULATION] + request_id + reply[ENCAPSULATION:]
