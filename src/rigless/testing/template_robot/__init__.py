"""TemplateRobot: a motor that turns a table; ASCII lines on TCP 7790."""

from .robot import TemplateRobot as Robot

__all__ = ["Robot"]
