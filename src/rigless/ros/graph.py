"""ROS 2 graph messages, by which participants announce their nodes (`ros_discovery_info`)."""

from typing import Annotated

from msgspec import Struct

GID_BYTES = 16
DISCOVERY = "ros_discovery_info"


class Gid(Struct, frozen=True, gc=False):
    data: Annotated[bytes, "uint8[16]"] = bytes(GID_BYTES)


class NodeEntitiesInfo(Struct, frozen=True, gc=False):
    node_namespace: str = ""
    node_name: str = ""
    reader_gid_seq: tuple[Gid, ...] = ()
    writer_gid_seq: tuple[Gid, ...] = ()


class ParticipantEntitiesInfo(Struct, frozen=True, gc=False):
    gid: Gid = Gid()
    node_entities_info_seq: tuple[NodeEntitiesInfo, ...] = ()
