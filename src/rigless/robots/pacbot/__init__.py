"""A Pacbot: four omniwheels in a maze; ZeroMQ motor commands on 5555, sensors on 5557."""

from .robot import Pacbot as Robot

__all__ = ["Robot"]
