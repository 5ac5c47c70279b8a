"""Replies: lines that get none by grblHAL's rules (decision 14); all others get exactly one."""

import pytest

from .scene import Bench, Peer, welder

PROBE_AWAY = "G38.4 X5 F600"


def line_up(*lines):
    """Send lines at once over a connection with delays, as a sender that counts characters."""
    sim = welder()
    peer = Peer(sim)
    sim.run(0.1)
    peer.received = b""
    peer.say("".join(f"{line}\n" for line in lines).encode())
    return sim, peer


def said(peer):
    return peer.received.decode().split()


def test_a_soft_limit_drops_the_line_and_those_behind_it():
    sim, peer = line_up("G1 X10 F900", "G1 X400", "G1 X0", "G1 X1")
    sim.run(2)
    assert peer.received == b"ok\r\nALARM:2\r\n[MSG:Reset to continue]\r\n"
    peer.say(b"G1 X2\n$X\n$G\n")
    sim.run(0.1)
    assert [line for line in said(peer) if line.startswith("error")] == ["error:9", "error:79"]
    assert peer.received.endswith(b"]\r\nok\r\n")
    peer.say(b"\x87")
    sim.run(0.1)
    assert b"|FW:grblHAL|$C:1>" in peer.received


def test_a_probe_alarm_answers_its_line_and_locks_those_behind_it():
    sim, peer = line_up("G38.2 X5 F6000", "G1 X0 F100")
    sim.run(2)
    assert [line.split(":")[0] for line in said(peer)] == ["ALARM", "[PRB", "ok", "error"]
    sim, peer = line_up(PROBE_AWAY, "G1 X0 F100", "$X")
    sim.run(2)
    assert said(peer)[:3] == ["ALARM:4", "ok", "error:9"]
    assert peer.received.endswith(b"[MSG:Caution: Unlocked]\r\nok\r\n")


def test_a_probe_that_fails_is_reported_once_whenever_a_byte_arrives():
    """A byte between two ticks makes the main loop notice the end of the motion first."""
    bench = Bench()
    said = bench.ask("G38.2 X0.05 F6000")
    while "ok" not in said:
        said += bench.send("?", 0.00025).split("\r\n")[:-1]
    said += bench.run(0.1).split("\r\n")
    kinds = [line.split(":")[0] for line in said if line and line[0] != "<"]
    assert kinds == ["ALARM", "[PRB", "ok"]


@pytest.mark.parametrize("byte", [b"\x18", b"\x19"])
def test_reset_and_stop_drop_the_line_in_hand_and_those_behind_it(byte):
    sim, peer = line_up("G4 P1", "G1 X1 F100", "G1 X2")
    sim.run(0.1)
    peer.say(b"G1 X3" + byte)
    sim.run(2)
    assert not [line for line in said(peer) if line in ("ok",) or line.startswith("error")]
    peer.say(b"G4 P0\n")
    sim.run(0.1)
    assert said(peer)[-1] == "ok"


def test_a_jog_cancel_drops_what_waits_in_any_state_but_not_the_line_in_hand():
    sim, peer = line_up("G77", "G4 P0", "G1 X1")
    sim.run(0.1)
    assert said(peer) == ["error:20"] * 3
    peer.say(b"\x85")
    peer.say(b"G4 P1\nG1 X1 F100\n")
    sim.run(0.1)
    peer.say(b"\x85")
    sim.run(2)
    assert said(peer)[3:] == ["ok"]
    assert sim.truth("welder").joints_deg[0] == 0


def test_an_emergency_stop_drops_the_line_in_hand_and_those_behind_it():
    sim, peer = line_up("G4 P1", "G1 X1 F100")
    sim.run(0.1)
    sim.set_input("welder", "estop", True)
    sim.run(2)
    assert "ok" not in said(peer)


def test_homing_that_ends_in_an_alarm_resets_the_controller():
    for what in ("door", "reset"):
        bench = Bench("start_deg=[10,10,10,10,10,10]")
        bench.send("$H\n$G\n", 0.1)
        heard = bench.input("door", True) if what == "door" else bench.send("\x18")
        number = 7 if what == "door" else 6
        assert (
            heard == f"ALARM:{number}\r\n\r\nGrblHAL 1.1f ['$' or '$HELP' for help]\r\n"
            "[MSG:'$H'|'$X' to unlock]\r\n"
        )
        assert bench.status()["mode"] == "Alarm"


def test_a_stop_ends_an_alarm_that_could_be_unlocked():
    bench = Bench()
    bench.ask(PROBE_AWAY)
    assert bench.status()["mode"] == "Alarm"
    assert (
        bench.send("$X\n\x19") == "[MSG:Caution: Unlocked]\r\nok\r\n[MSG:Stop]\r\n"
    )  # as gSender unlocks
    bench.ask(PROBE_AWAY)
    assert bench.send("\x19") == "[MSG:Stop]\r\n"
    assert bench.ask("G4 P0") == ["ok"]
    bench.ask("G1 X400 F100")
    assert bench.send("\x19") == ""
    assert bench.status()["mode"] == "Alarm"
    bench = Bench("homing.required=true")
    bench.send("\x19")
    assert bench.status()["mode"] == "Alarm"


def test_a_stop_keeps_the_coordinate_system_and_forgets_other_modes():
    bench = Bench()
    bench.ask("G92 X3")
    bench.ask("G55 G91 G20 F100 T2")
    bench.send("\x19")
    assert bench.ask("$G")[0] == "[GC:G0 G55 G92 G17 G21 G90 G94 G40 G49 G98 G50 M5 M9 T0 F0 S0.]"
    bench.send("\x18")
    assert bench.ask("$G")[0] == "[GC:G0 G54 G92 G17 G21 G90 G94 G40 G49 G98 G50 M5 M9 T0 F0 S0.]"
