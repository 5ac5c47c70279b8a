"""A CRL-200S robot vacuum behind the SangamIO daemon: protobuf on TCP 5555 and UDP."""

from .robot import Vacuum as Robot

__all__ = ["Robot"]
