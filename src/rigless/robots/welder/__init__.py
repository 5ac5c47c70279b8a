"""A six-axis welding arm on a grblHAL controller, on TCP 10300 and a pseudo terminal."""

from importlib import import_module
from typing import Any

from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.robot import Welder as Robot

OFFLINE = {  # names that are loaded when they are first used
    "Demands": "seam_checks",
    "MotionSimulator": "trajectory",
    "PoseWaypoint": "trajectory",
    "SimulationEngine": "engine",
    "VirtualController": "sim_controller",
    "Waypoint": "trajectory",
    "estimate": "cycle_time",
    "estimate_waypoints": "cycle_time",
    "validate_program": "validate",
}

__all__ = ["Arm", "Robot"]


def __getattr__(name: str) -> Any:
    if name not in OFFLINE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.offline.{OFFLINE[name]}"), name)
