"""A recording as a simulation that can be moved to any instant.

The simulation is rebuilt from what the file says and is not on the air. The recorded inputs stay in a list and are given to it one
by one at their stamps, as they came, so what it is at an instant does not depend on the way there. Snapshots are kept on the way:
one for each cell, a hundredth of the recording, and finer ones in the cell that was last looked at. Going back is a restore
and a short run.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from heapq import heappush, heappushpop
from pathlib import Path
from typing import NamedTuple

import msgspec

from rigless.kernel.events import SEVERITIES, Event
from rigless.kernel.inputs import AnyInput
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import CONTROL
from rigless.kernel.simulation import RobotError, Simulation
from rigless.kernel.snapshot import Snapshot
from rigless.recordings.reader import Record, Recording
from rigless.recordings.replay import other_version, rebuild

SLICE_WALL_NS = 3_000_000  # how long one slice of a move should compute
FIRST_SLICE_NS = 10_000_000
CELLS = 100
SHORTEST_CELL_NS = 2_000_000_000
FINE = 16  # finer snapshots in a cell
EVENTS_KEPT = 2000

Given = tuple[int, AnyInput]


class Keyframe(NamedTuple):
    """Where a move can start: the simulation, how many inputs it had been given, and what it had logged."""

    snapshot: Snapshot
    given: int
    events: tuple[Event, ...]


class SeekableRecording:
    """One recording, open for looking at. `clock` (wall time in ns) lets moves cut their slices to length."""

    def __init__(
        self,
        recording: Recording,
        simulation: Simulation,
        inputs: list[Given],
        events: list[Event],
        end_ns: int,
        clock: Callable[[], int] | None = None,
    ):
        self.path = recording.path
        self.simulation = simulation
        self.events = (
            events  # what the recording says happened, the host's own included, for a timeline
        )
        self.begin_ns = simulation.now_ns
        self.end_ns = max(end_ns, self.begin_ns)
        self.cut = (
            recording.end_ns is None
        )  # the recording ended before it was closed, or is still being made
        self.note = other_version(recording)
        self.failure = ""  # why the recorded run broke down, while this is at that instant
        self.epoch = 0  # grows when time goes back
        self._inputs = inputs
        self._given = 0
        self._clock = clock
        self._moves = 0
        self._slice_ns = FIRST_SLICE_NS
        self._keep_wall_ns = 0
        cell_ns = max(SHORTEST_CELL_NS, (self.end_ns - self.begin_ns) // CELLS)
        self._fine_ns = -(-cell_ns // FINE)
        self._frames: dict[int, Keyframe] = {}  # by place: fine steps since the beginning
        simulation.core.recording = True  # it was, and encoders, and faults that draw, notice
        self._keep(0)
        self.seek(self.begin_ns)

    @classmethod
    def open(cls, path: str | Path, clock: Callable[[], int] | None = None) -> "SeekableRecording":
        """Read a recording and stand at its beginning; InputError says what is wrong with the file, or missing here."""
        recording = Recording.open(path)
        try:
            simulation = rebuild(recording).simulation
            inputs, events, last_ns = _contents(recording)
            end_ns = last_ns if recording.end_ns is None else recording.end_ns
            return cls(recording, simulation, inputs, events, end_ns, clock)
        except InputError as error:
            named = [replace(problem, file=problem.file or str(path)) for problem in error.problems]
            raise InputError(named) from None
        except (
            Exception
        ) as error:  # robots are anybody's code, and another version may have written other fields
            what = f"what it recorded cannot be built here: {type(error).__name__}: {error}"
            fix = "open it with the rigless and the robots it was made with"
            raise InputError(Problem(str(path), what, fix)) from error

    @property
    def now_ns(self) -> int:
        return self.simulation.now_ns

    def seek_in_slices(self, target_ns: int, through: bool = False) -> Iterator[None]:
        """Go to an instant, a slice at a time; others may do something between two slices. A newer move ends this one.

        A move forward may skip what lies between; one that goes `through` does not, so that whoever listens hears it all.
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
        """Restore the nearest keyframe before the target, if that is the shorter way."""
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
        """Advance a little; gives whether there is more to do."""
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
        """Run, giving each input at its stamp; False if so much came that the slice is over before."""
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
        """Where the next keyframe belongs: at the next cell, in the target's own cell at the next fine step."""
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


def _contents(recording: Recording) -> tuple[list[Given], list[Event], int]:
    """The inputs that came from outside, the events, and when the last record was made."""
    inputs: list[Given] = []
    events: list[tuple[int, int, Event]] = []  # a heap: the least severe and oldest first
    last_ns = 0
    for number, record in enumerate(recording):
        last_ns = max(last_ns, record.time_ns)
        if record.direction == "in" or record.topic == CONTROL:
            given = record.input()
            if given.source == "live":
                inputs.append((record.time_ns, given.given))
        elif record.topic.endswith("/events") and record.direction == "":
            event = _event(record)
            entry = (SEVERITIES.index(event.severity), number, event)
            heappush(events, entry) if len(events) < EVENTS_KEPT else heappushpop(events, entry)
    return inputs, [event for _, _, event in sorted(events, key=lambda entry: entry[1])], last_ns


class _Log(msgspec.Struct):
    """What this file needs of an entry as `kernel/recording.py` writes it."""

    level: int
    message: str
    name: str
    code: str
    data: dict[str, object] = {}


def _event(record: Record) -> Event:
    log = msgspec.json.decode(record.data, type=_Log)
    severity = SEVERITIES[min(max(log.level - 1, 0), len(SEVERITIES) - 1)]
    return Event(record.time_ns, log.name, log.code, severity, log.message, log.data)
