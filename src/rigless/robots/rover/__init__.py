"""Rover: a ROS 2 base with wheel encoders, a magnetometer IMU and GPS; topics over DDS."""

from .robot import Rover as Robot

__all__ = ["Robot"]
