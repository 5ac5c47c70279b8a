"""Commands: all dialects drive the same wheels; watchdog, serial line, strings, query."""

import json
import struct

import pytest

from rigless.clients.pacbot import PhaseEnableMotor, Sensors
from rigless.kernel import inputs as inp

from .scene import FORWARD, WHEELS, ask, codes, drive, pacbot, truth

PINS = {"north": (17, 27), "south": (22, 23), "east": (24, 25), "west": (5, 6)}


def arrive(sim, port, data):
    sim.apply(inp.Connect("pacbot", port, 9, "peer", "here"))
    sim.apply(inp.Arrive("pacbot", port, 9, data))


@pytest.mark.parametrize("wheel", WHEELS)
def test_all_dialects_drive_the_same_wheel(wheel):
    pins = dict(zip(("pin1", "pin2"), PINS[wheel], strict=True))
    swapped = dict(zip(("pin1", "pin2"), PINS[wheel][::-1], strict=True))
    for request in (
        {"command": "backward", **pins, "params": {"speed": 0.6}},
        {"command": "backward", **swapped, "params": {"speed": 0.6}},
        {"command": "move", **pins, "params": {"speed": -0.6}},
        {"command": "move", "id": WHEELS.index(wheel), "params": {"speed": -0.6}},
    ):
        sim = pacbot()
        assert ask(sim, **request)["wheel"] == wheel
        assert truth(sim).commands == {**dict.fromkeys(WHEELS, 0.0), wheel: -0.6}
        assert ask(sim, command="stop", **pins)["message"] == f"{wheel} stopped"
        assert set(truth(sim).commands.values()) == {0.0}


def test_a_command_for_one_wheel_leaves_the_others():
    sim = pacbot()
    drive(sim, {"north": 0.1, "south": 0.2, "east": 0.3, "west": 0.4})
    ask(sim, command="stop", pin1=24, pin2=25)
    assert truth(sim).commands == {"north": 0.1, "south": 0.2, "east": 0.0, "west": 0.4}


def test_pins_can_be_wired_otherwise():
    sim = pacbot("pins.north=[2,3]")
    assert ask(sim, command="forward", pin1=3, pin2=2, params={"speed": 1})["wheel"] == "north"
    assert ask(sim, command="forward", pin1=17, pin2=27, params={"speed": 1})["status"] == "warning"


def test_the_query_gives_what_was_last_published():
    sim = pacbot()
    drive(sim, FORWARD)
    sim.run(0.1)
    sim.take("pacbot", "sensors")
    sim.run(1 / 60)
    tof, encoders, imu = sim.take("pacbot", "sensors")
    reply = ask(sim, command="sensors")
    assert list(reply) == ["status", "command", "tof", "encoders", "imu"]
    assert (reply["status"], reply["command"]) == ("ok", "sensors")
    assert reply["tof"] == tof.ranges
    assert reply["encoders"] == encoders.ticks
    assert reply["imu"] == {"ax": imu.ax, "ay": imu.ay, "omega": imu.omega}


def test_the_query_is_answered_before_anything_was_published():
    reply = ask(pacbot(), command="sensors")
    assert reply["tof"] == dict.fromkeys(WHEELS, 0.675)
    assert reply["encoders"] == dict.fromkeys(WHEELS, 0.0)


def test_the_watchdog_stops_motors_without_commands():
    sim = pacbot("motors.watchdog_s=0.3")
    sim.run(1)
    assert codes(sim) == []
    drive(sim, {"north": 0.5})
    for _ in range(4):
        sim.run(0.2)
        ask(sim, command="move", id=0, params={"speed": 0.5})
    assert truth(sim).commands["north"] == 0.5
    ask(sim, command="sensors")  # a query is not a command
    sim.run(0.31)
    assert truth(sim).commands["north"] == 0.0
    assert codes(sim) == ["watchdog"]
    sim.run(1)
    assert codes(sim) == ["watchdog"]
    ask(sim, command="move", id=0, params={"speed": 0.5})
    sim.run(0.1)
    assert truth(sim).commands["north"] == 0.5


def test_without_a_watchdog_it_drives_on():
    sim = pacbot()
    drive(sim, {"north": 0.5})
    sim.run(20)
    assert truth(sim).commands["north"] == 0.5


def test_the_serial_line_sets_all_wheels_in_its_own_order():
    sim = pacbot("uart=true")
    assert sim.ports("pacbot") == ["commands", "sensors", "uart"]
    arrive(sim, "uart", struct.pack(">4h", 32767, -32767, -16384, 8192)[:5])
    assert set(truth(sim).commands.values()) == {0.0}
    arrive(sim, "uart", struct.pack(">4h", 32767, -32767, -16384, 8192)[5:])
    assert truth(sim).commands == pytest.approx(
        {"north": 1, "east": -1, "south": -0.50002, "west": 0.25001}, abs=1e-4
    )
    assert sim.take("pacbot", "uart") == []


@pytest.mark.parametrize(
    ("word", "moves"),
    [
        ("W", (0, 1, 0)),
        ("s", (0, -1, 0)),
        ("A", (-1, 0, 0)),
        ("d", (1, 0, 0)),
        ("Q", (0, 0, 1)),
        ("E", (0, 0, -1)),
    ],
)
def test_a_key_drives_until_the_next(word, moves):
    sim = pacbot("strings=true", "motors.tau_s=0", "body.damping_per_s=0")
    arrive(sim, "strings", word.encode())
    sim.run(1.5)
    assert truth(sim).body_velocity == pytest.approx(
        (0.3 * moves[0], 0.3 * moves[1], 4.0 * moves[2]), abs=1e-12
    )
    arrive(sim, "strings", b"stop")
    sim.run(0.1)
    assert truth(sim).velocity == (0, 0, 0)


@pytest.mark.parametrize(
    ("word", "moves"), [("north", (0, 1)), ("south", (0, -1)), ("east", (1, 0)), ("West", (-1, 0))]
)
@pytest.mark.parametrize("profile", ["seed", "upstream"])
def test_a_tile_is_one_cell(word, moves, profile):
    sim = pacbot("strings=true", f"profile={profile}")
    sim.run(0.005)
    arrive(sim, "strings", word.encode())
    sim.run(0.5)
    assert max(map(abs, truth(sim).commands.values())) == (
        1.0 if profile == "seed" else pytest.approx(0.75 * 1.005)
    )
    sim.run(3)
    wanted = (1.05 + 0.3 * moves[0], 1.05 + 0.3 * moves[1], 0)
    assert truth(sim).pose == pytest.approx(
        wanted, abs=2e-3 if profile == "seed" else 1e-9
    )  # the seed's duration ends between two steps
    assert set(truth(sim).commands.values()) == {0.0}


def test_a_tile_of_the_arena_takes_its_time():
    sim = pacbot("strings=true", "maze=arena")
    x, y, _ = truth(sim).pose
    sim.run(0.005)
    arrive(sim, "strings", b"east")
    sim.run(0.79)
    assert truth(sim).commands["north"] == pytest.approx(1.005 * 0.0889 / 0.8 / 0.3)
    sim.run(2)
    assert truth(sim).pose == pytest.approx((x + 0.0889, y, 0), abs=1e-9)


def test_a_newer_command_is_not_ended_by_an_older_tile():
    sim = pacbot("strings=true")
    arrive(sim, "strings", b"north")
    sim.run(0.5)
    arrive(sim, "strings", b"q")
    sim.run(1.5)
    assert set(truth(sim).commands.values()) == {-1.0}


def test_an_unknown_word_is_reported_and_changes_nothing():
    sim = pacbot("strings=true")
    arrive(sim, "strings", b"w")
    before = truth(sim).commands
    arrive(sim, "strings", b"jump")
    assert truth(sim).commands == before
    assert codes(sim) == ["unknown-word"]


def test_strings_and_serial_line_are_off_unless_asked_for():
    assert pacbot().ports("pacbot") == ["commands", "sensors"]
    assert pacbot("strings=true").ports("pacbot") == ["commands", "sensors", "strings"]


class Fake:
    """A REQ socket that is connected to the simulation itself."""

    def __init__(self, sim):
        self.sim = sim

    def send_string(self, text):
        self.reply = json.dumps(ask(self.sim, **json.loads(text)))

    def recv(self):
        return self.reply


def test_the_client_speaks_the_dialect_of_the_real_one():
    sim = pacbot()
    with PhaseEnableMotor(5, 6) as west, Sensors() as sensors:
        for client in (west, sensors):
            client._socket.close()
            client._socket = Fake(sim)
            client.close = lambda: None
        assert west.forward(0.5)["message"] == "west forward at 0.5"
        assert west.backward()["message"] == "west backward at 1.0"
        assert west.forward()["message"] == "west forward at 1.0"
        assert west.stop()["message"] == "west stopped"
        assert sensors.read()["tof"]["north"] == 0.675
