"""Inputs, outputs and links: immediate or with the motion, out of range, and M66."""

import math
import re

import pytest

from rigless.kernel.problems import InputError
from rigless.robots.welder import pins as io

from .scene import Bench


def test_plain_outputs():
    outputs = io.Outputs()
    assert io.switch(outputs, 31, True)
    assert not io.switch(outputs, 31, True)
    assert (io.is_on(outputs, 31), io.is_on(outputs, 30)) == (True, False)
    io.drive(outputs, 7, 10.0)
    assert outputs.analog[7] == 10.0
    assert io.bits([True, False, True]) == 5
    for wrong in (-1, 32):
        with pytest.raises(ValueError, match="no digital pin"):
            io.switch(outputs, wrong, True)
    with pytest.raises(ValueError, match="no analog channel"):
        io.drive(outputs, 8, 1.0)
    for wrong in (-0.1, 10.1, float("nan")):
        with pytest.raises(ValueError, match="out of range"):
            io.drive(outputs, 0, wrong)


def test_m64_acts_at_once_and_m62_with_the_next_motion():
    bench = Bench()
    bench.ask("G1 X10 F600")
    bench.ask("M64 P4")
    bench.ask("M62 P5")
    bench.ask("M67 E3 Q2.5")
    assert bench.truth.digital_outputs == 1 << 4
    bench.ask("G1 X20")
    bench.run(0.9)
    assert bench.truth.digital_outputs == 1 << 4
    assert bench.truth.analog_outputs[3] == 0
    bench.run(0.2)
    assert bench.truth.digital_outputs == 1 << 4 | 1 << 5
    assert bench.truth.analog_outputs[3] == 2.5
    bench.ask("M65 P4")
    bench.ask("M68 E3 Q1")
    assert (bench.truth.digital_outputs, bench.truth.analog_outputs[3]) == (1 << 5, 1.0)


def test_outputs_that_waited_for_a_motion_come_with_the_end_of_the_program():
    bench = Bench()
    bench.ask("M62 P5")
    assert bench.truth.digital_outputs == 0
    bench.ask("M30")
    assert bench.truth.digital_outputs == 1 << 5


def test_links_switch_inputs_after_their_delay():
    bench = Bench(
        "virtual_io.links=[{output=4,input=9,delay_ms=50},{output=4,input=10,delay_ms=0}]"
    )
    bench.ask("M64 P4")
    assert bench.truth.digital_inputs == 1 << 10
    bench.run(0.0499)
    assert bench.truth.digital_inputs == 1 << 10
    bench.run(0.0002)
    assert bench.truth.digital_inputs == 1 << 10 | 1 << 9
    bench.ask("M65 P4", 0.06)
    assert bench.truth.digital_inputs == 0


def test_a_link_in_flight_survives_a_snapshot():
    bench = Bench("virtual_io.links=[{output=4,input=9,delay_ms=50}]")
    bench.ask("M64 P4")
    saved = bench.sim.snapshot()
    bench.run(0.06)
    bench.sim.restore(saved)
    assert bench.truth.digital_inputs == 0
    bench.run(0.06)
    assert bench.truth.digital_inputs == 1 << 9


@pytest.mark.parametrize(
    ("line", "before", "changes", "result"),
    [
        ("M66 P3 L3 Q2", False, [(0.5, True)], 1),
        ("M66 P3 L4 Q2", True, [(0.5, False)], 0),
        ("M66 P3 L1 Q2", True, [(0.3, False), (0.5, True)], 1),
        ("M66 P3 L2 Q2", False, [(0.3, True), (0.5, False)], 0),
        ("M66 P3 L3 Q0.2", False, [(0.5, True)], -1),
    ],
)
def test_m66_waits_for_an_input(line, before, changes, result):
    bench = Bench()
    bench.input("di3", before)
    said = bench.ask(line)
    assert said == []
    begin = bench.sim.now_s
    for at, value in changes:
        if said := said + [
            part for part in bench.run(begin + at - bench.sim.now_s).split("\r\n") if part
        ]:
            break
        said += [part for part in bench.input("di3", value).split("\r\n") if part]
    assert said == ["ok"]
    assert bench.state.m66_result == result
    assert bench.status()["In"] == str(result)


def test_m66_without_waiting_reads_at_once():
    bench = Bench()
    assert bench.ask("M66 P3 L0") == ["ok"]
    assert bench.state.m66_result == 0
    bench.input("ai2", 2.5)
    assert bench.ask("M66 E2 L0") == ["ok"]
    assert bench.state.m66_result == 2500


def test_m66_waits_for_motion_first():
    bench = Bench()
    bench.ask("G1 X10 F600")
    assert bench.ask("M66 P3 L0") == []
    assert bench.run(1.1) == "ok\r\n"


def test_an_analog_input_out_of_range_is_refused_where_it_is_set():
    bench = Bench()
    bench.input("ai0", 10)
    for volts, why in (
        (-2.5, "-2.5 is out of range (0 to 10)"),
        (10.001, "out of range"),
        (math.nan, "not a finite"),
    ):
        with pytest.raises(InputError, match=re.escape(why)):
            bench.input("ai0", volts)
    assert bench.truth.analog_inputs[0] == 10.0
