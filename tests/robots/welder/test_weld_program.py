"""Programs that weld: the arc by M3 and M5, heat input, and faults that hold the feed."""

from pathlib import Path

import numpy as np
import pytest

from .scene import INSTANT, Bench, welder

PROGRAMS = Path(__file__).parents[3] / "examples" / "programs"
SEAM, JOINT = ((PROGRAMS / f"{name}.nc").read_text() for name in ("weld_seam", "t_joint"))
CALM = ("welding.strike_stddev_ms=0", "welding.ripple_share=0")


def until(bench, holds, most_s=60.0):
    end = bench.sim.now_s + most_s
    while not holds():
        assert bench.sim.now_s < end
        bench.run(0.01)


def test_the_seam_program_welds_its_length():
    bench = Bench(*CALM)
    bench.send(SEAM)
    until(bench, lambda: bench.truth.weld.phase == "WELDING")
    bench.run(5.0)
    truth = bench.truth
    radius_mm = np.hypot(truth.torch_mm[0], truth.torch_mm[1])
    speed_mmps = np.radians(55 / 60) * radius_mm
    assert speed_mmps == pytest.approx(10.0, abs=0.1)
    assert truth.weld.heat_input_kjpmm == pytest.approx(
        0.8 * 22 * 180 / 1000 / speed_mmps, rel=1e-3
    )
    assert truth.weld.bead_mm2 == pytest.approx(6283 / 60 / speed_mmps, rel=1e-3)
    until(bench, lambda: bench.truth.weld.phase == "IDLE")
    assert bench.truth.weld.length_mm == pytest.approx(np.radians(20) * radius_mm, rel=0.02)
    until(bench, lambda: bench.state.mode == "Idle" and not bench.state.rx)
    assert bench.truth.digital_outputs & 3 == 0


def test_the_arc_detector_lets_m66_go_on():
    bench = Bench(*CALM)
    bench.ask("M3")
    assert bench.ask("M66 P0 L3 Q3") == []
    bench.run(0.3)
    assert bench.said() == ""
    assert "ok" in bench.run(0.2)
    assert bench.state.m66_result == 1


def test_the_seed_changes_when_the_arc_strikes():
    times = set()
    for seed in range(4):
        sim = welder(*INSTANT, seed=seed)
        sim.send("welder", "grbl", b"M3\n")
        sim.run(2.0)
        times.add(
            next(event.time_ns for event in sim.events if event.data.get("phase") == "WELDING")
        )
    assert len(times) > 1


@pytest.mark.parametrize(
    ("target", "kind", "fault"),
    [
        ("arc", "arc_lost", "arc_lost"), ("arc", "wire_stick", "wire_stick"), ("gas", "", "no_gas"),
        ("wire", "", "no_wire"),
        ("power_source", "thermal", "thermal"), ("power_source", "communication", "communication"),
        ("arc", "burn_back", "burn_back"),
    ],
)  # fmt: skip
def test_a_fault_of_the_process_holds_the_feed(target, kind, fault):
    bench = Bench(*CALM)
    bench.ask("M3", 2.0)
    bench.ask("G1 X50 F60", 0.5)
    bench.sim.inject("welder", target, kind)
    bench.run(1.0)
    assert (bench.truth.weld.fault, bench.state.mode) == (fault, "Hold")
    assert bench.events("weld-fault")[0].data["fault"] == fault
    bench.sim.clear("welder")
    bench.send("~")
    assert bench.status()["mode"] == "Run"


def test_an_arc_that_does_not_start():
    bench = Bench(*CALM)
    bench.sim.inject("welder", "arc", "no_start")
    bench.ask("M3", 4.0)
    assert bench.truth.weld.fault == "arc_start_failure"
    bench.sim.clear("welder")
    bench.ask("M5", 2.0)
    bench.ask("M3", 2.0)
    assert bench.truth.weld.phase == "WELDING"


def test_too_fast_and_too_far_lose_the_arc():
    for act in ("G1 X90 F7200", "far"):
        bench = Bench(*CALM)
        bench.ask("M3", 2.0)
        if act == "far":
            bench.input("stickout_mm", 40.0)
        else:
            bench.ask(act)
        bench.run(1.0)
        assert bench.truth.weld.fault == "arc_lost"


def test_snapshots_hold_a_weld_in_the_middle():
    bench = Bench()
    bench.send(SEAM)
    until(bench, lambda: bench.truth.weld.phase == "WELDING")
    saved = bench.sim.snapshot()
    bench.run(3.0)
    wanted, told = bench.truth, bench.sim.snapshot()
    bench.sim.restore(saved)
    bench.run(3.0)
    assert bench.truth == wanted
    assert bench.sim.snapshot() == told


@pytest.mark.parametrize(
    ("settings", "program", "seconds"),
    [
        ((), "G1 X20 Y5 F1200\nG4 P0.3\nM62 P7\nG0 X0\nM3\nG4 P1\nG1 X5 F55\nY2\nM5\nG0 C90\n", 15),
        (("coordinates=cartesian", "cell=weld_table"), JOINT.replace("Y120", "Y-116"), 5),
    ],
)
def test_skipped_ticks_change_nothing(settings, program, seconds):
    """With a sample every 10 ms ticks cannot be skipped far; without, they are."""
    ends = []
    for watched in (False, True):
        sim = welder(*INSTANT, *settings, collect=False)
        if watched:
            sim.core.sample(1000, lambda: None)
        sim.send("welder", "grbl", program.encode())
        sim.run(seconds)
        ends.append(sim.snapshot())
    assert sim.truth("welder").weld.length_mm > 1.0
    assert ends[0] == ends[1]


def test_gas_by_m7_and_by_its_real_time_byte():
    bench = Bench()
    bench.ask("M7", 1.0)
    assert bench.truth.weld.gas_lpm == pytest.approx(15, abs=0.1)
    assert bench.truth.digital_outputs == 2
    bench.send("\xa1", 1.0)
    assert bench.truth.digital_outputs == 0
    assert "M9" in bench.ask("$G")[0]
