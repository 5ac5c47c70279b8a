"""Validation: correct programs pass; each problem is found once, at its line."""

from pathlib import Path

import pytest

from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.cycle_time import estimate
from rigless.robots.welder.offline.findings import RULES
from rigless.robots.welder.offline.validate import Demands, validate_program

PROGRAMS = Path(__file__).parents[3] / "examples" / "programs"


def found(text, **more):
    report = validate_program(text, **more)
    return [(one.code, one.line, one.column) for one in report.findings]


@pytest.mark.parametrize("name", ["joint_moves", "weld_seam"])
def test_the_examples_are_valid(name):
    text = (PROGRAMS / f"{name}.nc").read_text()
    report = validate_program(text)
    assert report.valid
    assert report.findings == []
    assert report.gcode_executed == sum(bool(line.strip()) for line in text.splitlines())


def test_figures():
    text = "G21 G90\nG1 X30 F1200\nG4 P0.5\nG0 X0\nM30\n"
    report = validate_program(text, name="moves.nc")
    assert report.cycle_time_s == pytest.approx(estimate(text).total_s, abs=0.01)
    radius_mm = max(x for x, _, _ in report.samples.torch_mm)
    assert report.distance_mm == pytest.approx(2 * radius_mm * 0.5235987756, rel=1e-3)
    assert (report.program, report.arc_on_s, report.weld_length_mm) == ("moves.nc", 0.0, 0.0)


def test_every_wrong_line_is_told_and_the_others_are_run():
    text = "G21 G90\nG1 X10 F1200\nG1 X20 Q5\nG1 X30\nG77\n$G\nX50 (fine) Y2\nG1 Y3 Y4\n"
    report = validate_program(text)
    assert [(one.code, one.line, one.column) for one in report.findings] == [
        ("gcode", 3, 8),
        ("gcode", 5, 1),
        ("gcode", 8, 7),
    ]
    assert report.samples.joints_deg[-1][:2] == pytest.approx((50.0, 2.0), abs=1e-6)
    assert not report.valid


def test_a_target_out_of_range_is_told_with_its_word_and_gone_on_from():
    text = "G1 X10 F2400\nG1 X20 Y10 C500\nG1 X30\n"
    report = validate_program(text)
    assert [(one.code, one.line, one.column) for one in report.findings] == [("soft-limit", 2, 12)]
    assert "joint 6" in report.findings[0].what
    assert report.samples.joints_deg[-1][0] == pytest.approx(30.0, abs=1e-6)


def test_joints_close_to_their_limits_are_a_warning():
    report = validate_program("G1 X169.5 F7200\nG1 X0\nG1 X169.5\n")
    assert [(one.code, one.line, one.severity) for one in report.findings] == [
        ("limit-margin", 1, "warning"),
        ("limit-margin", 3, "warning"),
    ]
    assert report.valid


def test_a_weld_that_fails_is_told_at_its_line():
    text = "G0 B30\nM3\nG4 P1\nG1 X20 F7200\nM5\nG0 X0\n"
    assert found(text) == [("arc-fault", 4, 1)]


def test_heat_input_is_judged_along_the_seam():
    """1.5 kJ/s over the torch's speed, which is the same on the whole seam."""
    text = "G0 B30\nM3\nG4 P1\nG1 X20 F120\nM5\n"
    report = validate_program(text, demands=Demands(heat_high_kjpmm=0.05))
    assert [(one.code, one.line, one.column) for one in report.findings] == [("heat-input", 4, 8)]
    told = float(report.findings[0].what.split("is ")[1].split()[0])
    samples = report.samples
    speed_mmps = max(
        speed
        for speed, amps in zip(samples.speed_mmps, samples.current_a, strict=True)
        if amps > 100
    )
    assert told == pytest.approx(22.0 * 180.0 * 0.8 / 1000 / speed_mmps, rel=0.05)
    assert found(text, demands=Demands(heat_low_kjpmm=0.01, heat_high_kjpmm=0.5)) == []


def test_an_arc_on_one_spot_is_too_much_heat():
    assert found("M3\nG4 P4\nM5\n", demands=Demands(heat_high_kjpmm=2.0)) == [("heat-input", 2, 1)]


def test_welding_close_to_a_singularity_is_a_warning():
    assert found("M3\nG4 P1\nG1 X20 F240\nM5\n") == [("singularity", 3, 1)]


def test_waits_that_run_out_and_stops_for_a_person():
    assert found("M66 P5 L3 Q2\nM0\nG0 X5\nM6 T1\n") == [("no-answer", 1, 1)]


def test_a_wait_for_ever_is_told():
    """A safety door that nobody closes."""
    from rigless.kernel.simulation import Simulation
    from rigless.robots.welder.offline.validate import validate_in
    from rigless.robots.welder.robot import Welder

    sim = Simulation([Welder("welder", WelderConfig())])
    sim.set_input("welder", "door", True)
    report = validate_in(sim, "welder", "G0 X5\n")
    assert [one.code for one in report.findings] == ["unfinished"]


def test_the_same_run_gives_the_same_report():
    text = (PROGRAMS / "weld_seam.nc").read_text() + "G1 X999\n"
    assert validate_program(text, seed=5) == validate_program(text, seed=5)


def test_hostile_programs_are_judged_not_run_into():
    for text in (
        "",
        "\x00\x01\xff",
        "%" * 1000,
        "(" * 500 + "\n",
        "$X\n$H\n$RST=*\n$SLP\nG0 X1\n",
        "G" * 300 + "\n",
    ):
        report = validate_program(text)
        assert all(one.code in RULES for one in report.findings)


def test_a_probe_that_does_not_touch_is_told_and_the_rest_is_run():
    report = validate_program("G38.2 X5 F1200\nG0 Y5\nG0 Z5\nG1 X3 F1200\n")
    assert [(one.code, one.line) for one in report.findings] == [("alarm", 1)]
    assert "ALARM:5" in report.findings[0].what
    assert report.samples.joints_deg[-1][:3] == pytest.approx((3.0, 5.0, 5.0), abs=1e-6)
