"""The interface of transports: the sockets, brokers and ptys behind a port.

A new transport is one module in this package with a class `Transport`, and a line in
`capabilities.py`. A transport never waits for a peer: it drops messages that a slow peer does not
read, and counts them. Peers are links. The host numbers a link when a peer appears (`connected`);
the simulation numbers it when a robot registers a peer (`open_link`).
"""

import importlib
from typing import Any, Protocol, runtime_checkable

from rigless.kernel.events import Severity
from rigless.kernel.loop.links import ALL
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem

PENDING_BYTES = 1 << 20  # unread bytes of a peer beyond which messages to it are dropped
LINKS = 256  # peers of a port at one time

__all__ = [
    "ALL",
    "LINKS",
    "PENDING_BYTES",
    "Dialer",
    "Inbox",
    "PeerProcesses",
    "ProblemReporter",
    "RestartObserver",
    "Transport",
    "load",
    "make",
]


class Inbox(Protocol):
    """The receiver of a transport's reports. The host implements it for each port."""

    @property
    def robot_failed(self) -> bool:
        """True after the robot's own code raised. Do not acknowledge messages received since."""
        ...

    def new_link(self) -> int:
        """Return a number for a new peer. Be ready to send to it before calling `connected`."""
        ...

    def connected(self, link: int, peer: str, local: str) -> None: ...

    def received(self, link: int, data: bytes, subject: str = "") -> None: ...

    def disconnected(self, link: int) -> None: ...

    def dropped(self, link: int) -> None: ...

    def log(self, text: str, severity: Severity) -> None:
        """Log an event of the run."""
        ...


class Transport(Protocol):
    """Opens one port of a robot and carries its bytes."""

    def __init__(self, port: Port, inbox: Inbox): ...

    async def open(self, address: str) -> str:
        """Bind, and return the URL that peers connect to. Raises OSError."""
        ...

    def send(self, link: int, data: bytes, subject: str) -> None:
        """Send to one link, or to every link if `link` is ALL."""
        ...

    def close_link(self, link: int) -> None: ...

    async def close(self) -> None: ...


@runtime_checkable
class RestartObserver(Protocol):
    """A transport that sends something to the robot when simulated time starts again."""

    def restarted(self) -> None:
        """Act after a reset or a restore, when the links are connected again."""
        ...


@runtime_checkable
class ProblemReporter(Protocol):
    """A transport that gives the reason why its port does not work at present."""

    @property
    def problem(self) -> str:
        """A sentence for the status of the run, or ""."""
        ...


@runtime_checkable
class PeerProcesses(Protocol):
    """A transport that knows which process of this machine a peer is."""

    def process_of(self, peer: str) -> int | None:
        """Return the process id of a peer; None if it is unknown or on another machine."""
        ...


class Dialer(Transport, Protocol):
    """A transport that can also send to peers that never connected, as datagram ports do."""

    def open_link(self, link: int, address: str) -> None: ...


def load(name: str, port: str) -> Any:
    """Import the module of a transport. Raises InputError if a package that it needs is missing."""
    try:
        return importlib.import_module(f"rigless.transports.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"rigless.transports.{name}":
            raise InputError(Problem(port, f"there is no transport {name!r}")) from None
        fix = f"pip install 'rigless[{name}]'"
        raise InputError(Problem(port, f"transport {name!r} needs {error.name!r}", fix)) from None


def make(port: Port, inbox: Inbox) -> Transport:
    """Create the transport of a port."""
    transport: Transport = load(port.transport, port.name).Transport(port, inbox)
    return transport


def split(address: str) -> tuple[str, int]:
    """Split HOST:PORT; the host defaults to 127.0.0.1."""
    host, _, port = address.rpartition(":")
    return host.strip("[]") or "127.0.0.1", int(port)


def join(address: tuple[Any, ...]) -> str:
    """Return HOST:PORT of a socket's address, with brackets around an IPv6 host."""
    host, port = address[0], address[1]
    return f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"
