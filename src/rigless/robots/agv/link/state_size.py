"""Reduce a state to the size of a message.

With hundreds of motors, the least important parts are left out until it fits.
"""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from rigless.robots.agv import messages as m
from rigless.robots.agv.wire import LONGEST

MANY = 60  # motors; a state of fewer always fits
FIRST = 20  # errors and reasons kept; the most severe come first
ENVELOPE_BYTES = 1024


def _standing(state: m.State) -> m.State:
    return replace(
        state, motors=[replace(motor, position=None, velocity=None) for motor in state.motors]
    )


def _weightiest(state: m.State) -> m.State:
    return replace(state, errors=state.errors[:FIRST], statusReasons=state.statusReasons[:FIRST])


def _unwell(state: m.State) -> m.State:
    return replace(
        state,
        motors=[motor for motor in state.motors if not motor.connected or motor.state == "ERROR"],
    )


def _few(state: m.State) -> m.State:
    return replace(
        state, motors=state.motors[:FIRST], missingFunctionKeys=state.missingFunctionKeys[:FIRST]
    )


STEPS: tuple[tuple[str, Callable[[m.State], m.State]], ...] = (
    ("position and velocity of motors, which telemetry has", _standing),
    (f"errors and reasons after the first {FIRST}", _weightiest),
    ("motors that are well", _unwell),
    (f"motors after the first {FIRST}", _few),
)


def fitting(state: m.State) -> tuple[m.State, list[str]]:
    """Return the state reduced to fit, and the parts that were left out."""
    left_out: list[str] = []
    if len(state.motors) <= MANY:
        return state, left_out
    for what, shorten in STEPS:
        if len(msgspec.json.encode(state)) <= LONGEST - ENVELOPE_BYTES:
            break
        state = shorten(state)
        left_out.append(what)
    return state, left_out
