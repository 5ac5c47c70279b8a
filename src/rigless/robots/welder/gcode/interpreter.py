"""The interpreter: checks a line against the modal state as grblHAL does, and makes steps of it.

Theory of operation. `interpret` gets the words of a line, the modal state and the position after
all earlier lines. It raises GcodeError and changes nothing, or returns the new modal state and a
list of steps in the order of RS-274: feed, speed, tool, spindle, coolant, ports, dwell, coordinate
systems, motion, stop. Steps are plain tuples (a word and its numbers), because the controller may
have to wait before each (for room in the planner, for standstill) and a snapshot must hold the
remaining ones.
"""

import math
from dataclasses import replace

import numpy as np

from rigless.motion.arm import path_segments
from rigless.robots.welder.gcode import arcs, canned_cycles, codes, saved_modes
from rigless.robots.welder.gcode.modal import (
    AXES,
    INCH,
    ONES,
    SYSTEMS,
    ZERO,
    Coordinates,
    Modal,
    Profile,
    Six,
    Step,
)
from rigless.robots.welder.gcode.words import Block, GcodeError

DIGITAL_PORTS, ANALOG_PORTS, ANALOG_MOST_V = 32, 8, 10.0
PLANES = {17: (0, 1, 2), 18: (2, 0, 1), 19: (1, 2, 0)}


def interpret(
    block: Block,
    modal: Modal,
    coordinates: Coordinates,
    position: Six,
    profile: Profile,
    jog: bool = False,
) -> tuple[Modal, list[Step]]:
    """Return the new modal state and the steps of a line. Raises GcodeError."""
    return _Reader(block, modal, coordinates, position, profile, jog).read()


class _Reader:
    """Interprets one line. `words` holds the words that are not used yet."""

    def __init__(
        self,
        block: Block,
        modal: Modal,
        coordinates: Coordinates,
        position: Six,
        profile: Profile,
        jog: bool,
    ):
        self.block, self.coordinates, self.position, self.profile, self.jog = (
            block,
            coordinates,
            position,
            profile,
            jog,
        )
        self.words = dict(block.words)
        self.before, self.modal = modal, replace(modal)
        self.steps: list[Step] = []

    def read(self) -> tuple[Modal, list[Step]]:
        block = self.block
        if self.jog:
            self.check_jog()
        self.axis_words = [letter for letter in self.profile.letters if letter in self.words]
        self.once = block.g.get("once")
        self.explicit = block.g.get("motion")
        moves = self.check_axis_commands()
        if block.message is not None:
            self.steps.append(("message", block.message))
        self.take_line_number()
        self.take_modes()
        self.take_feed(moves)
        self.take_speed_and_tool()
        self.take_switches()
        self.take_ports()
        self.take_saved_modes()
        if self.once == 40:
            self.steps.append(("dwell", self.need("P")))
        self.take_length()
        self.take_scaling()
        self.take_once()
        if moves:
            self.take_motion()
        self.take_retract_mode(moves)
        self.take_stop()
        if self.words:
            raise GcodeError(
                codes.AXIS_WORDS_EXIST
                if set(self.words) & set(self.axis_words)
                else codes.UNUSED_WORDS
            )
        return self.modal, self.steps

    def need(self, letter: str) -> float:
        value = self.words.pop(letter, None)
        if value is None:
            raise GcodeError(codes.VALUE_MISSING)
        return value

    def need_port(self, letter: str, count: int) -> int:
        value = self.need(letter)
        if value != int(value):
            raise GcodeError(codes.NOT_INTEGER)
        if not 0 <= value < count:
            raise GcodeError(codes.OUT_OF_RANGE)
        return int(value)

    def check_jog(self) -> None:
        """Allow axis words, F, N, G20, G21, G53, G90 and G91 only. A jog keeps the modal state.

        The active coordinate system may be named, too.
        """
        allowed = {"units", "distance", "absolute"}
        if _system(self.block.g.get("coordinates", 0)) == self.modal.system:
            allowed.add("coordinates")
        if self.block.m or self.block.coolant or set(self.block.g) - allowed:
            raise GcodeError(codes.INVALID_JOG)
        if not self.words.get("F"):
            raise GcodeError(codes.NO_FEED)
        self.block = replace(self.block, g={**self.block.g, "motion": 10})
        self.modal.motion, self.modal.inverse_time = 10, False

    def check_axis_commands(self) -> bool:
        """Return True if the axis words belong to the motion mode."""
        lengthens = self.block.g.get("tool length") == 431
        scales = self.block.g.get("scaling") == 510
        once_takes = lengthens or scales or self.once in (100, 280, 300, 920)
        if (lengthens and self.once) or (once_takes and self.explicit not in (None, 800)):
            raise GcodeError(codes.AXIS_CONFLICT)
        if self.explicit is not None:
            self.modal.motion = self.explicit
        if "absolute" in self.block.g and self.modal.motion not in (0, 10):
            raise GcodeError(codes.G53_MOTION)
        if once_takes or not self.axis_words:
            if self.jog:
                raise GcodeError(codes.NO_AXIS_WORDS)
            return self.explicit in (20, 30, 382, 383, 384, 385, *canned_cycles.CYCLES)
        if self.modal.motion == 800:
            raise GcodeError(codes.AXIS_WORDS_EXIST)
        return True

    def take_line_number(self) -> None:
        self.modal.line = int(self.words.pop("N", 0))

    def take_modes(self) -> None:
        g, modal = self.block.g, self.modal
        if "feed mode" in g:
            inverse = g["feed mode"] == 930
            if inverse != modal.inverse_time:
                modal.feed = 0.0
            modal.inverse_time = inverse
        if "plane" in g:
            modal.plane = g["plane"] // 10
        if "units" in g:
            modal.inches = g["units"] == 200
        if "distance" in g:
            modal.incremental = g["distance"] == 910
        if "coordinates" in g:
            modal.system = _system(g["coordinates"])
        if "retract" in g:
            modal.retract_at_r = g["retract"] == 990

    def take_feed(self, moves: bool) -> None:
        modal = self.modal
        feeds = (moves or self.explicit == 10) and modal.motion not in (0, 800)
        given = self.words.pop("F", None)
        if modal.inverse_time:
            if feeds and not given:
                raise GcodeError(codes.NO_FEED)
            modal.feed = given or 0.0
            return
        if given is not None:
            modal.feed = given * INCH if modal.inches else given
        if feeds and modal.feed <= 0.0:
            raise GcodeError(codes.NO_FEED)

    def take_speed_and_tool(self) -> None:
        modal = self.modal
        if self.jog:
            return
        modal.speed = self.words.pop("S", modal.speed)
        modal.tool = int(self.words.pop("T", modal.tool))
        match self.block.m.get("tool change"):
            case 6 if modal.tool != modal.loaded:  # nothing to do for the loaded one
                self.steps.append(("tool", modal.tool))
            case 61:
                tool = self.need("Q")
                if tool != int(tool):
                    raise GcodeError(codes.NOT_INTEGER)
                if tool < 0:
                    raise GcodeError(codes.NEGATIVE_VALUE)
                modal.tool = modal.loaded = int(tool)

    def take_switches(self) -> None:
        modal, m = self.modal, self.block.m
        if "spindle" in m:
            modal.spindle = m["spindle"]
            self.steps.append(("spindle", modal.spindle, modal.speed))
        if self.block.coolant:
            modal.mist, modal.flood = (
                (9 not in self.block.coolant) and (7 in self.block.coolant or modal.mist),
                (9 not in self.block.coolant) and (8 in self.block.coolant or modal.flood),
            )
            self.steps.append(("coolant", modal.mist, modal.flood))

    def take_ports(self) -> None:
        number = self.block.m.get("ports")
        match number:
            case 62 | 63 | 64 | 65:
                port = self.need_port("P", DIGITAL_PORTS)
                self.steps.append(("digital", port, number in (62, 64), number in (62, 63)))
            case 66:
                self.take_wait()
            case 67 | 68:
                port = self.need_port("E", ANALOG_PORTS)
                volts = self.need("Q")
                if not 0.0 <= volts <= ANALOG_MOST_V:
                    raise GcodeError(codes.OUT_OF_RANGE)
                self.steps.append(("analog", port, volts, number == 67))

    def take_wait(self) -> None:
        """M66: wait for input P (digital) or E (analog).

        L is the condition (0 none, 1 rise, 2 fall, 3 high, 4 low), Q the time-out.
        """
        if ("P" in self.words) == ("E" in self.words):
            raise GcodeError(codes.VALUE_MISSING if "P" not in self.words else codes.OUT_OF_RANGE)
        if "L" not in self.words and "Q" not in self.words:
            raise GcodeError(codes.VALUE_MISSING)
        analog = "E" in self.words
        port = self.need_port("E", ANALOG_PORTS) if analog else self.need_port("P", DIGITAL_PORTS)
        mode, seconds = int(self.words.pop("L", 0)), self.words.pop("Q", 0.0)
        if (
            not 0 <= mode <= 4
            or seconds < 0
            or (analog and mode != 0)
            or (mode != 0 and seconds == 0)
        ):
            raise GcodeError(codes.OUT_OF_RANGE)
        self.steps.append(("wait", port, analog, mode, seconds))

    def take_saved_modes(self) -> None:
        m = self.block.m
        if "overrides" in m:
            enable = self.words.pop("P", 1.0) != 0.0
            self.steps += saved_modes.control_overrides(self.modal, m["overrides"], enable)
        if "saved state" in m:
            self.modal, steps = saved_modes.save_or_restore(self.modal, m["saved state"])
            self.steps += steps

    # Coordinate systems and stored positions

    def take_scaling(self) -> None:
        """G51 scales axes by their words, G50 ends it."""
        match self.block.g.get("scaling"):
            case 510:
                if not self.axis_words:
                    raise GcodeError(codes.NO_AXIS_WORDS)
                scale = list(self.modal.scale)
                for axis, letter in enumerate(self.profile.letters):
                    scale[axis] = self.words.pop(letter, scale[axis])
                self.modal.scale = tuple(scale)
            case 500:
                self.modal.scale = ONES

    def take_retract_mode(self, moves: bool) -> None:
        """G99 ends with the canned cycles."""
        motion = self.modal.motion
        if motion == 800 or (moves and motion not in (0, *canned_cycles.CYCLES)):
            self.modal.retract_at_r = False

    def take_length(self) -> None:
        """G43.1 sets the tool length offset, G49 clears it."""
        match self.block.g.get("tool length"):
            case 431:
                given = self.values()
                if not given:
                    raise GcodeError(codes.NO_AXIS_WORDS)
                self.steps.append(
                    (
                        "length",
                        *(given.get(axis, at) for axis, at in enumerate(self.coordinates.tool)),
                    )
                )
            case 490 if any(self.coordinates.tool):
                self.steps.append(("length", *ZERO))

    def take_once(self) -> None:
        match self.once:
            case 100:
                self.take_g10()
            case 280 | 300:
                self.go_to_stored()
            case 281 | 301:
                self.steps.append(("store", 28 if self.once == 281 else 30))
            case 920:
                self.take_g92()
            case 921 | 922:
                self.steps.append(("g92", self.once == 921, *ZERO))
            case 923:
                self.steps.append(("g92", False, *self.coordinates.g92_saved))

    def values(self) -> dict[int, float]:
        """Take the axis words and return them by axis in machine units."""
        found = {}
        for axis, letter in enumerate(self.profile.letters):
            if letter in self.words:
                value = self.words.pop(letter) * self.modal.scale[axis]
                found[axis] = (
                    value * INCH if self.modal.inches and not self.profile.rotary[axis] else value
                )
        return found

    def take_g10(self) -> None:
        kind, number = self.words.pop("L", 0.0), int(self.words.pop("P", 0.0))
        if kind and not self.axis_words:
            raise GcodeError(codes.NO_AXIS_WORDS)
        if kind not in (2, 20):
            raise GcodeError(codes.UNSUPPORTED)
        if number > len(SYSTEMS):
            raise GcodeError(codes.BAD_COORDINATES)
        system = self.modal.system if number == 0 else number - 1
        given = self.values()
        values = list(self.coordinates.systems[system])
        for axis, value in given.items():
            shift = self.coordinates.g92[axis] + self.coordinates.tool[axis]
            values[axis] = value if kind == 2 else self.position[axis] - shift - value
        self.steps.append(("system", system, *values))

    def go_to_stored(self) -> None:
        """G28, G30: move through the given point, if any, to the stored position.

        With axis words, only these axes move to the stored position.
        """
        stored = self.coordinates.g28 if self.once == 280 else self.coordinates.g30
        given = self.values()
        end = list(self.position)
        if given:
            through = self.target(given, False)
            self.steps.append(("line", True, 0.0, *through))
            end = list(through)
        for axis in given or range(AXES):
            end[axis] = stored[axis]
        self.modal.scale = ONES
        self.steps.append(("line", True, 0.0, *end))

    def take_g92(self) -> None:
        given = self.values()
        if not given:
            raise GcodeError(codes.NO_AXIS_WORDS)
        shift = list(self.coordinates.g92)
        for axis, value in given.items():
            others = self.coordinates.systems[self.modal.system][axis] + self.coordinates.tool[axis]
            shift[axis] = self.position[axis] - others - value
        self.steps.append(("g92", True, *shift))

    # Motion

    def target(self, given: dict[int, float], absolute: bool) -> Six:
        offset = ZERO if absolute else self.coordinates.offset(self.modal.system)
        end = list(self.position)
        for axis, value in given.items():
            relative = self.modal.incremental and not absolute
            end[axis] = self.position[axis] + value if relative else value + offset[axis]
        return tuple(end)

    def take_motion(self) -> None:
        motion, absolute = self.modal.motion, "absolute" in self.block.g
        if self.jog:
            motion = 10
        if motion in (20, 30):
            self.take_arc(clockwise=motion == 20)
            return
        if motion in canned_cycles.CYCLES:
            self.take_cycle(motion)
            return
        if not self.axis_words:
            raise GcodeError(codes.NO_AXIS_WORDS)
        end = self.target(self.values(), absolute)
        if motion >= 382:
            if end == self.position:
                raise GcodeError(codes.BAD_TARGET)
            self.steps.append(("probe", motion, self.rate(self.position, end), *end))
        else:
            self.steps.append(
                ("line", motion == 0, 0.0 if motion == 0 else self.rate(self.position, end), *end)
            )

    def rate(self, begin: Six, end: Six, length: float | None = None) -> float:
        """Return the feed in units/min along the path; inverse time depends on its length."""
        if not self.modal.inverse_time:
            return self.modal.feed
        return self.modal.feed * (self.length(begin, end) if length is None else length)

    def length(self, begin: Six, end: Six) -> float:
        """Return the length that F counts on a straight line.

        This is over all axes; in the Cartesian profile over X Y Z, or the angle of a pure rotation.
        """
        if not self.profile.cartesian:
            return math.dist(begin, end)
        path = path_segments.line(np.array(begin), np.array(end))
        return float(path[path_segments.LENGTH_MM] or path[path_segments.TURN_DEG])

    def take_cycle(self, motion: int) -> None:
        """Expand a canned cycle."""
        modal, changed = self.modal, self.before.motion != motion
        linear = PLANES[modal.plane][2]
        if changed:
            if modal.inverse_time:
                raise GcodeError(codes.INVALID_STATEMENT)
            if "R" not in self.words or self.profile.letters[linear] not in self.words:
                raise GcodeError(codes.VALUE_MISSING)
        given = self.values()
        if any(self.profile.rotary[axis] for axis in given):
            raise GcodeError(codes.AXIS_CONFLICT)
        target = self.target(given, "absolute" in self.block.g)
        cycle = canned_cycles.read_cycle(
            self.words, motion, linear, changed, modal, self.position, target, linear in given,
            self.coordinates.offset(modal.system)[linear], self.profile.chip_break,
        )  # fmt: skip
        spindle = modal.spindle, modal.speed
        self.steps += canned_cycles.cycle_steps(cycle, self.position, target, modal.feed, spindle)

    def take_arc(self, clockwise: bool) -> None:
        first, second, _ = PLANES[self.modal.plane]
        given = self.values()
        if given and not ({first, second} & given.keys()):
            raise GcodeError(codes.NOT_IN_PLANE)
        end = self.target(given, False)
        turns = self.words.pop("P", 1.0)
        if turns != int(turns):
            raise GcodeError(codes.NOT_INTEGER)
        if turns < 1 or turns > 1000:
            raise GcodeError(codes.OUT_OF_RANGE)
        dx, dy = end[first] - self.position[first], end[second] - self.position[second]
        unit = INCH if self.modal.inches else 1.0
        scales = self.modal.scale[first] * unit, self.modal.scale[second] * unit
        if scales[0] * scales[1] < 0.0:  # mirrored
            clockwise = not clockwise
        if "R" in self.words:
            radius = self.words.pop("R") * max(scales)
            i, j, radius = arcs.centre_by_radius(dx, dy, radius, clockwise)
        else:
            letters = "IJK"[first], "IJK"[second]
            if not set(letters) & self.words.keys():
                raise GcodeError(codes.NO_OFFSETS)
            i, j = (
                self.words.pop(letter, 0.0) * scale
                for letter, scale in zip(letters, scales, strict=True)
            )
            radius = arcs.radius(dx, dy, i, j)
        angle = arcs.swept(-i, -j, dx - i, dy - j, clockwise)
        angle += math.copysign(2 * math.pi * (turns - 1), angle)
        length = math.hypot(
            angle * radius,
            *(
                end[a] - self.position[a]
                for a in range(3 if self.profile.cartesian else AXES)
                if a not in (first, second)
            ),
        )
        rate = self.rate(self.position, end, length)
        count = arcs.segments(radius, angle, self.profile.arc_tolerance)
        self.steps.append(("arc", rate, first, second, i, j, angle, count, 0, *self.position, *end))

    def take_stop(self) -> None:
        number = self.block.m.get("stopping")
        if number is not None:
            self.modal.flow = -1
            self.steps.append(("stop", number))


def _system(tenths: int) -> int:
    """Return the number of a coordinate system: 0 for G54, 8 for G59.3."""
    return tenths // 10 - 54 + tenths % 10
