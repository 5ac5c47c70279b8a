import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from rigless.kernel.faults import KINDS, Fault, Targets, actuate, sense
from rigless.kernel.problems import InputError
from rigless.kernel.simulation import Simulation
from rigless.kernel.streams import Streams

from .robots import Counter, Diary

FLOATS = st.floats(-1e6, 1e6)


def fault(kind, **params):
    kind, seam, full = Targets.of(["x"], ["x"], ["x"], {}).resolve("r", "x", kind, params)
    return Fault(1, "r", "x", kind, seam, full, 0)


def rng():
    return Streams(1).get("x")


# Sensors


@given(FLOATS, FLOATS)
def test_bias_adds_and_wrong_replaces(value, other):
    assert sense(fault("bias", value=other), value, rng()) == value + other
    assert sense(fault("wrong", value=other), value, rng()) == other


def test_off_gives_nothing():
    assert sense(fault("off"), 3.0, rng()) is None


def test_stuck_holds_the_first_value_it_sees():
    stuck = fault("stuck")
    assert [sense(stuck, value, rng()) for value in (3.0, 4.0, 5.0)] == [3.0, 3.0, 3.0]


def test_a_stuck_array_stays_whatever_its_reader_or_its_maker_does_with_theirs():
    stuck, ranges = fault("stuck"), np.array([1.0, 2.0])
    given = sense(stuck, ranges, rng())
    ranges[0] = 50.0
    assert_array_equal(sense(stuck, ranges, rng()), [1.0, 2.0])
    given[1] = 99.0
    assert_array_equal(sense(stuck, ranges, rng()), [1.0, 2.0])


def test_noise_has_the_mean_and_deviation_asked_for():
    noisy = fault("noise", stddev=0.5)
    draws = rng()
    values = np.array([sense(noisy, 10.0, draws) for _ in range(4000)])
    assert abs(values.mean() - 10.0) < 5 * 0.5 / math.sqrt(4000)
    assert abs(values.std() - 0.5) < 5 * 0.5 / math.sqrt(8000)


def test_dropout_loses_its_share():
    losing, draws = fault("dropout", probability=0.3), rng()
    lost = sum(sense(losing, 1.0, draws) is None for _ in range(4000))
    assert abs(lost - 1200) < 5 * math.sqrt(4000 * 0.3 * 0.7)


def test_arrays_keep_their_shape_and_each_element_has_noise_of_its_own():
    values = np.zeros((3, 4))
    noisy = sense(fault("noise", stddev=1.0), values, rng())
    assert len(set(noisy.ravel().tolist())) == 12
    assert_array_equal(sense(fault("bias", value=2.0), values, rng()), np.full((3, 4), 2.0))
    assert_array_equal(sense(fault("wrong", value=7.0), values, rng()), np.full((3, 4), 7.0))
    assert not values.any()


def test_wrong_keeps_the_type_of_what_is_measured():
    wrong = sense(fault("wrong", value=3.0), 8, rng())
    assert (wrong, type(wrong)) == (3, int)


def test_faults_on_one_sensor_act_in_the_order_they_came_and_nothing_follows_off():
    sim = Simulation([Counter("c")])
    counter = sim.robots["c"]
    sim.inject("c", "level", "bias", value=2.0)
    sim.inject("c", "level", "stuck")
    assert counter.sense("level", 1.0) == 3.0
    assert counter.sense("level", 5.0) == 3.0
    sim.inject("c", "level", "off")
    assert counter.sense("level", 5.0) is None
    assert counter.sense("another", 5.0) == 5.0


# Actuators


@given(FLOATS, st.floats(0, 1), st.floats(-1, 1), st.floats(0.1, 10))
def test_stall_weak_inverted_runaway(command, factor, level, full):
    assert actuate(fault("stall"), command, 0.1, full) == 0
    assert actuate(fault("weak", factor=factor), command, 0.1, full) == command * factor
    assert actuate(fault("inverted"), command, 0.1, full) == -command
    assert actuate(fault("runaway", level=level), command, 0.1, full) == level * full


@given(tau=st.floats(0.01, 10), steps=st.integers(1, 50))
def test_lag_is_a_first_order_step_response_whatever_the_step(tau, steps):
    lagging = fault("lag", tau_s=tau)
    for _ in range(steps):
        reached = actuate(lagging, 3.0, 1.0 / steps, 1.0)
    assert reached == pytest.approx(3.0 * (1 - math.exp(-1.0 / tau)), rel=1e-9)


def test_a_lag_of_no_time_is_no_lag():
    assert actuate(fault("lag", tau_s=0), 3.0, 0.1, 1.0) == 3.0


def test_actuator_faults_reach_the_robot():
    sim = Simulation([Counter("c")])
    sim.inject("c", "drive", "runaway", level=-0.5)
    sim.run(0.1)
    assert sim.truth("c").drive == -1.0


# What a robot declares itself, and the life of a fault


def test_a_robots_own_condition_is_seen_by_target_and_kind():
    sim = Simulation([Counter("c")])
    counter = sim.robots["c"]
    sim.inject("c", "fuse", amperes=16)
    found = counter.fault("fuse")
    assert (found.kind, found.seam, found.params) == ("blown", "own", {"amperes": 16})
    assert counter.fault("fuse", "loose") is None
    assert counter.fault("level") is None
    sim.clear("c", "fuse")
    assert counter.fault("fuse") is None


def test_a_robot_hears_of_faults_and_they_are_events():
    sim = Simulation([Diary("d")])
    sim.inject("d", "ink", "dry", until_s=0.05)
    sim.run(0.06)
    assert sim.truth("d").entries == [(0, "Injected"), (50_000_000, "Cleared")]
    assert [(event.time_ns, event.code, event.text) for event in sim.events] == [
        (0, "fault-injected", "ink dry"),
        (50_000_000, "fault-cleared", "ink dry"),
    ]


def test_a_fault_ends_at_its_time_and_one_that_is_over_ends_at_once():
    sim = Simulation([Counter("c")])
    counter = sim.robots["c"]
    sim.inject("c", "level", "off", until_s=0.5)
    sim.run_until(499_999_999)
    assert counter.fault("level")
    sim.run_until(500_000_000)
    assert not counter.fault("level")
    sim.inject("c", "level", "off", until_s=0.1)
    assert not counter.fault("level")


def test_the_same_fault_again_replaces_the_old_one_with_its_end():
    sim = Simulation([Counter("c")])
    sim.inject("c", "level", "bias", value=1, until_s=0.5)
    sim.inject("c", "level", "bias", value=5)
    sim.run(1)
    assert [found.params for found in sim.robots["c"].faults] == [{"value": 5.0}]


def test_clear_ends_one_target_or_all():
    sim = Simulation([Counter("c")])
    for target, kind in (("level", "bias"), ("level", "stuck"), ("drive", "weak"), ("beat", "drop")):
        sim.inject("c", target, kind)
    sim.clear("c", "level")
    assert [found.target for found in sim.robots["c"].faults] == ["drive", "beat"]
    sim.clear("c")
    assert sim.robots["c"].faults == []


@pytest.mark.parametrize(
    ("target", "kind", "params", "says"),
    [
        ("lever", "off", {}, ["c: unknown fault target 'lever' (did you mean 'level'?)"]),
        ("zzz", "off", {}, ["choose from: beat, bus, drive, fuse, level, line"]),
        ("level", "bais", {}, ["c level: unknown fault kind 'bais' (did you mean 'bias'?)"]),
        ("level", "zzz", {}, ["choose from: bias, dropout, noise, off, stuck, wrong"]),
        ("line", "zzz", {}, ["choose from: corrupt, delay, disconnect, drop, duplicate"]),
        ("drive", "zzz", {}, ["choose from: inverted, lag, runaway, stall, weak"]),
        ("fuse", "zzz", {}, ["choose from: blown, loose"]),
        ("level", "bias", {"valeu": 1}, ["c level bias: unknown parameter 'valeu' (did you mean 'value'?)"]),
        ("level", "off", {"x": 1}, ["unknown parameter 'x' (there are none to choose from)"]),
        ("level", "bias", {"value": "much"}, ["c level bias value: 'much' is not a number (for example 1.0)"]),
        ("line", "drop", {"probability": 1.5}, ["1.5 is out of range (between 0 and 1)"]),
        ("level", "bias", {"value": math.nan}, ["nan is out of range"]),
        ("line", "drop", {"direction": "ouT"}, ["'ouT' is not a choice (did you mean 'out'?)"]),
        ("line", "delay", {"ms": -1, "jitter": 2}, ["-1 is out of range", "did you mean 'jitter_ms'?"]),
    ],
)
def test_a_wrong_request_says_what_would_be_right_all_at_once(target, kind, params, says):
    sim = Simulation([Counter("c")])
    with pytest.raises(InputError) as caught:
        sim.inject("c", target, kind, **params)
    for part in says:
        assert part in str(caught.value)
    assert sim.robots["c"].faults == []


def test_every_kind_can_be_injected_with_its_defaults_run_and_cleared():
    sim = Simulation([Counter("c")])
    for target, seam in (("line", "wire"), ("beat", "wire"), ("level", "sensor"), ("drive", "actuator")):
        for kind, params in KINDS[seam].items():
            sim.inject("c", target, kind)
            found = sim.robots["c"].fault(target, kind)
            assert found.params == {name: param.default for name, param in params.items()}
            sim.send("c", "line", b"add 1\n")
            sim.run(0.3)
            sim.clear("c", target)
    assert sim.robots["c"].faults == []


@pytest.mark.parametrize(
    ("target", "kind"),
    [(target, kind) for target, seam in (("beat", "wire"), ("drive", "actuator")) for kind in KINDS[seam]]
    + [("level", kind) for kind in KINDS["sensor"]]
    + [("fuse", "blown")],
)
def test_a_fault_does_not_shift_the_noise_of_anything(target, kind):
    def window(spoil):
        sim = Simulation([Counter("c")], seed=5)
        sim.send("c", "line", b"subscribe x:1\n")
        if spoil:
            sim.inject("c", target, kind)
        sim.run(3)
        return sim.truth("c").window

    assert_array_equal(window(True), window(False))
