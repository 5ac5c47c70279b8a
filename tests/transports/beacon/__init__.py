"""A small robot that is a ROS node, for tests of the DDS transport."""

from .robot import Beacon as Robot

__all__ = ["Robot"]
