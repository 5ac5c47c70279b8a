import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from rigless.kernel.faults import Fault, Targets, actuate, sense, transmit
from rigless.kernel.streams import Streams

FLOATS = st.floats(-1e6, 1e6)


def fault(kind, **params):
    kind, seam, full = Targets.of(["x"], ["x"], ["x"], {}).resolve("r", "x", kind, params)
    return Fault(1, "r", "x", kind, seam, full, 0)


def rng():
    return Streams(1).get("x")


@given(FLOATS, FLOATS)
def test_bias_adds_and_wrong_replaces(value, other):
    assert sense(fault("bias", value=other), value, rng()) == value + other
    assert sense(fault("wrong", value=other), value, rng()) == other


def test_off_gives_nothing():
    assert sense(fault("off"), 3.0, rng()) is None


def test_stuck_holds_the_first_value_it_sees():
    stuck = fault("stuck")
    assert [sense(stuck, value, rng()) for value in (3.0, 4.0, 5.0)] == [3.0, 3.0, 3.0]
    assert stuck.memory == {"value": 3.0}  # as snapshots hold it


def test_a_stuck_array_stays_whatever_its_reader_or_its_maker_does_with_theirs():
    stuck, ranges = fault("stuck"), np.array([1.0, 2.0])
    given = sense(stuck, ranges, rng())
    ranges[0] = 50.0
    assert_array_equal(sense(stuck, ranges, rng()), [1.0, 2.0])
    given[1] = 99.0
    assert_array_equal(sense(stuck, ranges, rng()), [1.0, 2.0])


def test_noise_has_the_mean_and_deviation_asked_for():
    noisy = fault("noise", stddev=0.5)
    assert sense(noisy, 10.0, rng()) == 10.0 + 0.5 * rng().standard_normal()
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
    wrong = sense(fault("wrong", value=7.0), values, rng())
    assert_array_equal(wrong, np.full((3, 4), 7.0), strict=True)
    assert not values.any()


def test_wrong_keeps_the_type_of_what_is_measured():
    wrong = sense(fault("wrong", value=3.0), 8, rng())
    assert (wrong, type(wrong)) == (3, int)


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


def test_a_lag_starts_from_what_the_actuator_did_before():
    assert actuate(fault("lag", tau_s=1.0), 3.0, 0.1, 1.0, before=3.0) == 3.0
    assert actuate(fault("lag", tau_s=3600), 3.0, 1e-9, 1.0, before=1.0) == pytest.approx(1.0)


def test_a_lag_of_no_time_is_no_lag():
    assert actuate(fault("lag", tau_s=0), 3.0, 0.1, 1.0) == 3.0


def test_a_corrupted_packet_can_have_any_of_its_bits_flipped():
    corrupt, generator, places = fault("corrupt"), rng(), set()
    clean = b"\x00\xff\xa5\x3c"
    for _ in range(500):
        [(_, data)] = transmit(corrupt, [(0, clean)], generator)
        places.add(int.from_bytes(data, "little") ^ int.from_bytes(clean, "little"))
    assert places == {1 << bit for bit in range(32)}


def test_an_own_kind_without_declared_parameters_has_none():
    targets = Targets.of(["x"], [], [], {"fuse": ("blown",)})
    assert targets.params("fuse", "blown") == {}
    assert targets.params("x", "disconnect") == {}
    assert list(targets.params("x", "drop")) == ["probability", "direction"]


class Draws:
    """A random generator of one number."""

    def __init__(self, number):
        self.random = lambda: number


@pytest.mark.parametrize("probability", [0.0, 0.25, 1.0])
def test_a_fault_acts_on_draws_below_its_probability_and_on_no_other(probability):
    below, equal = Draws(math.nextafter(probability, -1.0)), Draws(probability)
    packet = (5, b"")
    assert sense(fault("dropout", probability=probability), 1.0, below) is None
    assert sense(fault("dropout", probability=probability), 1.0, equal) == 1.0
    assert transmit(fault("drop", probability=probability), [packet], below) == []
    assert transmit(fault("drop", probability=probability), [packet], equal) == [packet]
    twice = fault("duplicate", probability=probability)
    assert transmit(twice, [packet], below) == [packet, packet]
    assert transmit(twice, [packet], equal) == [packet]
    equal.integers = lambda *limits, size: pytest.fail("corrupted")
    corrupt = fault("corrupt", probability=probability)
    assert transmit(corrupt, [(5, b"abc")], equal) == [(5, b"abc")]


def test_wire_faults_keep_the_delays_that_packets_have():
    packets = [(7, b"a"), (9, b"b")]
    late = transmit(fault("delay", ms=2.5, jitter_ms=1), packets, Draws(0.25))
    assert late == [(2_750_007, b"a"), (2_750_009, b"b")]
    assert [type(delay) for delay, _ in late] == [int, int]
    spoiled = transmit(fault("corrupt"), packets, rng())
    assert [delay for delay, _ in spoiled] == [7, 9]
    assert transmit(fault("disconnect"), packets, rng()) == []
