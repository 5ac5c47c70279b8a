"""The operator's switches: optional stop, block delete, single block, reports, tool length."""

import pytest

from .scene import Bench, Peer, fields, welder


def test_an_optional_stop_stops_unless_it_is_switched_off():
    bench = Bench()
    assert bench.ask("M1") == []
    assert bench.status()["mode"] == "Hold:0"
    assert bench.send("~") == "ok\r\n"
    bench.send("\x88")
    assert bench.status()["Pn"] == "T"
    assert bench.ask("M1") == ["ok"]
    assert bench.ask("$O") == ["[MSG:Disabled]", "ok"]
    assert bench.ask("M1") == []


def test_block_delete_leaves_lines_out():
    bench = Bench()
    assert bench.ask("/G1 X5 F6000", 1) == ["ok"]
    assert bench.truth.joints_deg[0] == 5
    assert bench.ask("$B") == ["[MSG:Enabled]", "ok"]
    assert bench.ask(" / G1 X9 nonsense", 1) == ["ok"]
    assert bench.ask("G1 X[18/2] F6000", 1) == ["ok"]  # a slash within is no block delete
    assert bench.truth.joints_deg[0] == 9
    assert bench.status()["Pn"] == "L"


def test_single_block_waits_after_each_line():
    bench = Bench()
    bench.send("\x89")
    assert bench.send("G1 X1 F6000\nG1 X2\n", 1) == ""
    assert (bench.status()["mode"], bench.status()["Pn"], bench.truth.joints_deg[0]) == (
        "Hold:0",
        "Q",
        1,
    )
    assert bench.send("~", 1) == "ok\r\n"
    assert bench.truth.joints_deg[0] == 2
    bench.send("\x89~")
    assert bench.ask("G1 X3", 1) == ["ok"]
    assert bench.status()["mode"] == "Idle"
    bench.send("\x89\x18")
    assert "Pn" not in bench.status()  # a reset puts switches back


def test_reports_come_by_themselves():
    sim = welder("command_delay_ms=0", "feedback_delay_ms=0")
    peer = Peer(sim)
    peer.say(b"$481=200\n")
    peer.received = b""
    sim.run(1.01)
    assert peer.received.count(b"<Idle") == 5
    peer.say(b"\x87")
    assert fields(peer.received.decode().splitlines()[-1])["AR"] == "200"
    peer.say(b"\x8c")
    peer.received = b""
    sim.run(1.0)
    assert peer.received == b""
    peer.say(b"\x8c$481=0\n")
    peer.received = b""
    sim.run(1.0)
    assert peer.received == b""
    again = sim.snapshot()
    peer.say(b"$481=100\n$481=500\n")
    sim.run(0.1)
    peer.received = b""
    sim.run(1.0)
    assert peer.received.count(b"<Idle") == 2
    sim.restore(again)


@pytest.mark.parametrize(
    ("value", "said"), [("99", "error:52"), ("1001", "error:52"), ("0", "ok"), ("100", "ok")]
)
def test_the_interval_of_reports(value, said):
    assert Bench().ask(f"$481={value}") == [said]


def test_the_length_of_a_tool_shifts_axes():
    bench = Bench()
    assert bench.ask("G43.1 Z5") == ["ok"]
    bench.status()
    assert bench.status()["WCO"] == "0.000,0.000,5.000,0.000,0.000,0.000"
    assert "[TLO:0.000,0.000,5.000,0.000,0.000,0.000]" in bench.ask("$#")
    assert " G43.1 " in bench.ask("$G")[0]
    assert bench.ask("G1 Z10 F6000", 1) == ["ok"]
    assert bench.truth.joints_deg[2] == 15
    bench.ask("G92 Z1")
    assert bench.state.coordinates.offset(0)[2] == 14
    bench.ask("G92.1")
    bench.ask("G10 L20 P1 Z0")
    assert bench.state.coordinates.offset(0)[2] == 15
    bench.send("\x18")
    assert bench.state.coordinates.tool[2] == 5
    assert bench.ask("G49") == ["ok"]
    assert " G49 " in bench.ask("$G")[0]
    for line, number in [("G43.1", 26), ("G43.1 Z1 G92 X1", 24), ("G43 H1", 20)]:
        assert bench.ask(line) == [f"error:{number}"]
        bench.ask("")


def test_overrides_and_the_feed_hold_can_be_disabled():
    bench = Bench()
    bench.ask("M49")
    bench.send("\x92" * 5)  # 50 %
    assert bench.status()["Ov"] == "50,100,100"
    bench.ask("G1 X10 F600")
    assert bench.until_idle() == pytest.approx(1.0, abs=0.15)
    bench.ask("M48")
    bench.ask("G1 X0")
    assert bench.until_idle() == pytest.approx(2.0, abs=0.15)
    bench.ask("M53 P0")
    bench.ask("G1 X10", 0.2)
    bench.send("!")
    assert bench.status()["mode"] == "Run"
    bench.until_idle()
    bench.ask("M30")
    assert bench.robot.state.feed_percent == 50  # unless $60 is set
    bench.ask("$60=1")
    bench.ask("M30")
    assert bench.robot.state.feed_percent == 100


def test_the_shift_of_g92_can_be_suspended():
    bench = Bench()
    for line, shift in [("G92 X5", "-5"), ("G92.2", "0"), ("G92.3", "-5"), ("G92.1", "0"),
                        ("G92.3", "0")]:  # fmt: skip
        bench.ask(line)
        assert bench.ask("$#=5211")[0] == f"[PARAM:5211={shift}]", line


def test_reports_that_take_long_are_refused_in_motion():
    bench = Bench()
    bench.ask("G1 X9 F600")
    for line in ("$$", "$+", "$1", "$1=25", "$I", "$N", "$C", "$H", "$RST=#"):
        assert bench.ask(line) == ["error:8"], line
    assert bench.ask("$G")[1] == "ok"


def test_pins_and_events_can_be_read():
    bench = Bench()
    bench.ask("M64 P3")
    bench.input("di5", True)
    pins = bench.ask("$PINSTATE")
    assert "[PINSTATE:DOUT|Aux DO 3|3|N|-|1]" in pins
    assert "[PINSTATE:DIN|Aux DI 5|5|N---|----|1]" in pins
    bench.input("door", True)
    bench.input("door", False)
    bench.send("~")
    assert bench.ask("$LEV")[0] == "[LASTEVENTS:D,,,,]"
    assert len(bench.ask("$E*")) > 200


def test_a_jog_does_not_depend_on_the_motion_mode():
    bench = Bench()
    bench.ask("G80")
    assert bench.ask("$J=G91 G54 X1 F600") == ["ok"]
