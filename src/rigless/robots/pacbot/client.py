"""For scripts that drive a Pacbot: one motor behind its two pins, real or simulated. This file is for users and does network I/O;
nothing of rigless imports it.

    west, east = PhaseEnableMotor(5, 6), PhaseEnableMotor(24, 25)
    west.forward(0.6); east.backward(0.6)      # forward; see the robot's README for the directions
"""

import json
from types import TracebackType
from typing import Any

import zmq

ADDRESS = "tcp://127.0.0.1:5555"


class PhaseEnableMotor:
    """A motor on two pins. Each call waits for the robot's reply, without a timeout, and gives it."""

    def __init__(self, pin1: int, pin2: int, address: str = ADDRESS):
        self.pin1, self.pin2 = pin1, pin2
        self._socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.REQ)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.connect(address)

    def forward(self, speed: float = 1) -> dict[str, Any]:
        """Turn at a speed from 0 to 1."""
        return self._ask("forward", params={"speed": speed})

    def backward(self, speed: float = 1) -> dict[str, Any]:
        return self._ask("backward", params={"speed": speed})

    def stop(self) -> dict[str, Any]:
        return self._ask("stop")

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "PhaseEnableMotor":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, command: str, **more: Any) -> dict[str, Any]:
        self._socket.send_string(json.dumps({"command": command, "pin1": self.pin1, "pin2": self.pin2, **more}))
        reply: dict[str, Any] = json.loads(self._socket.recv())
        return reply
