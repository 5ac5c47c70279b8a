"""The homing cycle as moves: seek the switch, pull off, locate it slowly; pass by pass."""

from collections.abc import Mapping, Sequence
from typing import Any

from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode.modal import AXES

Leg = tuple[Any, ...]  # rate in degrees/min, axis mask, and (axis, goal) for each of its axes


def homing_legs(
    settings: Mapping[int, float], home_deg: Sequence[float], axes_mask: int
) -> list[Leg]:
    """Return the moves of the passes of $44 and following; mask 0 homes all axes."""
    legs: list[Leg] = []
    for number in range(AXES):
        mask = int(settings[s.HOMING_CYCLES + number])
        mask = mask & axes_mask if axes_mask else mask
        members = [axis for axis in range(AXES) if mask >> axis & 1]
        if not members:
            continue
        home = [(axis, home_deg[axis]) for axis in members]
        off = [(axis, home_deg[axis] - settings[s.PULL_OFF]) for axis in members]
        for rate, goals in (
            (settings[s.SEEK_RATE], home),
            (settings[s.SEEK_RATE], off),
            (settings[s.LOCATE_RATE], home),
        ):
            legs.append((rate, mask, *goals))
    return legs
