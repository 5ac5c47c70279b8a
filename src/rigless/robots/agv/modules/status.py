"""The robot's status by the precedence of its document: OFFLINE, ERROR, PAUSED, WARNING, RUNNING. A pure function of what is the case.

Every reason that holds is told, not only those of the status that wins, the weightiest first; the words before a colon are
for programs, what comes after names the part.
"""

from typing import NamedTuple

from rigless.robots.agv.messages import Status


class Facts(NamedTuple):
    """`drive` and `functional` are the motors that are not healthy, each as ERROR:id or DISCONNECTED:id."""

    connected: bool = True
    require_nats: bool = True
    drive: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()  # required inputs and devices that do not answer
    estop: bool = False
    obstacle: bool = False
    held: bool = False  # by the traffic
    zones: tuple[str, ...] = ()  # blocked ones that it stands before
    manual: bool = False
    functional: tuple[str, ...] = ()
    empty: bool = False  # the battery


def derive(facts: Facts) -> tuple[Status, list[str]]:
    """The status and its reasons."""
    offline = ["NATS_DISCONNECTED"] if facts.require_nats and not facts.connected else []
    error = [f"DRIVE_MOTOR_{motor}" for motor in facts.drive] + [
        f"REQUIRED_PART_LOST:{part}" for part in facts.lost
    ]
    error += ["BATTERY_EMPTY"] if facts.empty else []
    paused = ["ESTOP"] if facts.estop else []
    paused += ["OBSTACLE"] if facts.obstacle else []
    paused += ["TRAFFIC_HOLD"] if facts.held else []
    paused += [f"ZONE_BLOCK:{zone}" for zone in facts.zones]
    paused += ["MANUAL_HOLD"] if facts.manual else []
    warning = [f"FUNCTIONAL_MOTOR_{motor}" for motor in facts.functional]
    reasons = [*offline, *error, *paused, *warning]
    if offline:
        return "OFFLINE", reasons
    if error:
        return "ERROR", reasons
    if paused:
        return "PAUSED", reasons
    return ("WARNING" if warning else "RUNNING"), reasons


def may_drive(status: str, allow_in_warning: bool) -> bool:
    return status == "RUNNING" or (status == "WARNING" and allow_in_warning)
