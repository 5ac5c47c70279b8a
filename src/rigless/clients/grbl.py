"""A real grblHAL board behind the controller interface, over TCP or a serial line.

`open_controller` chooses between simulation and a board:

    controller = open_controller("simulation")
    controller = open_controller("tcp://192.168.5.1:23")
    controller = open_controller("/dev/ttyACM0")
"""

import os
import select
import socket
import termios
import tty
from urllib.parse import urlsplit

from rigless.robots.welder.config import Limits, WelderConfig
from rigless.robots.welder.offline.grbl_client import JOINT_LETTERS, WIRE_LETTERS, GrblClient
from rigless.robots.welder.offline.motion_controller import MotionController
from rigless.robots.welder.offline.sim_controller import VirtualController

CONNECT_S = 10.0
TELNET = 23


class GrblController(GrblClient):
    def __init__(
        self,
        address: str,
        letters: str = JOINT_LETTERS,
        wire_letters: str = WIRE_LETTERS,
        limits: Limits | None = None,
        baud: int = 115200,
    ):
        super().__init__(letters, wire_letters, limits)
        self._address, self._baud = address, baud
        self._line = -1
        self._socket: socket.socket | None = None

    @property
    def is_simulation(self) -> bool:
        return False

    def _open(self) -> bool:
        try:
            self._line = (
                self._connect_tcp() if self._address.startswith("tcp:") else self._open_serial()
            )
        except OSError:
            return False
        return True

    def _connect_tcp(self) -> int:
        parts = urlsplit(self._address)
        self._socket = socket.create_connection(
            (parts.hostname or "127.0.0.1", parts.port or TELNET), CONNECT_S
        )
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._socket.fileno()

    def _open_serial(self) -> int:
        line = os.open(self._address, os.O_RDWR | os.O_NOCTTY)
        try:
            tty.setraw(line)
            settings = termios.tcgetattr(line)
            settings[4] = settings[5] = getattr(termios, f"B{self._baud}")
            termios.tcsetattr(line, termios.TCSANOW, settings)
        except (termios.error, AttributeError) as error:
            os.close(line)
            raise OSError(
                f"{self._address} is not a serial line of {self._baud} baud: {error}"
            ) from None
        return line

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        elif self._line >= 0:
            os.close(self._line)
        self._line = -1

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._line, data) :]
        except OSError:
            self.disconnect()

    def _receive_bytes(self, seconds: float) -> bytes:
        if self._line < 0:
            return b""
        ready, _, _ = select.select([self._line], [], [], seconds)
        if not ready:
            return b""
        try:
            data = os.read(self._line, 4096)
        except OSError:
            data = b""
        if not data:
            self.disconnect()
        return data


def open_controller(
    where: str = "simulation", config: WelderConfig | None = None
) -> MotionController:
    """Return a simulated controller, or one for a board at an address."""
    if where == "simulation":
        return VirtualController(config)
    return GrblController(where, limits=config.limits if config is not None else None)
