"""Six-axis welding arm on a grblHAL controller: the grblHAL serial protocol on TCP 10300 and on a pseudo terminal."""

from .arm import Arm
from .robot import Welder as Robot

__all__ = ["Arm", "Robot"]
