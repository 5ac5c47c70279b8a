"""What the controller reports, as text: status, parser state, offsets, build info. Field order and schedules are grblHAL's."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rigless.motion import planner as p
from rigless.robots.welder.controller import main_loop as lines
from rigless.robots.welder.controller import moves
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode.modal import AXES, INCH, SYSTEMS

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

BUILD = "20260101"  # [ours] what `$I` says; grblHAL's is a date
BUSY = ("Home", "Run", "Hold", "Jog", "Door")
OFFSETS_BUSY, OFFSETS_IDLE, OVERRIDES_BUSY, OVERRIDES_IDLE = (
    30,
    10,
    20,
    10,
)  # reports between two that carry the field


def greeting(compat: str) -> str:
    name = "GrblHAL" if compat == "grblHAL" else "Grbl"
    hint = "['$' or '$HELP' for help]" if compat == "grblHAL" else "['$' for help]"
    return f"\r\n{name} 1.1f {hint}\r\n"


def numbers(robot: "Welder", values: Iterable[float]) -> str:
    """Axis values; in inches for linear axes if $13 says so."""
    inches = robot.state.settings[s.INCHES]
    scales = [1.0 / INCH if inches and not turns else 1.0 for turns in robot.profile.rotary]
    digits = 4 if inches else 3
    return ",".join(
        f"{round(value * scale, digits) + 0.0:.{digits}f}"
        for value, scale in zip(values, scales, strict=True)
    )


def mode(robot: "Welder") -> str:
    state = robot.state
    match state.mode:
        case "Hold":
            return f"Hold:{int(moves.moving(robot))}"
        case "Door":
            return f"Door:{2 if moves.moving(robot) else 1 if robot.input['door'] else 0}"
        case "Alarm" if state.alarm and (
            state.schedule.all or int(state.settings[s.REPORT]) & s.REPORT_ALARM
        ):
            return f"Alarm:{state.alarm}"
        case _:
            return state.mode


def status(robot: "Welder") -> str:
    """A status report; counts towards the fields that come now and then."""
    state, options = robot.state, int(robot.state.settings[s.REPORT])
    rows, speed, tag = moves.peek(robot)
    offset = state.coordinates.offset(state.modal.system)
    machine = bool(options & s.REPORT_MPOS)
    place = [
        float(at) - (0.0 if machine else shift)
        for at, shift in zip(robot.place(rows[p.AT].tolist()), offset, strict=True)
    ]
    fields = [mode(robot), f"{'MPos' if machine else 'WPos'}:{numbers(robot, place)}"]
    if options & s.REPORT_BUFFER:
        fields.append(f"Bf:{moves.room(robot)},{robot.rx_free()}")
    if options & s.REPORT_LINE and state.lines.get(tag):
        fields.append(f"Ln:{state.lines[tag]}")
    if options & s.REPORT_FEED:
        fields.append(
            f"FS:{speed * 60:.0f},{state.spindle_speed * state.spindle_percent / 100 if state.spindle != 5 else 0:.0f}"
        )
    if options & s.REPORT_PINS and (pins := signals(robot)):
        fields.append(f"Pn:{pins}")
    fields += _now_and_then(robot, options)
    return f"<{'|'.join(fields)}>\r\n"


def signals(robot: "Welder") -> str:
    """The letters of what is on, in the firmware's order."""
    switches, inputs = robot.state.switches, robot.input
    on = {"D": inputs["door"], "L": switches.block_delete, "T": switches.optional_stop_off, "E": inputs["estop"],
          "Q": switches.single_block, "P": inputs["probe"]}  # fmt: skip
    return "".join(letter for letter, is_on in on.items() if is_on)


def _now_and_then(robot: "Welder", options: int) -> list[str]:
    """Offsets, overrides and what else has changed. Offsets and overrides share no report, unless all is asked for."""
    state, plan = robot.state, robot.state.schedule
    busy, everything = state.mode in BUSY, plan.all
    offsets = overrides = accessories = late = False
    if options & s.REPORT_OVERRIDES:
        overrides = plan.overrides_in == 0 or plan.overrides or everything
        if overrides:
            plan.overrides_in = (OVERRIDES_BUSY if busy else OVERRIDES_IDLE) - 1
            accessories = (
                plan.accessories or everything or state.spindle != 5 or state.mist or state.flood
            )
        else:
            plan.overrides_in -= 1
        if not busy:
            plan.overrides_in = min(plan.overrides_in, OVERRIDES_IDLE - 1)
    if options & s.REPORT_WCO:
        if plan.offsets_in == 0 or plan.offsets or everything:
            plan.offsets_in = (OFFSETS_BUSY if busy else OFFSETS_IDLE) - 1
            offsets = not overrides or everything
            late = not offsets
        else:
            plan.offsets_in -= 1
        if not busy:
            plan.offsets_in = min(plan.offsets_in, OFFSETS_IDLE - 1)
    found = []
    if offsets:
        found.append(f"WCO:{numbers(robot, state.coordinates.offset(state.modal.system))}")
    if everything:
        found.append(f"WCS:{SYSTEMS[state.modal.system]}")
    if overrides:
        found.append(f"Ov:{state.feed_percent},{state.rapid_percent},{state.spindle_percent}")
    if accessories or (plan.accessories and overrides):
        on = {3: "S", 4: "C"}.get(state.spindle, "") + "F" * state.flood + "M" * state.mist
        found.append(f"A:{on}")
    if everything and (interval := int(state.settings[s.REPORT_INTERVAL])):
        found.append(f"AR:{interval}" if state.switches.reporting else "AR")
    if everything:
        found += [f"H:{int(state.homed == 63)}", f"T:{state.modal.tool}"]
    if plan.input or everything:
        found.append(f"In:{state.waited}")
    if everything:
        found += ["FW:grblHAL", *(["$C:1"] if state.critical else [])]
    plan.offsets, plan.input, plan.all = late, False, False
    if overrides:
        plan.overrides = plan.accessories = False
    return found


def modes(robot: "Welder") -> str:
    """`$G`."""
    modal, state = robot.state.modal, robot.state
    motion = f"G{modal.motion // 10}" + (f".{modal.motion % 10}" if modal.motion % 10 else "")
    words = [motion, SYSTEMS[modal.system], f"G{modal.plane}", "G20" if modal.inches else "G21"]
    if any(state.coordinates.g92):
        words.insert(2, "G92")
    words += ["G91" if modal.incremental else "G90", "G93" if modal.inverse_time else "G94", "G40"]
    words += ["G43.1" if any(state.coordinates.tool) else "G49", "G98", "G50"]
    words += [
        f"M{modal.spindle}",
        *(["M7"] if modal.mist else []),
        *(["M8"] if modal.flood else []),
    ]
    if not (modal.mist or modal.flood):
        words.append("M9")
    words += [f"T{modal.tool}", f"F{modal.feed:.0f}", f"S{modal.speed:.0f}"]
    return f"[GC:{' '.join(words)}]\r\n"


def parameters(robot: "Welder") -> str:
    """`$#`."""
    kept = robot.state.coordinates
    rows = [
        f"[{name}:{numbers(robot, values)}]"
        for name, values in zip(SYSTEMS, kept.systems, strict=True)
    ]
    rows += [
        f"[G28:{numbers(robot, kept.g28)}]",
        f"[G30:{numbers(robot, kept.g30)}]",
        f"[G92:{numbers(robot, kept.g92)}]",
    ]
    rows.append(
        f"[HOME:{numbers(robot, robot.place(list(robot.config.homing.pose_deg)))}:{robot.state.homed}]"
    )
    rows.append(f"[TLO:{numbers(robot, kept.tool)}]")
    return "\r\n".join(rows) + "\r\n" + probe(robot)


def parameter(robot: "Welder", text: str) -> str:
    """`$#=n`, with a parameter's number or name."""
    name = text.strip().lower()
    key = int(name) if name.isdigit() and name.isascii() and len(name) < 6 else name
    value = lines.where(robot).find(key)
    return f"[PARAM:{name[:30]}={'N/A' if value is None else f'{value:.4f}'.rstrip('0').rstrip('.')}]\r\n"


def probe(robot: "Welder") -> str:
    found = robot.state.probe
    return f"[PRB:{numbers(robot, found.position)}:{int(found.touched)}]\r\n"


def build_info(robot: "Welder") -> str:
    """`$I`."""
    config = robot.config
    rows = [f"[VER:1.1f.{BUILD}:{robot.state.build_info}]"]
    if config.compat == "grbl":
        return "\r\n".join([*rows, f"[OPT:VNM,{config.planner_blocks},{config.rx_bytes}]"]) + "\r\n"
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
