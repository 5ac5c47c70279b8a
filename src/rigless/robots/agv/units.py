"""The units of a configuration and their SI values, for motors, limits and commands.

A motor is linear (metres) or angular (radians); its speed, acceleration and positions are of the
same kind. A unit of speed is a unit of position followed by `ps` (mmps) or `/s` (mm/s), a unit of
acceleration one followed by `ps2` or `/s2`. `rps` and `rpm` are revolutions per second and per
minute.
"""

import math
from typing import Literal, NamedTuple

from rigless.kernel.problems import did_you_mean

Kind = Literal["linear", "angular"]
Dimension = Literal["position", "speed", "acceleration"]

LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254}
ANGLES = {"rad": 1.0, "mrad": 1e-3, "deg": math.pi / 180, "rev": 2 * math.pi}


class Unit(NamedTuple):
    """A unit.

    `si` is its value in metres or radians (per second, per second squared), `position` the unit of
    position that it is derived from.
    """

    dimension: Dimension
    kind: Kind
    si: float
    position: str


def _table() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    kinds: tuple[tuple[Kind, dict[str, float]], ...] = (("linear", LENGTHS), ("angular", ANGLES))
    for kind, positions in kinds:
        for name, si in positions.items():
            table[name] = Unit("position", kind, si, name)
            for spelling in (f"{name}ps", f"{name}/s"):
                table[spelling] = Unit("speed", kind, si, name)
            for spelling in (f"{name}ps2", f"{name}/s2"):
                table[spelling] = Unit("acceleration", kind, si, name)
    turn = ANGLES["rev"]
    table["rps"] = Unit("speed", "angular", turn, "rev")
    table["rpm"] = Unit("speed", "angular", turn / 60, "rev")
    table["rps2"] = Unit("acceleration", "angular", turn, "rev")
    table["rpmps"] = Unit("acceleration", "angular", turn / 60, "rev")
    return table


UNITS = _table()


def unit_of(name: str, dimension: Dimension, kind: Kind | None = None) -> Unit:
    """Return the unit of that name. The ValueError suggests a correction."""
    found = UNITS.get(name)
    if found is None:
        raise ValueError(f"unknown unit {name!r}: {did_you_mean(name, _names(dimension, kind))}")
    if found.dimension != dimension:
        raise ValueError(
            f"{name!r} is a unit of {found.dimension}, not of {dimension}: {_some(dimension, kind)}"
        )
    if kind is not None and found.kind != kind:
        raise ValueError(
            f"{name!r} is {found.kind}, but this motor is {kind}: {_some(dimension, kind)}"
        )
    return found


def to_si(value: float, unit: str, dimension: Dimension, kind: Kind | None = None) -> float:
    return value * unit_of(unit, dimension, kind).si


def _names(dimension: Dimension, kind: Kind | None) -> list[str]:
    return [
        name
        for name, unit in UNITS.items()
        if unit.dimension == dimension and kind in (None, unit.kind)
    ]


def _some(dimension: Dimension, kind: Kind | None) -> str:
    return "for example " + ", ".join(name for name in _names(dimension, kind) if "/" not in name)
