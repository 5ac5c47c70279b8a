"""TCP connections and open files of the processes of this machine (Linux)."""

import contextlib
import os
import socket
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rigless.programs.reaper import processes_below_quickly

ESTABLISHED = "01"
OPEN_STATES = (ESTABLISHED, "02")  # or waiting for an answer
TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
MAPPED = "::ffff:"  # an IPv4 address in a socket for IPv6


class Connection(NamedTuple):
    """One end of a connection: its address, that of the peer, and the name of the open file."""

    local: str
    peer: str
    file: str


def tcp_connections(states: Iterable[str] = OPEN_STATES) -> Iterator[Connection]:
    """Yield the ends of TCP connections on this machine."""
    for table in TABLES:
        with contextlib.suppress(OSError), open(table) as lines:
            for line in lines.readlines()[1:]:
                fields = line.split()
                if fields[3] in states:
                    local, peer = _address(fields[1]), _address(fields[2])
                    yield Connection(local, peer, f"socket:[{fields[9]}]")


def _address(text: str) -> str:
    """Return HOST:PORT of an entry such as 0100007F:15B3: words of 32 bits in the host's order."""
    words, _, port = text.partition(":")
    octets = b"".join(bytes.fromhex(words[n : n + 8])[::-1] for n in range(0, len(words), 8))
    if len(octets) == 4:
        return f"{socket.inet_ntop(socket.AF_INET, octets)}:{int(port, 16)}"
    host = socket.inet_ntop(socket.AF_INET6, octets)
    host = host.removeprefix(MAPPED) if host.startswith(MAPPED) else f"[{host}]"
    return f"{host}:{int(port, 16)}"


def open_files(pids: Iterable[int]) -> set[str]:
    """Return the names of open files of processes: paths, and `socket:[NUMBER]`."""
    names = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for number in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    names.add(os.readlink(f"/proc/{pid}/fd/{number}"))
    return names


def tcp_peers(root: int) -> set[str]:
    """Return HOST:PORT of the peers that the processes below `root` are connected to by TCP."""
    files = open_files(processes_below_quickly(root))
    return {end.peer for end in tcp_connections() if end.file in files} if files else set()


def is_peer(peer: str, pids: Iterable[int]) -> bool:
    """Return whether one of the processes holds the other end of a link.

    `peer` is HOST:PORT of a TCP connection, or the path of a terminal.
    """
    files = open_files(pids)
    return peer in files or any(
        end.local == peer and end.file in files for end in tcp_connections()
    )


def clients_of(port: int, known: Iterable[int]) -> list[str]:
    """Return the clients of a TCP server of this machine, without those of known processes.

    A connection that opens or closes while files are listed may lack its file. Only connections
    that exist before and after it count.
    """
    before = set(tcp_connections((ESTABLISHED,)))
    files = open_files(known)
    ends = before & set(tcp_connections((ESTABLISHED,)))
    ours = {end.local for end in ends if end.file in files}
    suffix = f":{port}"
    return sorted(end.peer for end in ends if end.local.endswith(suffix) and end.peer not in ours)
