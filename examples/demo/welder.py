"""Weld one part after the other: `python welder.py HOST PORT FILE.nc`.

It streams G-code to the controller's own port as a sender does: one line, then its `ok`. After the
program has ended, it waits for Idle and begins again. After an alarm it resets the controller.
"""

import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

PAUSE_S, POLL_S, RETRY_S = 4.0, 0.25, 1.0  # the part is changed between two programs
RESET, STATUS = b"\x18", b"?"


class AlarmError(Exception):
    """The controller reports an alarm or an error."""


class Sender:
    def __init__(self, controller: socket.socket):
        self.controller, self.pending = controller, b""
        controller.settimeout(None)  # a paused simulation does not answer

    def read_line(self) -> str:
        while b"\n" not in self.pending:
            data = self.controller.recv(4096)
            if not data:
                raise ConnectionError("the controller has closed the connection")
            self.pending += data
        line, _, self.pending = self.pending.partition(b"\n")
        return line.decode().strip()

    def send(self, line: str) -> None:
        """Send a line and wait until it is accepted."""
        self.controller.sendall(f"{line}\n".encode())
        while (reply := self.read_line()) != "ok":
            if reply.startswith(("error:", "ALARM:")):
                raise AlarmError(f"{reply} at {line}")

    def state(self) -> str:
        """Return the state of the controller, such as Idle or Run."""
        self.controller.sendall(STATUS)
        while not (reply := self.read_line()).startswith("<"):
            if reply.startswith("ALARM:"):
                raise AlarmError(reply)
        return reply[1:].partition("|")[0].partition(":")[0].rstrip(">")

    def wait_for_idle(self) -> None:
        while (state := self.state()) != "Idle":
            if state == "Alarm":
                raise AlarmError("the controller is in state Alarm")
            time.sleep(POLL_S)

    def reset(self) -> None:
        """Reset until it succeeds: the controller ignores it while the emergency stop is on."""
        while True:
            self.controller.sendall(RESET)
            time.sleep(POLL_S)
            self.controller.sendall(STATUS)
            lines = [self.read_line()]
            while not lines[-1].startswith("<"):
                lines.append(self.read_line())
            if any(line.startswith("Grbl") for line in lines):
                with suppress(AlarmError):
                    self.send("$X")
                    return
            time.sleep(RETRY_S)


def weld(sender: Sender, program: list[str]) -> None:
    """Run the program for ever. The controller holds back its `ok` while its buffer is full."""
    part = 0
    while True:
        try:
            sender.wait_for_idle()
            for line in program:
                sender.send(line)
            sender.wait_for_idle()
            part += 1
            print(f"part {part} is welded", flush=True)
        except AlarmError as alarm:
            print(alarm, flush=True)
            sender.reset()
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    host, port, file = sys.argv[1:4]
    lines = [line.strip() for line in Path(file).read_text().splitlines() if line.strip()]
    with socket.create_connection((host, int(port))) as controller:
        print("connected", flush=True)
        try:
            weld(Sender(controller), lines)
        except KeyboardInterrupt:
            controller.sendall(b"!")  # feed hold: motion stops
            time.sleep(0.5)
            controller.sendall(RESET)
        except ConnectionError as error:
            print(error, flush=True)
