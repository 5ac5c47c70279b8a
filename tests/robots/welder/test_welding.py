"""The process against the figures of its data sheet, its times, and each fault from its cause."""

import math

import numpy as np
import pytest

from rigless.robots.welder.config import Welding
from rigless.robots.welder.process import welding as w
from rigless.robots.welder.process.stickout import FARTHEST_MM, Stickout
from rigless.worlds.cells.cell import Cell, Thing
from rigless.worlds.cells.solids import Mesh, Solid
from rigless.worlds.frames import frame

SHEET = Mesh(
    np.array([(-0.2, -0.2, 0), (0.2, -0.2, 0), (0.2, 0.2, 0), (-0.2, 0.2, 0)], float),
    np.array([(0, 1, 2), (0, 2, 3)], np.int32),
)
CONFIG = Welding(strike_stddev_ms=0.0)
DT = 0.001


def through(weld, seconds, config=CONFIG, draw=0.0, **around):
    """Advance; gives the phases that began, with when."""
    began = []
    for step in range(round(seconds / DT)):
        phase = w.advance(weld, config, w.Conditions(**around), DT, draw)
        if phase:
            began.append((round((step + 1) * DT, 3), phase))
    return began


def burning(**around):
    weld = w.Weld()
    w.start(weld)
    through(weld, 2.0, **around)
    assert weld.phase == w.WELDING
    return weld


def test_arc_energy_and_heat_input_of_the_data_sheet():
    energy = w.arc_energy_kjpmm(24, 200, 300 / 60)
    assert energy == pytest.approx(0.960)
    assert energy * CONFIG.efficiency == pytest.approx(0.768)
    assert w.arc_energy_kjpmm(22, 180, 10) * CONFIG.efficiency == pytest.approx(0.317, abs=0.0005)
    assert w.arc_energy_kjpmm(22, 180, 0) == 0


def test_deposition_of_the_data_sheet():
    assert w.wire_area_mm2(CONFIG) * 8000 == pytest.approx(6283, abs=0.5)
    assert w.deposition_gpmin(CONFIG, 8) == pytest.approx(49.3, abs=0.05)
    assert burning(speed_mmps=10.0).bead_mm2 == pytest.approx(10.5, abs=0.05)


def test_the_phases_and_their_times():
    weld = w.Weld()
    w.start(weld)
    assert through(weld, 2.0) == [(0.001, "PRE_FLOW"), (0.301, "ARC_START"), (0.381, "WELDING")]
    w.stop(weld)
    ends = through(weld, 3.0)
    assert [phase for _, phase in ends] == [
        "CRATER_FILL",
        "ARC_END",
        "BURN_BACK",
        "POST_FLOW",
        "IDLE",
    ]
    times = {phase: at for at, phase in ends}
    assert times["ARC_END"] - times["CRATER_FILL"] == pytest.approx(0.5)
    assert times["POST_FLOW"] - times["BURN_BACK"] == pytest.approx(0.05)
    assert times["IDLE"] - times["POST_FLOW"] == pytest.approx(0.5)
    through(weld, 3.0)
    assert w.at_rest(weld)


def test_current_follows_as_a_first_order_lag_with_hot_start():
    weld = w.Weld()
    w.start(weld)
    through(weld, 0.381)
    through(weld, 0.015)
    assert weld.current_a == pytest.approx(180 * 1.2 * (1 - math.exp(-1)), rel=1e-6)
    through(weld, 1.0)
    assert (weld.current_a, weld.voltage_v, weld.wire_mpm) == pytest.approx((180, 22, 8), abs=1e-3)


def test_analog_outputs_set_the_demand():
    weld = burning(demand=(200.0, 24.0, 6.0), speed_mmps=5.0)
    assert (weld.current_a, weld.voltage_v, weld.wire_mpm) == pytest.approx((200, 24, 6), abs=1e-3)
    assert weld.heat_input_kjpmm == pytest.approx(0.768, abs=1e-5)


def test_totals():
    weld = burning(speed_mmps=10.0)
    before = (weld.arc_s, weld.length_mm, weld.energy_kj, weld.deposited_g)
    through(weld, 6.0, speed_mmps=10.0)
    gained = [
        b - a
        for a, b in zip(
            before, (weld.arc_s, weld.length_mm, weld.energy_kj, weld.deposited_g), strict=True
        )
    ]
    assert gained == pytest.approx([6.0, 60.0, 22 * 180 * 6 / 1000, 49.32 / 10], rel=1e-3)


def test_a_late_arc_is_tried_again_and_then_given_up():
    weld = w.Weld()
    w.start(weld)
    began = through(weld, 5.0, strikes=False)
    assert began[-1][1] == w.FAULT
    assert began[-1][0] == pytest.approx(0.301 + 4 * 0.5 + 3 * 0.2, abs=0.006)
    assert (weld.fault, weld.attempt, weld.strikes) == ("arc_start_failure", 3, 4)


def test_a_slow_draw_strikes_on_the_second_attempt():
    config = Welding(strike_mean_ms=80, strike_stddev_ms=100)
    weld = w.Weld()
    w.start(weld)
    through(weld, 0.302, config=config, draw=10.0)
    assert weld.strikes_s > 0.5
    began = through(weld, 1.0, config=config, draw=0.0)
    assert [phase for _, phase in began] == ["WELDING"]
    assert weld.attempt == 1


@pytest.mark.parametrize(
    ("around", "fault", "cause"),
    [
        ({"gas": False}, "no_gas", "l/min; at least 5 are needed"),
        ({"wire": False}, "no_wire", "the wire has run out"),
        ({"speed_mmps": 70.0}, "arc_lost", "70 mm/s is too fast; the limit is 60 mm/s"),
        ({"speed_mmps": 61.0, "programmed_mmps": 200.0}, "arc_lost", "200 mm/s is too fast"),
        ({"stickout_mm": 30.0}, "arc_lost", "the stick-out is 30.0 mm; the maximum is 25 mm"),
        ({"stickout_mm": 1000.0}, "arc_lost", "no work within 1000 mm in front of the wire"),
        ({"stickout_mm": 2.0}, "wire_stick", "the stick-out is 2.0 mm; the minimum is 5 mm"),
        ({"demand": (450.0, 22.0, 8.0)}, "over_current", "A; the limit is 400 A"),
        ({"demand": (180.0, 50.0, 8.0)}, "over_voltage", "V; the limit is 45 V"),
        ({"injected": "communication"}, "communication", w.FAULTS["communication"]),
    ],
)
def test_faults_from_their_causes(around, fault, cause):
    weld = burning()
    through(weld, 1.0, **around)
    assert (weld.phase, weld.fault) == (w.FAULT, fault)
    assert cause in weld.cause
    assert not weld.arc_on
    w.stop(weld)
    assert (weld.fault, weld.phase) == ("", w.POST_FLOW)
    through(weld, 3.0)
    assert w.at_rest(weld)


def test_a_source_gets_hot_and_cools():
    config = Welding(thermal_tau_s=10.0, strike_stddev_ms=0.0)
    weld = w.Weld()
    w.start(weld)
    through(weld, 30.0, config=config, demand=(300.0, 22.0, 8.0))
    assert weld.fault == "thermal"
    hot = weld.heat
    w.cool(weld, config, 10.0)
    assert weld.heat == pytest.approx(hot / math.e)


def test_the_spool_ends():
    weld = w.Weld(wire_used_m=1499.99)
    w.start(weld)
    through(weld, 3.0)
    assert weld.fault == "no_wire"


def test_an_emergency_stop_ends_all_at_once():
    weld = burning()
    w.emergency(weld)
    assert (weld.phase, weld.current_a, weld.gas_lpm, weld.wanted) == (
        w.EMERGENCY_STOP,
        0,
        0,
        False,
    )
    through(weld, 1.0)
    assert weld.phase == w.EMERGENCY_STOP
    w.release(weld)
    assert weld.phase == w.IDLE


def test_stopping_before_the_arc_skips_to_the_post_flow():
    weld = w.Weld()
    w.start(weld)
    through(weld, 0.1)
    w.stop(weld)
    assert [phase for _, phase in through(weld, 1.0)] == ["POST_FLOW", "IDLE"]
    assert weld.arc_s == 0


def test_an_arc_does_not_strike_in_the_air():
    weld = w.Weld()
    w.start(weld)
    through(weld, 5.0, stickout_mm=1000.0)
    assert (weld.fault, weld.arc_s) == ("arc_start_failure", 0.0)
    assert "no work within 1000 mm" in weld.cause


def test_the_program_or_the_power_source_opens_the_gas():
    assert burning().gas_lpm == 0.0
    assert burning(gas_open=True).gas_lpm == pytest.approx(15.0, abs=0.01)
    weld = w.Weld()
    w.start(weld)
    through(weld, 2.0, config=Welding(gas="automatic", strike_stddev_ms=0.0))
    assert (weld.phase, weld.gas_lpm) == (w.WELDING, pytest.approx(15.0, abs=0.01))


def test_gas_that_opens_late_is_no_fault():
    weld = burning()
    through(weld, 1.0, gas_open=True)
    assert (weld.phase, weld.gas_lpm) == (w.WELDING, pytest.approx(15.0, abs=0.01))


def test_stick_out_is_the_way_along_the_wire():
    """Rays at solids of every kind, against closed forms."""
    solids = [
        Solid("box", "box", (0.2, 0.4, 0.1), frame((1, 0, 0.05), (0, 0, math.pi / 2))),
        Solid("rod", "cylinder", (0.05, 0.4), frame((0, 1, 0.3), (math.pi / 2, 0, 0))),
        Solid("ball", "sphere", (0.1,), frame((0, -1, 0.2))),
        Solid("sheet", "mesh", (), frame((-1, 0, 0.1)), SHEET),
    ]
    stickout = Stickout(Cell("test", tuple(Thing(one) for one in solids)), 15.0)

    def measured_mm(x, y, z, **lean):
        down = frame((x, y, z), (math.pi, lean.get("pitch", 0.0), 0.0))
        return stickout.measure_mm(down)

    assert measured_mm(1.15, 0.05, 0.5) == pytest.approx(415)  # 15 mm of wire and 400 mm
    assert measured_mm(1.0, 0.15, 0.5) == FARTHEST_MM  # past the box, which is turned by 90°
    assert measured_mm(0.03, 1.0, 0.5) == pytest.approx(15 + 200 - 40, abs=1e-6)
    assert measured_mm(0.0, 1.21, 0.5) == FARTHEST_MM
    assert measured_mm(0.0, -0.94, 0.5) == pytest.approx(15 + 300 - 80, abs=1e-6)
    assert measured_mm(-1.0, 0.0, 0.5) == pytest.approx(415)
    assert measured_mm(-1.0, 0.0, 0.5, pitch=math.radians(60)) == FARTHEST_MM
    assert measured_mm(-1.0, 0.0, 0.2, pitch=math.radians(30)) == pytest.approx(
        15 + (100 - 15 * math.cos(math.radians(30)) + 15 * math.cos(math.radians(30)))
        / math.cos(math.radians(30)), abs=1e-6,
    )  # fmt: skip
    assert measured_mm(1.0, 0.0, 0.05) == 0.0  # inside the box


def test_gas_alone():
    weld = w.Weld()
    through(weld, 1.0, gas_open=True)
    assert weld.gas_lpm == pytest.approx(15.0, abs=0.01)
    assert weld.phase == w.IDLE
