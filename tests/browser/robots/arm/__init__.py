"""A robot for tests of the panel: three bodies in space, and one of each thing that a page can have."""

from .robot import Arm as Robot

__all__ = ["Robot"]
