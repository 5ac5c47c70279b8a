"""The `$` commands: reports, settings, unlocking, homing, jogging, check mode, sleep."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rigless.robots.welder.controller import alarms, moves, reports
from rigless.robots.welder.controller import main_loop as lines
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import Coordinates
from rigless.robots.welder.gcode.words import GcodeError, read_block

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

STARTUP_LONGEST = 70
SPINDLE = "Weld source"
HELP = (
    "[HLP:$$ $# $G $I $N $x=val $Nx=line $J=line $SLP $C $X $H $B $O $S $RST= $ES $ESG $ESH $SED= $EA $EE $EG"
    " $PINS $SPINDLES ~ ! ? ctrl-x]"
)
# What may be asked while a critical alarm waits for its reset.
WHILE_CRITICAL = {
    "", "$", "+", "#", "G", "I", "I+", "N", "EA", "EE", "EG", "ES", "ESG", "ESH", "SED", "EAG", "EEG", "PINS", "SPINDLES", "SPINDLESH",
    "HELP", "RST",
}  # fmt: skip


def execute(robot: "Welder", text: str) -> None:
    """One `$` line: says its report, or leaves steps to be done. Raises GcodeError."""
    name, equals, value = text[1:].partition("=")
    name = name.replace(" ", "").upper()
    state = robot.state
    if state.critical and name not in WHILE_CRITICAL and not name.isdigit():
        raise GcodeError(codes.NOT_WHILE_CRITICAL)
    if name == "J":
        if not equals:
            raise GcodeError(codes.INVALID_STATEMENT)
        lines.check_jog(robot, value)
    elif name == "RST":
        restore(robot, value)
    elif name == "SED" and equals:
        describe(robot, value)
    elif name == "#" and equals:
        robot.say(reports.parameter(robot, value))
    elif name == "I" and equals:
        set_build_info(robot, value)
    elif name in ("N0", "N1") and equals:
        set_startup(robot, int(name[1]), value)
    elif name.isdigit() and name.isascii():
        setting(robot, name, value if equals else None)
    elif equals:
        raise GcodeError(codes.INVALID_STATEMENT)
    elif name.startswith("H") and not name.startswith("HELP"):
        home(robot, name[1:])
    elif name in ACTIONS:
        ACTIONS[name](robot)
    else:
        robot.say(report(robot, name))


def report(robot: "Welder", name: str) -> str:
    table, letters = robot.table, robot.config.letters
    values = robot.state.settings
    match name:
        case "" | "HELP":
            rows = [HELP]
        case "$" | "+":
            rows = [s.shown(row, values[number]) for number, row in table.items()]
        case "G":
            return reports.modes(robot)
        case "#":
            return reports.parameters(robot)
        case "I" | "I+":
            return reports.build_info(robot)
        case "N":
            rows = [f"$N{n}={line}" for n, line in enumerate(robot.state.startup)]
        case "EA":
            rows = [f"[ALARMCODE:{number}||{text}]" for number, text in codes.ALARMS.items()]
        case "EE":
            rows = [f"[ERRORCODE:{number}||{text}]" for number, text in codes.ERRORS.items()]
        case "EAG" | "EEG":
            what, texts = ("Alarm", codes.ALARMS) if name == "EAG" else ("Error", codes.ERRORS)
            rows = [f'"{what} Code in v1.1+","{what} Message in v1.0-","{what} Description"']
            rows += [f'"{number}","N/A","{text}"' for number, text in texts.items()]
        case "EG":
            rows = [f"[SETTINGGROUP:{number}|0|{text}]" for number, text in s.GROUPS.items()]
        case "ES":
            rows = [s.described(row) for row in table.values()]
        case "ESG":
            rows = [s.GRBL_HEAD, *map(s.described_grbl, table.values())]
        case "ESH":
            rows = [s.HAL_HEAD, *map(s.described_hal, table.values())]
        case "SPINDLES":
            rows = [f"0 - {SPINDLE}"]
        case "SPINDLESH":
            rows = [f"[SPINDLE:0|0|0|*DV|{SPINDLE}|{values[31]:.1f},{values[30]:.1f}]"]
        case "PINS":
            rows = [f"[PIN:{letter}-axis limit,in]" for letter in letters]
            rows += ["[PIN:Probe,in]", "[PIN:Safety door,in]", "[PIN:Emergency stop,in]"]
            rows += [
                f"[PIN:Aux {kind} {n}]"
                for kind, count in (("DI", 32), ("DO", 32), ("AI", 8), ("AO", 8))
                for n in range(count)
            ]
        case _:
            raise GcodeError(codes.INVALID_STATEMENT)
    return "\r\n".join(rows) + "\r\n"


def setting(robot: "Welder", name: str, value: str | None) -> None:
    """`$n` shows a setting, `$n=value` changes it."""
    state = robot.state
    row = robot.table.get(int(name[:6]))
    if row is None:
        raise GcodeError(codes.SETTING_DISABLED)
    if value is None:
        robot.say(s.shown(row, state.settings[row.number]) + "\r\n")
        return
    if state.mode not in ("Idle", "Alarm", "Check"):
        raise GcodeError(codes.NOT_IDLE)
    number = s.parse(row, value)
    if row.number == s.SOFT_LIMITS and number and not int(state.settings[s.HOMING]) & 1:
        raise GcodeError(codes.SOFT_LIMIT_NEEDS_HOMING)
    state.settings[row.number] = number
    if row.number == s.REPORT_INTERVAL:
        robot.report_by_itself()
    if row.number == s.HOMING and not int(number) & 1:
        state.settings[s.SOFT_LIMITS] = 0.0
    robot.apply_settings()
    robot.store()


def set_build_info(robot: "Welder", value: str) -> None:
    if len(value) > STARTUP_LONGEST:
        raise GcodeError(codes.LINE_TOO_LONG)
    robot.state.build_info = value
    robot.store()


def set_startup(robot: "Welder", number: int, value: str) -> None:
    """A line to be run after each reset; it must be G-code."""
    if robot.state.mode not in ("Idle", "Alarm"):
        raise GcodeError(codes.NOT_IDLE)
    if len(value) > STARTUP_LONGEST:
        raise GcodeError(codes.LINE_TOO_LONG)
    read_block(value, robot.profile.letters)
    robot.state.startup[number] = value.strip()
    robot.store()


def restore(robot: "Welder", what: str) -> None:
    """`$RST=$` settings, `#` offsets, `&` neither of ours, `*` all."""
    if robot.state.mode not in ("Idle", "Alarm"):
        raise GcodeError(codes.NOT_IDLE)
    if what not in ("$", "#", "*", "&"):
        raise GcodeError(codes.INVALID_STATEMENT)
    if what in "$*":
        robot.state.settings = s.defaults(robot.table)
        robot.apply_settings()
    if what in "#*":
        robot.state.coordinates = Coordinates()
        robot.state.schedule.offsets = True
    if what == "*":
        robot.state.startup, robot.state.build_info = ["", ""], ""
    robot.say("[MSG:Restoring defaults]\r\n")
    robot.store()


def home(robot: "Welder", letters: str) -> None:
    """`$H`, or `$H` with axis letters."""
    state, known = robot.state, robot.config.letters
    if not all(letter in known for letter in letters):
        raise GcodeError(codes.INVALID_STATEMENT)
    if state.mode not in ("Idle", "Alarm"):
        raise GcodeError(codes.NOT_IDLE)
    if not int(state.settings[s.HOMING]) & 1:
        raise GcodeError(codes.HOMING_DISABLED)
    if robot.input["door"]:
        raise GcodeError(codes.CHECK_DOOR)
    state.steps = [("home", sum(1 << known.index(letter) for letter in set(letters)))]


def unlock(robot: "Welder") -> None:
    state = robot.state
    if robot.input["estop"]:
        raise GcodeError(codes.EMERGENCY_STOP)
    if robot.input["door"]:
        raise GcodeError(codes.CHECK_DOOR)
    if state.mode == "Alarm":
        state.mode, state.alarm = "Idle", 0
        robot.say("[MSG:Caution: Unlocked]\r\n")


def check(robot: "Welder") -> None:
    """`$C`: parse, but do not move; leaving it is a reset."""
    state = robot.state
    if state.mode == "Check":
        robot.say("[MSG:Disabled]\r\n")
        state.mode = "Idle"
        lines.answer(robot, codes.OK)
        alarms.reset(robot)
    elif state.mode == "Idle":
        state.mode = "Check"
        robot.say("[MSG:Enabled]\r\n")
    else:
        raise GcodeError(codes.NOT_IDLE)


def sleep(robot: "Welder") -> None:
    state = robot.state
    if not state.settings[s.SLEEP]:
        raise GcodeError(codes.INVALID_STATEMENT)
    if state.mode not in ("Idle", "Alarm"):
        raise GcodeError(codes.NOT_IDLE)
    lines.answer(robot, codes.OK)
    robot.say("[MSG:Sleeping]\r\n")
    moves.drop(robot)
    robot.set_spindle(5, 0.0)
    robot.set_coolant(False, False)
    state.mode = "Sleep"


def describe(robot: "Welder", number: str) -> None:
    """`$SED=n`: what a setting is for."""
    row = robot.table.get(int(number[:6])) if number.isdigit() and number.isascii() else None
    if row is None:
        raise GcodeError(codes.SETTING_DISABLED)
    robot.say(f"[SETTINGDESCR:{row.number}|{row.name}.]\r\n")


def toggle(robot: "Welder", switch: str) -> None:
    """`$B` block delete, `$S` single block, `$O` M1 does not stop."""
    switches = robot.state.switches
    setattr(switches, switch, not getattr(switches, switch))
    robot.say(f"[MSG:{'Enabled' if getattr(switches, switch) else 'Disabled'}]\r\n")


ACTIONS: dict[str, Callable[["Welder"], None]] = {
    "X": unlock,
    "C": check,
    "SLP": sleep,
    "B": lambda robot: toggle(robot, "block_delete"),
    "S": lambda robot: toggle(robot, "single_block"),
    "O": lambda robot: toggle(robot, "optional_stop_off"),
}
