"""Hostile bytes on a TCP port: the process survives, serves other clients, and exits with 0."""

import random
import socket
import struct

import pytest

from rigless.recordings.replay import verify


@pytest.fixture
def process(rigless_process, thermostat, tmp_path):
    words = ("--set", "ports.line=0", "--panel", "127.0.0.1:0", "--record", tmp_path / "f.mcap")
    found = rigless_process("run", thermostat, *words)
    yield found
    assert answers(found)
    assert found.end() == 0
    assert "Traceback" not in found.errors
    assert verify(tmp_path / "f.mcap").difference is None  # the recording replays equal


def connect(process):
    return socket.create_connection(process.address("thermostat/line"), 60)


def answers(process):
    with connect(process) as client, client.makefile("rb") as stream:
        client.sendall(b"GET\n")
        return stream.readline().startswith(b"TEMP ")


def drain(client):
    """Read until the robot closes the connection."""
    got = b""
    try:
        while chunk := client.recv(65536):
            got += chunk
    except ConnectionError:
        pass
    return got


def test_garbage(process):
    rng = random.Random(11)
    for _ in range(60):
        with connect(process) as client:
            try:
                client.sendall(rng.randbytes(rng.randrange(1, 5000)))
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the robot closed the connection
            drain(client)
    assert answers(process)


def test_half_lines(process):
    halves = [connect(process) for _ in range(50)]
    for number, client in enumerate(halves):
        client.sendall(b"SET 2"[: number % 6])
    assert answers(process)
    for client in halves[::2]:
        client.close()
    assert answers(process)
    last = halves[-1]  # it holds part of a line: complete it and get its reply
    last.sendall(b"\n")
    assert last.recv(100)
    for client in halves[1::2]:
        client.close()


def test_huge_lines_close_the_connection(process):
    for data in (b"A" * 10_000_000, b"G" * 81, b"SET " + b"9" * 200_000 + b"\n", b"\0" * 1_000_000):
        with connect(process) as client:
            try:
                client.sendall(data)
            except OSError:
                continue  # closed while sending
            assert drain(client) == b""
        assert answers(process)


def test_a_storm_of_connections(process):
    rng = random.Random(12)
    for number in range(300):
        client = connect(process)
        if number % 3 == 0:
            client.sendall(b"GET\n")
        if rng.random() < 0.5:
            client.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )  # a reset instead of a normal close
        client.close()
    assert answers(process)


def test_more_connections_than_it_takes_at_once(process):
    held = [connect(process) for _ in range(300)]
    for client in held[:200]:
        client.sendall(b"GET\n")
        assert client.recv(100).startswith(b"TEMP ")
    for client in held:
        client.close()
    process.until(lambda: _answers_or_full(process), "a free place")


def _answers_or_full(process):
    try:
        return answers(process)
    except OSError:
        return False


def test_thousands_of_small_chunks(process):
    rng = random.Random(13)
    with connect(process) as client, client.makefile("rb") as stream:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        text = b"".join(b"SET %d\n" % rng.randrange(5, 31) for _ in range(1000))
        at = 0
        while at < len(text):
            size = rng.randrange(1, 4)
            client.sendall(text[at : at + size])
            at += size
        assert [stream.readline() for _ in range(1000)] == [b"OK\r\n"] * 1000


def test_clients_that_never_read(process):
    with connect(process) as one, connect(process) as other:
        for _ in range(10):
            one.sendall(b"GET\n" * 1000)
            other.sendall(b"GET\n" * 1000)
            assert answers(process)


def test_faults_on_the_wire_under_load(process, rigless_command):
    assert (
        rigless_command(
            "ctl", "inject", "thermostat", "line", "corrupt", "probability=0.3", "bits=3"
        ).returncode
        == 0
    )
    for _ in range(20):
        with connect(process) as client:
            client.sendall(b"GET\nSET 21\n" * 10)
            client.shutdown(socket.SHUT_WR)
            drain(client)
    assert rigless_command("ctl", "clear", "thermostat").returncode == 0
