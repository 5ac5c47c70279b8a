"""New points of signals for the clients that plot them, ten times per second.

A client subscribes to signals by name. It gets the points since its last block. If it does not
read, the next block has more points, thinned to a limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.history.names import Name
from rigless.panel.history.points import pack_block
from rigless.panel.history.recording_scan import RecordingScan
from rigless.panel.history.signals import Signals
from rigless.panel.player import Player
from rigless.panel.stream.client import Client
from rigless.panel.stream.paths import Path

MAX_POINTS = 600  # of a signal in one block
BLOCK = "plot"


@dataclass
class _Subscription:
    """The signals of one client. `sent_s` are the times of the newest points that it got."""

    number: int
    stage: str
    names: list[Name] = field(default_factory=list)
    sent_s: list[float] = field(default_factory=list)
    generation: int = -1


class Feed:
    """Keeps the signals of the live run and of the open recording, and sends new points."""

    def __init__(self, host: Host, player: Player | None):
        self._host = host
        self._live: Signals | None = None
        self.scan = None if player is None else RecordingScan(player)
        self._subscriptions: dict[Client, _Subscription] = {}

    @property
    def live(self) -> Signals:
        """The signals of the live run; they are sampled from the first use on."""
        if self._live is None:
            self._live = Signals(self._host.sim, slow=lambda: self._host.pace.mode == "fast")
        return self._live

    def start(self) -> None:
        """Sample the live run from now on."""
        self.live.sampler.check_time()

    def path_of(self, robot: str) -> Path | None:
        """Return the path of a robot of the live run, if it is sampled."""
        if self._live is None:
            return None
        self._live.sampler.check_time()
        track = self._live.sampler.tracks.get(robot)
        return None if track is None else track.path

    async def open(self, stage: str) -> Signals:
        """Return the signals of a stage; begin to read a recording. Raises InputError."""
        if stage == "live":
            return self.live
        if self.scan is None:
            raise InputError(Problem("stage", "no recording is open", "open one first"))
        return await self.scan.open()

    def generation(self, stage: str) -> int:
        """Return the number of the past that points belong to."""
        if stage == "live" or self.scan is None:
            return self.live.generation
        return self.scan.generation

    def pick(self, stage: str, signals: Signals, names: Sequence[Name]) -> None:
        """Keep these signals from now on; in a recording, from its beginning."""
        if signals.pick(names) and stage == "recording" and self.scan is not None:
            self.scan.read_again()

    def subscribe(self, client: Client, number: int, stage: str, texts: Sequence[str]) -> None:
        """Replace the signals of a client. Raises InputError."""
        signals = self._signals(stage)
        if signals is None:
            raise InputError(
                Problem("stage", "the signals are not read yet", "GET /api/signals first")
            )
        names = [signals.check(text) for text in texts]
        self._subscriptions[client] = _Subscription(
            number, stage, names, signals.ends(names), self.generation(stage)
        )
        self.pick(stage, signals, names)
        self._watch()

    def unsubscribe(self, client: Client) -> None:
        """Stop sending points to a client."""
        if self._subscriptions.pop(client, None) is not None:
            self._watch()

    def _signals(self, stage: str) -> Signals | None:
        if stage == "live":
            return self.live
        return None if self.scan is None else self.scan.signals

    def _watch(self) -> None:
        live = [one for one in self._subscriptions.values() if one.stage == "live"]
        self.live.watch([name for one in live for name in one.names], bool(live))
        recorded = self._signals("recording")
        if recorded is not None:
            recorded.fields.listen(True)

    def offer(self) -> None:
        """Let all subscribers have the points since their last block."""
        for client, one in self._subscriptions.items():
            if one.names and self._signals(one.stage) is not None:
                client.offer_block(BLOCK, partial(self.block, client))

    def block(self, client: Client) -> bytes:
        """Return the points since the client's last block; empty if there are none."""
        one = self._subscriptions.get(client)
        signals = None if one is None else self._signals(one.stage)
        if one is None or signals is None:
            return b""
        signals.sampler.check_time()
        generation = self.generation(one.stage)
        if generation != one.generation:
            one.generation, one.sent_s = generation, signals.ends(one.names)
            return pack_block(one.number, generation, signals.end_s, [])
        found = []
        first_s = min(one.sent_s)
        read = signals.read(one.names, first_s, float("inf"), MAX_POINTS)
        for place, points in enumerate(read):
            new = points.after(one.sent_s[place])
            if not new.nothing:
                one.sent_s[place] = float(new.times_s[-1])
                found.append((place, new))
        return pack_block(one.number, generation, signals.end_s, found) if found else b""

    async def close(self) -> None:
        """Stop reading recordings."""
        if self.scan is not None:
            await self.scan.close()
