"""The window on a virtual X display, whose pixels are read from its frame buffer."""

import json
import os
import shutil
import signal
import struct
import subprocess
from urllib.parse import urlsplit

import numpy as np
import pytest
import zmq

from rigless.robots.pacbot.window import brushes as c

PATIENCE_MS = 60_000
MISSING = "this test needs Xvfb: apt-get install xvfb, or run scripts/system-packages"


@pytest.fixture
def display(tmp_path):
    """Yield the display's name and a function that returns its pixels (rows, columns, colours)."""
    assert shutil.which("Xvfb"), MISSING
    read, write = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(write),
        "-screen",
        "0",
        "900x800x24",
        "-fbdir",
        tmp_path,
        "-nolisten",
        "tcp",
    ]
    server = subprocess.Popen(
        command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(write)
    try:
        with os.fdopen(read) as numbers:
            name = numbers.readline().strip()
        assert name, "Xvfb did not start"
        yield f":{name}", lambda: pixels((tmp_path / "Xvfb_screen0").read_bytes())
    finally:
        server.terminate()
        server.wait(PATIENCE_MS / 1000)


def pixels(xwd):
    """Decode an X window dump: big-endian header, colour map, and rows of BGRX."""
    words = struct.unpack(">25I", xwd[:100])
    begin, width, height, row_bytes = words[0] + 12 * words[19], words[4], words[5], words[12]
    rows = np.frombuffer(xwd, np.uint8, row_bytes * height, begin).reshape(
        height, row_bytes // 4, 4
    )
    return rows[:, :width, 2::-1]


def where(shown, colour):
    """Return row and column of the centre of all pixels of a colour, or None."""
    found = np.argwhere((shown == colour).all(axis=2))
    return found.mean(axis=0) if len(found) else None


def test_it_is_seen_it_moves_and_it_closes(display, rigless_process, environment):
    name, screen = display
    environment.update(DISPLAY=name, SDL_VIDEODRIVER="x11")
    process = rigless_process(
        "run",
        "pacbot",
        "--set",
        "ports.commands=0",
        "--set",
        "ports.sensors=0",
        "--no-panel",
        "--window",
    )
    process.until(lambda: where(screen(), c.YELLOW) is not None, "a yellow robot on the screen")
    before = where(screen(), c.YELLOW)
    assert where(screen(), c.WALL) is not None
    assert where(screen(), c.FLOOR) is not None
    drive(process.ports["pacbot/commands"], {0: 1.0, 1: -1.0})  # to the right
    process.until(
        lambda: where(screen(), c.YELLOW)[1] > before[1] + 40, "that it goes to the right"
    )
    assert abs(where(screen(), c.YELLOW)[0] - before[0]) < 15
    assert where(screen(), c.FORWARD) is not None
    assert process.end(signal.SIGINT) == 0
    process.until(lambda: where(screen(), c.YELLOW) is None, "that the window goes")


def drive(url, speeds):
    parts = urlsplit(url)
    with zmq.Context() as context, context.socket(zmq.REQ) as client:
        client.setsockopt(zmq.LINGER, 0)
        client.connect(f"tcp://{parts.hostname}:{parts.port}")
        for wheel, speed in speeds.items():
            client.send_string(
                json.dumps({"command": "move", "id": wheel, "params": {"speed": speed}})
            )
            assert client.poll(PATIENCE_MS)
            assert json.loads(client.recv())["status"] == "ok"
