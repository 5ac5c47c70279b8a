"""Parameters of G-code: those that programs set, and read-only ones for position and modes.

Numbers 1 to 5060 and any name can be set. From 5061 on they belong to the controller, numbered as
in LinuxCNC and grblHAL.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.expressions import Expressions, Key
from rigless.robots.welder.gcode.modal import AXES, INCH, SYSTEMS, Coordinates, Modal, Profile, Six
from rigless.robots.welder.gcode.words import GcodeError

FIRST_READ_ONLY = 5061
PROBED, PROBE_TOUCHED, G28, G30, G92_ACTIVE, G92, SYSTEM, SYSTEM_FIRST, M66_RESULT = (
    5061, 5070, 5161, 5181, 5210, 5211, 5220, 5221, 5399,
)  # fmt: skip
BETWEEN_SYSTEMS = 20
TOOL, TOOL_OFFSET, WORK_POSITION = 5400, 5401, 5420
VERSION_MAJOR, VERSION_MINOR = 1.1, 260101  # the second is the build's date
CONSTANT = {
    "_vmajor": VERSION_MAJOR, "_vminor": VERSION_MINOR, "_ccomp": 400, "_units_per_rev": 0,
    "_spindle_rpm_mode": 1, "_spindle_css_mode": 0, "_ijk_absolute_mode": 0, "_adaptive_feed": 0,
    "_lathe_diameter_mode": 0, "_lathe_radius_mode": 1, "_current_pocket": 0,
    "_selected_pocket": -1, "_call_level": 0, "_toolsetter_state": -1, "_tool_table_size": 0,
    "_free_memory": -1,
}  # fmt: skip
MAX_NAMES = 256
MAX_ASSIGNMENTS = 10  # in a block


@dataclass
class Parameters:
    """Parameters set by programs; a number that was not set is 0."""

    numbered: dict[int, float] = field(default_factory=dict)
    named: dict[str, float] = field(default_factory=dict)

    def assign(self, assignments: list[tuple[Key, float]]) -> None:
        for key, value in assignments:
            if isinstance(key, str):
                self.named[key] = value
            elif value:
                self.numbered[key] = value
            else:
                self.numbered.pop(key, None)


@dataclass(frozen=True)
class ParameterScope:
    """The parameters that a line can read.

    `measured` returns those that are not in the modal state (probe, inputs).
    """

    parameters: Parameters
    modal: Modal
    coordinates: Coordinates
    position: Six
    profile: Profile
    measured: Callable[[], Mapping[Key, float]] = dict

    def values(self) -> Expressions:
        return Expressions(self.find)

    def check(self, assignments: list[tuple[Key, float]]) -> None:
        """Check that these parameters may be set. Raises GcodeError."""
        if not assignments:
            return
        names = {key for key, _ in assignments if isinstance(key, str)}
        if (
            len(assignments) > MAX_ASSIGNMENTS
            or len(names | self.parameters.named.keys()) > MAX_NAMES
        ):
            raise GcodeError(codes.BAD_NUMBER)
        if any(self.own_name(name) is not None for name in names):
            raise GcodeError(codes.BAD_NUMBER)
        if any(isinstance(key, int) and not 0 < key < FIRST_READ_ONLY for key, _ in assignments):
            raise GcodeError(codes.OUT_OF_RANGE)

    def find(self, key: Key) -> float | None:
        if isinstance(key, str):
            own = self.own_name(key)
            return self.parameters.named.get(key) if own is None else own
        if 0 < key < FIRST_READ_ONLY:
            return self.parameters.numbered.get(key, 0.0)
        return self.own_number(key)

    def own_number(self, number: int) -> float | None:
        kept = self.coordinates
        rows: list[tuple[int, list[float]]] = [
            (G28, kept.g28),
            (G30, kept.g30),
            (G92, kept.g92),
            (TOOL_OFFSET, kept.tool),
        ]
        rows += [
            (SYSTEM_FIRST + BETWEEN_SYSTEMS * n, values) for n, values in enumerate(kept.systems)
        ]
        rows.append((WORK_POSITION, self.work()))
        for first, values in rows:
            if first <= number < first + AXES:
                return self.shown(number - first, values[number - first])
        one = {
            G92_ACTIVE: float(any(kept.g92)),
            SYSTEM: self.modal.system + 1.0,
            TOOL: float(self.modal.loaded),
        }
        return one.get(number, self.measured().get(number))

    def own_name(self, name: str) -> float | None:
        letters = self.profile.letters.lower()
        for prefix, values in (("_abs_", list(self.position)), ("_", self.work())):
            if name.startswith(prefix) and len(name) == len(prefix) + 1 and name[-1] in letters:
                axis = letters.index(name[-1])
                return self.shown(axis, values[axis])
        modal = self.modal
        own = {
            "_line": modal.line,
            "_motion_mode": modal.motion,
            "_plane": 10 * modal.plane,
            "_metric": not modal.inches,
            "_imperial": modal.inches,
            "_absolute": not modal.incremental,
            "_incremental": modal.incremental,
            "_inverse_time": modal.inverse_time,
            "_units_per_minute": not modal.inverse_time,
            "_coord_system": 10 * float(SYSTEMS[modal.system][1:]),
            "_tool_offset": any(self.coordinates.tool),
            "_spindle_on": modal.spindle != 5,
            "_spindle_cw": modal.spindle == 3,
            "_mist": modal.mist,
            "_flood": modal.flood,
            "_feed": modal.feed / INCH if modal.inches else modal.feed,
            "_rpm": modal.speed,
            "_current_tool": modal.loaded,
            "_selected_tool": modal.tool,
            "_retract_r_plane": not modal.retract_at_r,  # as in the firmware, the wrong way round
            "_retract_old_z": modal.retract_at_r,
            "_speed_override": modal.speed_override,
            "_feed_override": modal.feed_override,
            "_feed_hold": modal.feed_hold,
            **CONSTANT,
        }
        return float(own[name]) if name in own else self.measured().get(name)

    def work(self) -> list[float]:
        return [
            a - b
            for a, b in zip(self.position, self.coordinates.offset(self.modal.system), strict=True)
        ]

    def shown(self, axis: int, value: float) -> float:
        return value / INCH if self.modal.inches and not self.profile.rotary[axis] else value
