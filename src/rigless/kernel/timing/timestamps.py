"""Timestamps: RFC 3339 texts in UTC, and nanoseconds since 1970. Leap seconds are not counted."""

import re
from functools import lru_cache

NS = 1_000_000_000
LATEST_NS = 253_402_300_800 * NS - 1  # the end of the year 9999
DAY_S = 86_400
TIMESTAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?"
    r"(?:([Zz])|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def to_text(time_ns: int) -> str:
    """Return the text to the millisecond, rounded down."""
    seconds, rest = divmod(time_ns, NS)
    return f"{_second(seconds)}.{rest // 1_000_000:03d}Z"


def to_exact_text(time_ns: int) -> str:
    """Return the text to the nanosecond, clamped to the years 1970 to 9999."""
    seconds, rest = divmod(min(max(time_ns, 0), LATEST_NS), NS)
    return f"{_second(seconds)}.{rest:09d}Z"


@lru_cache(maxsize=4096)
def _second(seconds: int) -> str:
    days, rest = divmod(seconds, DAY_S)
    year, month, day = _date(days)
    return (
        f"{year:04d}-{month:02d}-{day:02d}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    )


def to_ns(text: str) -> int:
    """Return the nanoseconds since 1970. Raises ValueError if the text is not a timestamp."""
    found = TIMESTAMP.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:40]!r} is no RFC 3339 time, such as 2026-01-31T12:00:00.000Z")
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    if not (
        1 <= month <= 12
        and 1 <= day <= _length(year, month)
        and hour < 24
        and minute < 60
        and second <= 60
    ):
        raise ValueError(f"{text[:40]!r} is not on the calendar")
    seconds = _days(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second
    if found[9]:
        offset_s = int(found[10]) * 3600 + int(found[11]) * 60
        seconds -= offset_s if found[9] == "+" else -offset_s
    return seconds * NS + int((found[7] or "").ljust(9, "0"))


def _length(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 28 if month == 2 and not leap else MONTH_DAYS[month - 1]


def _days(year: int, month: int, day: int) -> int:
    """Return the days since 1970 of a Gregorian date.

    Years begin in March here, so that the leap day is the last of the year.
    """
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _date(days: int) -> tuple[int, int, int]:
    """Return the date of a number of days since 1970."""
    era, of_era = divmod(days + 719_468, 146_097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + (3 if shifted < 10 else -9)
    return year_of_era + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1
