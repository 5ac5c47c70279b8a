"""A controller that is spoken to in grblHAL on a line: all of the interface that follows from that.

What carries the line (a simulation, a socket, a serial port) is left to its two children, `VirtualController` beside this and `GrblController` in the
host layer.
"""

import copy
import math
import re
from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any

from rigless.robots.welder import pins
from rigless.robots.welder.config import Limits
from rigless.robots.welder.offline.motion_controller import (
    AXES,
    AnalogIO,
    ControllerStatus,
    DigitalIO,
    JointState,
    JointStateCallback,
    MotionController,
    StatusCallback,
)

JOINT_LETTERS, WIRE_LETTERS = "ABCUVW", "XYZABC"
ANSWER_S = 0.05  # a line that is not answered by then is queued, or waits for motion to end
STATUS_S = 2.0
HOMING_S = 600.0
ROOM_S = 3600.0  # how long to wait for room in the controller's receive buffer
RX_BYTES = 127  # of a plain grbl; `$I` says what this one has
NEVER = 0
LINE = (
    "_enabled",
    "_rest",
    "_inside",
    "_rx_bytes",
    "_error",
    "_homed",
    "_report",
    "_reports",
    "_outputs",
    "_input",
)
NUMBER = r"-?\d{1,12}(?:\.\d{1,12})?"


class GrblClient(MotionController):
    """A controller at the other end of a grblHAL line. Children give `_open`, `_close`, `_write` and `_listen`."""

    def __init__(
        self,
        letters: str = JOINT_LETTERS,
        wire_letters: str = WIRE_LETTERS,
        limits: Limits | None = None,
    ):
        self._letters, self._wire_letters, self._limits = letters, wire_letters, limits or Limits()
        self._connected = self._enabled = False
        self._rest = b""
        self._inside: deque[int] = deque()  # sizes of the lines that are not answered yet
        self._rx_bytes = RX_BYTES
        self._error, self._homed = NEVER, False
        self._report = ""
        self._reports = 0
        self._outputs = pins.Outputs()
        self._input = -1
        self._on_status: StatusCallback | None = None
        self._on_joints: JointStateCallback | None = None

    @abstractmethod
    def _open(self) -> bool: ...

    @abstractmethod
    def _close(self) -> None: ...

    @abstractmethod
    def _write(self, data: bytes) -> None: ...

    @abstractmethod
    def _listen(self, seconds: float) -> bytes:
        """What comes within this time, as soon as something does; empty if nothing did."""

    # Connection

    def connect(self) -> bool:
        if not self._connected:
            self._connected = self._open()
            if self._connected:
                self._ask()
                self._say("$I")
        return self._connected

    def line_state(self) -> dict[str, Any]:
        """What this end of the line knows, for a snapshot."""
        return copy.deepcopy({name: getattr(self, name) for name in LINE})

    def set_line_state(self, saved: dict[str, Any]) -> None:
        for name in LINE:
            setattr(self, name, copy.deepcopy(saved[name]))

    def disconnect(self) -> None:
        if self._connected:
            self._close()
        self._connected = self._enabled = False

    @property
    def is_connected(self) -> bool:
        return self._connected

    def enable(self) -> bool:
        """Ready for commands: an alarm that can be unlocked is, and lines are taken again after one that was wrong."""
        if not self._connected:
            return False
        self._say("$X" if self._ask().state.startswith("Alarm") else "")
        self._enabled = not self._ask().state.startswith("Alarm")
        return self._enabled

    def disable(self) -> bool:
        if self._enabled:
            self.stop()
        self._enabled = False
        return True

    @property
    def is_enabled(self) -> bool:
        return self._enabled

    # Commands

    def send_gcode(self, gcode: str) -> bool:
        """One line. True if the controller took it, or has it queued; False if it answered with an error, which it then does to
        every line until `enable`. Waits while the controller's receive buffer is full."""
        return self._enabled and "\n" not in gcode and self._say(self.translate(gcode))

    def translate(self, gcode: str) -> str:
        """The caller's axis letters as the controller's, outside comments."""
        if self._letters == self._wire_letters:
            return gcode
        to = dict(zip(self._letters, self._wire_letters, strict=True))
        parts = re.split(r"(\([^)]*\)?|;.*)", gcode)
        return "".join(
            part if n % 2 else re.sub(r"[A-Za-z]", lambda m: to.get(m[0].upper(), m[0]), part)
            for n, part in enumerate(parts)
        )

    def jog(self, axis: int, velocity: float) -> bool:
        """Move a joint at rad/s until told to stop, or to its limit."""
        if not self._enabled or not 0 <= axis < AXES or velocity == 0.0:
            return False
        if self._ask().state == "Jog":
            self.stop_jog()
        end = self._limits.high_deg[axis] if velocity > 0 else self._limits.low_deg[axis]
        return self._say(
            f"$J=G90 G53 {self._wire_letters[axis]}{end:g} F{math.degrees(abs(velocity)) * 60:.4f}"
        )

    def stop_jog(self) -> bool:
        return self._press(0x85, "Jog")

    def stop(self) -> bool:
        return self._press(0x19, "Run", "Jog", "Hold")

    def emergency_stop(self) -> bool:
        """A reset: everything stops at once, and stays disabled."""
        if not self._connected:
            return False
        self._write(b"\x18")
        self._inside.clear()
        self._enabled = False
        self._ask()
        return True

    def _press(self, byte: int, *while_in: str) -> bool:
        """A real-time byte that ends motion; waits until it has."""
        if not self._connected:
            return False
        self._write(bytes([byte]))
        self._inside.clear()
        for _ in range(1000):
            if not self._ask().state.startswith(while_in):
                return True
            self._hear(0.01)
        return False

    def home(self, axis: int = -1) -> bool:
        """Home one joint or all, and wait until that is done."""
        if not self._enabled or not -1 <= axis < AXES:
            return False
        done = (
            self._say("$H" if axis < 0 else f"$H{self._wire_letters[axis]}", HOMING_S)
            and not self._inside
        )
        self._homed = self._homed or (done and axis < 0)
        return done

    @property
    def is_homed(self) -> bool:
        return self._homed

    # State

    def status(self) -> ControllerStatus:
        return self._ask() if self._connected else ControllerStatus()

    def joint_state(self) -> JointState:
        """From the status report: positions; a report tells no velocities of joints."""
        if self._connected:
            self._ask()
        return self._joints()

    def digital_io(self) -> DigitalIO:
        """Inputs are read one by one with M66; outputs are those this program has set."""
        inputs = (
            [self._read(f"M66 P{pin} L0") > 0 for pin in range(pins.DIGITAL)]
            if self._enabled
            else []
        )
        return DigitalIO(pins.bits(inputs), self._outputs.digital)

    def analog_io(self) -> AnalogIO:
        values = [
            self._read(f"M66 E{n} L0") / 1000 if self._enabled else 0.0 for n in range(pins.ANALOG)
        ]
        return AnalogIO(values, list(self._outputs.analog))

    def set_digital_output(self, pin: int, value: bool) -> bool:
        pins.check_pin(pin)
        done = self._enabled and self._say(f"M{64 if value else 65} P{pin}")
        if done:
            pins.switch(self._outputs, pin, value)
        return done

    def set_analog_output(self, channel: int, value: float) -> bool:
        pins.check_channel(channel)
        pins.check_volts(value)
        done = self._enabled and self._say(f"M68 E{channel} Q{value:.4f}")
        if done:
            pins.drive(self._outputs, channel, value)
        return done

    def set_status_callback(self, call: StatusCallback | None) -> None:
        self._on_status = call

    def set_joint_state_callback(self, call: JointStateCallback | None) -> None:
        self._on_joints = call

    # The line

    def _say(self, line: str, wait_s: float = ANSWER_S) -> bool:
        """Send a line when there is room for it, and wait a while for its answer. How long it takes on a slow line, a report tells: the
        answer comes before it, or right after it where line and question arrived together, so before the next one. Who has not
        answered then has the line queued."""
        data = line.encode("latin-1", "replace") + b"\n"
        self._error = NEVER
        self._wait(
            ROOM_S, lambda: sum(self._inside) + len(data) <= self._rx_bytes or not self._inside
        )
        if not self._connected or sum(self._inside) + len(data) > max(self._rx_bytes, len(data)):
            return False
        self._write(data)
        self._inside.append(len(data))
        self._wait(wait_s, lambda: not self._inside)
        for _ in range(2):
            if self._connected and self._inside:
                self._ask()
        return self._error == NEVER

    def _wait(self, most_s: float, over: Callable[[], bool]) -> None:
        while self._connected and most_s > 0.0 and not over():
            slice_s = min(most_s, ANSWER_S)
            self._hear(slice_s)
            most_s -= slice_s

    def _read(self, line: str) -> int:
        self._input = -1
        self._say(line)
        self._ask()
        return self._input

    def _ask(self) -> ControllerStatus:
        """A fresh status report."""
        before, left_s = self._reports, STATUS_S
        self._write(b"\x80")
        while self._reports == before and left_s > 0.0:
            self._hear(ANSWER_S)
            left_s -= ANSWER_S
        return self._told()

    def _hear(self, seconds: float) -> None:
        *lines, self._rest = (self._rest + self._listen(seconds)).split(b"\n")
        for raw in lines:
            self._take(raw.strip().decode("latin-1"))

    def _take(self, line: str) -> None:
        if line == "ok" or line.startswith("error:"):
            if self._inside:
                self._inside.popleft()
            self._error = _error(line) or self._error
        elif line.startswith("ALARM:"):
            self._inside.clear()
            self._enabled = False
        elif found := re.match(r"\[OPT:[^,]*,\d+,(\d{1,7}),", line):
            self._rx_bytes = max(int(found[1]) - 1, RX_BYTES)
        elif line.startswith("<") and line.endswith(">"):
            self._report, self._reports = line[1:-1], self._reports + 1
            found = re.search(r"\|In:(-?\d+)", line)
            if found:
                self._input = int(found[1])
            if self._on_status is not None:
                self._on_status(self._told())
            if self._on_joints is not None:
                self._on_joints(self._joints())

    def _told(self) -> ControllerStatus:
        state = self._report.partition("|")[0]
        room = re.search(r"\|Bf:(\d+),", self._report)
        alarm = state.startswith("Alarm")
        return ControllerStatus(
            connected=self._connected,
            enabled=self._enabled,
            moving=state.startswith(("Run", "Jog", "Home", "Hold:1", "Door:2")),
            error=alarm or self._error != NEVER,
            homed=self._homed,
            error_message=f"error:{self._error}" if self._error else state if alarm else "",
            error_code=self._error,
            buffer_available=int(room[1]) if room else 0,
            buffer_used=len(self._inside),
            state=state,
        )

    def _joints(self) -> JointState:
        found = re.search(rf"\|MPos:({NUMBER}(?:,{NUMBER}){{{AXES - 1}}})(?:\||$)", self._report)
        degrees = [float(part) for part in found[1].split(",")] if found else [0.0] * AXES
        return JointState(positions=[math.radians(value) for value in degrees])


def _error(line: str) -> int:
    """The number of `error:N`, 0 for `ok`; an error without a number is 1, as anything may come from a board."""
    found = re.fullmatch(r"error:(\d{1,5})", line)
    return int(found[1]) if found else int(line != "ok")
