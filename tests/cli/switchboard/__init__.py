"""A robot with one port of each kind, for tests of `rigless send`: it answers what it receives."""

from dataclasses import dataclass, field

from rigless.kernel.ports import Connected, Port
from rigless.kernel.robot import Config, on
from rigless.kernel.robot import Robot as Base


@dataclass(frozen=True)
class Piece:
    data: bytes
    subject: str = ""


@dataclass
class PieceCodec:
    def decode(self, data, subject=""):
        yield Piece(data, subject)

    def encode(self, message):
        return message.data


@dataclass
class FrameCodec(PieceCodec):
    def encode(self, message):
        return message.subject, message.data


class SwitchboardConfig(Config):
    pass


@dataclass
class SwitchboardState:
    received: list[tuple[str, bytes, str]] = field(default_factory=list)


class Robot(Base):
    Config = SwitchboardConfig
    State = SwitchboardState
    ports = (
        Port("line", PieceCodec, "tcp", "127.0.0.1:0"),
        Port("hello", PieceCodec, "tcp", "127.0.0.1:0", direction="out"),
        Port("radio", PieceCodec, "udp", "127.0.0.1:0", "datagram"),
        Port("reports", PieceCodec, "udp", "127.0.0.1:0", "datagram", "out"),
        Port("frames", FrameCodec, "websocket", "127.0.0.1:0", "message"),
        Port("news", FrameCodec, "websocket", "127.0.0.1:0", "message", "out"),
        Port("asked", PieceCodec, "zmq", "127.0.0.1:0", "datagram"),
        Port("words", PieceCodec, "zmq", "127.0.0.1:0", "datagram", "in", {"pattern": "pull"}),
        Port("keys", PieceCodec, "pty", "/dev/pts/", "stream", "in"),
    )

    @on(Connected)
    def greet(self, message, link):
        if link.port in ("hello", "news"):
            self.emit(link.port, Piece(b"hello", "text"), to=link)

    @on(Piece)
    def answer(self, message, link):
        self.state.received.append((link.port, message.data, message.subject))
        if link.port not in ("words", "keys"):
            self.emit(link.port, Piece(message.data.upper(), message.subject), to=link)
