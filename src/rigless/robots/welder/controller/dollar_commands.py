"""The `$` commands: reports, settings, unlocking, homing, jogging, check mode, sleep."""

from collections.abc import Callable

from rigless.robots.welder import pins
from rigless.robots.welder.board import Board
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.line_parser import LineParser
from rigless.robots.welder.controller.motion.accessories import Accessories
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.controller.replies import Replies
from rigless.robots.welder.controller.reports import Reports
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.interpreter import PLANES
from rigless.robots.welder.gcode.modal import Coordinates
from rigless.robots.welder.gcode.words import GcodeError, read_block
from rigless.robots.welder.state import WelderState

LONGEST_STARTUP = 70
SPINDLE = "Weld source"
HELP = (
    "[HLP:$$ $# $G $I $N $x=val $Nx=line $J=line $SLP $C $X $H $B $O $S $RST="
    " $TLR $ES $ESG $ESH $SED= $EA $EE $EG $E* $PINS $PINSTATE $LEV $LIM $HSS"
    " $SPINDLES ~ ! ? ctrl-x]"
)
# Commands that are allowed while a critical alarm waits for its reset.
WHILE_CRITICAL = {
    "", "$", "+", "#", "G", "I", "I+", "N", "EA", "EE", "EG", "ES", "ESG", "ESH", "SED", "EAG",
    "EEG", "E*", "PINS", "PINSTATE", "PORTS", "LEV", "LIM", "HSS", "SPINDLES", "SPINDLESH", "HELP",
    "RST",
}  # fmt: skip
# Commands without a value that are known, apart from `$H` with axis letters.
COMMANDS = WHILE_CRITICAL | {"B", "C", "H", "J", "N0", "N1", "O", "S", "SLP", "TLR", "X"}
# States in which these reports are given, because they take long; the others always are.
AT_REST = ("Idle", "Alarm", "Check")
READABLE = {
    "$": (*AT_REST, "Jog", "Home", "Sleep", "Tool"),
    "+": (*AT_REST, "Jog", "Home", "Sleep", "Tool"),
    "I": (*AT_REST, "Sleep"),
    "N": AT_REST,
}
SWITCHES = {"B": "block_delete", "S": "single_block", "O": "optional_stop_off"}


class DollarCommands:
    def __init__(
        self,
        state: WelderState,
        config: WelderConfig,
        board: Board,
        motion: Motion,
        accessories: Accessories,
        parser: LineParser,
        reports: Reports,
        replies: Replies,
        reset: Callable[[], None],
    ):
        self.state, self.config, self.board, self.motion = state, config, board, motion
        self.accessories, self.parser, self.setup = accessories, parser, motion.setup
        self.reports, self.replies, self.reset = reports, replies, reset
        self.table = s.table(config)

    def execute(self, text: str) -> None:
        """Execute a `$` line: send its report, or leave steps to execute. Raises GcodeError."""
        name, equals, value = text[1:].partition("=")
        name = name.replace(" ", "").upper()
        state = self.state
        if state.critical and name not in WHILE_CRITICAL and not name.isdigit():
            raise GcodeError(codes.NOT_WHILE_CRITICAL)
        if name == "J":
            if not equals:
                raise GcodeError(codes.INVALID_STATEMENT)
            self.parser.parse_jog(value)
        elif name == "RST":
            self._restore(value)
        elif name == "SED" and equals:
            self._describe(value)
        elif name == "#" and equals:
            self._send(self._parameter(value))
        elif name == "I" and equals:
            self._set_build_info(value)
        elif name in ("N0", "N1") and equals:
            self._set_startup(int(name[1]), value)
        elif name.isdigit() and name.isascii():
            self._setting(name, value if equals else None)
        elif equals:
            raise GcodeError(codes.INVALID_STATEMENT)
        elif name.startswith("H") and name != "HSS" and not name.startswith("HELP"):
            self._home(name[1:])
        elif name == "X":
            self._unlock()
        elif name == "C":
            self._check()
        elif name == "SLP":
            self._sleep()
        elif name == "TLR":
            self._set_tool_reference()
        elif name in SWITCHES:
            self._toggle(SWITCHES[name])
        else:
            self._send(self._report(name))

    def _send(self, text: str) -> None:
        self.board.send_text(text)

    def _parameter(self, text: str) -> str:
        """Return the report of `$#=n`, with a parameter's number or name."""
        name = text.strip().lower()
        key = int(name) if name.isdigit() and name.isascii() and len(name) < 6 else name
        value = self.parser.scope().find(key)
        shown = "N/A" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")
        return f"[PARAM:{name[:30]}={shown}]\r\n"

    def _report(self, name: str) -> str:
        table, letters = self.table, self.config.letters
        values = self.state.settings
        if self.state.mode not in READABLE.get(name, (self.state.mode,)):
            raise GcodeError(codes.NOT_IDLE)
        match name:
            case "" | "HELP":
                rows = [HELP]
            case "$" | "+":
                rows = [s.shown(row, values[number]) for number, row in table.items()]
            case "G":
                return self.reports.modes()
            case "#":
                return self.reports.parameters()
            case "I" | "I+":
                return self.reports.build_info()
            case "N":
                rows = [f"$N{n}={line}" for n, line in enumerate(self.state.startup)]
            case "EA":
                rows = [f"[ALARMCODE:{number}||{text}]" for number, text in codes.ALARMS.items()]
            case "EE":
                rows = [f"[ERRORCODE:{number}||{text}]" for number, text in codes.ERRORS.items()]
            case "EAG" | "EEG":
                what, texts = ("Alarm", codes.ALARMS) if name == "EAG" else ("Error", codes.ERRORS)
                rows = [f'"{what} Code in v1.1+","{what} Message in v1.0-","{what} Description"']
                rows += [f'"{number}","N/A","{text}"' for number, text in texts.items()]
            case "E*":
                return "".join(self._report(part) for part in ("EA", "EE", "EG", "ES"))
            case "EG":
                rows = [f"[SETTINGGROUP:{number}|0|{text}]" for number, text in s.GROUPS.items()]
                rows += [
                    f"[SETTINGGROUP:{s.AXIS_GROUP + 1 + axis}|{s.AXIS_GROUP}|{letter}-axis]"
                    for axis, letter in enumerate(letters)
                ]
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
            case "PINSTATE":
                rows = self._pin_states()
            case "LEV":
                rows = [f"[LASTEVENTS:{self.state.last_signals},,,,]"]
            case "LIM":
                rows = ["[LIMITS:,,,]"]
            case "HSS":
                rows = ["[HOMES:,:L]"]
            case "PORTS":
                return ""
            case _:
                raise GcodeError(codes.INVALID_STATEMENT)
        return "\r\n".join(rows) + "\r\n"

    def _pin_states(self) -> list[str]:
        """Return the rows of `$PINSTATE`: auxiliary pins with their values."""
        inputs, outputs = self.board.input, self.state.outputs
        rows = [
            f"[PINSTATE:DIN|Aux DI {n}|{n}|N---|----|{int(bool(inputs[f'di{n}']))}]"
            for n in range(pins.DIGITAL)
        ]
        rows += [
            f"[PINSTATE:DOUT|Aux DO {n}|{n}|N|-|{outputs.digital >> n & 1}]"
            for n in range(pins.DIGITAL)
        ]
        analog = range(pins.ANALOG)
        rows += [f"[PINSTATE:AIN|Aux AI {n}|{n}|||{int(inputs[f'ai{n}'])}|12]" for n in analog]
        rows += [f"[PINSTATE:AOUT|Aux AO {n}|{n}|N|N|{int(outputs.analog[n])}|12]" for n in analog]
        return rows

    def _setting(self, name: str, value: str | None) -> None:
        """`$n` shows a setting, `$n=value` changes it."""
        state = self.state
        if state.mode not in ("Idle", "Alarm", "Check"):
            raise GcodeError(codes.NOT_IDLE)
        row = self.table.get(int(name[:6]))
        if row is None:
            raise GcodeError(codes.SETTING_DISABLED)
        if value is None:
            self._send(s.shown(row, state.settings[row.number]) + "\r\n")
            return
        number = s.parse(row, value)
        if row.number == s.SOFT_LIMITS and number and not int(state.settings[s.HOMING]) & 1:
            raise GcodeError(codes.SOFT_LIMIT_NEEDS_HOMING)
        state.settings[row.number] = number
        if row.number == s.REPORT_INTERVAL:
            self.board.start_periodic_reports()
        if row.number == s.HOMING and not int(number) & 1:
            state.settings[s.SOFT_LIMITS] = 0.0
        self.setup.apply()
        self.board.store()

    def _set_build_info(self, value: str) -> None:
        if len(value) > LONGEST_STARTUP:
            raise GcodeError(codes.LINE_TOO_LONG)
        self.state.build_info = value
        self.board.store()

    def _set_startup(self, number: int, value: str) -> None:
        """Set a line of G-code that is run after each reset."""
        if self.state.mode not in ("Idle", "Alarm"):
            raise GcodeError(codes.NOT_IDLE)
        if len(value) > LONGEST_STARTUP:
            raise GcodeError(codes.LINE_TOO_LONG)
        read_block(value, self.setup.profile.letters)
        self.state.startup[number] = value.strip()
        self.board.store()

    def _restore(self, what: str) -> None:
        """`$RST=`: restore defaults of settings (`$`), offsets (`#`) or all (`*`)."""
        if self.state.mode not in ("Idle", "Alarm"):
            raise GcodeError(codes.NOT_IDLE)
        if what not in ("$", "#", "*", "&"):
            raise GcodeError(codes.INVALID_STATEMENT)
        if what in "$*":
            self.state.settings = s.defaults(self.table)
            self.setup.apply()
        if what in "#*":
            self.state.coordinates = Coordinates()
            self.state.schedule.offsets = True
        if what == "*":
            self.state.startup, self.state.build_info = ["", ""], ""
        self._send("[MSG:Restoring defaults]\r\n")
        self.board.store()
        self.replies.reply(codes.OK)
        self.reset()

    def _home(self, letters: str) -> None:
        """`$H`, or `$H` with axis letters."""
        state, known = self.state, self.config.letters
        if not all(letter in known for letter in letters):
            raise GcodeError(codes.INVALID_STATEMENT)
        if state.mode not in ("Idle", "Alarm"):
            raise GcodeError(codes.NOT_IDLE)
        if not int(state.settings[s.HOMING]) & 1:
            raise GcodeError(codes.HOMING_DISABLED)
        if self.board.input["door"]:
            raise GcodeError(codes.CHECK_DOOR)
        state.steps = [("home", sum(1 << known.index(letter) for letter in set(letters)))]

    def _unlock(self) -> None:
        state = self.state
        if self.board.input["estop"]:
            raise GcodeError(codes.EMERGENCY_STOP)
        if self.board.input["door"]:
            raise GcodeError(codes.CHECK_DOOR)
        if state.mode == "Alarm":
            state.mode, state.alarm = "Idle", 0
            self._send("[MSG:Caution: Unlocked]\r\n")

    def _check(self) -> None:
        """`$C`: check mode, parse without motion. Leaving it is a reset."""
        state = self.state
        if state.mode == "Check":
            self._send("[MSG:Disabled]\r\n")
            state.mode = "Idle"
            self.replies.reply(codes.OK)
            self.reset()
        elif state.mode == "Idle":
            state.mode = "Check"
            self._send("[MSG:Enabled]\r\n")
        else:
            raise GcodeError(codes.NOT_IDLE)

    def _set_tool_reference(self) -> None:
        """`$TLR`: the last probed position of the axis normal to the plane, or none."""
        state = self.state
        axis = PLANES[state.modal.plane][2]
        state.tool_reference = [state.probe.position[axis]] if state.probe.touched else []
        state.schedule.reference = True

    def _sleep(self) -> None:
        state = self.state
        if not state.settings[s.SLEEP]:
            raise GcodeError(codes.INVALID_STATEMENT)
        if state.mode not in ("Idle", "Alarm"):
            raise GcodeError(codes.NOT_IDLE)
        self.replies.reply(codes.OK)
        self._send("[MSG:Sleeping]\r\n")
        self.motion.drop()
        self.accessories.all_off()
        state.mode = "Sleep"

    def _describe(self, number: str) -> None:
        """`$SED=n`: describe a setting."""
        row = self.table.get(int(number[:6])) if number.isdigit() and number.isascii() else None
        if row is None:
            raise GcodeError(codes.SETTING_DISABLED)
        self._send(f"[SETTINGDESCR:{row.number}|{row.name}.]\r\n")

    def _toggle(self, switch: str) -> None:
        """`$B` block delete, `$S` single block, `$O` M1 does not stop."""
        switches = self.state.switches
        setattr(switches, switch, not getattr(switches, switch))
        self._send(f"[MSG:{'Enabled' if getattr(switches, switch) else 'Disabled'}]\r\n")
