"""A match on real sockets: a game client on WebSocket, motors on ZeroMQ."""

import json
import struct
import time
from contextlib import contextmanager

import zmq
from websockets.sync.client import connect

import rigless
from rigless.robots.pacbot.game.frame import read_frame

WAIT_S = 60
GAME = ["game.enabled=true", "game.ghosts=0"]


@contextmanager
def motors(url):
    with zmq.Context() as context, context.socket(zmq.REQ) as client:
        client.setsockopt(zmq.LINGER, 0)
        client.connect(url)

        def move(*speeds):
            for number, speed in enumerate(speeds):
                client.send_string(
                    json.dumps({"command": "move", "id": number, "params": {"speed": speed}})
                )
                assert client.poll(WAIT_S * 1000)
                assert json.loads(client.recv())["status"] == "ok"

        yield move


def until(client, true):
    """Return the first frame that satisfies a condition."""
    end = time.monotonic() + WAIT_S
    while not true(frame := read_frame(client.recv(WAIT_S))):
        assert time.monotonic() < end, f"waited in vain; the last frame was {frame}"
    return frame


def test_wheels_eat_pellets_and_the_client_sees_it():
    with (
        rigless.serve("pacbot", speed=4.0, settings=GAME) as host,
        connect(host.address("pacbot", "game")) as client,
        motors(host.address("pacbot", "commands")) as move,
    ):
        data = client.recv(WAIT_S)
        assert isinstance(data, bytes)
        assert len(data) == struct.calcsize(">HBBBBHHBBB" + "HBB" * 4 + "HHBB" + 31 * "I") == 159
        client.send(b"P")
        until(client, lambda frame: frame.mode == 1)
        host.pause()  # all wheels start at one instant, also on a busy machine
        move(-1, 1, 0, 0)
        host.resume()
        found = until(client, lambda frame: frame.score == 70)
        assert (found.pacman.row, found.pacman.column) == (23, 6)
        client.send("p")  # as text
        until(client, lambda frame: frame.mode == 0)
        client.send(b"r")
        assert until(client, lambda frame: frame.score == 0).lives == 3


def test_two_clients_see_the_same_and_junk_is_ignored():
    with (
        rigless.serve("pacbot", speed=4.0, settings=[*GAME, "game.camera.rate_hz=0"]) as host,
        connect(host.address("pacbot", "game")) as one,
        connect(host.address("pacbot", "game")) as two,
    ):
        for junk in (b"", b"\xff" * 1000, "žluťoučký", b"x", b"x\xff\xff", b"xxxx", b"."):
            two.send(junk)
        two.send(b"P")
        two.send(b"x\x14\x0c")
        for client in (one, two):
            found = until(client, lambda frame: frame.score == 40)
            assert (found.pacman.row, found.pacman.column) == (20, 12)
        assert host.state == "running"


def test_a_live_match_replays(tmp_path):
    from rigless.recordings.replay import verify

    path = tmp_path / "live.mcap"
    with (
        rigless.serve(
            "pacbot", speed=4.0, settings=["game.enabled=true", "game.camera.noise_stddev_m=0.02"]
        ) as host,
        connect(host.address("pacbot", "game")) as client,
        motors(host.address("pacbot", "commands")) as move,
    ):
        host.start_recording(path)
        client.send(b"P")
        move(1, -1, 0, 0)
        until(client, lambda frame: frame.ticks > 100)
        host.stop_recording()
    found = verify(path)
    assert (found.difference, found.cut) == (None, False)
