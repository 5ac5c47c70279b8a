"""Exchange one message with a robot's port over its real transport, given the port's URL."""

import asyncio
import os
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from urllib.parse import urlsplit

from rigless.kernel.problems import InputError, Problem

SILENCE_S = 0.2  # an answer in several pieces is complete after this
CHUNK = 65536

Exchange = Callable[[str, bytes, str, float], Iterator[bytes]]


def exchange(
    transport: str, url: str, data: bytes, subject: str = "", wait_s: float = 2.0
) -> Iterator[bytes]:
    """Send bytes to a port and yield the pieces of the answer, if any arrives within `wait_s`.

    Nothing is sent if `data` is empty: the messages of the port are received for `wait_s`.
    `subject` is that of a message broker. Raises InputError if the port cannot be reached.
    """
    if transport not in EXCHANGES:
        what = f"rigless send cannot use a port on {transport!r}"
        fix = "use a client of that protocol, or POST /api/robots/ROBOT/messages"
        raise InputError(Problem(url, what, fix))
    try:
        yield from EXCHANGES[transport](url, data, subject, wait_s)
    except OSError as error:
        what = f"cannot be reached: {error.strerror or error}"
        raise InputError(Problem(url, what, "check that the robot is running")) from None


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "127.0.0.1", parts.port or 0


def _pieces(read: Callable[[], bytes], file: int, wait_s: float) -> Iterator[bytes]:
    """Yield what arrives: the first piece within `wait_s`, the others without a longer pause."""
    while select.select([file], [], [], wait_s)[0]:
        piece = read()
        if not piece:
            return
        yield piece
        wait_s = SILENCE_S


def _tcp(url: str, data: bytes, subject: str, wait_s: float) -> Iterator[bytes]:
    with socket.create_connection(_address(url), wait_s) as client:
        client.sendall(data)
        yield from _pieces(lambda: client.recv(CHUNK), client.fileno(), wait_s)


def _udp(url: str, data: bytes, subject: str, wait_s: float) -> Iterator[bytes]:
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        client.connect(_address(url))
        client.send(data)
        yield from _pieces(lambda: client.recv(CHUNK), client.fileno(), wait_s)


def _pty(url: str, data: bytes, subject: str, wait_s: float) -> Iterator[bytes]:
    file = os.open(urlsplit(url).path, os.O_RDWR | os.O_NOCTTY)
    try:
        os.write(file, data)
        yield from _pieces(lambda: os.read(file, CHUNK), file, wait_s)
    finally:
        os.close(file)


def _zmq(url: str, data: bytes, subject: str, wait_s: float) -> Iterator[bytes]:
    """Ask a REP port and return its reply; without data, receive from a PUB port."""
    import zmq

    host, port = _address(url)
    with zmq.Context() as context, context.socket(zmq.REQ if data else zmq.SUB) as client:
        client.linger = 0
        client.connect(f"tcp://{host}:{port}")
        if data:
            client.send(data)
        else:
            client.subscribe(b"")
        end = time.monotonic() + wait_s
        while client.poll(max(0, round((end - time.monotonic()) * 1000))):
            yield b" ".join(client.recv_multipart())
            if data:
                return


def _nats(url: str, data: bytes, subject: str, wait_s: float) -> Iterator[bytes]:
    """Publish to a subject; without data, receive from it (default: everything)."""
    if data and not subject:
        raise InputError(Problem("--subject", "a message to a broker needs a subject"))
    yield from asyncio.run(_publish(url, data, subject or ">", wait_s))


async def _publish(url: str, data: bytes, subject: str, wait_s: float) -> list[bytes]:
    import nats
    from nats.errors import Error

    found: list[bytes] = []
    try:
        client = await nats.connect(url, connect_timeout=wait_s, allow_reconnect=False)
    except Error as error:
        raise OSError(str(error) or "no NATS server answers") from None
    async with client:
        if data:
            await client.publish(subject, data)
            await client.flush()
            return found
        subscription = await client.subscribe(subject)
        end = time.monotonic() + wait_s
        while (left_s := end - time.monotonic()) > 0:
            try:
                message = await subscription.next_msg(left_s)
            except Error:
                break
            found.append(f"{message.subject} ".encode() + message.data)
    return found


def _websocket(url: str, data: bytes, subject: str, wait_s: float) -> Iterator[bytes]:
    from websockets.sync.client import connect

    with closing(connect(url, open_timeout=wait_s)) as client:
        client.send(data)
        while True:
            try:
                piece = client.recv(wait_s)
            except TimeoutError:
                return
            yield piece if isinstance(piece, bytes) else piece.encode()
            wait_s = SILENCE_S


EXCHANGES: dict[str, Exchange] = {
    "tcp": _tcp,
    "udp": _udp,
    "pty": _pty,
    "zmq": _zmq,
    "nats": _nats,
    "websocket": _websocket,
}
