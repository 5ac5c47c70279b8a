"""A six-axis welding arm on a grblHAL controller, on TCP 10300 and a pseudo terminal."""

from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.robot import Welder as Robot

__all__ = ["Arm", "Robot"]
