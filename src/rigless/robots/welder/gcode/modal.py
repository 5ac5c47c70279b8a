"""What stays from line to line of G-code: the modal state, the coordinate systems, and what the settings say about words."""

from dataclasses import dataclass, field, replace

AXES = 6
INCH = 25.4
SYSTEMS = ("G54", "G55", "G56", "G57", "G58", "G59", "G59.1", "G59.2", "G59.3")

Step = tuple[
    str | float | int | bool, ...
]  # a word and its numbers: something to be done of a line
Six = tuple[float, ...]
ZERO: Six = (0.0,) * AXES


@dataclass
class Modal:
    """What stays from line to line. `motion` and others are ten times the G code."""

    motion: int = 0
    plane: int = 17
    inches: bool = False
    incremental: bool = False
    inverse_time: bool = False
    system: int = 0  # 0 is G54
    spindle: int = 5  # the M code
    mist: bool = False
    flood: bool = False
    flow: int = -1  # the M code of a stop, as $G shows it
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
    tool: list[float] = field(default_factory=lambda: list(ZERO))  # the tool's length, G43.1

    def offset(self, system: int) -> Six:
        return tuple(map(sum, zip(self.systems[system], self.g92, self.tool, strict=True)))


@dataclass(frozen=True)
class Profile:
    """What the settings say about words: axis letters, which axes are angles (never inches), and the arc tolerance."""

    letters: str = "XYZABC"
    rotary: tuple[bool, ...] = (False, False, False, True, True, True)
    arc_tolerance: float = 0.002
    cartesian: bool = False  # axes are the tip's: X Y Z make the length of a path


def after_program_end(modal: Modal) -> Modal:
    """What M2 and M30 leave: grbl's defaults, with units, feed and tool kept."""
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
