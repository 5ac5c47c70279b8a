"""Prepare a sweep: check everything that can be wrong, and make the tasks."""

import hashlib
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.programs import namespace
from rigless.programs.supervisor import check_programs
from rigless.runs.session import duration_of
from rigless.runs.targets import open_for_run
from rigless.scenario.build import Built
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target
from rigless.scenario.planned_inputs import late_problems
from rigless.sweeps.digests import Digests
from rigless.sweeps.row import COLUMNS, MARGIN, METRIC, Row
from rigless.sweeps.settings import PROGRAM, parse_setting, to_commands, to_texts
from rigless.sweeps.task import Task, rigless_version
from rigless.sweeps.vary.axis import Axis
from rigless.sweeps.vary.parse import SEED, parse_axes
from rigless.sweeps.vary.plan import Point

LIMIT_S, LIMIT_FACTOR = 600.0, 20.0  # of wall time for a run, by default
TRIED = (0.0, 0.5, 0.999)  # values of an axis that are tried before the sweep


@dataclass
class Question:
    """A request for a sweep, before it is checked."""

    target: str
    vary: Sequence[str] = ()
    seeds: list[int] | None = None
    settings: Sequence[str] = ()
    commands: Mapping[str, list[str]] = field(default_factory=dict)
    repeat: int = 1
    limit_s: float | None = None
    isolate: bool = True
    table: Mapping[str, Any] = field(default_factory=dict)  # more of [vary], from Python


@dataclass
class Prepared:
    """A scenario that can be swept, with its axes and seeds."""

    question: Question
    built: Built
    axes: list[Axis]
    seeds: list[int]
    digests: Digests
    limit_s: float
    isolate: bool
    notes: list[str] = field(default_factory=list)

    @property
    def deterministic(self) -> bool:
        return not self.built.scenario.programs

    def settings(self, point: Point) -> dict[str, Any]:
        """Return the settings of all runs and those of the point."""
        given = self.question
        fixed = dict(parse_setting(text) for text in given.settings)
        commands = {PROGRAM + name: shlex.join(words) for name, words in given.commands.items()}
        return {**fixed, **commands, **point.settings}

    def all_settings(self) -> list[tuple[str, Any]]:
        """Return the settings of all runs: a key occurs once for each of its listed values."""
        varied = [(axis.key, value) for axis in self.axes for value in axis.values() or ()]
        return [*self.settings(Point({}, 0)).items(), *varied]

    def task(self, index: int, point: Point, folder: Path | None = None) -> Task:
        """Return the task of a point. `folder` is for files of runs with programs."""
        settings, key = self.settings(point), self.key(point)
        content, programs = self.digests.of(settings)
        row = Row(
            key,
            settings,
            point.seed,
            point.repeat,
            version=rigless_version(),
            deterministic=self.deterministic,
            scenario=self.question.target,
            content=content,
            programs=programs,
        )
        return Task(
            index,
            row,
            self.question.target,
            to_texts(settings),
            to_commands(settings),
            self.limit_s,
            self.isolate,
            not self.deterministic,
            str(folder / key) if folder is not None else "",
            str(Path.cwd()),
        )

    def key(self, point: Point) -> str:
        """Return the key of a run: a digest of everything that decides its result."""
        settings = self.settings(point)
        parts = [
            *self.digests.of(settings),
            json.dumps(settings, sort_keys=True),
            str(point.seed),
            str(point.repeat),
            rigless_version(),
        ]
        return hashlib.blake2b("\0".join(parts).encode(), digest_size=10).hexdigest()


def prepare(question: Question) -> Prepared:
    """Check a question and return what to sweep. Raises InputError with all problems."""
    built = open_for_run(question.target, question.settings)
    if not built.scenario.expect and not built.scenario.programs:
        fix = "add [[expect]] entries; see docs/reference/scenarios.md"
        what = f"the scenario {built.scenario.name!r} expects nothing, so no run can fail"
        raise InputError(Problem("expect", what, fix, built.source.file))
    check_programs(built)
    ExpectationMonitor(built, duration_of(built))
    if late := late_problems(built.scenario, built.source, duration_of(built)):
        raise InputError(late)

    def world() -> Any:
        return open_target(question.target, question.settings, collect=False).simulation

    axes, seeds = parse_axes(question.vary, {**built.scenario.vary, **question.table}, world)
    _check_keys(axes, question.settings, built)
    if question.seeds is not None:
        seeds = question.seeds
    _check_values(axes, question)
    if built.scenario.programs and question.repeat < 1:
        raise InputError(Problem("--repeat", "must be 1 or more"))
    wanted = question.isolate and any(entry.isolate for entry in built.scenario.programs)
    why_not = namespace.why_not() if wanted else ""
    prepared = Prepared(
        question,
        built,
        axes,
        seeds if seeds is not None else [built.simulation.seed],
        Digests(built),
        question.limit_s or max(LIMIT_S, LIMIT_FACTOR * duration_of(built)),
        wanted and not why_not,
    )
    if why_not:
        prepared.notes.append(f"not isolated: {why_not}; ports are free ones")
    if not prepared.deterministic:
        hint = "; --repeat N shows how much" if question.repeat == 1 else ""
        prepared.notes.append(f"runs with programs are not deterministic{hint}")
    return prepared


def _check_keys(axes: Iterable[Axis], settings: Iterable[str], built: Built) -> None:
    programs = [entry.name for entry in built.scenario.programs]
    problems = []
    for axis in axes:
        name = axis.key.removeprefix(PROGRAM)
        if axis.key.startswith(PROGRAM) and name not in programs:
            what = f"the scenario has no program {name!r}"
            problems.append(Problem(f"--vary {axis.key}", what, did_you_mean(name, programs)))
    given = [("--vary", axis.key) for axis in axes]
    given += [("--set", parse_setting(text)[0]) for text in settings]
    for option, key in given:
        if key in COLUMNS or key.startswith((MARGIN, METRIC)):
            what = "is the name of a column of the table"
            fix = "use --seeds" if key == SEED else "put the robot's name before it"
            problems.append(Problem(f"{option} {key}", what, fix))
    if problems:
        raise InputError(problems)


def _check_values(axes: Iterable[Axis], question: Question) -> None:
    """Raise InputError if no value of an axis that is tried can be used, or a key is unknown."""
    problems: list[Problem] = []
    for axis in axes:
        failures = []
        for settings in _tried(axis):
            try:
                texts = [*question.settings, *to_texts(settings)]
                open_target(question.target, texts, collect=False)
                break
            except InputError as error:
                failures.append(error)
        else:
            problems += failures[0].problems
    if problems:
        raise InputError(dict.fromkeys(problems))


def _tried(axis: Axis) -> Iterator[dict[str, Any]]:
    seen: list[Any] = []
    for u in TRIED:
        value = axis.at(u)
        if value not in seen:
            seen.append(value)
            yield {axis.key: value}
