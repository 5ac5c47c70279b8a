"""Faults of actuators for compiled functions; see `rigless.kernel.faults`.

A fault is two numbers: one of the codes below and its parameter.
"""

from rigless.kernel.compiled import compiled

NONE, STALL, WEAK, INVERTED, RUNAWAY, OTHER = range(6)
CODES = {"stall": STALL, "weak": WEAK, "inverted": INVERTED, "runaway": RUNAWAY}


@compiled
def actuate(code: float, parameter: float, command: float, full: float) -> float:
    """Return the output of an actuator; a fault of another kind does not change it."""
    if code == STALL:
        return 0.0
    if code == WEAK:
        return command * parameter
    if code == INVERTED:
        return -command
    if code == RUNAWAY:
        return full * parameter
    return command
