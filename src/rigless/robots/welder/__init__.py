"""Six-axis welding arm on a grblHAL controller: the grblHAL serial protocol on TCP 10300 and on a pseudo terminal."""

from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.robot import Welder as Robot

__all__ = ["Arm", "Robot"]
