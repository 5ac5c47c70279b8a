"""Validation: correct programs pass; each problem is found once, at its line."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.cycle_time import estimate
from rigless.robots.welder.offline.findings import RULES
from rigless.robots.welder.offline.seam_checks import Demands
from rigless.robots.welder.offline.validate import validate_program
from rigless.worlds.cells.cell import Cell, Thing
from rigless.worlds.cells.solids import Solid
from rigless.worlds.frames import frame

FAR = Thing(Solid("far", "box", (0.1, 0.1, 0.1), frame((5, 5, 5))))
PROGRAMS = Path(__file__).parents[3] / "examples" / "programs"


TABLE = Cell.load("weld_table")
CRASHES = ["G0 Y50 Z160", "G0 Y-45 Z90", "G1 X40 F6000", "G0 Y50 Z80", "G0 X0 Y-45 Z90 B45"]
SEAM = ["G0 X420 Y0 Z700 A180 B0 C0", "G1 Z200 F6000", "G1 Y80", "G0 Z500"]
BAD = [
    "G0 X175", "G1 X999 F100", "G77", "G1 X1 X2", "$J=G91 X5 F100", "$Z", "M0", "G38.2 X1 F9000",
    "\x18", "G0 X1\x19", "\x85G4 P0", "!", "$SLP", "$C", "$H", "M6 T3", "M2", "G28", "M66 P5 L3 Q1",
]  # fmt: skip


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
    text = "G0 B30\nM7 M3\nG4 P1\nG1 X20 F1200\nM5\nG0 X0\n"
    report = validate_program(text)
    (fault,) = report.findings
    assert (fault.code, fault.line, fault.column) == ("arc-fault", 4, 1)
    speed_mmps = np.hypot(*report.samples.torch_mm[-1][:2]) * np.radians(
        20
    )  # as programmed, not when the arc went out
    assert fault.what == f"arc lost: {speed_mmps:.0f} mm/s is too fast; the limit is 60 mm/s"
    assert speed_mmps > 200


def test_heat_input_is_judged_along_the_seam():
    """1.5 kJ/s over the torch's speed, which is the same on the whole seam."""
    text = "G0 B30\nM7 M3\nG4 P1\nG1 X20 F120\nM5\n"
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


def test_default_limits_find_a_fast_seam_and_an_arc_on_one_spot():
    assert found("M7 M3\nG4 P4\nM5\n") == [("heat-input", 2, 1)]
    assert found("M7 M3\nG4 P4\nM5\n", demands=Demands(0.0, float("inf"))) == []
    report = validate_program("G0 B30\nM7 M3\nG4 P1\nG1 X20 F260\nM5\n")
    (fast,) = report.findings
    assert (fast.code, fast.line, fast.column) == ("heat-input", 4, 8)
    assert "is too fast for this power; it must be 0.1 to 3 kJ/mm" in fast.what


def test_an_arc_without_gas_is_found_at_its_line():
    text = "G0 B30\nM3\nG4 P1\nG1 X20 F120\nM5\n"
    (gas,) = validate_program(text).findings
    assert (gas.code, gas.line, gas.column, gas.severity) == ("no-gas", 2, 1, "error")
    assert "M7 or M8" in gas.what
    automatic = WelderConfig.model_validate({"welding": {"gas": "automatic"}})
    assert found(text, config=automatic) == found(text.replace("M3", "M8 M3")) == []
    assert found("M3\nM66 P0 L3 Q3\nM5\n", cell=Cell("far", (FAR,)))[0] == ("no-gas", 1, 1)


def test_a_seam_before_the_arc_burns_is_found():
    text = "G0 B30\nM7 M3\nG1 X1 F200\nM5\n"
    (none,) = validate_program(text).findings
    assert (none.code, none.line) == ("arc-fault", 2)
    assert "no arc burnt between M3 and M5" in none.what
    assert found("G0 B30\nM7 M3\nG1 X5 F120\nM5\n") == [("late-arc", 2, 1)]
    assert found("G0 B30\nM7 M3\nG4 P0.1\nM5\n") == [("arc-fault", 2, 1)]  # at standstill too


@pytest.mark.parametrize(
    ("edit", "findings"),
    [
        (("", ""), []),
        (("Z408", "Z700"), [("arc-fault", 11), ("no-answer", 11)]),  # over the part
        (("X796 Z408", "X786 Z418"), [("arc-fault", 11), ("no-answer", 11)]),  # 29 mm of wire
        (("Y120 F600", "X770 Z434 F600"), [("arc-fault", 12)]),  # leaves the corner
    ],
)
def test_a_weld_needs_a_joint_in_front_of_the_wire(edit, findings):
    text = (PROGRAMS / "t_joint.nc").read_text().replace(*edit).replace("Y120 F600", "Y-110 F600")
    config = WelderConfig(coordinates="cartesian")
    report = validate_program(text, config=config, cell=Cell.load("weld_table"))
    assert [(one.code, one.line) for one in report.findings] == findings
    if edit[1] == "Z700":
        assert "arc start failure: there is no work" in report.findings[0].what


def test_welding_close_to_a_singularity_is_a_warning():
    assert found("M7 M3\nG4 P1\nG1 X20 F60\nM5\n") == [("singularity", 3, 1)]


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


def found_before(lines, line, config):
    report = validate_program("\n".join(lines), config, TABLE)
    return {(one.code, one.line, one.objects) for one in report.findings if one.line <= line}


@given(
    st.booleans(),
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
    st.sampled_from(BAD),
    st.integers(0, 3),
)
@example(False, [0, 1], "G0 X175", 2)
@example(True, [0, 1, 2], "G1 X3000", 3)
@settings(max_examples=6, deadline=None)
def test_a_bad_line_never_removes_findings_of_earlier_lines(cartesian, moves, bad, at):
    config = WelderConfig(coordinates="cartesian" if cartesian else "joints")
    lines = [(SEAM if cartesian else CRASHES)[move % (4 if cartesian else 5)] for move in moves]
    at = min(at, len(lines))
    without = found_before([*lines[:at], "G4 P0.1", *lines[at:]], at, config)
    assert without <= found_before([*lines[:at], bad, *lines[at:]], at, config)


def test_crashes_queued_before_a_line_out_of_reach_are_found():
    report = validate_program("G0 Y50 Z160\nG0 Y-45 Z90\nG0 X175\nG0 X5\n", cell=TABLE)
    rules = {(one.code, one.line) for one in report.findings}
    assert rules == {("collision", 1), ("collision", 2), ("soft-limit", 3)}
    assert report.samples.joints_deg[-1][:3] == pytest.approx((5, -45, 90), abs=1e-6)


def test_an_arc_burns_on_after_a_line_out_of_reach():
    report = validate_program("G0 B30\nM7\nM3\nG4 P1\nG1 X5 F120\nG1 X999\nG1 X20\nM5\n")
    assert [(one.code, one.line) for one in report.findings] == [("soft-limit", 6)]
    assert report.samples.current_a[-1] > 100


def test_a_collision_over_several_lines_names_each_of_them():
    lines = ["G1 X5 F6000", "G1 Y20 Z32", "G1 X8", "N7 G1 X10", "G1 Y0 Z0", "G1 X0"]
    report = validate_program("\n".join(lines), cell=TABLE)
    torch = [one for one in report.findings if one.objects == ("torch", "table")]
    assert [one.line for one in torch] == [2, 3, 4, 5]
    assert ["still" in one.what for one in torch] == [False, True, True, True]
    times = [one.time_s for one in torch]
    assert times == sorted(times)
    assert report.collisions == len({one.objects for one in report.findings})


def test_bytes_that_a_controller_executes_at_once_are_a_finding():
    report = validate_program("G1 X5 F6000\nG1 X10\x18\nG1\xa0X20\n")
    assert [(one.code, one.line) for one in report.findings] == [("gcode", 2), ("gcode", 3)]
    assert "0x18" in report.findings[0].what
    assert report.samples.joints_deg[-1][0] == pytest.approx(20, abs=1e-6)


def test_check_mode_is_not_a_valid_run():
    assert found("$C\nG0 X5\n") == [("unfinished", 1, 2)]


@pytest.mark.parametrize("coordinates", ["joints", "cartesian"])
def test_a_validation_takes_the_estimated_time(coordinates):
    config = WelderConfig.model_validate(
        {
            "coordinates": coordinates,
            "virtual_io": {"links": [{"output": 7, "input": 8, "delay_ms": 250}]},
        }
    )
    name = "weld_seam" if coordinates == "joints" else "cartesian_seam"
    seam = (PROGRAMS / f"{name}.nc").read_text().replace("M30", "M66 P0 L4 Q9")
    more = "$H\n$110=3000\nM62 P7\nM66 P8 L1 Q2\nM64 P7\nM66 P8 L1 Q2\nM66 P9 L3 Q0.5\nM6 T2\n$G\n"
    text = f"{seam}\n{more}M30\n"
    report, expected = validate_program(text, config), estimate(text, config)
    assert expected.errors == []
    assert report.cycle_time_s == pytest.approx(expected.total_s, abs=0.1)


def test_a_cartesian_program_in_the_joint_profile_gets_a_hint():
    text = (PROGRAMS / "cartesian_seam.nc").read_text()
    report = validate_program(text)
    assert "coordinates=cartesian" in report.findings[0].what
    assert "coordinates=cartesian" in report.hint
    assert estimate(text).errors[0][0] == 4
    assert validate_program("G0 X175").hint == ""
