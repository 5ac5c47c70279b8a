"""The program listing while it is streamed, its current line, and the odometer."""

import numpy as np
import pytest

from rigless.robots.welder.controller.motion.program_listing import AHEAD, BEFORE, KEPT

from .scene import Bench, Peer, welder

SQUARE = ["G21 G91", "G1 X10 F600", "(half way) G4 P0.5", "G1 Y-10", "G1 X-10", "G1 Y10"]


def listed(sim):
    return sim.robot("welder").view().lines()["program"]


def current(sim):
    lines = listed(sim)
    return (
        lines.texts[lines.current - lines.first]
        if lines.current - lines.first < len(lines.texts)
        else ""
    )


def test_the_current_line_is_the_one_that_the_arm_is_at():
    bench = Bench()
    for line in SQUARE:
        bench.ask(line)
    seen = []
    for _ in range(600):
        at = current(bench.sim)
        if not seen or seen[-1] != at:
            seen.append(at)
        bench.run(0.01)
    assert seen == [*SQUARE[1:], ""]
    lines = listed(bench.sim)
    assert (lines.first, list(lines.texts), lines.current, lines.read) == (1, SQUARE, 7, 6)


def test_lines_wait_behind_the_one_in_hand():
    bench = Bench()
    bench.send("G4 P1\nG1 X5 F600\nG1 X6\n")
    lines = listed(bench.sim)
    assert (lines.texts, lines.current, lines.read) == (("G4 P1", "G1 X5 F600", "G1 X6"), 1, 1)


def test_a_refused_line_is_marked_and_others_are_no_part_of_it():
    bench = Bench()
    bench.send("G1 X5 F600\nG999\n$X\n$G\n\n")
    for given in bench.robot.view().act("unlock"):
        bench.sim.apply(given)
    bench.run(0.01)
    assert (listed(bench.sim).texts, listed(bench.sim).wrong) == (("G1 X5 F600", "G999"), (2,))


@pytest.mark.parametrize(
    ("settings", "bad", "reason"),
    [
        ((), "G1 Y200 F600", "ALARM:2 joint 2 to 200° is outside"),
        (("coordinates=cartesian",), "G1 X5000 F600", "ALARM:2 G1 X5000 F600 cannot be run."),
    ],
)
def test_a_line_beyond_the_limits_is_marked_with_its_reason(settings, bad, reason):
    bench = Bench(*settings)
    bench.send(f"G21 G91\nG1 X2 F600\n{bad}\n")
    bench.run(2.0)
    assert listed(bench.sim).wrong == (3,)
    alarm = bench.robot.view().alarm
    assert alarm.text.startswith(reason)
    assert alarm.fix == "correct the line, then press Reset and Unlock"
    for action in ("reset", "unlock"):
        assert bench.robot.view().alarm is not None
        for given in bench.robot.view().act(action):
            bench.sim.apply(given)
        bench.run(0.1)
    assert bench.robot.view().alarm is None


@pytest.mark.parametrize("end", ["M30\n", "\x18", "\x19"])
def test_a_program_begins_anew(end):
    bench = Bench()
    bench.send("G21\nG90\n")
    bench.send(end, 0.1)
    assert listed(bench.sim).texts[:2] == (
        "G21",
        "G90",
    )  # it is there to be read until another comes
    bench.send("G1 X1 F100\n")
    assert (listed(bench.sim).texts, listed(bench.sim).first) == (("G1 X1 F100",), 1)


def test_a_new_client_has_a_program_of_its_own():
    sim = welder()
    first = Peer(sim)
    first.say(b"G21\n")
    sim.run(0.1)
    first.hang_up()
    Peer(sim, link=2).say(b"G90\n")
    sim.run(0.1)
    assert listed(sim).texts == ("G90",)


def test_what_is_kept_and_shown_is_bounded():
    bench = Bench()
    for n in range(3 * KEPT):
        bench.ask(f"G1 X{n % 7} F6000")
        bench.run(0.05)
    bench.send("".join(f"G1 X{n % 7}\n" for n in range(500)))
    program, lines = bench.state.program, listed(bench.sim)
    assert len(program.texts) == KEPT
    assert len(program.sources) <= bench.robot.config.planner_blocks + 1
    assert len(lines.texts) <= BEFORE + AHEAD + 1
    assert lines.first <= lines.current < lines.first + len(lines.texts)


def test_a_snapshot_holds_the_program():
    bench = Bench()
    for line in SQUARE:
        bench.ask(line)
    bench.run(0.3)
    saved, before = bench.sim.snapshot(), listed(bench.sim)
    bench.run(5.0)
    assert listed(bench.sim) != before
    bench.sim.restore(saved)
    assert listed(bench.sim) == before


def test_the_distance_is_the_torchs_way():
    """Joint 1 alone turns the torch on a circle; the arc is counted, also when it is broken off."""
    bench = Bench()
    x, y, _ = bench.truth.torch_mm
    bench.ask("G1 X60 F3600")
    bench.until_idle()
    arc = np.radians(60) * np.hypot(x, y)
    assert bench.robot.metrics["distance_mm"] == pytest.approx(arc, rel=1e-3)
    bench.ask("G1 X0", 0.3)
    gone = np.radians(60 - bench.truth.joints_deg[0]) * np.hypot(x, y)
    assert bench.robot.view().measure()["distance_mm"] == pytest.approx(arc + gone, rel=1e-3)
    bench.send("\x18", 0.1)
    assert bench.robot.metrics["distance_mm"] == pytest.approx(arc + gone, rel=1e-2)
