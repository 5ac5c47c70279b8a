"""Two G-code senders: one waits for each reply, one counts the bytes in the receive buffer."""

import socket
from collections import deque

WAIT_S = 60
RX_BYTES = 1023


class Connection:
    """A connection over a socket or read and write functions; status reports are kept apart."""

    def __init__(self, read, write):
        self._read, self._write = read, write
        self._rest = b""
        self.reports: list[str] = []
        self.messages: list[str] = []

    @classmethod
    def tcp(cls, address):
        sock = socket.create_connection(address, WAIT_S)
        found = cls(lambda: sock.recv(4096), sock.sendall)
        found.close = sock.close
        return found

    def write(self, data: bytes) -> None:
        self._write(data)

    def line(self) -> str:
        while b"\n" not in self._rest:
            data = self._read()
            assert data, "the controller hung up"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.strip().decode()

    def answer(self) -> str:
        """The next ok or error; what comes before it is kept."""
        while True:
            line = self.line()
            if line == "ok" or line.startswith("error:"):
                return line
            (self.reports if line.startswith("<") else self.messages).append(line)

    def status(self) -> str:
        self.write(b"?")
        while True:
            line = self.line()
            if line.startswith("<"):
                return line
            self.messages.append(line)

    def wait_idle(self) -> str:
        while not (status := self.status()).startswith("<Idle"):
            assert not status.startswith("<Alarm"), status
        return status


def ping_pong(connection: Connection, job: list[str]) -> list[str]:
    """Each line when the one before has been answered."""
    answers = []
    for line in job:
        connection.write(line.encode() + b"\n")
        answers.append(connection.answer())
    return answers


def character_counting(
    connection: Connection, job: list[str], rx_bytes: int = RX_BYTES
) -> list[str]:
    """Send as many lines as the receive buffer holds, and poll the status, as senders do."""
    answers: list[str] = []
    inside: deque[int] = deque()
    for number, line in enumerate(job):
        data = line.encode() + b"\n"
        while sum(inside) + len(data) > rx_bytes:
            answers.append(connection.answer())
            inside.popleft()
        connection.write(data)
        inside.append(len(data))
        if number % 50 == 0:
            connection.write(b"?")
    while inside:
        answers.append(connection.answer())
        inside.popleft()
    return answers


def zigzag(lines: int) -> list[str]:
    """A long job of short moves that ends at X5."""
    moves = [
        f"G1 X{5 + (n % 7) * 0.3:.3f} Y{(n % 11) * 0.2:.3f} F{3000 + n % 5 * 100}"
        for n in range(lines - 5)
    ]
    return ["G21 G90 (job)", *moves, "M64 P3", "G4 P0.01", "G1 X5 Y0", "M30"]
