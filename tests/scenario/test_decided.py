"""Properties of all kinds: margins agree with verdicts, and decided verdicts do not change."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rigless.scenario.expect.curve import POINTS, Curve
from rigless.scenario.expectations import ExpectationMonitor

from .scenes import built, cart, judged

TIMES = st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0, 1.5])
WINDOWS = st.one_of(
    st.just({}),
    st.builds(lambda a: {"from_s": a}, TIMES),
    st.builds(lambda a, b: {"from_s": min(a, b), "to_s": max(a, b)}, TIMES, TIMES),
)
NUMBERS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5])
COUNTS = st.one_of(
    st.builds(lambda n: {"min_count": n}, st.integers(1, 4)),
    st.builds(lambda n: {"max_count": n}, st.integers(0, 4)),
    st.just({"seen": False}),
)
GO = {"port": "drive", "direction": "in", "message": "Go"}
SUBJECTS = st.one_of(
    st.builds(
        lambda key, limit, once: {"value": "truth.pose.0", key: limit, "eventually": once},
        st.sampled_from(["min", "max", "equals"]), NUMBERS, st.booleans(),
    ),
    st.builds(lambda x: {"region": {"x": [x, x + 0.4]}}, NUMBERS),
    st.builds(lambda x: {"reaches": {"center": [x, 0.1], "radius_m": 0.2}}, NUMBERS),
    st.builds(lambda counts: {"event": "go", **counts}, COUNTS),
    st.builds(lambda counts: {**GO, **counts}, COUNTS),
    st.builds(lambda hz: {**GO, "min_hz": hz}, NUMBERS.filter(bool)),
    st.builds(lambda hz: {**GO, "max_hz": hz}, NUMBERS),
    st.builds(
        lambda ms: {"port": "odometry", "direction": "out", "after": "go", "reacts_within_ms": ms},
        st.sampled_from([5, 60, 500]),
    ),
    st.builds(lambda m: {"stops_within_m": m, "after": "go"}, NUMBERS),
    st.builds(lambda m: {"path_length_max_m": m}, NUMBERS),
    st.builds(lambda s: {"standstill_max_s": s}, NUMBERS),
)  # fmt: skip
GOES = st.lists(
    st.builds(
        lambda at_s, speed: {"at_s": at_s, "port": "drive",
                             "message": {"type": "Go", "speed_mps": speed}},
        st.sampled_from([0.0, 0.2, 0.5, 0.52, 0.9, 1.0, 1.4, 1.9]), st.sampled_from([0.0, 1.0]),
    ),
    max_size=4,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(SUBJECTS, WINDOWS, GOES)
def test_margins_and_decisions(subject, window, timeline):
    rate = "min_hz" in subject or "max_hz" in subject
    assume(not rate or window.get("to_s", 9) > window.get("from_s", 0))
    scene = built(expect=[{**subject, **window}], timeline=timeline)
    monitor = ExpectationMonitor(scene, 2.0)
    at_the_end = not window and ("value" in subject or "region" in subject)
    early = None
    for tick in range(1, 41):
        scene.simulation.run(0.05)
        if early is None and monitor.decided() and not at_the_end:
            early = monitor.verdicts()[0].passed
        assert tick < 40 or monitor.decided() or window.get("to_s") is None
    (verdict,) = monitor.verdicts()
    assert monitor.verdicts() == [verdict]
    assert early in (None, verdict.passed)
    if verdict.margin is not None:
        assert (verdict.margin >= 0) is verdict.passed
    if verdict.passed:
        assert verdict.broke_at_s is None
    if verdict.series is not None:
        assert verdict.series.times_s == sorted(verdict.series.times_s)
        assert 0 < len(verdict.series.values) <= POINTS


ROLLING = [cart(config={"speed_mps": 1.0})]
X = {"value": "truth.pose.0"}


@pytest.mark.parametrize(
    ("expect", "at_s"),
    [
        ({**X, "min": 0}, 0.0),
        ({**X, "at_s": 1, "min": 0}, 1.0),
        ({**X, "from_s": 0, "max": 0.72}, 0.8),
        ({**X, "from_s": 0, "max": 9}, None),
        ({**X, "from_s": 0, "to_s": 1, "max": 9}, 1.1),
        ({**X, "from_s": 0, "eventually": True, "min": 0.72}, 0.8),
        ({"event": "booted"}, 0.0),
        ({"event": "booted", "seen": False}, 0.0),
        ({"event": "go", "seen": False}, None),
        ({"event": "go", "seen": False, "to_s": 0.5}, 0.6),
        ({"port": "odometry", "min_count": 5}, 0.5),
        ({"port": "odometry", "max_count": 5}, 0.6),
        ({"reaches": {"x": [0.33, 9]}}, 0.4),
        ({"path_length_max_m": 0.33}, 0.4),
    ],
    ids=str,
)
def test_the_time_of_a_decision(expect, at_s):
    scene = built(ROLLING, expect=[expect])
    monitor = ExpectationMonitor(scene, 2.0)
    for tick in range(20):
        if monitor.decided():
            break
        scene.simulation.run_until(round((tick + 1) * 1e8))
    assert (scene.simulation.now_s if monitor.decided() else None) == at_s


def test_a_run_that_ends_early_is_judged_then():
    scene = built(ROLLING, expect=[{**X, "min": 0.6}, {**X, "at_s": 1, "min": 0}])
    monitor = ExpectationMonitor(scene, 2.0)
    scene.simulation.run(0.5)
    early, missing = monitor.verdicts()
    assert early.detail == "was 0.5 at 0.5 s, 0.1 below the minimum"
    assert early.margin == pytest.approx(-0.1)
    assert missing.detail == "never sampled: the run ended at 0.5 s"
    scene.simulation.run(0.2)
    assert monitor.verdicts()[0].passed


@pytest.mark.parametrize(
    ("expect", "margin", "broke_at_s", "limits"),
    [
        ({**X, "from_s": 0, "min": -1, "max": 3}, 1.0, None, (-1, 3)),
        ({**X, "from_s": 0, "max": 1.52}, -0.48, 1.55, (None, 1.52)),
        ({**X, "from_s": 0, "eventually": True, "min": 2.5}, -0.5, 2.0, (2.5, None)),
        ({**X, "equals": 5}, -3, 2.0, (5, 5)),
        ({"region": {"x": [0, 5]}, "at_s": 1}, 1.0, None, (0, None)),
        ({"region": {"center": [0, 0], "radius_m": 1.5}}, -0.5, 2.0, (0, None)),
        ({"value": "input.mode", "equals": "eco"}, None, None, (None, None)),
        ({"port": "odometry", "max_count": 15}, -5, 1.6, (None, 15)),
        ({"port": "odometry", "min_count": 25}, -5, 2.0, (25, None)),
        ({"event": "go"}, -1, 2.0, (1, None)),
    ],
    ids=str,
)
def test_numbers_of_a_verdict(expect, margin, broke_at_s, limits):
    (verdict,) = judged([expect], robots=ROLLING)
    assert verdict.margin == (margin and pytest.approx(margin))
    assert verdict.broke_at_s == (broke_at_s and pytest.approx(broke_at_s))
    assert (verdict.low, verdict.high) == limits
    assert verdict.robot == "cart"
    assert (verdict.series is None) == (margin is None)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=3000))
@settings(max_examples=30, deadline=None)
def test_a_curve_keeps_its_extremes_and_its_ends(values):
    curve = Curve()
    for index, value in enumerate(values):
        curve.add(float(index), value)
    series = curve.series()
    assert len(series.values) <= POINTS
    assert (min(series.values), max(series.values)) == (min(values), max(values))
    assert (series.times_s[0], series.values[-1]) == (0.0, values[-1])
    assert all(values[int(t)] == v for t, v in zip(series.times_s, series.values, strict=True))
