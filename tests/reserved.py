"""TCP ports and DDS domains that are reserved for one test while it runs."""

import atexit
import socket

DOMAINS = range(1, 102)  # higher ones have ephemeral ports
_held: list[socket.socket] = []


def port() -> int:
    """Reserve a loopback port: the kernel does not assign it to another socket.

    A server can still listen on it, also after it was killed and started again.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    _held.append(held)
    return int(held.getsockname()[1])


def domain() -> int:
    """Reserve a DDS domain that no other test has, in this process or another."""
    for number in DOMAINS:
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            held.bind(f"\0rigless-tests-domain-{number}")
        except OSError:
            held.close()
        else:
            _held.append(held)
            return number
    raise AssertionError("all DDS domains are in use by tests")


@atexit.register
def _free() -> None:
    for held in _held:
        held.close()
