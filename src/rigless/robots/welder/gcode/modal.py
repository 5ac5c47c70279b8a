"""Modal state, work coordinate systems, and the profile of words that follows from the settings."""

from dataclasses import dataclass, field, replace

AXES = 6
INCH = 25.4
SYSTEMS = ("G54", "G55", "G56", "G57", "G58", "G59", "G59.1", "G59.2", "G59.3")

Step = tuple[str | float | int | bool, ...]  # a word and its numbers
Six = tuple[float, ...]
ZERO: Six = (0.0,) * AXES


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
    tool: int = 0
    line: int = 0


@dataclass
class Coordinates:
    """Work coordinate systems, stored positions and the G92 shift, in machine units."""

    systems: list[list[float]] = field(default_factory=lambda: [list(ZERO) for _ in SYSTEMS])
    g28: list[float] = field(default_factory=lambda: list(ZERO))
    g30: list[float] = field(default_factory=lambda: list(ZERO))
    g92: list[float] = field(default_factory=lambda: list(ZERO))
    tool: list[float] = field(default_factory=lambda: list(ZERO))  # tool length offset, G43.1

    def offset(self, system: int) -> Six:
        return tuple(map(sum, zip(self.systems[system], self.g92, self.tool, strict=True)))


@dataclass(frozen=True)
class Profile:
    """Axis letters, which axes are rotary (never in inches), and the arc tolerance."""

    letters: str = "XYZABC"
    rotary: tuple[bool, ...] = (False, False, False, True, True, True)
    arc_tolerance: float = 0.002
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
    )
