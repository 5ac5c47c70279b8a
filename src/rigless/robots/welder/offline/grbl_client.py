"""A client of the grblHAL protocol behind the controller interface.

Subclasses provide the connection: `VirtualController` a simulation, `GrblController` in
rigless.clients a socket or serial port.
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
REPLY_S = 0.05  # a line without a reply by then is queued, or waits for standstill
STATUS_S = 2.0
HOMING_S = 600.0
ROOM_S = 3600.0  # how long to wait for room in the controller's receive buffer
RX_BYTES = 127  # of plain grbl; `$I` reports the actual size
NO_ERROR = 0
LINE = (
    "_enabled",
    "_rest",
    "_unanswered",
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
    """A controller at the other end of a grblHAL connection.

    Subclasses implement `_open`, `_close`, `_write` and `_receive`.
    """

    def __init__(
        self,
        letters: str = JOINT_LETTERS,
        wire_letters: str = WIRE_LETTERS,
        limits: Limits | None = None,
    ):
        self._letters, self._wire_letters, self._limits = letters, wire_letters, limits or Limits()
        self._connected = self._enabled = False
        self._rest = b""
        self._unanswered: deque[int] = deque()  # sizes of the lines without a reply
        self._rx_bytes = RX_BYTES
        self._error, self._homed = NO_ERROR, False
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
    def _receive_bytes(self, seconds: float) -> bytes:
        """Return the bytes received within this time, as soon as there are any."""

    # Connection

    def connect(self) -> bool:
        if not self._connected:
            self._connected = self._open()
            if self._connected:
                self._request_status()
                self._send("$I")
        return self._connected

    def line_state(self) -> dict[str, Any]:
        """Return the state of this end of the connection, for a snapshot."""
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
        """Get ready for commands: unlock an alarm if possible, and clear a sticky error."""
        if not self._connected:
            return False
        self._send("$X" if self._request_status().state.startswith("Alarm") else "")
        self._enabled = not self._request_status().state.startswith("Alarm")
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
        """Send one line. Return True if the controller accepted or queued it.

        After an error the controller rejects every line until `enable`. Waits while the
        controller's receive buffer is full.
        """
        return self._enabled and "\n" not in gcode and self._send(self.translate(gcode))

    def translate(self, gcode: str) -> str:
        """Translate the caller's axis letters to the controller's, outside comments."""
        if self._letters == self._wire_letters:
            return gcode
        to = dict(zip(self._letters, self._wire_letters, strict=True))
        parts = re.split(r"(\([^)]*\)?|;.*)", gcode)
        return "".join(
            part if n % 2 else re.sub(r"[A-Za-z]", lambda m: to.get(m[0].upper(), m[0]), part)
            for n, part in enumerate(parts)
        )

    def jog(self, axis: int, velocity: float) -> bool:
        """Move a joint at rad/s until `stop_jog`, or to its limit."""
        if not self._enabled or not 0 <= axis < AXES or velocity == 0.0:
            return False
        if self._request_status().state == "Jog":
            self.stop_jog()
        end = self._limits.high_deg[axis] if velocity > 0 else self._limits.low_deg[axis]
        return self._send(
            f"$J=G90 G53 {self._wire_letters[axis]}{end:g} F{math.degrees(abs(velocity)) * 60:.4f}"
        )

    def stop_jog(self) -> bool:
        return self._send_stop(0x85, "Jog")

    def stop(self) -> bool:
        return self._send_stop(0x19, "Run", "Jog", "Hold")

    def emergency_stop(self) -> bool:
        """Reset the controller: everything stops at once. It is disabled then."""
        if not self._connected:
            return False
        self._write(b"\x18")
        self._unanswered.clear()
        self._enabled = False
        self._request_status()
        return True

    def _send_stop(self, byte: int, *while_in: str) -> bool:
        """Send a realtime command that ends motion, and wait for standstill."""
        if not self._connected:
            return False
        self._write(bytes([byte]))
        self._unanswered.clear()
        for _ in range(1000):
            if not self._request_status().state.startswith(while_in):
                return True
            self._receive(0.01)
        return False

    def home(self, axis: int = -1) -> bool:
        """Home one joint or all, and wait for the end."""
        if not self._enabled or not -1 <= axis < AXES:
            return False
        done = (
            self._send("$H" if axis < 0 else f"$H{self._wire_letters[axis]}", HOMING_S)
            and not self._unanswered
        )
        self._homed = self._homed or (done and axis < 0)
        return done

    @property
    def is_homed(self) -> bool:
        return self._homed

    # State

    def status(self) -> ControllerStatus:
        return self._request_status() if self._connected else ControllerStatus()

    def joint_state(self) -> JointState:
        """Return positions from a status report, which has no velocities."""
        if self._connected:
            self._request_status()
        return self._joints()

    def digital_io(self) -> DigitalIO:
        """Read inputs one by one with M66; outputs are those set by this client."""
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
        done = self._enabled and self._send(f"M{64 if value else 65} P{pin}")
        if done:
            pins.switch(self._outputs, pin, value)
        return done

    def set_analog_output(self, channel: int, value: float) -> bool:
        pins.check_channel(channel)
        pins.check_volts(value)
        done = self._enabled and self._send(f"M68 E{channel} Q{value:.4f}")
        if done:
            pins.drive(self._outputs, channel, value)
        return done

    def set_status_callback(self, call: StatusCallback | None) -> None:
        self._on_status = call

    def set_joint_state_callback(self, call: JointStateCallback | None) -> None:
        self._on_joints = call

    # Connection: lines and replies

    def _send(self, line: str, wait_s: float = REPLY_S) -> bool:
        """Send a line when there is room for it, and wait for its reply.

        On a slow line a status report bounds the wait: the reply arrives before the report, or
        right after it if line and request arrived together, so before the next report. A line
        without a reply by then is queued.
        """
        data = line.encode("latin-1", "replace") + b"\n"
        self._error = NO_ERROR
        self._wait(
            ROOM_S,
            lambda: sum(self._unanswered) + len(data) <= self._rx_bytes or not self._unanswered,
        )
        if not self._connected or sum(self._unanswered) + len(data) > max(
            self._rx_bytes, len(data)
        ):
            return False
        self._write(data)
        self._unanswered.append(len(data))
        self._wait(wait_s, lambda: not self._unanswered)
        for _ in range(2):
            if self._connected and self._unanswered:
                self._request_status()
        return self._error == NO_ERROR

    def _wait(self, most_s: float, over: Callable[[], bool]) -> None:
        while self._connected and most_s > 0.0 and not over():
            slice_s = min(most_s, REPLY_S)
            self._receive(slice_s)
            most_s -= slice_s

    def _read(self, line: str) -> int:
        self._input = -1
        self._send(line)
        self._request_status()
        return self._input

    def _request_status(self) -> ControllerStatus:
        """Request a status report and return the status."""
        before, left_s = self._reports, STATUS_S
        self._write(b"\x80")
        while self._reports == before and left_s > 0.0:
            self._receive(REPLY_S)
            left_s -= REPLY_S
        return self._status()

    def _receive(self, seconds: float) -> None:
        *lines, self._rest = (self._rest + self._receive_bytes(seconds)).split(b"\n")
        for raw in lines:
            self._handle(raw.strip().decode("latin-1"))

    def _handle(self, line: str) -> None:
        if line == "ok" or line.startswith("error:"):
            if self._unanswered:
                self._unanswered.popleft()
            self._error = _error(line) or self._error
        elif line.startswith("ALARM:"):
            self._unanswered.clear()
            self._enabled = False
        elif found := re.match(r"\[OPT:[^,]*,\d+,(\d{1,7}),", line):
            self._rx_bytes = max(int(found[1]) - 1, RX_BYTES)
        elif line.startswith("<") and line.endswith(">"):
            self._report, self._reports = line[1:-1], self._reports + 1
            found = re.search(r"\|In:(-?\d+)", line)
            if found:
                self._input = int(found[1])
            if self._on_status is not None:
                self._on_status(self._status())
            if self._on_joints is not None:
                self._on_joints(self._joints())

    def _status(self) -> ControllerStatus:
        state = self._report.partition("|")[0]
        room = re.search(r"\|Bf:(\d+),", self._report)
        alarm = state.startswith("Alarm")
        return ControllerStatus(
            connected=self._connected,
            enabled=self._enabled,
            moving=state.startswith(("Run", "Jog", "Home", "Hold:1", "Door:2")),
            error=alarm or self._error != NO_ERROR,
            homed=self._homed,
            error_message=f"error:{self._error}" if self._error else state if alarm else "",
            error_code=self._error,
            buffer_available=int(room[1]) if room else 0,
            buffer_used=len(self._unanswered),
            state=state,
        )

    def _joints(self) -> JointState:
        found = re.search(rf"\|MPos:({NUMBER}(?:,{NUMBER}){{{AXES - 1}}})(?:\||$)", self._report)
        degrees = [float(part) for part in found[1].split(",")] if found else [0.0] * AXES
        return JointState(positions=[math.radians(value) for value in degrees])


def _error(line: str) -> int:
    """Return the number of `error:N`, 0 for `ok`, and 1 for an error without a number."""
    found = re.fullmatch(r"error:(\d{1,5})", line)
    return int(found[1]) if found else int(line != "ok")
