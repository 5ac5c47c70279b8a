"""Cycle times against the firmware's (benchmarks/_firmware.py): the estimate and the robot."""

import importlib.util
from pathlib import Path

import pytest

from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.cycle_time import estimate

from .scene import Bench

FILE = Path(__file__).resolve().parents[3] / "benchmarks" / "_firmware.py"
SPEC = importlib.util.spec_from_file_location("firmware_times", FILE)
FIRMWARE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FIRMWARE)


@pytest.mark.parametrize("name", FIRMWARE.PLANNER)
def test_planner_bound_programs(name):
    text, firmware_s = FIRMWARE.PLANNER[name]
    found = estimate(text)
    assert (found.errors, found.stream_s) == ([], 0.0)
    assert found.total_s == pytest.approx(firmware_s, rel=0.0025)


@pytest.mark.parametrize("name", FIRMWARE.DENSE)
def test_dense_streams_at_the_pace_of_the_line(name):
    text, baud, firmware_s = FIRMWARE.DENSE[name]
    found = estimate(text, WelderConfig(baud=baud))
    assert found.total_s == pytest.approx(firmware_s, rel=0.005)
    assert estimate(text).total_s < found.total_s - 0.03  # without the wire


@pytest.mark.parametrize("name", ["line_0.5", "spline_150", "line_0.02"])
def test_the_robot_takes_as_long_on_a_slow_line(name):
    text, baud, firmware_s = FIRMWARE.DENSE[name]
    bench = Bench(f"baud={baud}")
    begin_s = bench.sim.now_s
    bench.send(text + "\n", firmware_s * 0.9)
    assert bench.status()["mode"] == "Run"
    bench.until_idle()
    assert bench.sim.now_s - begin_s == pytest.approx(firmware_s, rel=0.01)


@pytest.mark.parametrize(
    ("lines", "byte", "at_s", "firmware_s"),
    [("G1 X90 F3600", "\x92", 0.5, 1.7209), ("G1 X90 F3600", "\x91", 0.5, 1.5384)],
)
def test_overrides_in_flight(lines, byte, at_s, firmware_s):
    bench = Bench()
    bench.ask(lines, at_s)
    bench.send(byte)
    assert at_s + bench.until_idle() == pytest.approx(firmware_s, rel=0.0025)


@pytest.mark.parametrize(
    ("feed", "at_s", "rests_s", "rests_deg"),
    [(3600, 0.505, 0.7066, 35.39), (6000, 0.5, 0.7803, 58.0), (1200, 0.305, 0.4268, 7.79)],
)
def test_where_a_hold_comes_to_rest(feed, at_s, rests_s, rests_deg):
    bench = Bench()
    bench.ask(f"G1 X90 F{feed}", at_s)
    bench.send("!")
    begin_s = bench.sim.now_s
    while bench.status()["mode"] != "Hold:0":
        bench.run(0.001)
    assert at_s + bench.sim.now_s - begin_s == pytest.approx(rests_s, abs=0.011)  # a segment
    assert bench.truth.joints_deg[0] == pytest.approx(rests_deg, abs=0.011 * feed / 60)


def test_the_feed_of_the_linear_axes_alone():
    """$701: the firmware's seconds with it and without."""
    for setting, firmware_s in (("$701=0", 3.4182), ("$701=1", 0.6665)):
        bench = Bench()
        bench.ask(setting)
        bench.ask("G1 X10 Y5 A30 C60 F1200")
        assert bench.until_idle() == pytest.approx(firmware_s, rel=0.0025)


def test_it_answers_lines_as_the_firmware_does():
    kept = (Path(__file__).parent / "golden" / "firmware-answers.tsv").read_text().splitlines()[1:]
    bench, wrong = Bench("soft_limits=false"), []
    for row in kept:
        line, _, answer = row.partition("\t")
        said = bench.ask(line)
        if bench.state.mode != "Idle" or not said:
            said += bench.run(3.0).split("\r\n")[:-1]
        said = " ".join(said)
        bench.ask("$X")
        if said != answer:
            wrong.append(f"{line}: {said}, the firmware says {answer}")
    assert len(kept) > 100
    assert wrong == []
