"""CRL-200S robot vacuum behind the SangamIO daemon: protobuf, commands on TCP 5555, telemetry on UDP."""

from .robot import Vacuum as Robot

__all__ = ["Robot"]
