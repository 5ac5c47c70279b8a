"""A robot for tests of the panel: three bodies in 3-D, and every kind of control."""

from .robot import Arm as Robot

__all__ = ["Robot"]
