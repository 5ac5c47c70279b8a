"""The private network of an isolated run: loopback, multicast and shared memory of its own."""

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from rigless.programs import namespace

PROBE = """
import json, os, socket
from rigless.programs import namespace

namespace.enter()
group = "239.255.0.1"  # of DDS discovery
receiver, sender = (socket.socket(type=socket.SOCK_DGRAM) for _ in range(2))
with receiver, sender:
    receiver.settimeout(60)
    receiver.bind(("", 7400))
    membership = socket.inet_aton(group) + socket.inet_aton("0.0.0.0")
    receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
    sender.sendto(b"hello", (group, 7400))
    data, (source, _) = receiver.recvfrom(100)
names = [name for _, name in socket.if_nameindex()]
print(json.dumps([names, data.decode(), source, os.listdir("/dev/shm")]))
"""


def test_multicast_reaches_the_loopback_interface_from_its_address():
    outside = Path("/dev/shm/rigless-test-of-isolation")
    outside.touch()
    try:
        probe = [sys.executable, "-c", PROBE]
        run = subprocess.run(probe, capture_output=True, text=True, check=False)
    finally:
        outside.unlink()
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [["lo"], "hello", "127.0.0.1", []]


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EPERM, "user namespaces are not permitted here (Operation not permitted)"),
        (errno.ENOSPC, "the limit user.max_user_namespaces of this machine is reached"),
    ],
)
def test_a_system_that_refuses_is_explained(
    number: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise OSError(number, "unshare")

    monkeypatch.setattr(namespace, "enter", refuse)
    assert namespace.why_not() == reason
