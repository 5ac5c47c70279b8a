"""A private network for a run: a user and a network namespace with a loopback interface (Linux).

Programs and robots with fixed ports can then run side by side. It needs no privileges where the
system allows user namespaces. A process must enter before it starts threads, so it is the first
thing that an isolated run does. It also gets a shared memory folder of its own.
"""

import errno
import os
import socket
import struct
import sys

CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWNS = 0x10000000, 0x40000000, 0x00020000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
SIOCSIFFLAGS = 0x8914
IFF_UP, IFF_MULTICAST = 0x1, 0x1000
NETLINK_ROUTE, RTM_NEWROUTE = 0, 24
NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE = 0x1, 0x4, 0x400
RTA_DST, RTA_OIF, RTA_PREFSRC = 1, 4, 7
RT_TABLE_MAIN, RTPROT_BOOT, RT_SCOPE_LINK, RTN_UNICAST = 254, 3, 253, 1


def why_not() -> str:
    """Return why runs cannot be isolated on this machine; empty if they can."""
    if sys.platform != "linux":
        return "isolation needs Linux"
    child = os.fork()
    if child == 0:
        try:
            enter()
        except OSError as error:
            os._exit(error.errno or 1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == errno.ENOSPC:
        return "the limit user.max_user_namespaces of this machine is reached"
    return f"user namespaces are not permitted here ({os.strerror(status)})" if status else ""


def enter() -> None:
    """Move this process into a private user and network namespace. Raises OSError."""
    import ctypes

    uid, gid = os.getuid(), os.getgid()
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")
    _start_loopback()
    _hide_shared_memory()


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _start_loopback() -> None:
    """Bring up `lo` and route multicast to it, which DDS discovery uses."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        flags = struct.pack("16sh14x", b"lo", IFF_UP | IFF_MULTICAST | 0x8 | 0x40)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, flags)
    _add_route("224.0.0.0", 4, socket.if_nametoindex("lo"), "127.0.0.1")


def _add_route(destination: str, prefix: int, interface: int, source: str) -> None:
    """Add a route to an interface (rtnetlink). Raises OSError.

    Without a preferred source, packets to a multicast group would come from 0.0.0.0: the kernel
    does not choose 127.0.0.1 for them, since its scope is this host. A receiver could not reply.
    """
    attributes = (
        _attribute(RTA_DST, socket.inet_aton(destination))
        + _attribute(RTA_OIF, struct.pack("=i", interface))
        + _attribute(RTA_PREFSRC, socket.inet_aton(source))
    )
    route = struct.pack(
        "=BBBBBBBBI",
        socket.AF_INET,
        prefix,
        0,  # bits of the source prefix
        0,  # type of service
        RT_TABLE_MAIN,
        RTPROT_BOOT,
        RT_SCOPE_LINK,
        RTN_UNICAST,
        0,
    )
    body = route + attributes
    header = struct.pack(
        "=IHHII", 16 + len(body), RTM_NEWROUTE, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE, 1, 0
    )
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_ROUTE) as netlink:
        netlink.send(header + body)
        (error,) = struct.unpack_from("=i", netlink.recv(4096), 16)
    if error:
        raise OSError(-error, "route to lo")


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value


def _hide_shared_memory() -> None:
    """Give this process a /dev/shm of its own.

    Fast DDS names its shared memory by port number, which is the same in every private network.
    Where mounts are not permitted, shared memory stays common.
    """
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    if os.path.isdir("/dev/shm") and library.unshare(CLONE_NEWNS) == 0:
        library.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
        library.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"mode=1777")
