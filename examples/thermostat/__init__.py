"""A room thermostat: the smallest complete robot, and the example of docs/how-to/add-a-robot.md."""

from .robot import Thermostat as Robot

__all__ = ["Robot"]
