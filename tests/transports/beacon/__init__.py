"""A small robot that is a ROS node: what the DDS transport is tried with."""

from .robot import Beacon as Robot

__all__ = ["Robot"]
