"""The pyramid of extremes: against all samples, within its memory, and after time went back."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.panel.history.points import Points, csv_lines, pack_block, points_of, unpack_block
from rigless.panel.history.pyramid import FANOUT, Pyramid

VALUES = st.floats(-1e9, 1e9) | st.just(float("nan"))
STEPS = st.lists(
    st.tuples(st.integers(1, 40), VALUES) | st.tuples(st.just("back"), st.floats(0, 1)),
    max_size=300,
)


@settings(max_examples=80)
@given(STEPS, st.sampled_from([4, 8, 64]), st.floats(0, 1), st.floats(0, 1), st.integers(2, 40))
def test_every_bin_has_the_extremes_of_its_samples(steps, bins, low, high, points):
    pyramid, samples, now = Pyramid(1, bins), [], 0.0
    for step, value in steps:
        if step == "back":  # another past from here on
            now = round(now * value, 3)
            pyramid.forget_from(now)
            samples = samples[: len(pyramid)]  # in a coarse past, whole bins are dropped
            assert all(time < now for time, _ in samples)
        else:
            now += step / 10
            pyramid.append(now, [value])
            samples.append((now, value))
    assert len(pyramid) == len(samples)
    end = samples[-1][0] if samples else 0.0
    from_s, to_s = sorted((low * end, high * end))
    found = pyramid.read(from_s, to_s, points)
    times, values = np.array(samples).reshape(-1, 2).T
    covered = np.zeros(len(samples), bool)
    for begin, last, least, most in zip(*(part.ravel() for part in found), strict=True):
        inside = (times >= begin) & (times <= last)
        assert not covered[inside].any()  # bins do not overlap
        covered |= inside
        assert np.array_equal(least, np.fmin.reduce(values[inside]), equal_nan=True)
        assert np.array_equal(most, np.fmax.reduce(values[inside]), equal_nan=True)
    assert len(found.begin_s) <= 2 * points
    if not any(step == "back" for step, _ in steps):
        assert all(covered[(times >= from_s) & (times <= to_s)])


def test_memory_grows_with_the_logarithm_and_keeps_the_first_and_the_largest():
    pyramid = Pyramid(3, 64)
    for n in range(40_000):
        pyramid.append(n / 10, [n, -n, 1e6 if n == 777 else 0.0])
    assert pyramid.nbytes <= 64 * (3 * 2 + 2) * 8 * 10  # ten levels of 64 bins
    whole = pyramid.read(0.0, 1e9, 32)
    assert whole.begin_s[0] == 0.0
    assert whole.end_s[-1] == pyramid.end_s == 3_999.9
    assert whole.highs[:, 2].max() == 1e6
    newest = pyramid.read(3_999.0, 1e9, 32)
    assert newest.lows[-1].tolist() == [39_999.0, -39_999.0, 0.0]
    assert len(newest.begin_s) == 10 + 1 + 0  # samples as they are, and one neighbour


def test_going_far_back_loses_less_than_a_bin():
    pyramid = Pyramid(1, 8)
    for n in range(5000):
        pyramid.append(n / 10, [n])
    assert pyramid.forget_from(123.4)
    assert not pyramid.forget_from(1000.0)
    assert 123.4 - pyramid.end_s <= FANOUT**4 / 10
    pyramid.append(123.4, [-1.0])
    pyramid.append(123.5, [-2.0])
    whole = pyramid.read(0.0, 1e9, 100)
    assert whole.begin_s[0] == 0.0
    assert whole.lows.min() == -2.0
    assert whole.highs.max() < 1234


def test_new_columns_have_no_past():
    pyramid = Pyramid(1, 8)
    for n in range(20):
        pyramid.append(float(n), [n])
    pyramid.widen(2)
    pyramid.append(20.0, [20, 5])
    second = pyramid.read(0.0, 100.0, 100, [1])
    assert np.isnan(second.lows[:-1]).all()
    assert second.lows[-1].tolist() == [5.0]


def test_points_break_at_gaps_and_survive_the_wire_and_csv():
    pyramid = Pyramid(1, 64)
    for time_s, value in [(0.1, 1 / 3), (0.2, 2.0), (9.0, -1e-300), (9.1, 7.0)]:
        pyramid.append(time_s, [value])
    points = points_of(pyramid.read(0, 10, 100), 0, 3.0)
    assert points.times_s.tolist() == [0.1, 0.2, 4.6, 9.0, 9.1]
    assert np.isnan(points.values[2])
    number, generation, time_s, found = unpack_block(pack_block(7, 3, 9.1, [(2, points)]))
    assert (number, generation, time_s, list(found)) == (7, 3, 9.1, [2])
    assert np.array_equal(found[2].values, points.values, equal_nan=True)
    other = Points(np.array([0.2, 0.3]), np.array([5.0, 6.0]))
    lines = "".join(csv_lines(["a/truth/x", 'b,"c"'], [points, other])).splitlines()
    assert lines[0] == 'time_s,a/truth/x,"b,""c"""'
    rows = [line.split(",") for line in lines[1:]]
    assert [(float(t), a, b) for t, a, b in rows] == [
        (0.1, repr(1 / 3), ""), (0.2, "2.0", "5.0"), (0.3, "", "6.0"),
        (9.0, "-1e-300", ""), (9.1, "7.0", ""),
    ]  # fmt: skip
