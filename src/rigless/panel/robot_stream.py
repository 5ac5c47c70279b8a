"""One robot as it is looked at: its view, what was last drawn of it, and its numbers and trails over the last minutes.

A picture is worked out once a tick for everybody, and encoded once for all clients that have seen the same before.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.drawing import Listing, View, rows
from rigless.kernel.plain import to_json
from rigless.kernel.rate import to_ns
from rigless.kernel.simulation import Simulation
from rigless.panel import messages
from rigless.panel.sources import Source

SAMPLE_HZ = 10.0
GAP_S = 0.5  # nobody looked for so long, or a recording jumped
KEPT = 36_000  # an hour
PLOTTED = 1200  # two minutes of numbers go to a new client
MORE_AT_ONCE = 300  # samples between two pictures; in fast time the older ones are skipped
MORE_FOR = -1  # no field has this number
TRAILED = 3000  # at most so many points of a trail do

Values = NDArray[np.float32]


class RobotStream:
    def __init__(self, stage: Source, sim: Simulation, robot: str, number: int):
        self.stage, self.sim, self.robot, self.number = stage, sim, robot, number
        self.failure = ""
        self.view = self._view()
        self.measures, self.traces = messages.measures(self.view), messages.traces(self.view)
        self._drawn = [part for part in self.view.parts if part.columns]
        self._still: dict[int, Values] | None = None
        self._lists = any(isinstance(part, Listing) for part in self.view.parts)
        self.epoch = stage.epoch
        self.sequence = 0
        self._time_ns = -1
        self._fields: dict[int, Values] = {}
        self._changed: dict[int, int] = {}  # field → the sequence in which it last did
        self._encoded: dict[tuple[int, ...], bytes] = {}
        self._times = np.zeros(KEPT)
        self._numbers = np.zeros((KEPT, len(self.measures)), np.float32)
        self._places = np.zeros((KEPT, 3 * len(self.traces)), np.float32)
        self._count = 0
        self._recording = False

    def page(self) -> dict[str, object]:
        return messages.page(self.stage.name, self.robot, self.number, self.view)

    def listings(self) -> bytes:
        """What the page's listings show now; nothing if it has none."""
        if not self._lists or self.failure:
            return b""
        try:
            return to_json(messages.listings(self.stage.name, self.robot, self.view.lines()))
        except Exception as error:  # the robot's own code, which may do anything
            self._fail(error)
            return b""

    # What is drawn now

    def look(self, again: bool = False) -> None:
        """Draw if time has passed, or `again`: an input may have changed something at the same instant."""
        sim = self.sim
        if self.failure and self.epoch != self.stage.epoch:
            self.failure = ""  # another past may be kinder
        jumped = self.epoch != self.stage.epoch or sim.robots[self.robot] is not self.view.robot
        if jumped:
            self._start_over()
        if self.failure or not (jumped or again or sim.now_ns != self._time_ns):
            return
        try:
            fields = self._draw()
        except Exception as error:  # the robot's own code, which may do anything
            self._fail(error)
            return
        sequence = self.sequence + 1
        for number, values in fields:
            known = self._fields.get(number)
            if values is known:
                continue
            if known is None or known.size != values.size or known.tobytes() != values.tobytes():
                self._fields[number], self._changed[number] = values, sequence
                self.sequence = sequence
        if sim.now_ns != self._time_ns:
            self._time_ns, self.sequence = sim.now_ns, sequence
        self._encoded.clear()

    @np.errstate(over="ignore")  # what float32 cannot hold is infinite
    def _draw(self) -> list[tuple[int, Values]]:
        if self._still is None:
            still = self.view.still()
            self._still = {
                2 + n: rows(part, still[part.name]).flatten()
                for n, part in enumerate(self._drawn)
                if part.name in still
            }
        drawing = self.view.draw()
        fields = [
            (0, self._row(self.view.measure(), self.measures)),
            (1, self._ends()),
            *self._still.items(),
        ]
        return fields + [
            (2 + n, rows(part, drawing.get(part.name, ())).flatten())
            for n, part in enumerate(self._drawn)
            if 2 + n not in self._still
        ]

    def frame(self, seen: int) -> bytes:
        """The newest picture for a client whose last one was number `seen` (0: none)."""
        wanted = tuple(number for number, changed in self._changed.items() if changed > seen)
        if wanted not in self._encoded:
            found = [(number, self._fields[number]) for number in wanted]
            self._encoded[wanted] = self._pack(messages.FRAME, found)
        return self._encoded[wanted]

    def _pack(self, kind: int, found: list[tuple[int, Values]]) -> bytes:
        return messages.pack(
            kind, self.number, self.sequence, self.epoch, self._time_ns / 1e9, found
        )

    # What was

    def record(self, on: bool) -> None:
        """Keep numbers and places in simulated time from now on, or stop doing so."""
        if on and not self._recording:
            if self.epoch != self.stage.epoch and not self.stage.fixed:
                self._count = 0  # nobody saw where time jumped to
            self.sim.core.sample(SAMPLE_HZ, self.sample)
            self.stage.fill_history(to_ns(self._times[self._count - 1]) if self._count else 0)
        elif self._recording and not on:
            self.sim.core.stop_sampling(self.sample)
        self._recording = on

    def sample(self) -> None:
        if self.failure:
            return
        try:
            self._sample()
        except Exception as error:
            self._fail(error)

    @np.errstate(over="ignore")
    def _sample(self) -> None:
        sim = self.sim
        if sim.robots[self.robot] is not self.view.robot:
            self._start_over()
        now_s = sim.now_s
        if self.stage.fixed and self._count and now_s <= self._times[self._count - 1]:
            return
        self._count = self._samples_until(now_s, "left")  # those of another past are void
        if self._count and now_s - self._times[self._count - 1] > GAP_S:
            self._keep(now_s - 1 / SAMPLE_HZ, np.nan, np.nan)  # lines end here and begin anew
        self._keep(now_s, self._row(self.view.measure(), self.measures), self._ends())

    def _keep(self, time_s: float, numbers: Values | float, places: Values | float) -> None:
        if self._count == KEPT:  # make room for a tenth at once
            drop = KEPT // 10
            for kept in (self._times, self._numbers, self._places):
                kept[:-drop] = kept[drop:].copy()
            self._count -= drop
        self._times[self._count], self._numbers[self._count], self._places[self._count] = (
            time_s,
            numbers,
            places,
        )
        self._count += 1

    def history(self) -> bytes:
        """What a new client needs to show the past: numbers over time, and the trails."""
        count = self._samples_until(self._time_ns / 1e9)
        return self._past(messages.HISTORY, max(0, count - PLOTTED), 0, count)

    def more(self, seen_s: float) -> bytes:
        """What lies between a client's last picture and this one, if that is long; made once for clients that are abreast."""
        now_s = self._time_ns / 1e9
        if now_s - seen_s < GAP_S:
            return b""
        key = (MORE_FOR, round(seen_s * 1e6))
        if key not in self._encoded:
            first, count = self._samples_until(seen_s), self._samples_until(now_s)
            first = max(first, count - MORE_AT_ONCE)
            self._encoded[key] = self._past(messages.MORE, first, first, count)
        return self._encoded[key]

    def _past(self, kind: int, plotted: int, trailed: int, count: int) -> bytes:
        before = (self._times[plotted:count] - self._time_ns / 1e9).astype(np.float32)
        places = self._places[trailed:count]
        thinned = np.arange(len(places)) % max(1, -(-len(places) // TRAILED)) == 0
        places = places[thinned | np.isnan(places).any(axis=1)]
        trails = [(2 + n, places[:, 3 * n : 3 * n + 3].ravel()) for n in range(len(self.traces))]
        return self._pack(kind, [(0, before), (1, self._numbers[plotted:count].ravel()), *trails])

    @property
    def time_s(self) -> float:
        """The instant of the newest picture."""
        return self._time_ns / 1e9

    def _samples_until(self, time_s: float, side: Literal["left", "right"] = "right") -> int:
        return int(np.searchsorted(self._times[: self._count], time_s, side))

    def _start_over(self) -> None:
        """Time has jumped, after a reset the robot is another object, and what a view remembers is of another past."""
        self.epoch = self.stage.epoch
        self.view, self._still = self._view(), None
        self._changed = dict.fromkeys(self._changed, self.sequence + 1)
        if not self.stage.fixed:
            self._count = self._samples_until(self.sim.now_s)

    def _view(self) -> View:
        robot = self.sim.robots[self.robot]
        try:
            return robot.view()
        except Exception as error:
            self._fail(error)
            return View(robot)

    def _fail(self, error: Exception) -> None:
        self.failure = f"the view of {self.robot} failed: {type(error).__name__}: {error}"

    def _row(self, found: Mapping[str, float], names: Iterable[str]) -> Values:
        return np.array([found.get(name, np.nan) for name in names], np.float32)

    def _ends(self) -> Values:
        found = self.view.trace()
        places = [
            (*found[name], 0.0)[:3] if name in found else (np.nan,) * 3 for name in self.traces
        ]
        return np.array(places, np.float32).ravel()
