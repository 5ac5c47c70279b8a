"""The clients that have the Wire tab open. Simulations are observed only while there are any."""

from collections.abc import Mapping

from rigless.kernel.plain import to_json
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.panel.api_models import SourceName
from rigless.panel.stream.client import Client
from rigless.panel.stream.sources import Source
from rigless.panel.wire.feed import Batch, Feed, Filter
from rigless.panel.wire.log import Entry, WireLog
from rigless.panel.wire.models import WireMessage
from rigless.panel.wire.recorded import RecordedWire

STATISTICS_EVERY = 10  # ticks between two messages with statistics
LIVE: SourceName = "live"
RECORDING: SourceName = "recording"


class WireFeeds:
    """Logs of the live simulation and of the open recording, and their subscribers."""

    def __init__(self, sources: Mapping[str, Source]):
        self._sources = sources
        self._live = WireLog()
        self._recorded: RecordedWire | None = None
        self._feeds: dict[Client, tuple[SourceName, Feed]] = {}
        self._ticks = 0

    @property
    def searching(self) -> bool:
        """True if a client waits for more of the past."""
        return any(feed.searching for _, feed in self._feeds.values())

    def subscribe(
        self, client: Client, source: str, chosen: Filter, serial: int, paused: bool
    ) -> None:
        """Subscribe a client, or change its filter. With the same serial, only pause or resume."""
        known = self._feeds.get(client)
        if known is None or known[1].serial != serial or known[0] != source:
            self._feeds[client] = self._open(source, chosen, serial)
            self._close_unused()
        self._feeds[client][1].pause(paused)

    def unsubscribe(self, client: Client) -> None:
        """Remove a client; safe to call twice."""
        self._feeds.pop(client, None)
        self._close_unused()

    def _open(self, source: str, chosen: Filter, serial: int) -> tuple[SourceName, Feed]:
        if source not in (LIVE, RECORDING):
            raise unknown("stage", source, (LIVE, RECORDING))
        shown = self._sources.get(source)
        sim = None if shown is None else shown.sim
        if sim is None:
            raise InputError(Problem(source, "no recording is open", "open one first"))
        if chosen.robot and chosen.robot not in sim.robots:
            raise unknown("robot", chosen.robot, sim.robots)
        if source == LIVE:
            self._live.attach(sim)
            return LIVE, Feed(self._live, chosen, serial)
        return RECORDING, Feed(self._open_recording().log, chosen, serial, all_rows=True)

    def _open_recording(self) -> RecordedWire:
        source = self._sources[RECORDING]
        path = source.path
        if path is None:
            raise InputError(Problem(RECORDING, "no recording is open", "open one first"))
        if self._recorded is None or self._recorded.path != path:
            self._close_recording()
            self._recorded = RecordedWire(path, lambda: _now_ns(source), self._restart_recorded)
        return self._recorded

    def _restart_recorded(self) -> None:
        for source, feed in self._feeds.values():
            if source == RECORDING:
                feed.restart()

    def _close_unused(self) -> None:
        used = {source for source, _ in self._feeds.values()}
        if LIVE not in used:
            self._live.detach()
        if RECORDING not in used:
            self._close_recording()

    def _close_recording(self) -> None:
        if self._recorded is not None:
            self._recorded.close()
            self._recorded = None

    def close(self) -> None:
        """Stop observing."""
        self._feeds.clear()
        self._close_unused()

    # Ten times per second, more often while a client searches

    def tick(self) -> None:
        """Send each client the rows that are due for it."""
        if not self._feeds:
            return
        self._ticks += 1
        if self._live.sim is not None:
            self._live.update()
        due = self._ticks % STATISTICS_EVERY == 1
        for client, (source, feed) in self._feeds.items():
            if client.wire_waiting:
                continue
            batch = feed.batch()
            if batch is not None or due:
                client.offer_wire(to_json(self._message(source, feed, batch, due)))

    def _message(
        self, source: SourceName, feed: Feed, batch: Batch | None, statistics: bool
    ) -> WireMessage:
        recorded = self._recorded if source == RECORDING else None
        found = batch or Batch()
        message: WireMessage = {
            "type": "wire",
            "stage": source,
            "serial": feed.serial,
            "reset": found.reset,
            "rows": found.rows,
            "skipped": found.skipped,
            "searching": feed.searching,
            "loading": None if recorded is None else recorded.progress,
            "until_s": None if recorded is None else recorded.until_s,
            "trouble": "" if recorded is None else recorded.failure,
        }
        if statistics or found.reset:
            now_ns = _now_ns(self._sources[LIVE]) if recorded is None else recorded.now_ns
            message["statistics"] = feed.log.statistics.rows(now_ns, feed.filter.robot)
        return message

    def find(self, source: str, number: int) -> Entry:
        """Return a message by its number. Raises InputError if it is not there any more."""
        log = self._live if source == LIVE else self._recorded and self._recorded.log
        entry = log.find(number) if log else None
        if entry is None:
            what = f"message {number} is not there any more"
            raise InputError(Problem("number", what, "choose a newer one"))
        return entry


def _now_ns(source: Source) -> int:
    return 0 if source.sim is None else source.sim.now_ns
