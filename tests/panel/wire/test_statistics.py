"""Rates and jitter, also of packets with many messages."""

import pytest

from rigless.panel.wire.statistics import MOST, OTHERS, Key, Statistics

KEY = Key("robot", "port", "in", "Go")
PERIOD_NS = 20_000_000


def test_packets_of_many_messages_have_their_true_rate():
    statistics = Statistics()
    for packet in range(300):
        for _ in range(1000):
            statistics.add(KEY, packet * PERIOD_NS, 40)
    (row,) = statistics.rows(299 * PERIOD_NS)
    assert row["count"] == 300_000
    assert row["rate_hz"] == pytest.approx(50_000)
    assert row["bytes_per_s"] == pytest.approx(2_000_000)
    assert row["jitter_ms"] == 0


def test_a_rate_is_zero_after_a_silence_and_in_a_single_instant():
    statistics = Statistics()
    statistics.add(KEY, 0, 1)
    statistics.add(KEY, 0, 1)
    assert statistics.rows(0)[0]["rate_hz"] == 0
    statistics.add(KEY, PERIOD_NS, 1)
    assert statistics.rows(PERIOD_NS)[0]["rate_hz"] == pytest.approx(50)
    assert statistics.rows(3_000_000_000)[0]["rate_hz"] == 0


def test_subjects_that_are_never_the_same_take_bounded_memory():
    statistics = Statistics()
    for number in range(2 * MOST):
        statistics.add(KEY._replace(subject=f"_INBOX.{number}"), 0, 1)
    rows = statistics.rows(0, limit=2 * MOST)
    assert len(rows) == MOST + 1
    assert {row["subject"]: row["count"] for row in rows}[OTHERS] == MOST
