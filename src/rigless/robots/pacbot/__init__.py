"""Pacbot: a round robot on four omniwheels in a maze; motor commands on ZeroMQ 5555, sensors on 5557."""

from .robot import Pacbot as Robot

__all__ = ["Robot"]
