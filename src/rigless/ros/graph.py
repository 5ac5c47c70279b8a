"""The messages by which ROS 2 participants tell each other of their nodes (`ros_discovery_info`)."""

from dataclasses import dataclass
from typing import Annotated

GID_BYTES = 16
DISCOVERY = "ros_discovery_info"


@dataclass(frozen=True)
class Gid:
    data: Annotated[bytes, "uint8[16]"] = bytes(GID_BYTES)


@dataclass(frozen=True)
class NodeEntitiesInfo:
    node_namespace: str = ""
    node_name: str = ""
    reader_gid_seq: tuple[Gid, ...] = ()
    writer_gid_seq: tuple[Gid, ...] = ()


@dataclass(frozen=True)
class ParticipantEntitiesInfo:
    gid: Gid = Gid()
    node_entities_info_seq: tuple[NodeEntitiesInfo, ...] = ()
