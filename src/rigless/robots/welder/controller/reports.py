"""Reports of the controller as text: status, parser state, offsets, build info.

Field order and schedules are grblHAL's.
"""

from collections.abc import Iterable

from rigless.motion import planner as p
from rigless.robots.welder.board import Board
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.gcode.modal import AXES, INCH, SYSTEMS
from rigless.robots.welder.state import Schedule, WelderState

BUILD = "20260101"  # [ours] `$I` shows it; grblHAL's is a date
BUSY = ("Home", "Run", "Hold", "Jog", "Door")
# Reports from one that carries the field to the next.
OFFSETS_BUSY, OFFSETS_IDLE, OVERRIDES_BUSY, OVERRIDES_IDLE = 30, 10, 20, 10


NO_M66 = -2  # result before the first M66


def first_schedule(state: WelderState) -> Schedule:
    """Return the schedule of reports after a start or a reset: the first one has more fields."""
    homing = bool(int(state.settings[s.HOMING]) & 1)
    return Schedule(homed=homing, tool=state.modal.loaded != 0)


def greeting(compat: str) -> str:
    name = "GrblHAL" if compat == "grblHAL" else "Grbl"
    hint = "['$' or '$HELP' for help]" if compat == "grblHAL" else "['$' for help]"
    return f"\r\n{name} 1.1f {hint}\r\n"


class Reports:
    def __init__(self, state: WelderState, config: WelderConfig, board: Board, motion: Motion):
        self.state, self.config, self.board, self.motion = state, config, board, motion
        self.setup = motion.setup

    def numbers(self, values: Iterable[float]) -> str:
        """Format axis values; linear axes in inches with $13."""
        inches = self.state.settings[s.INCHES]
        scales = [
            1.0 / INCH if inches and not turns else 1.0 for turns in self.setup.profile.rotary
        ]
        digits = 4 if inches else 3
        return ",".join(
            f"{round(value * scale, digits) + 0.0:.{digits}f}"
            for value, scale in zip(values, scales, strict=True)
        )

    def mode(self) -> str:
        state = self.state
        match state.mode:
            case "Hold":
                return f"Hold:{int(self.motion.moving())}"
            case "Door":
                return f"Door:{2 if self.motion.moving() else 1 if self.board.input['door'] else 0}"
            case "Alarm" if state.alarm and (
                state.schedule.all or int(state.settings[s.REPORT]) & s.REPORT_ALARM
            ):
                return f"Alarm:{state.alarm}"
            case _:
                return state.mode

    def status(self) -> str:
        """Return a status report. It counts towards the periodic fields."""
        state, options = self.state, int(self.state.settings[s.REPORT])
        rows, speed, tag = self.motion.peek()
        offset = state.coordinates.offset(state.modal.system)
        machine = bool(options & s.REPORT_MPOS)
        place = [
            float(at) - (0.0 if machine else shift)
            for at, shift in zip(self.setup.axis_values(rows[p.AT].tolist()), offset, strict=True)
        ]
        fields = [self.mode(), f"{'MPos' if machine else 'WPos'}:{self.numbers(place)}"]
        if options & s.REPORT_BUFFER:
            fields.append(f"Bf:{self.motion.room()},{self.rx_free()}")
        if options & s.REPORT_LINE and state.lines.get(tag):
            fields.append(f"Ln:{state.lines[tag]}")
        if options & s.REPORT_FEED:
            on = state.spindle != 5
            spindle = state.spindle_speed * state.spindle_percent / 100 if on else 0
            fields.append(f"FS:{speed * 60:.0f},{spindle:.0f}")
        if options & s.REPORT_PINS and (pins := self.signals()):
            fields.append(f"Pn:{pins}")
        fields += self._periodic_fields(options)
        return f"<{'|'.join(fields)}>\r\n"

    def rx_free(self) -> int:
        """Return the free bytes of the receive buffer.

        A sender that overfills it is held back by the transport, as on TCP and USB.
        """
        return max(0, self.config.rx_bytes - 1 - sum(line.size for line in self.state.rx))

    def signals(self) -> str:
        """Return the letters of active signals, in the firmware's order."""
        switches, inputs = self.state.switches, self.board.input
        on = {"D": inputs["door"], "L": switches.block_delete, "T": switches.optional_stop_off,
              "E": inputs["estop"],
              "Q": switches.single_block, "P": inputs["probe"]}  # fmt: skip
        return "".join(letter for letter, is_on in on.items() if is_on)

    def _periodic_fields(self, options: int) -> list[str]:
        """Return the periodic fields and those that have changed.

        Offsets and overrides share a report only if it is a full one, or names a new system.
        """
        state, plan = self.state, self.state.schedule
        busy, everything = state.mode in BUSY, plan.all
        offsets = overrides = late = False
        if options & s.REPORT_OVERRIDES:
            overrides = plan.overrides_in == 0 or plan.overrides or everything
            if overrides:
                plan.overrides_in = (OVERRIDES_BUSY if busy else OVERRIDES_IDLE) - 1
            else:
                plan.overrides_in -= 1
            if not busy:
                plan.overrides_in = min(plan.overrides_in, OVERRIDES_IDLE - 1)
        if options & s.REPORT_WCO:
            if plan.offsets_in == 0 or plan.offsets or plan.system or everything:
                plan.offsets_in = (OFFSETS_BUSY if busy else OFFSETS_IDLE) - 1
                offsets = not overrides or plan.system or everything
                late = not offsets
            else:
                plan.offsets_in -= 1
            if not busy:
                plan.offsets_in = min(plan.offsets_in, OFFSETS_IDLE - 1)
        found = []
        if offsets:
            found.append(f"WCO:{self.numbers(state.coordinates.offset(state.modal.system))}")
        if plan.system or everything:
            found.append(f"WCS:{SYSTEMS[state.modal.system]}")
        if overrides:
            found.append(f"Ov:{state.feed_percent},{state.rapid_percent},{state.spindle_percent}")
        found += self._changed_fields(overrides)
        state.schedule = Schedule(
            plan.offsets_in, plan.overrides_in, late, accessories=False, reference=False
        )
        return found

    def _changed_fields(self, overrides: bool) -> list[str]:
        """Return the fields that follow a change, or all of them in a full report."""
        state, plan, found = self.state, self.state.schedule, []
        everything, changing = plan.all, state.mode == "Tool"
        is_on = state.spindle != 5 or state.mist or state.flood
        if everything or plan.accessories or plan.tool or changing or (overrides and is_on):
            on = {3: "S", 4: "C"}.get(state.spindle, "") + "F" * state.flood + "M" * state.mist
            found.append(f"A:{on}{'T' * (changing and not plan.tool)}")
        if everything or plan.scaling:
            found.append(f"Sc:{self.scaled_axes()}")
        if everything and (interval := int(state.settings[s.REPORT_INTERVAL])):
            found.append(f"AR:{interval}" if state.switches.reporting else "AR")
        if everything:
            found.append("MPG:0")
        if everything or plan.homed:
            single = f",{state.homed}" if int(state.settings[s.HOMING]) & s.SINGLE_AXIS else ""
            found.append(f"H:{int(state.homed == (1 << AXES) - 1)}{single}")
        if everything or plan.tool:
            found.append(f"T:{state.modal.loaded}")
        if everything:
            found.append("P:0")
        if everything or plan.reference:
            found.append(f"TLR:{int(bool(state.tool_reference))}")
        if (everything or plan.input) and state.m66_result > NO_M66:
            found.append(f"In:{state.m66_result}")
        if everything:
            found += ["FW:grblHAL", *(["$C:1"] if state.critical else [])]
        return found

    def scaled_axes(self) -> str:
        """Return the letters of the axes that G51 scales."""
        letters, scale = self.config.letters, self.state.modal.scale
        return "".join(letter for letter, by in zip(letters, scale, strict=True) if by != 1.0)

    def modes(self) -> str:
        """Return the report of `$G`."""
        modal, state = self.state.modal, self.state
        motion = f"G{modal.motion // 10}" + (f".{modal.motion % 10}" if modal.motion % 10 else "")
        words = [motion, SYSTEMS[modal.system], f"G{modal.plane}", "G20" if modal.inches else "G21"]
        if any(state.coordinates.g92):
            words.insert(2, "G92")
        words += [
            "G91" if modal.incremental else "G90",
            "G93" if modal.inverse_time else "G94",
            "G40",
        ]
        words.append("G43.1" if any(state.coordinates.tool) else "G49")
        words.append("G99" if modal.retract_at_r else "G98")
        words.append(f"G51:{scaled}" if (scaled := self.scaled_axes()) else "G50")
        words += [
            f"M{modal.spindle}",
            *(["M6"] if state.mode == "Tool" else []),
            *(["M7"] if modal.mist else []),
            *(["M8"] if modal.flood else []),
        ]
        if not (modal.mist or modal.flood):
            words.append("M9")
        enabled = {
            "M50": state.feed_override,
            "M51": state.speed_override,
            "M53": state.feed_hold,
        }
        words += [word for word, is_on in enabled.items() if not is_on]
        point = "." if self.config.compat == "grblHAL" else ""  # its S has one, without digits
        words += [f"T{modal.loaded}", f"F{modal.feed:.0f}", f"S{modal.speed:.0f}{point}"]
        state.schedule.homed = True
        return f"[GC:{' '.join(words)}]\r\n"

    def parameters(self) -> str:
        """Return the report of `$#`."""
        state, stored = self.state, self.state.coordinates
        rows = [f"[G51:{self.numbers(state.modal.scale)}]"] if self.scaled_axes() else []
        rows += [
            f"[{name}:{self.numbers(values)}]"
            for name, values in zip(SYSTEMS, stored.systems, strict=True)
        ]
        rows += [
            f"[G28:{self.numbers(stored.g28)}]",
            f"[G30:{self.numbers(stored.g30)}]",
            f"[G92:{self.numbers(stored.g92)}]",
        ]
        if int(state.settings[s.HOMING]) & 1:
            rows.append(f"[HOME:{self.numbers(self._home())}:{state.homed}]")
        rows.append(f"[TLO:{self.numbers(stored.tool)}]")
        reference = [f"[TLR:{value:.3f}]\r\n" for value in state.tool_reference]
        return "\r\n".join(rows) + "\r\n" + self.probe() + "".join(reference)

    def _home(self) -> list[float]:
        """Return the position where the axes were homed; zeros before."""
        state = self.state
        if self.setup.tool is not None and state.homed != (1 << AXES) - 1:
            return [0.0] * AXES
        return self.setup.axis_values(list(state.home)) if state.homed else [0.0] * AXES

    def probe(self) -> str:
        found = self.state.probe
        return f"[PRB:{self.numbers(found.position)}:{int(found.touched)}]\r\n"

    def build_info(self) -> str:
        """Return the report of `$I`."""
        config = self.config
        rows = [f"[VER:1.1f.{BUILD}:{self.state.build_info}]"]
        if config.compat == "grbl":
            return (
                "\r\n".join([*rows, f"[OPT:VNM,{config.planner_blocks},{config.rx_bytes}]"])
                + "\r\n"
            )
        rows += [
            f"[OPT:VNML+,{config.planner_blocks},{config.rx_bytes},{AXES},0]",
            f"[AXS:{AXES}:{config.letters}]",
            "[NEWOPT:ENUMS,RT-,HOME,ES,EXPR,TC,SED]",
            "[FIRMWARE:grblHAL]",
            "[SIGNALS:DE]",
            "[DRIVER:rigless]",
            "[BOARD:simulated six-axis welder]",
            "[AUX IO:32,32,8,8]",
        ]
        return "\r\n".join(rows) + "\r\n"
