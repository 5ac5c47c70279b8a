"""Publish messages on an MQTT broker, or receive from a topic of it."""

import secrets
import select
import socket
import ssl
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TypeVar

from rigless.clients.login import NO_LOGIN, Login, refused
from rigless.kernel.problems import InputError, Problem
from rigless.transports.jetstream.errors import LinkError
from rigless.transports.mqtt311 import packets as p
from rigless.transports.mqtt311.settings import Settings

REACH_S = 5.0  # to connect
CHUNK = 65536
Kind = TypeVar("Kind", p.Accepted, p.Acknowledged)


def exchange(
    url: str,
    messages: Sequence[str | bytes],
    subject: str,
    wait_s: float,
    login: Login = NO_LOGIN,
) -> Iterator[bytes]:
    """Publish to a topic; without messages, receive from it (default: everything)."""
    if messages and not subject:
        raise InputError(Problem("--subject", "a message to a broker needs a topic"))
    login.password()  # raises a better error than the settings
    given = {key: value for key, value in asdict(login).items() if key != "creds_file"}
    settings = Settings(url, f"rigless-send-{secrets.token_hex(4)}", **given)
    try:
        with _connected(settings) as client:
            connection = _Connection(client)
            connection.login(settings)
            if messages:
                for message in messages:
                    data = message if isinstance(message, bytes) else message.encode()
                    connection.publish(subject, data)
            else:
                yield from connection.listen(subject or "#", wait_s)
            client.sendall(p.GOODBYE)
    except (p.ProtocolError, LinkError) as error:
        raise OSError(str(error)) from None


def _connected(settings: Settings) -> socket.socket:
    plain = socket.create_connection((settings.host, settings.port), REACH_S)
    context: ssl.SSLContext | None = settings.context()
    return plain if context is None else context.wrap_socket(plain, server_hostname=settings.host)


class _Connection:
    def __init__(self, client: socket.socket):
        self._client = client
        self._packets: list[p.Packet] = []
        self._parser = p.Parser(self._packets.append)

    def login(self, settings: Settings) -> None:
        user, password = settings.user, settings.password()
        given = p.Login(settings.client_id, user=user, password=password)
        self._client.sendall(p.connect(given))
        answer = self._await(p.Accepted)
        if answer is None or answer.code:
            code = 3 if answer is None else answer.code
            raise refused(settings.url, p.REFUSED.get(code, str(code)))

    def publish(self, topic: str, data: bytes) -> None:
        """Publish, and wait until the broker has the message."""
        self._client.sendall(p.publish(p.Message(topic, data, 1, number=1)))
        if self._await(p.Acknowledged) is None:
            raise LinkError("the broker does not acknowledge the message")

    def listen(self, topic: str, wait_s: float) -> Iterator[bytes]:
        self._client.sendall(p.subscribe(1, [(topic, 0)]))
        end = time.monotonic() + wait_s
        while (left_s := end - time.monotonic()) > 0:
            packet = self._next(left_s)
            if isinstance(packet, p.Message):
                yield f"{packet.topic} ".encode() + packet.payload

    def _await(self, kind: type[Kind]) -> Kind | None:
        end = time.monotonic() + REACH_S
        while (left_s := end - time.monotonic()) > 0:
            packet = self._next(left_s)
            if isinstance(packet, kind):
                return packet
        return None

    def _next(self, wait_s: float) -> p.Packet | None:
        if not self._packets and select.select([self._client], [], [], wait_s)[0]:
            data = self._client.recv(CHUNK)
            if not data:
                raise LinkError("the broker closed the connection")
            self._parser.feed(data)
        return self._packets.pop(0) if self._packets else None
