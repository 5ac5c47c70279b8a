"""Numbers that nobody else on this machine is given while the tests run: TCP ports and DDS domains."""

import atexit
import socket

DOMAINS = range(1, 102)  # the ports of higher ones are such as the kernel gives to anybody
_held: list[socket.socket] = []


def port() -> int:
    """A free port of loopback that stays free: nobody who asks for any port, or connects from one, is given it. A server that is told to
    listen there can, as often as it is killed and started again."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    _held.append(held)
    return int(held.getsockname()[1])


def domain() -> int:
    """A DDS domain that no other test has, in this process or another."""
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
