"""The status as a pure function of facts: OFFLINE, ERROR, PAUSED, WARNING or RUNNING.

The first of these that applies wins. All reasons are listed, the most severe first. The word before
a colon is for programs; the part is named after it.
"""

from typing import NamedTuple

from rigless.robots.agv.messages import Status


class Facts(NamedTuple):
    """The facts of the status.

    `drive` and `functional` are faulty motors, as ERROR:id, DISCONNECTED:id or MISSING:id.
    """

    connected: bool = True
    require_nats: bool = True
    drive: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()  # required inputs and devices that do not respond
    estop: bool = False
    collided: bool = False  # and not acknowledged
    obstacle: bool = False
    held: bool = False  # by traffic control
    zones: tuple[str, ...] = ()  # blocked zones that the robot waits for
    manual: bool = False
    functional: tuple[str, ...] = ()
    empty: bool = False  # the battery
    refused: bool = False  # the backend does not store messages of the robot


def derive(facts: Facts) -> tuple[Status, list[str]]:
    """Return the status and its reasons."""
    offline = ["NATS_DISCONNECTED"] if facts.require_nats and not facts.connected else []
    error = [f"DRIVE_MOTOR_{motor}" for motor in facts.drive] + [
        f"REQUIRED_PART_LOST:{part}" for part in facts.lost
    ]
    error += ["BATTERY_EMPTY"] if facts.empty else []
    paused = ["ESTOP"] if facts.estop else []
    paused += ["COLLISION_STOP"] if facts.collided else []
    paused += ["OBSTACLE"] if facts.obstacle else []
    paused += ["TRAFFIC_HOLD"] if facts.held else []
    paused += [f"ZONE_BLOCK:{zone}" for zone in facts.zones]
    paused += ["MANUAL_HOLD"] if facts.manual else []
    warning = [f"FUNCTIONAL_MOTOR_{motor}" for motor in facts.functional]
    warning += ["NATS_NOT_STORED"] if facts.refused else []
    reasons = [*offline, *error, *paused, *warning]
    if offline:
        return "OFFLINE", reasons
    if error:
        return "ERROR", reasons
    if paused:
        return "PAUSED", reasons
    return ("WARNING" if warning else "RUNNING"), reasons


def may_drive(status: str, allow_in_warning: bool) -> bool:
    """Return True if the status allows driving."""
    return status == "RUNNING" or (status == "WARNING" and allow_in_warning)
