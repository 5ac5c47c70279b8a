"""Points of a plot: made from bins, sent as binary blocks, written as CSV.

A block is the answer to `GET /api/signals/data`, and the message with new samples on the WebSocket.
All numbers are little-endian, and every part begins at a multiple of eight bytes:

    u8   kind: 4 points of signals
    u8   version of this layout
    u16  number of the subscription; 0 in an HTTP response
    u32  0
    u32  generation of the history; if it changes, points received before are invalid
    u32  n, the number of signals
    f64  simulated time up to which the signals are sampled, in seconds
    n ×  u32 number of the signal in the request, u32 count of its points
    n ×  count × f64 times in seconds, count × f64 values

A value of NaN breaks the line. A bin of several samples has two points, its extremes.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rigless.panel.history.pyramid import Bins, Values

KIND, VERSION = 4, 1
_HEADER = struct.Struct("<BBHIIId")
_NONE = np.empty(0)


class Points(NamedTuple):
    """Times and values of one signal, in the order of time."""

    times_s: Values = _NONE
    values: Values = _NONE

    def after(self, time_s: float) -> "Points":
        """Return the points later than a time."""
        first = np.searchsorted(self.times_s, time_s, "right")
        return Points(self.times_s[first:], self.values[first:])

    def between(self, from_s: float, to_s: float) -> "Points":
        """Return the points from one time to another, both included."""
        first = np.searchsorted(self.times_s, from_s)
        last = np.searchsorted(self.times_s, to_s, "right")
        return Points(self.times_s[first:last], self.values[first:last])

    @property
    def nothing(self) -> bool:
        return not self.times_s.size


def points_of(bins: Bins, column: int, gap_s: float) -> Points:
    """Return the points of one column, with a break where no sample was taken for `gap_s`.

    In fast time all samples may be further apart; then that is no break.
    """
    begin, end = bins.begin_s, bins.end_s
    lows, highs = bins.lows[:, column], bins.highs[:, column]
    middles = (lows + highs) / 2
    rising = np.append(True, middles[1:] >= middles[:-1])[: middles.size]
    times, values = np.empty(2 * begin.size), np.empty(2 * begin.size)
    times[0::2], times[1::2] = begin, end
    values[0::2], values[1::2] = np.where(rising, lows, highs), np.where(rising, highs, lows)
    kept = np.ones(times.size, bool)
    kept[1::2] = end > begin  # one sample is one point
    apart_s = begin[1:] - end[:-1]
    usual_s = float(np.median(apart_s)) if apart_s.size else 0.0
    breaks = np.flatnonzero(apart_s > max(gap_s, 5 * usual_s))
    where = 2 * breaks + 2
    times = np.insert(times, where, (begin[breaks + 1] + end[breaks]) / 2)
    values = np.insert(values, where, np.nan)
    kept = np.insert(kept, where, True)
    return Points(times[kept], values[kept])


def pack_block(
    number: int, generation: int, time_s: float, signals: Sequence[tuple[int, Points]]
) -> bytes:
    """Encode the points of signals, each with its number."""
    header = _HEADER.pack(KIND, VERSION, number, 0, generation & 0xFFFFFFFF, len(signals), time_s)
    index = b"".join(struct.pack("<II", place, one.times_s.size) for place, one in signals)
    arrays = (
        values.astype("<f8").tobytes() for _, one in signals for values in (one.times_s, one.values)
    )
    return b"".join([header, index, *arrays])


def unpack_block(data: bytes) -> tuple[int, int, float, dict[int, Points]]:
    """Decode a block into subscription, generation, time and points by number of the signal."""
    _, _, number, _, generation, count, time_s = _HEADER.unpack_from(data)
    at = _HEADER.size + 8 * count
    found = {}
    for place in range(count):
        signal, size = struct.unpack_from("<II", data, _HEADER.size + 8 * place)
        both = np.frombuffer(data, "<f8", 2 * size, at)
        found[signal] = Points(both[:size], both[size:])
        at += 16 * size
    return number, generation, time_s, found


def csv_lines(names: Sequence[str], signals: Sequence[Points]) -> Iterator[str]:
    """Yield the lines of a CSV file: a row for each time, and no value where a signal has none.

    Numbers are written so that reading them gives the same float64.
    """
    yield ",".join(["time_s", *map(_quoted, names)]) + "\r\n"
    places = [0] * len(signals)
    lists = [(one.times_s.tolist(), one.values.tolist()) for one in signals]
    while True:
        nexts = [t[place] for (t, _), place in zip(lists, places, strict=True) if place < len(t)]
        if not nexts:
            return
        time_s = min(nexts)
        cells = []
        for n, (times, values) in enumerate(lists):
            here = places[n] < len(times) and times[places[n]] == time_s
            cells.append(
                repr(values[places[n]]) if here and values[places[n]] == values[places[n]] else ""
            )
            places[n] += here
        if any(cells):
            yield ",".join([repr(time_s), *cells]) + "\r\n"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"\r\n') else name
