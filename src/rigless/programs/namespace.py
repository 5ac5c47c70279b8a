"""A private network for a run: a user and a network namespace with a loopback interface (Linux).

Programs and robots with fixed ports can then run side by side. It needs no privileges where the
system allows user namespaces. A process must enter before it starts threads, so it is the first
thing that an isolated run does.
"""

import os
import socket
import struct
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, SIOCADDRT = 0x8914, 0x890B
IFF_UP, IFF_MULTICAST = 0x1, 0x1000
RTF_UP = 0x1


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


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _start_loopback() -> None:
    """Bring up `lo` and route multicast to it, which DDS discovery uses."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        flags = struct.pack("16sh14x", b"lo", IFF_UP | IFF_MULTICAST | 0x8 | 0x40)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, flags)
        fcntl.ioctl(any_socket, SIOCADDRT, _route("224.0.0.0", "240.0.0.0", b"lo"))


def _route(destination: str, mask: str, device: bytes) -> bytes:
    """Return a `struct rtentry` for a route to a device."""
    import ctypes

    def address(text: str) -> bytes:
        return struct.pack("=HH4s8x", socket.AF_INET, 0, socket.inet_aton(text))

    global _device  # the kernel reads the name while it adds the route
    _device = ctypes.create_string_buffer(device)
    return struct.pack(
        "@L16s16s16sHhLPhPLLH",
        0,
        address(destination),
        address("0.0.0.0"),
        address(mask),
        RTF_UP,
        0,
        0,
        0,
        0,
        ctypes.addressof(_device),
        0,
        0,
        0,
    )


_device: object = None


def run_module(arguments: list[str]) -> None:
    """Enter the private network, then run a module with its arguments as `python -m` does."""
    import runpy

    enter()
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    run_module(sys.argv[1:])
