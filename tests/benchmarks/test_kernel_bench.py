"""A short run of `rigless bench kernel`: it has its figures, whatever their values."""

import math

import pytest

from rigless.cli.bench import run_benchmarks, table
from rigless.kernel.problems import InputError

from .measuring import figures_of

TIMERS = {
    "events_per_s",
    "simpy_events_per_s",
    "heap_events_per_s",
    "ratio_to_simpy",
    "ratio_to_heap",
}
PACE = {
    "ticks",
    "sim_minus_wall_ms",
    "late_p50_ms",
    "late_p99_ms",
    "late_max_ms",
    "overruns",
    "lost_ms",
    "cpu_share",
    "sleep_p50_ms",
    "sleep_p99_ms",
    "p50_ratio_to_sleep",
    "p99_ratio_to_sleep",
}
GROUPS = {
    "timers": {"ratio_to_simpy"},
    "tickers_1": TIMERS,
    "tickers_10": TIMERS,
    "tickers_100": TIMERS,
    "one_shots": TIMERS,
    "pace_1x": PACE,
    "pace_10x": PACE,
    "echo": {
        "round_trips",
        "p50_us",
        "p99_us",
        "asyncio_p50_us",
        "asyncio_p99_us",
        "p50_ratio_to_asyncio",
        "p99_ratio_to_asyncio",
    },
    "recording": {
        "unrecorded_messages_per_s",
        "encoded_messages_per_s",
        "recorded_messages_per_s",
        "added_us",
        "encoding_us",
        "bare_mcap_us",
        "ratio_to_bare_mcap",
        "bytes_per_message",
    },
}
MAY_BE_ZERO = {"overruns", "lost_ms"}
ANY_SIGN = {
    "sim_minus_wall_ms",
    "added_us",
    "encoding_us",
    "ratio_to_bare_mcap",
}  # differences of noisy figures


@pytest.fixture(scope="module")
def figures() -> dict[str, dict[str, float]]:
    return figures_of("kernel", 0.5)


def test_the_groups_have_their_figures(figures):
    assert {group: set(members) for group, members in figures.items()} == GROUPS


def test_the_figures_are_positive_and_finite(figures):
    for group, members in figures.items():
        for name, value in members.items():
            assert math.isfinite(value), f"{group}.{name}"
            if name not in ANY_SIGN:
                assert value >= 0 if name in MAY_BE_ZERO else value > 0, (
                    f"{group}.{name} is {value}"
                )


def test_the_worst_ratio_to_simpy_is_reported(figures):
    ratios = [figures[f"tickers_{count}"]["ratio_to_simpy"] for count in (1, 10, 100)]
    assert figures["timers"]["ratio_to_simpy"] == min(ratios)


def test_every_tick_of_the_pace_was_seen(figures):
    assert figures["pace_1x"]["ticks"] == 55
    assert figures["pace_10x"]["ticks"] == 550


def test_parts_of_benchmarks_are_not_benchmarks():
    with pytest.raises(InputError, match="_timers"):
        run_benchmarks(["_timers"], json=True)


def test_similar_groups_are_columns_with_units():
    rows = list(
        table(
            {
                "total": 3,
                "a": {"late_ms": 0.25},
                "b": {"late_ms": 12345.0},
                "peers": {"x": {"rays_per_s": 9.0}},
            }
        )
    )
    assert [row.split() for row in rows] == [
        ["total", "3"],
        [],
        ["a", "b"],
        ["late_ms", "0.25", "ms", "12,345", "ms"],
        [],
        ["peers"],
        ["x.rays_per_s", "9", "/s"],
        [],
    ]
