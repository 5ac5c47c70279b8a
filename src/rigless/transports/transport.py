"""What a transport is: the sockets, brokers and ptys behind a port. A new one is one file here with a class `Transport`.

A transport never waits for a peer: it drops what a slow one does not take, and counts it. Peers are links, numbered by the
host when they appear (`connected`) or by the simulation when a robot registers them (`open_link`).
"""

import importlib
from typing import Any, Protocol, runtime_checkable

from rigless.kernel.events import Severity
from rigless.kernel.links import ALL
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem

PENDING_BYTES = 1 << 20  # what a peer may leave unread before messages to it are dropped
LINKS = 256  # peers a port takes at once

__all__ = [
    "ALL",
    "LINKS",
    "PENDING_BYTES",
    "Dialer",
    "Inbox",
    "RestartObserver",
    "Transport",
    "make",
]


class Inbox(Protocol):
    """Where a transport reports; the host implements it for each port. `deaf`: what is received goes to nobody, since a robot's own code has failed;
    a transport that answers for what it hands on does not answer for that."""

    @property
    def robot_failed(self) -> bool: ...

    def new_link(self) -> int:
        """A number for a peer. The transport must be able to send to it before it calls `connected`."""
        ...

    def connected(self, link: int, peer: str, local: str) -> None: ...

    def received(self, link: int, data: bytes, subject: str = "") -> None: ...

    def disconnected(self, link: int) -> None: ...

    def dropped(self, link: int) -> None: ...

    def log(self, text: str, severity: Severity) -> None:
        """Something a person should know: it becomes an event of the run."""
        ...


class Transport(Protocol):
    def __init__(self, port: Port, inbox: Inbox): ...

    async def open(self, address: str) -> str:
        """Bind, and give the URL where peers find it. Raises OSError."""
        ...

    def send(self, link: int, data: bytes, subject: str) -> None:
        """Send to one link, or with ALL to every link."""
        ...

    def close_link(self, link: int) -> None: ...

    async def close(self) -> None: ...


@runtime_checkable
class RestartObserver(Protocol):
    """A transport that has something to tell a robot when its time begins again."""

    def restarted(self) -> None:
        """After a reset or a restore, when its links are there again."""
        ...


class Dialer(Transport, Protocol):
    """A transport that can also send to peers which never came to it; those of datagram ports."""

    def open_link(self, link: int, address: str) -> None: ...


def make(port: Port, inbox: Inbox) -> Transport:
    """The transport of a port, from the module that its name says."""
    try:
        module: Any = importlib.import_module(f"rigless.transports.{port.transport}")
    except ModuleNotFoundError as error:
        if error.name == f"rigless.transports.{port.transport}":
            raise InputError(
                Problem(port.name, f"there is no transport {port.transport!r}")
            ) from None
        fix = f"pip install 'rigless[{port.transport}]'"
        raise InputError(
            Problem(port.name, f"transport {port.transport!r} needs {error.name!r}", fix)
        ) from None
    transport: Transport = module.Transport(port, inbox)
    return transport


def split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]") or "127.0.0.1", int(port)


def join(address: tuple[Any, ...]) -> str:
    host, port = address[0], address[1]
    return f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"
