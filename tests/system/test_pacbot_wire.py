"""`rigless run pacbot` in its own process, with ZeroMQ clients, a serial line and strings."""

import json
import os
import struct
import threading
import time

import pytest
import zmq

from rigless.clients.pacbot import PhaseEnableMotor, Sensors

PINS = [(17, 27), (22, 23), (24, 25), (5, 6)]
SETTINGS = ("--no-panel", "--speed", "5", "--set", "ports.commands=0", "--set", "ports.sensors=0")


@pytest.fixture
def plain():
    """Return a function that connects a ZeroMQ socket; all are closed at the end."""
    context, sockets = zmq.Context(), []

    def connect(kind, url):
        found = context.socket(kind)
        found.setsockopt(zmq.LINGER, 0)
        found.setsockopt(zmq.RCVTIMEO, 60_000)
        found.connect(url)
        sockets.append(found)
        return found

    yield connect
    for found in sockets:
        found.close()
    context.term()


def until(true, what):
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.01)


def test_four_motors_at_once_and_every_reply_to_its_own(
    rigless_process, rigless_command, plain, tmp_path
):
    process = rigless_process("run", "pacbot", *SETTINGS, "--record", tmp_path / "live.mcap")
    url = process.ports["pacbot/commands"]
    wrong = []

    def motor(number):
        req = plain(zmq.REQ, url)
        for turn in range(100):
            req.send_json({"command": "move", "id": number, "params": {"speed": turn / 200}})
            reply = req.recv_json()
            if (reply["status"], reply["id"]) != ("ok", number):
                wrong.append(reply)

    threads = [threading.Thread(target=motor, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert process.end() == 0
    assert "error" not in process.errors
    replayed = rigless_command("replay", tmp_path / "live.mcap", "--verify")
    assert (replayed.returncode, "the same" in replayed.stdout + replayed.stderr) == (0, True), (
        replayed.stderr
    )


def test_the_original_script_drives_a_square_and_reads_sensors(rigless_process):
    process = rigless_process("run", "pacbot", *SETTINGS)
    url = process.ports["pacbot/commands"]
    motors = [PhaseEnableMotor(*pins, url) for pins in PINS]
    north, south, east, west = motors
    with Sensors(url) as sensors:
        assert west.forward(0.5)["message"] == "west forward at 0.5"
        assert east.backward(0.5)["message"] == "east backward at 0.5"
        until(lambda: sensors.read()["encoders"]["west"] > 500, "the west wheel turns")
        west.stop()
        east.stop()
        north.forward(0.5)
        south.backward(0.5)
        until(lambda: sensors.read()["encoders"]["north"] > 500, "the north wheel turns")
        found = sensors.read()
    assert found["tof"]["north"] < 0.66
    assert found["tof"]["east"] < 0.66
    for one in motors:
        one.stop()
        one.close()
    assert process.end() == 0


def test_hostile_clients_do_not_affect_other_clients(rigless_process, plain):
    process = rigless_process("run", "pacbot", *SETTINGS)
    url = process.ports["pacbot/commands"]
    good, dealer = plain(zmq.REQ, url), plain(zmq.DEALER, url)
    hostile = [
        b"", b"\xff\xfe", b"[" * 60_000, b'{"command":' * 3000, b"x" * 100_000,
        b'{"command":"move","id":[0]}', b'{"command":"move","id":0,"params":{"speed":1e999}}',
        b"null", b'"\\ud800"',
    ]  # fmt: skip
    for data in hostile:
        dealer.send_multipart([b"", data])
        dealer.send_multipart([data, data, data])
        dealer.send(data)
        good.send_json({"command": "move", "id": 1, "params": {"speed": 0.1}})
        assert good.recv_json()["message"] == "south forward at 0.1"
    for data in (*hostile, b"[" * 100_000, b"x" * 1_000_000, b"x" * (1 << 20), b"[" * (1 << 22)):
        req = plain(zmq.REQ, url)
        req.send(data)
        assert req.recv_json()["status"] == "error", f"{len(data)} bytes"
    everything, imu = (plain(zmq.SUB, process.ports["pacbot/sensors"]) for _ in range(2))
    everything.subscribe(b"sensors.")
    imu.subscribe(b"sensors.imu")
    received = {}
    while len(received) < 3:
        topic, _, text = everything.recv_string().partition(" ")
        received[topic] = json.loads(text)
    assert set(received) == {"sensors.tof", "sensors.encoders", "sensors.imu"}
    assert list(received["sensors.tof"]) == ["north", "south", "east", "west"]
    assert all(0.05 <= value <= 1.0 for value in received["sensors.tof"].values())
    assert {imu.recv_string().partition(" ")[0] for _ in range(10)} == {"sensors.imu"}
    assert process.end() == 0
    assert "Traceback" not in process.errors


def test_serial_line_strings_and_a_custom_maze(rigless_process, plain, tmp_path):
    maze = tmp_path / "lane.json"
    maze.write_text(
        json.dumps(
            {"name": "lane", "grid": [[1, 1, 1], [1, 0, 1], [1, 0, 1], [1, 0, 1], [1, 1, 1]]}
        )
    )
    tty = tmp_path / "ttyPACBOT"
    more = ("uart=true", f"ports.uart={tty}", "strings=true", "ports.strings=0")
    process = rigless_process(
        "run", maze, *SETTINGS, *(word for setting in more for word in ("--set", setting))
    )
    assert process.ports["pacbot/uart"] == f"pty://{tty}"
    with Sensors(process.ports["pacbot/commands"]) as sensors:
        line = os.open(tty, os.O_RDWR | os.O_NOCTTY)
        os.write(line, struct.pack(">4h", 0, -16384, 0, 16384))  # forward
        until(lambda: sensors.read()["encoders"]["west"] > 300, "the serial line drives")
        os.write(line, bytes(8))
        os.close(line)
        push = plain(zmq.PUSH, process.ports["pacbot/strings"])
        push.send_string("south")
        until(lambda: sensors.read()["encoders"]["west"] < -100, "a string drives")
    assert process.end() == 0
    assert not os.path.lexists(tty)


def test_list_names_robot_scenarios_and_mazes(rigless_command):
    listed = rigless_command("list").stdout
    for word in ("pacbot ", "pacbot_square", "mini ", "empty ", "medium ", "full ", "arena "):
        assert f"  {word}" in listed, word
