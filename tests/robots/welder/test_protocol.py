"""The protocol: replies, sticky errors, alarms, states, reports, settings."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.welder.gcode import codes

from .scene import SIX, Bench, Peer, fields, welder

BUDGET = settings(max_examples=30, derandomize=True)


# Greeting and answers


def test_the_greeting():
    assert Bench().greeting == "\r\nGrblHAL 1.1f ['$' or '$HELP' for help]\r\n"
    assert Bench("compat=grbl").greeting == "\r\nGrbl 1.1f ['$' for help]\r\n"


def test_delays_are_those_of_the_config():
    sim = welder()
    peer = Peer(sim)
    sim.run(0.01)
    peer.received = b""
    peer.say(b"\n")
    sim.run(0.0014)
    assert peer.received == b""
    sim.run(0.0002)
    assert peer.received == b"ok\r\n"


def test_each_line_has_one_answer():
    bench = Bench()
    for line, said in [
        ("", "ok"),
        ("G21", "ok"),
        ("(c)", "ok"),
        ("%", "ok"),
        ("G77", "error:20"),
        ("", "ok"),
        ("$Z", "error:3"),
    ]:
        assert bench.ask(line) == [said]
    assert bench.ask("\r\n\r\n") == ["ok", "ok", "ok"]
    assert bench.ask("G0 X" + "0" * 300) == ["error:11"]


def test_errors_stick_until_something_clears_them():
    bench = Bench()
    for clear in ("", "$G"):
        assert bench.ask("G77") == ["error:20"]
        assert bench.ask("G0 X1") == ["error:20"]
        assert bench.ask("G4 P0") == ["error:20"]
        assert bench.ask(clear)[-1] == "ok"
        assert bench.ask("G4 P0") == ["ok"]
    bench.ask("G77")
    bench.send("\x18")
    assert bench.ask("G4 P0") == ["ok"]


def test_reports_as_facts_have_them():
    bench = Bench()
    assert bench.send("\x87") == (
        f"<Idle|MPos:{SIX}|Bf:100,1023|FS:0,0|WCO:{SIX}|WCS:G54|Ov:100,100,100"
        "|A:|Sc:|MPG:0|H:0,0|T:0|P:0|TLR:0|FW:grblHAL>\r\n"
    )
    assert bench.ask("$I")[:5] == [
        "[VER:1.1f.20260101:]", "[OPT:VNML+,100,1024,6,0]", "[AXS:6:XYZABC]",
        "[NEWOPT:ENUMS,RT-,HOME,ES,EXPR,TC,SED]", "[FIRMWARE:grblHAL]",
    ]  # fmt: skip
    assert bench.ask("$G") == ["[GC:G0 G54 G17 G21 G90 G94 G40 G49 G98 G50 M5 M9 T0 F0 S0.]", "ok"]
    assert len(bench.ask("$#")) == 16
    assert bench.ask("$N") == ["$N0=", "$N1=", "ok"]
    assert bench.ask("$")[0].startswith("[HLP:")
    assert f"[ALARMCODE:10||{codes.ALARMS[10]}]" in bench.ask("$EA")
    assert f"[ERRORCODE:22||{codes.ERRORS[22]}]" in bench.ask("$EE")
    assert "$110=7200.000" in bench.ask("$$")
    assert all(line.startswith("[SETTING:") for line in bench.ask("$ES")[:-1])
    for name in ("$ESG", "$EG", "$PINS", "$HELP", "$I+"):
        assert bench.ask(name)[-1] == "ok"


def test_offsets_and_overrides_come_in_turn_and_never_together():
    bench = Bench()
    seen = [bench.status() for _ in range(45)]
    offsets = [n for n, one in enumerate(seen) if "WCO" in one]
    overrides = [n for n, one in enumerate(seen) if "Ov" in one]
    assert overrides[:3] == [0, 10, 20]
    assert offsets[:3] == [1, 11, 21]
    bench.ask("G1 X160 F60")
    seen = [bench.status() for _ in range(100)]
    busy = [n for n, one in enumerate(seen) if "Ov" in one]
    assert {b - a for a, b in itertools.pairwise(busy[1:])} == {20}
    busy = [n for n, one in enumerate(seen) if "WCO" in one]
    assert {b - a for a, b in itertools.pairwise(busy[1:])} == {30}
    assert not any("WCO" in one and "Ov" in one for one in seen)


def test_a_change_of_offsets_is_reported_at_once():
    bench = Bench()
    for _ in range(3):
        bench.status()
    bench.ask("G10 L2 P1 X5")
    assert bench.status()["WCO"].startswith("5.000,")
    bench.ask("G54")  # is active already
    assert "WCO" not in bench.status()
    bench.ask("G55")
    assert bench.status()["WCS"] == "G55"
    bench.ask("G54")
    assert bench.status()["WCS"] == "G54"
    bench.ask("$10=0")
    assert set(bench.status()) == {"mode", "WPos"}
    assert bench.status()["WPos"].startswith("-5.000,")


def test_reports_have_at_most_six_axis_values_and_no_minus_zero():
    bench = Bench()
    bench.ask("G0 X-0.0001 Y-1")
    bench.until_idle()
    assert bench.status()["MPos"] == "0.000,-1.000,0.000,0.000,0.000,0.000"


def test_buffers_are_told_truly():
    bench = Bench()
    line = "G1 X10 Y10 F10\n"
    for n in range(100):
        bench.send(f"G1 X{n % 2 + 1} F100\n")
    assert bench.status()["Bf"] == "0,1023"
    assert bench.send(line) == ""  # in hand, waiting for room
    bench.send(line)
    bench.send(line)
    assert bench.status()["Bf"] == f"0,{1023 - 2 * len(line)}"
    bench.send("\x18")
    assert bench.status()["Bf"] == "100,1023"


# Motion as a sender sees it


def test_a_move_and_its_states():
    bench = Bench()
    assert bench.ask("G0 X90") == ["ok"]
    assert bench.run(0.5) == ""
    status = bench.status()
    assert (status["mode"], status["MPos"].split(",")[0], status["FS"]) == (
        "Run",
        "45.600",
        "7200,0",
    )
    assert 0.5 + bench.until_idle() == pytest.approx(0.990, abs=0.002)


def test_the_firmwares_cycle_times():
    for line, seconds in [("G0 X90", 0.990), ("G1 X90 Y45 C180 F3600", 3.489)]:
        bench = Bench()
        bench.ask(line)
        assert bench.until_idle() == pytest.approx(seconds, rel=0.001)


def test_line_numbers_are_reported():
    bench = Bench()
    bench.ask("N7 G1 X10 F600")
    assert bench.status()["Ln"] == "7"
    assert bench.truth.line == 7


def test_hold_and_resume():
    bench = Bench()
    bench.ask("G1 X90 F3600")
    bench.run(0.5)
    bench.send("!")
    assert bench.status()["mode"] == "Hold:1"
    bench.send("~")  # too early: it is still braking
    bench.run(0.22)  # 90 ms are prepared, then it brakes
    rest = bench.status()
    assert (rest["mode"], rest["FS"]) == ("Hold:0", "0,0")
    assert bench.ask("$G") == []  # the main loop stands still
    bench.run(5)
    assert bench.status()["MPos"] == rest["MPos"]
    assert bench.send("~").startswith("[GC:")
    assert bench.status()["mode"] == "Run"
    bench.until_idle()
    assert bench.status()["MPos"].startswith("90.000")


def test_overrides():
    bench = Bench()
    bench.ask("G1 X90 F3600")
    bench.run(0.3)
    bench.send("\x92\x92\x94")
    report = bench.status()
    assert report["Ov"] == "79,100,100"
    bench.run(0.3)
    assert bench.status()["FS"] == "2844,0"
    bench.send("\x90")
    for _ in range(30):
        bench.send("\x91")
    assert bench.state.feed_percent == 200
    for _ in range(30):
        bench.send("\x92")
    assert bench.state.feed_percent == 10
    bench.send("\x96")
    assert bench.state.rapid_percent == 50
    bench.send("\x97\x9a\x9d")
    assert (bench.state.rapid_percent, bench.state.spindle_percent) == (25, 109)
    bench.send("\x95\x99\x90")
    assert (bench.state.feed_percent, bench.state.rapid_percent, bench.state.spindle_percent) == (
        100,
        100,
        100,
    )


def test_dwell_and_program_stop_and_end():
    bench = Bench()
    assert bench.ask("G4 P0.5") == []
    assert bench.run(0.499) == ""
    assert bench.run(0.002) == "ok\r\n"
    assert bench.ask("M0") == []
    assert bench.status()["mode"] == "Hold:0"
    assert bench.send("~") == "ok\r\n"
    bench.ask("G91 G1 X1 F100 G55 M7")
    bench.until_idle()
    assert bench.ask("M30") == ["[MSG:Pgm End]", "ok"]
    assert bench.ask("$G")[0] == "[GC:G1 G54 G17 G21 G90 G94 G40 G49 G98 G50 M5 M9 T0 F100 S0.]"


def test_a_tool_change_is_answered_and_holds_later_lines():
    bench = Bench()
    assert bench.ask("T3") == ["ok"]
    assert " T0 " in bench.ask("$G")[0]
    assert bench.status()["T"] == "0"
    assert bench.ask("M6") == ["ok"]
    status = bench.status()
    assert (status["mode"], status["A"]) == ("Tool", "T")
    assert bench.ask("G4 P0") == []
    resumed = bench.send("~")
    assert fields(resumed)["mode"] == "Idle"
    assert "|A:|T:3>\r\nok\r\n" in resumed
    assert bench.ask("M6") == ["ok"]  # it is loaded
    assert bench.status()["mode"] == "Idle"


def test_an_acknowledged_tool_change_takes_jogs_and_commands():
    bench = Bench()
    bench.ask("M6 T3")
    bench.ask("G4 P0")  # stays in the buffer
    bench.send("\xa3")
    assert bench.ask("G0 X2") == ["error:40"]
    assert bench.ask("$J=G91 X1 F6000", 1.0) == ["ok"]
    assert " M6 " in bench.ask("$G")[0]
    assert (bench.status()["mode"], bench.truth.joints_deg[0]) == ("Tool", pytest.approx(1))
    assert bench.send("~").endswith("ok\r\n")
    for byte in ("\x18", "\x19"):
        bench.ask("M6 T4")
        bench.send(byte)
        assert (bench.status()["mode"], " T3 " in bench.ask("$G")[0]) == ("Idle", True)
    bench.ask("$341=4")
    assert (bench.ask("M6 T5"), bench.status()["mode"]) == (["ok"], "Idle")


def test_messages_in_comments():
    assert Bench().ask("(MSG, hello)") == ["[MSG:hello]", "ok"]


def test_soft_limits_alarm_and_want_a_reset():
    bench = Bench()
    bench.ask("G1 X100 F3600", 0.5)
    assert bench.ask("G1 X171") == []
    assert bench.run(0.22) == "ALARM:2\r\n[MSG:Reset to continue]\r\n"
    assert bench.status()["mode"] == "Alarm"
    assert bench.ask("$X") == ["error:79"]
    assert bench.ask("G0 X0") == ["error:9"]
    assert bench.send("\x18").endswith("[MSG:'$H'|'$X' to unlock]\r\n")
    assert bench.ask("$X") == ["[MSG:Caution: Unlocked]", "ok"]
    assert bench.ask("G0 X0") == ["ok"]
    bench.send("\x18", 1.0)
    bench.ask("$X")
    bench.ask("$20=0")
    assert bench.ask("G0 X171") == ["ok"]


def test_both_limits_of_each_joint_hold():
    limits = [(-170, 170), (-120, 60), (-80, 165), (-185, 185), (-120, 120), (-360, 360)]
    bench = Bench()
    bench.ask("$C")
    for letter, (low, high) in zip("XYZABC", limits, strict=True):
        for fits in (low, high):
            assert bench.ask(f"G0 {letter}{fits}") == ["ok"]
            bench.ask(f"G0 {letter}0")
        for not_so in (low - 0.01, high + 0.01):
            assert "ALARM:2" in bench.ask(f"G0 {letter}{not_so}")
            bench.send("\x18")
            bench.ask("$X")
            bench.ask("$C")


def test_a_reset_in_motion_loses_the_position():
    bench = Bench()
    bench.ask("G1 X90 F3600", 0.5)
    said = bench.send("\x18")
    assert said.startswith("ALARM:3\r\n\r\nGrblHAL")
    where = bench.status()
    assert (where["mode"], where["FS"]) == ("Alarm", "0,0")
    bench.run(1)
    assert bench.status()["MPos"] == where["MPos"]
    assert bench.ask("G0 X0") == ["error:9"]


def test_a_reset_at_rest_does_not():
    bench = Bench()
    assert "ALARM" not in bench.send("\x18")
    assert bench.status()["mode"] == "Idle"


def test_stop_drops_everything_without_an_alarm():
    bench = Bench()
    bench.send("G1 X90 F3600\nG1 X0\nM3\n", 0.5)
    assert "[MSG:Stop]" in bench.send("\x19", 0.5)
    assert (bench.status()["mode"], bench.status()["Bf"]) == ("Idle", "100,1023")
    assert bench.ask("G4 P0") == ["ok"]


# Settings


def test_settings_are_checked_and_take_effect():
    bench = Bench()
    for line, said in [("$110=abc", "error:2"), ("$110=-5", "error:4"), ("$110=0", "error:52"),
                       ("$13=2", "error:52"), ("$9999=1", "error:53"), ("$10=1.5", "error:52"),
                       ("$110=60", "ok")]:  # fmt: skip
        assert bench.ask(line) == [said], line
    assert bench.ask("$110") == ["$110=60.000", "ok"]
    bench.ask("G0 X1")
    assert bench.until_idle() == pytest.approx(1.0, abs=0.01)
    bench.ask("G1 X5 F600")
    assert bench.ask("$110=7200") == ["error:8"]
    bench.until_idle()
    assert bench.ask("$RST=$")[:2] == ["[MSG:Restoring defaults]", "ok"]
    assert bench.ask("$110") == ["$110=7200.000", "ok"]
    assert bench.ask("$RST=x") == ["error:3"]


def test_feed_of_the_linear_part():
    for value, seconds in [(0, 10.0), (1, 6.0)]:
        bench = Bench()
        bench.ask(f"$701={value}")
        bench.ask("G1 X60 A80 F600")
        assert bench.until_idle() == pytest.approx(seconds, abs=0.2)


def test_startup_lines_run_after_a_reset():
    bench = Bench()
    assert bench.ask("$N0=G91") == ["ok"]
    assert bench.ask("$N1=G77") == ["error:20"]
    assert bench.send("\x18").endswith(">G91:ok\r\n")
    assert " G91 " in bench.ask("$G")[0]


def test_both_letter_profiles():
    bench = Bench("letters=ABCUVW")
    assert bench.ask("G1 A45 F6000", 2.0) == ["ok"]
    assert bench.truth.joints_deg[0] == pytest.approx(45)
    assert "[AXS:6:ABCUVW]" in bench.ask("$I")
    assert bench.ask("G1 X1") == ["error:20"]


# One program on the line


def test_a_second_program_is_turned_away():
    sim = welder()
    first, second, third = Peer(sim), Peer(sim, link=2), Peer(sim, "pty", 3)
    sim.run(0.01)
    assert (first.gone, second.gone, third.gone) == (False, True, True)
    first.hang_up()
    again = Peer(sim, "pty", 4)
    sim.run(0.01)
    assert again.received.startswith(b"\r\nGrblHAL")


def test_or_takes_over():
    sim = welder("client_policy=takeover")
    first, second = Peer(sim), Peer(sim, link=2)
    sim.run(0.01)
    first.say(b"G0 X50\n")
    second.say(b"?")
    sim.run(0.01)
    assert (first.gone, second.gone) == (True, False)
    assert b"<Idle" in second.received


def test_a_sender_that_never_waits_is_cut_off_in_the_end():
    sim = welder()
    peer = Peer(sim)
    peer.say(b"!" + b"\n" * 50_000)
    sim.run(0.1)
    assert not peer.gone
    peer.say(b"\n" * 50_000)
    sim.run(0.1)
    assert peer.gone
    assert [event.code for event in sim.events if event.severity == "warning"] == ["sender-cut-off"]
    assert sim.robot("welder").controller.reports.rx_free() == 0


def test_motion_goes_on_when_the_cable_is_pulled():
    sim = welder()
    peer = Peer(sim)
    peer.say(b"G1 X90 F3600\n")
    sim.run(0.5)
    peer.hang_up()
    sim.run(3)
    assert sim.truth("welder").joints_deg[0] == 90


# Anything


@BUDGET
@given(data=st.data())
def test_any_lines_get_one_answer_each_or_wait(data):
    words = st.sampled_from(
        ["G0", "G1", "G2", "G38.2", "G4", "X1", "X400", "Y-5", "I1", "R2", "F900", "P0.1", "M3",
         "M5", "M66", "L3", "Q1", "M62", "E1", "$H", "$X",
         "$J=", "$C", "$SLP", "$G", "$#", "$10=0", "$RST=*", "?", "!", "~", "(", ")",
         "\x18", "\x19", "\x85", "\x84", "M30", "M0", "T1", "M6", "G28"]
    )  # fmt: skip
    bench = Bench()
    for _ in range(data.draw(st.integers(1, 12))):
        bench.send(
            "".join(data.draw(st.lists(words, max_size=6))) + "\n",
            data.draw(st.sampled_from([0.0, 0.001, 0.5])),
        )
        assert bench.state.mode in (
            "Idle",
            "Run",
            "Hold",
            "Jog",
            "Home",
            "Alarm",
            "Check",
            "Door",
            "Sleep",
            "Tool",
        )
    bench.sim.snapshot().to_bytes()
    bench.send("\x18", 0.1)
    assert "<" in bench.send("?")


# Stream pacing


def test_lines_come_at_the_pace_of_the_serial_line():
    sim = welder("baud=9600", "command_delay_ms=0", "feedback_delay_ms=0")
    peer = Peer(sim)
    peer.received = b""
    line = b"G4 P0 (" + b"x" * 88 + b")\n"  # 97 bytes: about 0.1 s
    peer.say(line * 3 + b"?")
    assert peer.received.startswith(b"<Idle")  # real-time bytes do not wait in the buffer
    for n in (1, 2, 3):
        sim.run_until(round(n * 97 * 10 / 9600 * 1e9) - 1000)
        assert peer.received.count(b"ok") == n - 1
        sim.run(0.00001)
        assert peer.received.count(b"ok") == n


def test_a_dense_stream_is_slower_at_its_start_on_a_serial_line():
    """The planner sees less ahead while blocks come one by one."""
    job = "".join(f"G1 X{n / 10:.3f} F6000\n" for n in range(1, 201)).encode()
    times = []
    for pace in ((), ("baud=115200",)):
        sim = welder("command_delay_ms=0", "feedback_delay_ms=0", *pace)
        peer = Peer(sim)
        peer.say(job)
        while sim.robot("welder").state.position[0] < 20.0 or sim.truth("welder").mode == "Run":
            sim.run(0.001)
            assert sim.now_s < 5
        times.append(sim.now_s)
    assert times[0] == pytest.approx(20 / 100 + 100 / 500, abs=0.01)
    assert 0.01 < times[1] - times[0] < 0.1
