"""A doorbell: a robot that rings, for measuring how long a program takes to answer."""

from .robot import Doorbell as Robot

__all__ = ["Robot"]
