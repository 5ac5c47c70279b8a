"""Faults of the room, against closed forms where there are any."""

import math

import pytest

from .room import CAPACITY, HEATER, LOSS, Peer, room

QUIET = ("noise_c=0", "start_c=18")
HOUR = 3600.0


def after(sim, seconds):
    sim.run(seconds)
    return sim.truth("thermostat")


def settled(final_c, seconds=HOUR, start_c=18.0):
    return pytest.approx(
        final_c + (start_c - final_c) * math.exp(-seconds * LOSS / CAPACITY), abs=1e-9
    )


def faulty(target, kind="", *settings, **params):
    sim = room(*QUIET, *settings)
    sim.inject("thermostat", target, kind, **params)
    return sim


def test_a_welded_relay_heats_whatever_is_wanted():
    sim = faulty("relay", "welded", "setpoint_c=5")
    assert after(sim, HOUR).temperature_c == settled(5.0 + HEATER / LOSS)
    assert not sim.truth("thermostat").heating
    assert sim.robot("thermostat").status() == "fault"
    sim.clear("thermostat", "relay")
    warm = sim.truth("thermostat").temperature_c
    assert after(sim, HOUR).temperature_c == settled(5.0, HOUR, warm)
    assert sim.robot("thermostat").status() == "ok"


@pytest.mark.parametrize(
    ("kind", "params", "watts"),
    [
        ("stall", {}, 0.0),
        ("weak", {}, HEATER / 2),
        ("weak", {"factor": 0.1}, HEATER / 10),
        ("inverted", {}, -HEATER),
        ("runaway", {}, HEATER),
        ("runaway", {"level": 0.25}, HEATER / 4),
    ],
)
def test_a_bad_heater_gives_another_power(kind, params, watts):
    sim = faulty("heater", kind, "setpoint_c=30", **params)
    assert after(sim, 600).heating
    assert sim.truth("thermostat").temperature_c == settled(5.0 + watts / LOSS, 600)


def test_a_runaway_heater_heats_when_off():
    assert after(faulty("heater", "runaway", "setpoint_c=5"), 600).temperature_c == settled(
        5.0 + HEATER / LOSS, 600
    )


def test_a_lagging_heater_brings_its_heat_late():
    quick, slow = (
        room(*QUIET, "setpoint_c=30"),
        faulty("heater", "lag", "setpoint_c=30", tau_s=60.0),
    )
    missing_c = HEATER / CAPACITY * 60.0  # the heat of one time constant, less the loss
    gap_c = after(quick, 300).temperature_c - after(slow, 300).temperature_c
    assert 0.75 * missing_c < gap_c < missing_c


def test_a_sensor_that_is_off_leaves_the_heater_as_it_is():
    sim = room(*QUIET)
    peer = Peer(sim)
    sim.run(10)
    sim.inject("thermostat", "temperature", "off")
    assert after(sim, HOUR).temperature_c == settled(5.0 + HEATER / LOSS, HOUR + 10)
    assert peer.say(b"GET\n") == b"TEMP - SET 20.0 HEAT 1\r\n"
    sim.clear("thermostat")
    assert not after(sim, 1).heating


def test_a_stuck_sensor_holds_its_value():
    sim = room("start_c=18")
    sim.run(10)
    sim.inject("thermostat", "temperature", "stuck")
    held = after(sim, 0.1).measured_c
    assert after(sim, HOUR).measured_c == held
    assert sim.truth("thermostat").temperature_c > 30.0


def test_a_biased_sensor_shifts_the_room():
    sim = faulty("temperature", "bias", value=2.0)
    sim.run(HOUR)
    for _ in range(100):
        assert 17.5 < after(sim, 10).temperature_c < 18.5


def test_a_wrong_sensor_heats_for_ever():
    assert after(faulty("temperature", "wrong", value=0.0), HOUR).temperature_c == settled(
        5.0 + HEATER / LOSS
    )


def test_a_noisy_sensor_switches_more():
    def switched(sim):
        sim.run(HOUR)
        return sim.robot("thermostat").metrics["switched"]

    assert switched(faulty("temperature", "noise", stddev=2.0)) > 10 * switched(room(*QUIET))


def test_a_sensor_drops_out_with_the_given_probability():
    sim = faulty("temperature", "dropout", probability=0.3)
    seen = []
    sim.core.sample(10, lambda: seen.append(sim.truth("thermostat").measured_c is None))
    sim.run(200)
    assert sum(seen) / len(seen) == pytest.approx(0.3, abs=0.04)


def test_a_disconnected_line_hangs_up_and_takes_no_call():
    sim = room()
    peer = Peer(sim)
    sim.inject("thermostat", "line", "disconnect")
    assert peer.gone
    assert Peer(sim, 2).say(b"GET\n") == b""
    sim.clear("thermostat")
    assert Peer(sim, 3).say(b"SET 9\n") == b"OK\r\n"


def test_a_slow_line_answers_late():
    sim = room()
    peer = Peer(sim)
    sim.inject("thermostat", "line", "delay", ms=200.0)
    assert peer.say(b"SET 9\n") == b""
    sim.run(0.39)
    assert (peer.heard, sim.truth("thermostat").setpoint_c) == (b"", 9.0)
    sim.run(0.01)
    assert peer.heard == b"OK\r\n"


def test_a_fault_in_one_room_leaves_the_other_alone():
    one, two = room(seed=3), room(seed=3)
    two.inject("thermostat", "temperature", "noise", stddev=0.0)
    assert after(one, 60) == after(two, 60)


def test_the_winter_of_the_example_holds(capfd):
    from rigless.cli.check import check_all

    from .room import THERMOSTAT

    assert check_all([str(THERMOSTAT / "winter.toml")]) == 0
    assert check_all([str(THERMOSTAT / "winter.toml")], ["heater_w=300"]) == 1
    assert "1 failed" in "".join(capfd.readouterr())
