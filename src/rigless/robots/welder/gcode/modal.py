"""Modal state, work coordinate systems, and the profile of words that follows from the settings."""

from dataclasses import dataclass, field, replace
from typing import Any

AXES = 6
INCH = 25.4
SYSTEMS = ("G54", "G55", "G56", "G57", "G58", "G59", "G59.1", "G59.2", "G59.3")

Step = tuple[str | float | int | bool, ...]  # a word and its numbers
Six = tuple[float, ...]
ZERO: Six = (0.0,) * AXES
ONES: Six = (1.0,) * AXES


@dataclass
class Modal:
    """The modal state. `motion` is ten times the G code."""

    motion: int = 0
    plane: int = 17
    inches: bool = False
    incremental: bool = False
    inverse_time: bool = False
    system: int = 0  # 0 is G54
    spindle: int = 5  # the M code
    mist: bool = False
    flood: bool = False
    flow: int = -1  # the M code of a stop
    feed: float = 0.0  # units/min
    speed: float = 0.0
    tool: int = 0  # selected by T
    loaded: int = 0  # by M6 or M61
    line: int = 0
    retract_at_r: bool = False  # G99
    scale: Six = ONES  # G51, for each axis
    cycle: Six = ()  # of the last canned cycle: retract position, depth, step, dwell
    feed_override: bool = True  # M50
    speed_override: bool = True  # M51
    feed_hold: bool = True  # M53
    saved: dict[str, Any] = field(default_factory=dict)  # by M70


SAVED = (
    "plane", "inches", "incremental", "inverse_time", "system", "spindle", "mist", "flood", "feed",
    "speed", "retract_at_r", "feed_override", "speed_override", "feed_hold",
)  # fmt: skip


def after_reset(modal: Modal) -> Modal:
    """Return the modal state after a reset: only the loaded tool is kept."""
    return Modal(tool=modal.loaded, loaded=modal.loaded)


@dataclass
class Coordinates:
    """Work coordinate systems, stored positions and the G92 shift, in machine units.

    `g92_saved` is the shift in permanent memory, which G92.3 restores.
    """

    systems: list[list[float]] = field(default_factory=lambda: [list(ZERO) for _ in SYSTEMS])
    g28: list[float] = field(default_factory=lambda: list(ZERO))
    g30: list[float] = field(default_factory=lambda: list(ZERO))
    g92: list[float] = field(default_factory=lambda: list(ZERO))
    g92_saved: list[float] = field(default_factory=lambda: list(ZERO))
    tool: list[float] = field(default_factory=lambda: list(ZERO))  # tool length offset, G43.1

    def offset(self, system: int) -> Six:
        return tuple(map(sum, zip(self.systems[system], self.g92, self.tool, strict=True)))


@dataclass(frozen=True)
class Profile:
    """Axis letters, which axes are rotary (never in inches), and distances from the settings."""

    letters: str = "XYZABC"
    rotary: tuple[bool, ...] = (False, False, False, True, True, True)
    arc_tolerance: float = 0.002
    chip_break: float = 0.1  # retract distance of G73
    cartesian: bool = False  # axis words are the tool centre point


def after_program_end(modal: Modal) -> Modal:
    """Return the modal state after M2 and M30: defaults, except for units, feed and tool."""
    return replace(
        modal,
        motion=10,
        plane=17,
        incremental=False,
        inverse_time=False,
        system=0,
        spindle=5,
        mist=False,
        flood=False,
        feed_override=True,
        speed_override=True,
        saved={},
    )
