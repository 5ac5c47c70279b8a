"""All signals of one simulation: numbers of robots, fields of messages, output of programs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf

from rigless.kernel.problems import unknown
from rigless.kernel.simulation import Simulation
from rigless.panel.history.marks import Marks
from rigless.panel.history.message_fields import MessageFields
from rigless.panel.history.models import SignalEntry
from rigless.panel.history.names import MESSAGES, PROGRAMS, RATE, Name, describe_path, parse
from rigless.panel.history.points import Points, points_of
from rigless.panel.history.pyramid import Pyramid
from rigless.panel.history.sampler import FULL_HZ, RobotTrack, Sampler

PROGRAM_BINS = 4096
PROGRAMS_HZ = 1.0
MAX_PROGRAMS = 50


class Signals:
    """The history of one simulation from now on.

    The live one is `fixed=False`: if time goes back, the later samples are dropped. `slow` returns
    True while sampling should cost as little as possible.
    """

    def __init__(
        self, sim: Simulation, fixed: bool = False, slow: Callable[[], bool] = lambda: False
    ):
        self.sim = sim
        self.marks = Marks(sim)
        self.fields = MessageFields(sim)
        self.begin_s = sim.now_s
        self.complete = 1.0  # below 1 while a recording is read
        self.sampler = Sampler(sim, fixed, slow)
        self.sampler.forgotten += [self.fields.forget_from, self.marks.forget_from, self._forget]
        self._lines: dict[str, int] = {}
        self._rates: dict[str, Pyramid] = {}
        self._counted = (sim.now_s, dict(self._lines))
        self.sampler.start()

    @property
    def generation(self) -> int:
        """A number that increases when points that were read before become invalid."""
        return self.sampler.generation

    @property
    def end_s(self) -> float:
        """The time of the newest sample."""
        return self.sampler.last_s

    def close(self) -> None:
        """Stop observing."""
        self.sampler.stop()
        self.marks.stop()

    def read_from_start(self) -> None:
        """Prepare for a simulation that begins again: keep only what was read to the end."""
        self.fields.start_over()
        self.marks.start_over()

    # Output of programs

    def count_line(self, program: str) -> None:
        """Count a line that a program printed."""
        if not self._lines:
            self.sim.core.sample(PROGRAMS_HZ, self._sample_programs)
        if program in self._lines or len(self._lines) < MAX_PROGRAMS:
            self._lines[program] = self._lines.get(program, 0) + 1

    def _sample_programs(self) -> None:
        now_s, (then_s, before) = self.sim.now_s, self._counted
        self._counted = (now_s, dict(self._lines))
        if now_s <= then_s:
            return
        for program, lines in self._lines.items():
            track = self._rates.setdefault(program, Pyramid(1, PROGRAM_BINS))
            track.append(now_s, (lines - before.get(program, 0)) / (now_s - then_s))

    def _forget(self, time_s: float) -> bool:
        self._counted = (time_s, dict(self._lines))
        return sum(track.forget_from(time_s) for track in self._rates.values()) > 0

    # Reading

    def check(self, text: str) -> Name:
        """Return the parts of a signal's name. Raises InputError if its robot is not here."""
        name = parse(text)
        if name.robot != PROGRAMS and name.robot not in self.sim.robots:
            raise unknown("robot", name.robot, self.sim.robots, text)
        return name

    def pick(self, names: Iterable[Name]) -> bool:
        """Keep these signals from now on; return True if one of them is new."""
        return sum(self.fields.pick(name) for name in names if name.section in MESSAGES) > 0

    def watch(self, names: Iterable[Name], listed: bool) -> None:
        """Sample the robots of these signals at the full rate. `listed`: note types of messages."""
        self.sampler.watch({name.robot for name in names if name.robot in self.sim.robots})
        self.fields.listen(listed)

    def read(self, names: Sequence[Name], from_s: float, to_s: float, points: int) -> list[Points]:
        """Return the points of signals in a time range, in the order of the names."""
        self.sampler.check_time()
        found: dict[Name, Points] = {}
        by_robot: dict[str, list[Name]] = {}
        for name in names:
            if name.robot == PROGRAMS and name.rest == RATE:
                track = self._rates.get(name.section)
                if track is not None:
                    found[name] = points_of(track.read(from_s, to_s, points), 0, inf)
            elif name.section in MESSAGES:
                found[name] = self.fields.read(name, from_s, to_s, points)
            else:
                by_robot.setdefault(name.robot, []).append(name)
        for robot, those in by_robot.items():
            of_robot = self.sampler.tracks.get(robot)
            keys = [f"{name.section}/{name.rest}" for name in those]
            if of_robot is not None:
                found |= zip(those, of_robot.read(keys, from_s, to_s, points), strict=True)
        return [found.get(name, Points()) for name in names]

    def ends(self, names: Sequence[Name]) -> list[float]:
        """Return the times of the newest points of signals, −∞ without any."""
        newest = self.read(names, inf, inf, 2)
        return [float(one.times_s[-1]) if one.times_s.size else -inf for one in newest]

    # Listing

    def entries(self, robot: str = "", text: str = "") -> Iterator[SignalEntry]:
        """Yield the signals of one robot or of all whose name, label or unit has this text."""
        words = text.lower().split()
        for entry in self._entries(robot):
            place = f"{entry['name']} {entry['label']} {entry['unit']}".lower()
            if all(word in place for word in words):
                yield entry

    def _entries(self, robot: str) -> Iterator[SignalEntry]:
        if robot and robot != PROGRAMS and robot not in self.sim.robots:
            raise unknown("robot", robot, self.sim.robots)
        for name, one in self.sim.robots.items():
            if robot in ("", name):
                track = self.sampler.tracks.get(name) or RobotTrack(self.sim, name)
                for key in track.columns:
                    section, _, rest = key.partition("/")
                    yield _entry(Name(name, section, rest), *track.describe(key))
                for field in self.fields.names(one):
                    _, kind, path = field.message
                    dotted = ".".join(path)
                    yield _entry(field, f"{kind}.{dotted}", describe_path(dotted).unit)
        for program in self._lines if robot in ("", PROGRAMS) else ():
            yield _entry(Name(PROGRAMS, program, RATE), "Lines of output", "1/s", "program")

    def notes(self) -> list[str]:
        """Return how sampling is limited, and what cannot be sampled."""
        found = []
        if self.sampler.each_hz < FULL_HZ:
            rate = f"{self.sampler.each_hz:.3g}"
            found.append(
                f"{len(self.sim.robots)} robots: each is sampled {rate} times per second, "
                f"those of an open plot {FULL_HZ:g} times"
            )
        if len(self.sim.robots) > self.sampler.from_start:
            found.append(
                f"only the first {self.sampler.from_start} robots are sampled from the start, "
                "the others from the moment that one of their signals is picked"
            )
        if self.sampler.sparse:
            found.append("in fast time without an open plot, samples are some seconds apart")
        for track in self.sampler.tracks.values():
            found += track.failures.values()
        return found[:20]


def _entry(name: Name, label: str, unit: str, section: str = "") -> SignalEntry:
    return {
        "name": str(name),
        "robot": name.robot,
        "section": section or name.section,
        "label": label,
        "unit": unit,
    }
