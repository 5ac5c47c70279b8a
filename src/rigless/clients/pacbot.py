"""A client for scripts that drive a Pacbot, real or simulated: its motors and its sensors.

west, east, sensors = PhaseEnableMotor(5, 6), PhaseEnableMotor(24, 25), Sensors()
west.forward(0.6); east.backward(0.6)      # forward; see the robot's README for the directions
sensors.read()["tof"]["north"]             # metres
"""

import json
from types import TracebackType
from typing import Any

import zmq

ADDRESS = "tcp://127.0.0.1:5555"


class _Client:
    """A REQ socket. Each request waits for its reply, without a timeout."""

    def __init__(self, address: str = ADDRESS):
        self._socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.REQ)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.connect(address)

    def request(self, **fields: Any) -> dict[str, Any]:
        """Send a request as JSON and return the reply."""
        self._socket.send_string(json.dumps(fields))
        reply: dict[str, Any] = json.loads(self._socket.recv())
        return reply

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class PhaseEnableMotor(_Client):
    """A motor on two pins; each call returns the robot's reply."""

    def __init__(self, pin1: int, pin2: int, address: str = ADDRESS):
        super().__init__(address)
        self.pin1, self.pin2 = pin1, pin2

    def forward(self, speed: float = 1) -> dict[str, Any]:
        """Turn forward at a speed from 0 to 1."""
        return self.request(
            command="forward", pin1=self.pin1, pin2=self.pin2, params={"speed": speed}
        )

    def backward(self, speed: float = 1) -> dict[str, Any]:
        """Turn backward at a speed from 0 to 1."""
        return self.request(
            command="backward", pin1=self.pin1, pin2=self.pin2, params={"speed": speed}
        )

    def stop(self) -> dict[str, Any]:
        return self.request(command="stop", pin1=self.pin1, pin2=self.pin2)


class Sensors(_Client):
    """All sensors at once."""

    def read(self) -> dict[str, Any]:
        """Return the status and all readings.

        They are {"tof": {"north": …}, "encoders": {"north": …}, "imu": {"ax", "ay", "omega"}}.
        """
        return self.request(command="sensors")
