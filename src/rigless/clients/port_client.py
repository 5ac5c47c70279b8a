"""Exchange messages with a robot's port over its real transport, given the port's URL.

A message is text or bytes. On a stream and in a datagram, text is a line; elsewhere it is a message
as it is. An answer is complete after a pause, and in any case when the time is over. Without a
message, the port's own messages are received until then.
"""

import os
import select
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

from rigless.clients import mqtt_client, nats_client, ros_client
from rigless.clients.login import NO_LOGIN, Login
from rigless.kernel.problems import InputError, Problem

SILENCE_S = 0.2  # an answer in several pieces is complete after this
REACH_S = 5.0  # to connect
CHUNK = 65536

Message = str | bytes
Messages = Sequence[Message]
Exchange = Callable[[str, Messages, str, float], Iterator[bytes]]


def exchange(
    transport: str,
    url: str,
    messages: Messages,
    subject: str = "",
    wait_s: float = 2.0,
    answers: bool = True,
    login: Login = NO_LOGIN,
) -> Iterator[bytes]:
    """Send messages to a port and yield the pieces of the answer that arrive within `wait_s`.

    `subject` is that of a message broker, or a ROS topic; `login` is for a broker. `answers` is
    false for a port that only receives. Raises InputError if the port cannot be reached.
    """
    if transport not in TRANSPORTS:
        what = f"rigless send cannot use a port on {transport!r}"
        fix = "use a client of that protocol, or POST /api/robots/ROBOT/messages"
        raise InputError(Problem(url, what, fix))
    if login.given() and transport not in BROKERS:
        what = f"a port on {transport!r} has no login"
        raise InputError(Problem(", ".join(login.given()), what, "leave it out"))
    try:
        if transport in BROKERS:
            wait_s = wait_s if answers else SILENCE_S
            yield from BROKERS[transport](url, messages, subject, wait_s, login)
        elif answers or transport != "zmq":
            wait_s = wait_s if answers else SILENCE_S
            yield from EXCHANGES[transport](url, messages, subject, wait_s)
        else:
            _push(url, messages)
    except OSError as error:
        what = f"cannot be reached: {error.strerror or error}"
        raise InputError(Problem(url, what, "check that the robot is running")) from None


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "127.0.0.1", parts.port or 0


def as_stream(messages: Messages) -> bytes:
    """Return the bytes of messages on a stream."""
    return b"".join(
        message if isinstance(message, bytes) else f"{message}\n".encode() for message in messages
    )


def as_message(message: Message) -> bytes:
    """Return the bytes of a message of its own."""
    return message if isinstance(message, bytes) else message.encode()


def readable(piece: bytes) -> str:
    """Return a piece of an answer: text as it is, other bytes in hexadecimal."""
    text = piece.decode("utf-8", "replace").rstrip("\r\n")
    plain = all(letter.isprintable() or letter in "\r\n\t" for letter in text)
    return text if plain and "\ufffd" not in text else piece.hex(" ")


def _pauses(wait_s: float, listening: bool) -> Iterator[float]:
    """Yield how long to wait for each piece: at most until the end, for an answer until a pause."""
    end = time.monotonic() + wait_s
    yield wait_s
    while (left_s := end - time.monotonic()) > 0:
        yield left_s if listening else min(left_s, SILENCE_S)


def _pieces(
    read: Callable[[], bytes], file: int, wait_s: float, listening: bool
) -> Iterator[bytes]:
    for pause_s in _pauses(wait_s, listening):
        if not select.select([file], [], [], pause_s)[0] or not (piece := read()):
            return
        yield piece


def _tcp(url: str, messages: Messages, subject: str, wait_s: float) -> Iterator[bytes]:
    with socket.create_connection(_address(url), REACH_S) as client:
        client.sendall(as_stream(messages))
        yield from _pieces(lambda: client.recv(CHUNK), client.fileno(), wait_s, not messages)


def _udp(url: str, messages: Messages, subject: str, wait_s: float) -> Iterator[bytes]:
    if not messages:
        what = "a UDP port sends only to peers that it knows"
        raise InputError(Problem(url, what, "send it a message: TEXT, --json or --hex"))
    host, port = _address(url)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.connect((host, port))
        for message in messages:
            client.send(as_stream([message]))
        yield from _pieces(lambda: client.recv(CHUNK), client.fileno(), wait_s, False)


def _pty(url: str, messages: Messages, subject: str, wait_s: float) -> Iterator[bytes]:
    file = os.open(urlsplit(url).path, os.O_RDWR | os.O_NOCTTY)
    try:
        os.write(file, as_stream(messages))
        yield from _pieces(lambda: os.read(file, CHUNK), file, wait_s, not messages)
    finally:
        os.close(file)


def _zmq(url: str, messages: Messages, subject: str, wait_s: float) -> Iterator[bytes]:
    """Ask a REP port and yield its replies; without messages, receive from a PUB port."""
    import zmq

    host, port = _address(url)
    with zmq.Context() as context, context.socket(zmq.REQ if messages else zmq.SUB) as client:
        client.linger = 0
        client.connect(f"tcp://{host}:{port}")
        for message in messages:
            client.send(as_message(message))
            if not client.poll(round(wait_s * 1000)):
                return
            yield b" ".join(client.recv_multipart())
        if not messages:
            client.subscribe(b"")
            for pause_s in _pauses(wait_s, listening=True):
                if not client.poll(max(1, round(pause_s * 1000))):
                    return
                yield b" ".join(client.recv_multipart())


def _push(url: str, messages: Messages) -> None:
    """Send messages to a ZeroMQ PULL port, which does not answer."""
    import zmq

    host, port = _address(url)
    with zmq.Context() as context, context.socket(zmq.PUSH) as client:
        client.linger = round(REACH_S * 1000)
        client.connect(f"tcp://{host}:{port}")
        for message in messages:
            client.send(as_message(message))


def _websocket(url: str, messages: Messages, subject: str, wait_s: float) -> Iterator[bytes]:
    """Send text as text frames and bytes as binary frames."""
    from websockets.exceptions import ConnectionClosed, InvalidHandshake
    from websockets.sync.client import connect

    try:
        with connect(url, open_timeout=REACH_S, compression=None) as client:
            for message in messages:
                client.send(message)
            for pause_s in _pauses(wait_s, not messages):
                piece = client.recv(pause_s)
                yield piece if isinstance(piece, bytes) else piece.encode()
    except InvalidHandshake as error:
        raise OSError(str(error)) from None
    except (TimeoutError, ConnectionClosed):
        return


EXCHANGES: dict[str, Exchange] = {
    "tcp": _tcp,
    "udp": _udp,
    "pty": _pty,
    "zmq": _zmq,
    "websocket": _websocket,
    "dds": ros_client.exchange,
    "rclpy": ros_client.exchange,
}
BROKERS: dict[str, Callable[[str, Messages, str, float, Login], Iterator[bytes]]] = {
    "nats": nats_client.exchange,
    "mqtt": mqtt_client.exchange,
}
TRANSPORTS = {*EXCHANGES, *BROKERS}
