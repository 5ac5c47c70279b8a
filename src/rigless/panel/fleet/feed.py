"""Pictures of all robots for the clients that look at the fleet page.

A subscriber gets two kinds of messages: binary blocks of the layout in `messages.py`, with kind 5
and the fields

    0  x, y and heading of each robot (NaN: it has no place)
    1  speed in m/s, battery in percent and age of the last message in s of each (NaN: unknown)
    2  the radius of each robot's footprint in m

and `FleetMessage`s with the words that have changed. Fields 1 and 2 come only after a change.

Theory of operation: places are read up to 30 times per second, the table five times. Both are read
once for all clients of a source. If reading takes more than a fixed share of the time, it is done
less often, and the messages name the rate. Computing time counts, not the time that other processes
take.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import ceil

from rigless.kernel.drawing import View
from rigless.kernel.plain import to_json
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.simulation import Simulation
from rigless.panel.fleet.models import FleetMessage, FleetRow
from rigless.panel.fleet.rows import FleetRows, ViewCache
from rigless.panel.stream import messages
from rigless.panel.stream.client import Client
from rigless.panel.stream.sources import Source

KIND = 5
TICKS_PER_S = 60
TABLE_EVERY = 12  # ticks
PLACES_SHARE, TABLE_SHARE = 0.15, 0.05  # of one core
SMOOTHING = 0.2


@dataclass(eq=False)
class _Subscription:
    """One client, and the state that it has received."""

    stage: str
    every: int  # ticks
    number: int = -1  # of the rows
    rows: list[FleetRow] = field(default_factory=list)
    hz: tuple[float, float] = (0.0, 0.0)
    block: tuple[int, int, int] = (-1, -1, -1)  # number, epoch and sequence of the last block
    table: int = -1  # the table in the last block


class _Reading:
    """The rows of one source, with the rates at which they are read."""

    def __init__(self, rows: FleetRows):
        self.rows = rows
        self.sequence = self.table = 0
        self.places_s = self.table_s = 0.0  # what one reading takes
        self.gap_s = 0.0  # between two readings of the places
        self._read_s = -1.0
        self.places_tick = self.table_tick = -TICKS_PER_S

    @property
    def places_every(self) -> int:
        """The least number of ticks between two pictures."""
        return max(1, ceil(self.places_s * TICKS_PER_S / PLACES_SHARE))

    @property
    def table_every(self) -> int:
        return max(TABLE_EVERY, ceil(self.table_s * TICKS_PER_S / TABLE_SHARE))

    def read_places(self, tick: int) -> None:
        begin, now_s = time.thread_time(), time.monotonic()
        if self._read_s >= 0:
            self.gap_s = _smooth(self.gap_s, min(now_s - self._read_s, 1.0))
        self._read_s = now_s
        self.sequence += self.rows.read_places()
        self.places_s = _smooth(self.places_s, time.thread_time() - begin)
        self.places_tick = tick

    def read_table(self, tick: int) -> None:
        begin = time.thread_time()
        self.rows.read_table()
        self.table += 1
        self.table_s = _smooth(self.table_s, time.thread_time() - begin)
        self.table_tick = tick


def _smooth(before: float, now: float) -> float:
    """Follow a duration slowly: single readings are long while the machine is busy."""
    return now if before == 0 else before + SMOOTHING * (now - before)


class FleetFeed:
    """The subscribers of the fleet page. `live_view` returns the view of a live robot."""

    def __init__(self, sources: Mapping[str, Source], live_view: Callable[[str], View]):
        self._sources = sources
        self._live_view = live_view
        self._subscriptions: dict[Client, _Subscription] = {}
        self._readings: dict[str, _Reading] = {}
        self._last_number = 0

    @property
    def active(self) -> bool:
        return bool(self._subscriptions)

    def shows(self, client: Client) -> bool:
        """Return True if a client gets the places of all robots from here."""
        return client in self._subscriptions

    def subscribe(self, client: Client, stage: str, hz: int) -> None:
        """Replace a client's subscription; 0 pictures per second end it. Raises InputError."""
        if stage not in self._sources:
            raise unknown("stage", stage, self._sources)
        if hz == 0:
            self.unsubscribe(client)
            return
        if self._sources[stage].sim is None:
            raise InputError(Problem(stage, "no recording is open", "open one first"))
        self._subscriptions[client] = _Subscription(stage, TICKS_PER_S // hz)
        self._close_unused()

    def unsubscribe(self, client: Client) -> None:
        self._subscriptions.pop(client, None)
        self._close_unused()

    def _close_unused(self) -> None:
        used = {one.stage for one in self._subscriptions.values()}
        for stage in [stage for stage in self._readings if stage not in used]:
            self._readings.pop(stage).rows.close()

    # 60 times per second

    def tick(self, tick: int) -> None:
        """Read what is due, and offer it to the clients."""
        due: dict[str, list[tuple[Client, _Subscription]]] = {}
        for client, one in self._subscriptions.items():
            due.setdefault(one.stage, []).append((client, one))
        for stage, clients in due.items():
            sim = self._sources[stage].sim
            if sim is not None:
                self._serve(tick, self._reading(stage, sim), clients)

    def _serve(
        self, tick: int, reading: _Reading, clients: list[tuple[Client, _Subscription]]
    ) -> None:
        every = max(reading.places_every, min(one.every for _, one in clients))
        places_due = tick - reading.places_tick >= every
        table_due = tick - reading.table_tick >= reading.table_every or not reading.rows.rows
        if places_due:
            reading.read_places(tick)
        if table_due:
            reading.read_table(tick)
        for client, one in clients:
            if places_due or table_due:
                client.offer_block("fleet", partial(self._block, reading, one))
            if table_due or one.number != reading.rows.number:
                client.offer_block("fleet rows", partial(self._words, reading, one))

    def _reading(self, stage: str, sim: Simulation) -> _Reading:
        """Return the reading of a source; a new one if its robots are others."""
        found = self._readings.get(stage)
        if found is None or found.rows.sim is not sim or found.rows.names != list(sim.robots):
            if found is not None:
                found.rows.close()
            self._last_number = (self._last_number + 1) & 0xFFFF  # it is sent as two bytes
            view = self._live_view if stage == "live" else ViewCache(sim)
            source = self._sources[stage]
            found = _Reading(FleetRows(source, sim, view, self._last_number))
            self._readings[stage] = found
        return found

    # Messages, made when it is their turn

    def _block(self, reading: _Reading, one: _Subscription) -> bytes:
        """Return a block; b"" if the client has all of it."""
        rows = reading.rows
        newest = (rows.number, rows.source.epoch, reading.sequence)
        first = one.block[0] != rows.number
        if one.block == newest and one.table == reading.table:
            return b""
        fields = [(0, rows.places.ravel())]
        if first or one.table != reading.table:
            fields.append((1, rows.numbers.ravel()))
        if first:
            fields.append((2, rows.radius_m))
        one.block, one.table = newest, reading.table
        return messages.pack(
            KIND, rows.number, reading.sequence, rows.source.epoch, rows.sim.now_s, fields
        )

    def _words(self, reading: _Reading, one: _Subscription) -> str:
        """Return a FleetMessage with the changes since the client's last one; "" if none."""
        rows = reading.rows
        first = one.number != rows.number
        before = [] if first else one.rows
        changed = [row for n, row in enumerate(rows.rows) if n >= len(before) or before[n] != row]
        hz = round(TICKS_PER_S / max(reading.places_every, one.every), 1)
        sent_hz = float(round(1 / reading.gap_s)) if reading.gap_s else hz
        if not changed and not first and (hz, sent_hz) == one.hz:
            return ""
        one.number, one.rows, one.hz = rows.number, rows.rows, (hz, sent_hz)
        message: FleetMessage = {
            "type": "fleet",
            "stage": one.stage,  # type: ignore[typeddict-item]
            "number": rows.number,
            "first": first,
            "total": len(rows.names),
            "rows": changed,
            "hz": hz,
            "asked_hz": TICKS_PER_S // one.every,
            "sent_hz": sent_hz,
            "cost_ms": round(1000 * reading.places_s, 2),
        }
        return to_json(message).decode()
