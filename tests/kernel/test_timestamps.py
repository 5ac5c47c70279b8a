"""Instants as text and as nanoseconds; the calendar is that of the standard library."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel.timing.timestamps import LATEST_NS, to_exact_text, to_ns, to_text

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def test_nanoseconds_are_kept():
    for text in ("2026-11-15T19:22:50.948703712Z", "1999-12-31T23:59:59.000000001Z"):
        assert to_exact_text(to_ns(text)) == text
    assert to_ns("1970-01-01T00:00:01Z") == 10**9
    assert to_ns("1970-01-01T00:00:00.5Z") == 5 * 10**8


@given(st.integers(-(2**70), 2**70))
def test_any_number_of_nanoseconds_is_a_time(time_ns):
    assert to_ns(to_exact_text(time_ns)) == min(max(time_ns, 0), LATEST_NS)


@given(st.datetimes(), st.integers(-14 * 60, 14 * 60))
def test_it_is_the_calendars_time_in_any_zone(here, minutes):
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    expected = (
        (here - datetime(1970, 1, 1) - timedelta(minutes=minutes))
        // timedelta(microseconds=1)
        * 1000
    )
    found = to_ns(f"{here.isoformat(timespec='microseconds')}{sign}{hours:02d}:{rest:02d}")
    assert found == expected


@given(st.datetimes(timezones=st.just(UTC)))
def test_to_the_millisecond_it_is_what_the_standard_library_writes(when):
    time_ns = (when - EPOCH) // timedelta(microseconds=1) * 1000
    assert to_text(time_ns) == when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "9" * 99,
    ],
)
def test_what_is_no_time_is_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match=r"is no RFC 3339 time|is not on the calendar"):
        to_ns(text)
