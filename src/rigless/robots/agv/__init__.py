"""AGV: a config-driven warehouse robot; NATS JetStream."""

from .robot import Agv as Robot

__all__ = ["Robot"]
