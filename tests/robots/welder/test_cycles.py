"""Jogging, homing, probing, check mode, sleep, door and emergency stop over the wire."""

import re

import pytest
from hypothesis import settings

from .scene import SIX, Bench, fields

BUDGET = settings(max_examples=30, derandomize=True)


# Jogging


def test_jogs_are_done_and_cancelled():
    bench = Bench()
    assert bench.ask("$J=G91 X50 F3000") == ["ok"]
    bench.run(0.5)
    assert bench.status()["mode"] == "Jog"
    assert bench.ask("G0 X1") == ["error:9"]
    assert bench.ask("$J=G91 X10 F3000") == ["ok"]
    bench.send("\x85", 0.2)
    there = bench.status()
    assert there["mode"] == "Idle"
    assert 20 < float(there["MPos"].split(",")[0]) < 40
    assert bench.ask("$J=G90 X0 F7000", 3.0) == ["ok"]
    assert bench.status()["MPos"].startswith("0.000")
    assert bench.ask("$G")[0].startswith("[GC:G0")  # a jog leaves the modal state alone


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("$J=G91 X1", 22),
        ("$J=X200 F100", 15),
        ("$J=G2 X1 F100", 16),
        ("$J", 3),
        ("$J=F100", 26),
        ("$J=G91 X1 F-5", 4),
    ],
)
def test_jogs_that_cannot_be(line, number):
    assert Bench().ask(line) == [f"error:{number}"]


def test_a_jog_needs_idle():
    bench = Bench()
    bench.ask("G1 X10 F600")
    assert bench.ask("$J=G91 X1 F100") == ["error:8"]


def test_a_hold_cancels_a_jog_in_grbl_but_not_in_grblhal():
    for compat, mode in [("grbl", "Idle"), ("grblHAL", "Jog")]:
        bench = Bench(f"compat={compat}")
        bench.ask("$J=X100 F3000", 0.5)
        bench.send("!", 0.3)
        assert bench.status()["mode"] == mode


def test_limits_can_clip_a_jog():
    bench = Bench()
    bench.ask("$40=1")
    assert bench.ask("$J=X500 F7000", 5) == ["ok"]
    assert bench.status()["MPos"].startswith("170.000")


# Homing


def test_homing_goes_joint_by_joint_and_ends_at_the_home_pose():
    bench = Bench("start_deg=[10,10,10,10,10,10]")
    assert [line.split("|")[0] for line in bench.ask("$H")] == ["<Home"]
    order, last = [], [10.0] * 6
    for _ in range(20000):
        bench.run(0.005)
        now = bench.truth.joints_deg
        moved = tuple(n + 1 for n in range(6) if abs(now[n] - last[n]) > 1e-9)
        if moved and (not order or order[-1] != moved):
            order.append(moved)
        last = now
        if bench.state.mode != "Home":
            break
    assert next(set(group) for group in dict.fromkeys(tuple(sorted(g)) for g in order)) <= {5, 6}
    firsts = [next(n for n, group in enumerate(order) if joint in group) for joint in (5, 4, 2, 1)]
    assert firsts == sorted(firsts)
    assert now == pytest.approx((0, -45, 90, 0, 45, 0))
    assert bench.truth.homed
    assert bench.status()["mode"] == "Idle"


def test_homing_of_one_axis_reset_and_door():
    bench = Bench("start_deg=[10,0,0,0,0,0]")
    assert bench.ask("$HX", 10.0)[1:] == ["ok"]
    assert bench.status()["H"] == "0,1"
    assert bench.truth.joints_deg == pytest.approx((0,) * 6)
    assert bench.state.homed == 1
    assert bench.ask("$HQ") == ["error:3"]
    bench.ask("$H", 0.2)
    assert bench.send("\x18").startswith("ALARM:6")
    bench.ask("$X")
    bench.ask("$H", 0.2)
    assert "ALARM:7" in bench.input("door", True)
    assert bench.ask("$H") == ["error:13"]
    bench.input("door", False)
    bench.ask("$X")
    bench.ask("$22=0")
    assert bench.ask("$H") == ["error:5"]
    assert bench.ask("$20=1") == ["error:10"]


def test_homing_can_be_required():
    bench = Bench("homing.required=true")
    assert bench.greeting.endswith("[MSG:'$H'|'$X' to unlock]\r\n")
    assert fields(bench.send("\x87"))["mode"] == "Alarm:11"
    assert bench.ask("G0 X1") == ["error:9"]
    assert f"[HOME:{SIX}:0]" in bench.ask("$#")
    assert bench.ask("$H", 60.0)[1:] == ["ok"]
    status = bench.status()
    assert (status["mode"], status["H"]) == ("Idle", "1,63")
    assert "[HOME:0.000,-45.000,90.000,0.000,45.000,0.000:63]" in bench.ask("$#")


# Probing


@pytest.mark.parametrize(
    ("code", "touch_before"), [("G38.2", False), ("G38.3", False), ("G38.4", True), ("G38.5", True)]
)
def test_probing_stops_on_contact(code, touch_before):
    bench = Bench()
    bench.input("probe", touch_before)
    assert bench.ask(f"{code} X50 F600") == []
    bench.run(1.0)
    assert ("P" in bench.status().get("Pn", "")) is touch_before
    bench.input("probe", not touch_before)
    said = bench.run(0.3)
    found = re.fullmatch(r"\[PRB:([\d.]+),.*:1\]\r\nok\r\n", said)
    assert found, said
    assert float(found[1]) == pytest.approx(10.0, abs=0.15)
    assert bench.status()["mode"] == "Idle"
    assert bench.state.position[0] == pytest.approx(bench.truth.joints_deg[0])


def test_a_probing_that_touches_nothing():
    bench = Bench()
    said = bench.ask("G38.2 X5 F600", 1.0)
    assert said[0] == "ALARM:5"
    assert said[1] == "[PRB:5.000,0.000,0.000,0.000,0.000,0.000:0]"
    assert bench.status()["mode"] == "Alarm"
    bench.ask("$X")
    said = bench.ask("G38.3 X0 F600", 1.0)
    assert said == ["[PRB:0.000,0.000,0.000,0.000,0.000,0.000:0]", "ok"]
    bench.input("probe", True)
    assert bench.ask("G38.2 X5")[0] == "ALARM:4"


def test_a_hold_in_a_probing_is_no_end_of_it():
    bench = Bench()
    bench.ask("G38.2 X50 F600", 1.0)
    bench.send("!", 1.0)
    assert bench.status()["mode"] == "Hold:0"
    bench.send("~", 0.5)
    assert bench.status()["mode"] == "Run"
    bench.input("probe", True)
    assert bench.run(0.5).startswith("[PRB:1")


# Check mode, sleep, door, emergency stop


def test_check_mode_parses_and_does_not_move():
    bench = Bench()
    assert bench.ask("$C") == ["[MSG:Enabled]", "ok"]
    for line in (
        "G0 X90",
        "M3",
        "G4 P100",
        "G2 X80 I-5 F10",
        "M64 P1",
        "M66 P1 L3 Q9",
        "M0",
        "G38.2 X1 F5",
        "M30",
    ):
        assert bench.ask(line)[-1] == "ok"
    assert bench.status()["mode"] == "Check"
    assert (bench.truth.joints_deg, bench.truth.digital_outputs) == ((0.0,) * 6, 0)
    said = bench.ask("$C")
    assert said[:2] == ["[MSG:Disabled]", "ok"]
    assert bench.status()["mode"] == "Idle"
    assert bench.ask("G91 G0 X1", 1.0) == ["ok"]
    assert bench.status()["MPos"].startswith("1.000")


def test_sleep_ends_with_a_reset():
    bench = Bench()
    assert bench.ask("$SLP") == ["ok", "[MSG:Sleeping]"]
    assert bench.status()["mode"] == "Sleep"
    assert bench.ask("G0 X1") == []
    assert bench.send("\x18").endswith("to unlock]\r\n")
    bench.ask("$62=0")
    bench.ask("$X")
    assert bench.ask("$SLP") == ["error:3"]


def test_the_door_holds_and_its_closing_lets_go_on():
    bench = Bench()
    bench.ask("G1 X90 F3600", 0.5)
    assert bench.input("door", True) == "[MSG:Check Door]\r\n"
    assert bench.status()["mode"] == "Door:2"
    bench.run(0.3)
    assert (bench.status()["mode"], bench.status()["Pn"]) == ("Door:1", "D")
    bench.send("~")
    assert bench.status()["mode"] == "Door:1"
    bench.input("door", False)
    assert bench.status()["mode"] == "Door:0"
    bench.send("~")
    bench.until_idle()
    assert bench.status()["MPos"].startswith("90.000")


def test_the_emergency_stop():
    bench = Bench()
    bench.ask("M3")
    bench.ask("G1 X90 F3600", 1.0)
    said = bench.input("estop", True)
    assert said == "ALARM:10\r\n[MSG:Emergency stop - clear, then reset to continue]\r\n"
    rest = bench.truth
    assert (rest.weld.phase, rest.velocities_degps) == ("EMERGENCY_STOP", (0.0,) * 6)
    assert bench.status()["Pn"] == "E"
    assert bench.send("\x18") == ""  # not while it is pressed
    bench.run(1)
    assert bench.truth.joints_deg == rest.joints_deg
    bench.input("estop", False)
    assert bench.ask("$X") == ["error:79"]
    assert "GrblHAL" in bench.send("\x18")
    bench.ask("$X")
    assert bench.ask("G0 X0", 3) == ["ok"]
    assert bench.truth.joints_deg == (0.0,) * 6


def test_a_motor_fault_stops_it():
    bench = Bench()
    bench.ask("G1 X90 F3600", 0.5)
    bench.sim.inject("welder", "motor")
    assert bench.said() == "ALARM:17\r\n[MSG:Motor fault - clear, then reset to continue]\r\n"
    assert bench.send("\x18") == ""
    bench.sim.clear("welder")
    assert "GrblHAL" in bench.send("\x18")
