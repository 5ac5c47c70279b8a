"""A recording as a simulation that can seek to any instant.

The simulation is rebuilt from the file and is not on the network. The recorded inputs are applied
one by one at their times, so the state at an instant does not depend on how it was reached.
Snapshots (keyframes) are taken on the way: one for each cell, a hundredth of the recording, and
finer ones in the cell that was visited last. Seeking back restores a keyframe and runs from there.
"""

from collections.abc import Callable, Iterator, Mapping
from heapq import heappush, heappushpop
from pathlib import Path
from typing import NamedTuple

import msgspec

from rigless.kernel.events import SEVERITIES, Event
from rigless.kernel.inputs import AnyInput
from rigless.kernel.recording.entries import CONTROL
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import RobotError, Simulation
from rigless.kernel.snapshot import Snapshot
from rigless.recordings.overview import Overview
from rigless.recordings.reader import Record, Recording
from rigless.recordings.replay import other_version, rebuild, rebuilding
from rigless.scenario.model import Scenario

SLICE_WALL_NS = 3_000_000  # computing time of one slice
FIRST_SLICE_NS = 10_000_000
CELLS = 100
SHORTEST_CELL_NS = 2_000_000_000
FINE = 16  # fine keyframes of a cell
EVENTS_KEPT = 2000

Given = tuple[int, AnyInput]


class Keyframe(NamedTuple):
    """A point to seek from: a snapshot, the number of inputs applied, and the events so far."""

    snapshot: Snapshot
    given: int
    events: tuple[Event, ...]


class SeekableRecording:
    """One open recording. `clock` (wall time in ns) is used to limit the length of slices."""

    def __init__(
        self,
        recording: Recording,
        simulation: Simulation,
        inputs: list[Given],
        events: list[Event],
        end_ns: int,
        clock: Callable[[], int] | None = None,
        observe: Callable[[Simulation], None] | None = None,
    ):
        self.path = recording.path
        self.simulation = simulation
        self.events = events  # all recorded events, for a timeline
        self.begin_ns = simulation.now_ns
        self.end_ns = max(end_ns, self.begin_ns)
        self.cut = recording.end_ns is None  # truncated, or still being written
        self.note = other_version(recording)
        self.failure = ""  # why the recorded run failed, while at that instant
        self.scenario: Scenario | None = None  # the recorded one
        self.overview: Overview | None = None  # of the whole length
        self.epoch = 0  # incremented when time goes back
        self._inputs = inputs
        self._given = 0
        self._clock = clock
        self._moves = 0
        self._slice_ns = FIRST_SLICE_NS
        self._keep_wall_ns = 0
        cell_ns = max(SHORTEST_CELL_NS, (self.end_ns - self.begin_ns) // CELLS)
        self._fine_ns = -(-cell_ns // FINE)
        self._frames: dict[int, Keyframe] = {}  # by fine steps since the beginning
        simulation.core.recording = True  # as in the recorded run: encoders and faults depend on it
        self._keep(0)
        if observe is not None:
            observe(simulation)
        self.seek(self.begin_ns)

    @classmethod
    def open(
        cls,
        source: str | Path | Recording,
        clock: Callable[[], int] | None = None,
        observe: Callable[[Simulation], None] | None = None,
    ) -> "SeekableRecording":
        """Open a recording at its beginning. Raises InputError if it cannot be rebuilt here.

        `observe` gets the simulation before the first recorded input is applied.
        """
        recording = source if isinstance(source, Recording) else Recording.open(source)
        with rebuilding(recording.path):
            built = rebuild(recording)
            overview = Overview.begin(built.simulation.now_ns, built.simulation.robots)
            inputs, events, last_ns = _contents(recording, overview, built.simulation.robots)
            end_ns = last_ns if recording.end_ns is None else recording.end_ns
            opened = cls(recording, built.simulation, inputs, events, end_ns, clock, observe)
            opened.scenario, opened.overview = built.scenario, overview
            return opened

    @property
    def now_ns(self) -> int:
        return self.simulation.now_ns

    def seek_in_slices(self, target_ns: int, through: bool = False) -> Iterator[None]:
        """Seek in slices, so that the caller can do other work between them. A newer seek ends it.

        With `through`, a seek forward runs through all events between, instead of skipping them.
        """
        self._moves += 1
        move = self._moves
        target_ns = min(max(target_ns, self.begin_ns), self.end_ns)
        if (not through or target_ns < self.now_ns) and self._jump(target_ns):
            yield
        while move == self._moves and self._run_slice(target_ns):
            yield

    def seek(self, target_ns: int, through: bool = False) -> None:
        for _ in self.seek_in_slices(target_ns, through):
            pass

    def _jump(self, target_ns: int) -> bool:
        """Restore the last keyframe before the target, if that is nearer than now."""
        last = (target_ns - self.begin_ns) // self._fine_ns
        frame = self._frames[max(place for place in self._frames if place <= last)]
        back = target_ns < self.now_ns
        if not back and frame.snapshot.now_ns <= self.now_ns:
            return False
        self.epoch += back
        self.failure = ""
        self.simulation.restore(frame.snapshot)
        self.simulation.events.clear()
        self.simulation.events.extend(frame.events)
        self._given = frame.given
        return True

    def _run_slice(self, target_ns: int) -> bool:
        """Advance by one slice; return whether more is to do."""
        if self.failure:
            return False
        begin_wall_ns, begin_ns = self._wall_ns(), self.now_ns
        place = self._next_place(target_ns)
        place_ns = self.begin_ns + place * self._fine_ns
        stop_ns = min(target_ns, begin_ns + self._slice_ns, place_ns)
        try:
            arrived = self._run_until(stop_ns, begin_wall_ns + SLICE_WALL_NS)
        except RobotError as error:
            self.failure, self.end_ns = str(error), self.now_ns
            return False
        took_ns = self._wall_ns() - begin_wall_ns
        advanced_ns = self.now_ns - begin_ns
        if (
            self._clock
            and advanced_ns
            and (took_ns > SLICE_WALL_NS or advanced_ns == self._slice_ns)
        ):
            factor = min(max(SLICE_WALL_NS / max(took_ns, 1), 0.2), 2.0)
            self._slice_ns = max(int(advanced_ns * factor), 1_000)
        if arrived and stop_ns == place_ns and place not in self._frames:
            self._keep(place)
        return not arrived or stop_ns < target_ns

    def _run_until(self, stop_ns: int, enough_wall_ns: int) -> bool:
        """Run and apply inputs at their times; return False if the slice ended early."""
        sim = self.simulation
        while self._given < len(self._inputs) and self._inputs[self._given][0] <= stop_ns:
            stamp_ns, given = self._inputs[self._given]
            sim.run_until(max(stamp_ns, sim.now_ns))
            self._given += 1
            sim.schedule(sim.now_ns, given)
            sim.run_until(sim.now_ns)
            if self._wall_ns() > enough_wall_ns:
                return False
        sim.run_until(stop_ns)
        return True

    def _next_place(self, target_ns: int) -> int:
        """Return the place of the next keyframe: a fine step in the target's cell, else a cell."""
        here = (self.now_ns - self.begin_ns) // self._fine_ns
        there = (target_ns - self.begin_ns) // self._fine_ns
        fine = here // FINE == there // FINE and self._keep_wall_ns <= SLICE_WALL_NS
        return here + 1 if fine else (here // FINE + 1) * FINE

    def _keep(self, place: int) -> None:
        begin_wall_ns = self._wall_ns()
        self._frames[place] = Keyframe(
            self.simulation.snapshot(), self._given, tuple(self.simulation.events)
        )
        self._keep_wall_ns = self._wall_ns() - begin_wall_ns
        if place % FINE:
            for old in [old for old in self._frames if old % FINE and old // FINE != place // FINE]:
                del self._frames[old]

    def _wall_ns(self) -> int:
        return self._clock() if self._clock else 0


def _contents(
    recording: Recording, overview: Overview, robots: Mapping[str, Robot]
) -> tuple[list[Given], list[Event], int]:
    """Return the live inputs, the events, and the time of the last record. Fill the overview."""
    inputs: list[Given] = []
    events: list[tuple[int, int, Event]] = []  # a heap, least severe and oldest first
    last_ns = 0
    for number, record in enumerate(recording):
        last_ns = max(last_ns, record.time_ns)
        if record.direction == "in" or record.topic == CONTROL:
            given = record.input()
            if given.source == "live":
                inputs.append((record.time_ns, given.given))
            if record.direction == "in":
                overview.density.add("received", record.time_ns)
        elif record.direction == "out":
            overview.density.add("sent", record.time_ns)
        elif record.topic.endswith("/events") and record.direction == "":
            event = _event(record)
            overview.note_event(event, robots)
            entry = (SEVERITIES.index(event.severity), number, event)
            heappush(events, entry) if len(events) < EVENTS_KEPT else heappushpop(events, entry)
    return inputs, [event for _, _, event in sorted(events, key=lambda entry: entry[1])], last_ns


class _Log(msgspec.Struct):
    """The fields of a log entry that `kernel/recording/` writes and this module reads."""

    level: int
    message: str
    name: str
    code: str
    data: dict[str, object] = {}


def _event(record: Record) -> Event:
    log = msgspec.json.decode(record.data, type=_Log)
    severity = SEVERITIES[min(max(log.level - 1, 0), len(SEVERITIES) - 1)]
    return Event(record.time_ns, log.name, log.code, severity, log.message, log.data)
