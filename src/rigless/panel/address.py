"""The address of the panel: bound before the server exists, and named for browsers."""

import contextlib
import ipaddress
import socket

from rigless.kernel.problems import InputError, Problem
from rigless.transports.transport import join, split

DEFAULT_ADDRESS = "127.0.0.1:8080"


def reachable(bound: socket.socket) -> tuple[str, list[str]]:
    """Return the URL for this machine, and a note with the one for others if all may connect."""
    host, port = bound.getsockname()[:2]
    if not ipaddress.ip_address(host).is_unspecified:
        return f"http://{join((host, port))}", []
    remote = _own_address(bound.family, "2001:db8::1" if ":" in host else "192.0.2.1")
    local = f"http://{join(('::1' if ':' in host else '127.0.0.1', port))}"
    note = "the panel is open to the whole network"
    return local, [f"{note}, at http://{join((remote, port))}" if remote else note]


def _own_address(family: int, somewhere: str) -> str:
    """Return the address that this machine would use to reach another; nothing is sent."""
    with socket.socket(family, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect((somewhere, 9))
        return str(probe.getsockname()[0])
    return ""


def bind(address: str | None) -> socket.socket:
    """Bind the address. Without one, bind the default, or any free port if that is taken."""
    try:
        return _listen(*split(_with_port(address or DEFAULT_ADDRESS)))
    except (OSError, ValueError, OverflowError) as error:
        if address is None:
            return _listen("127.0.0.1", 0)
        reason = getattr(error, "strerror", None) or "it is not HOST:PORT"
        raise InputError(
            Problem(
                f"--panel {address}",
                f"cannot be bound: {reason}",
                "use another, for example --panel 127.0.0.1:0",
            )
        ) from None


def _with_port(address: str) -> str:
    """Add the default port to an IP address without one."""
    with contextlib.suppress(ValueError):
        host = ipaddress.ip_address(address)
        return join((str(host), int(DEFAULT_ADDRESS.rpartition(":")[2])))
    return address


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is given explicitly, so that asyncio sets TCP_NODELAY.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except BaseException:
        listener.close()
        raise
    return listener
