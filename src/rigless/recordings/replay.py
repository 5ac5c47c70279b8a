"""Replays a recording and compares: the same inputs must give the same outputs.

The simulation is rebuilt from the metadata, gets the recorded inputs at their times, and is
recorded again.
"""

import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

import msgspec

from rigless.kernel.documents.validation import validate
from rigless.kernel.plain import unpack
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import Recorder
from rigless.kernel.recording.entries import CONTROL, HOST_EVENTS
from rigless.kernel.simulation import RobotError
from rigless.recordings.diff import Difference, compare, nothing_to_compare
from rigless.recordings.reader import Record, Recording
from rigless.scenario.build import Built, build
from rigless.scenario.load import apply_settings
from rigless.scenario.model import Scenario


@dataclass
class Verification:
    """The result of a replay. `cut`: the recording was cut off; `missing` says what is missing."""

    records: int
    end_ns: int
    cut: bool
    difference: Difference | None
    versions: str
    missing: str = ""


@contextmanager
def rebuilding(path: str | Path) -> Iterator[None]:
    """Report whatever goes wrong while a recording is rebuilt as an InputError with its file."""
    try:
        yield
    except InputError as error:
        named = [replace(problem, file=problem.file or str(path)) for problem in error.problems]
        raise InputError(named) from None
    except Exception as error:  # from robots' code or fields of another version
        what = f"the recorded simulation cannot be rebuilt here: {type(error).__name__}: {error}"
        fix = "open it with the rigless and the robots it was made with"
        raise InputError(Problem(str(path), what, fix)) from error


def recorded_scenario(recording: Recording, settings: Iterable[str] = ()) -> tuple[Scenario, int]:
    """Return the scenario of a recording, with these settings, and its seed."""
    problems: list[Problem] = []
    try:
        raw = msgspec.json.decode(recording.metadata["scenario"])
        seed = int(recording.metadata["seed"])
    except (KeyError, ValueError, msgspec.DecodeError):
        raise InputError(
            Problem(
                str(recording.path), "its metadata does not say what was run", "record it again"
            )
        ) from None
    apply_settings(raw, settings, problems)
    scenario = validate(Scenario, raw, problems, str(recording.path))
    if scenario is None or problems:
        raise InputError(problems)
    return scenario, seed


def rebuild(recording: Recording, settings: Iterable[str] = ()) -> Built:
    """Return the recorded simulation at the start of the recording."""
    scenario, seed = recorded_scenario(recording, settings)
    built = build(scenario, seed=seed, collect=False, environment=False)
    if recording.snapshot is not None:
        saved = recording.snapshot  # pending live inputs are in the recording
        due = [
            shot for shot in saved.due if not (shot[2] == "input" and unpack(shot[3])[0] == "live")
        ]
        built.simulation.restore(msgspec.structs.replace(saved, due=due))
    return built


def verify(path: str | Path, progress: Callable[[float], None] | None = None) -> Verification:
    """Replay the recorded inputs and compare all records byte by byte.

    Raises InputError if the recording is damaged, holds no records or cannot be run here.
    """
    recording = Recording.open(path)
    with rebuilding(path):
        built = rebuild(recording)
        simulation = built.simulation
        count, last_ns = 0, simulation.now_ns
        for record in _of_simulation(recording):
            count, last_ns = count + 1, max(last_ns, record.time_ns)
            if record.direction == "in" or record.topic == CONTROL:
                given = record.input()
                if given.source == "live":
                    simulation.schedule(record.time_ns, given.given)
    if count == 0:
        raise nothing_to_compare(recording)
    cut = recording.end_ns is None
    end_ns = last_ns if recording.end_ns is None else recording.end_ns
    with tempfile.NamedTemporaryFile(suffix=".mcap") as stream:
        recorder = Recorder(simulation, stream, picture_hz=0.0)
        begin_ns, steps = simulation.now_ns, 100
        for step in range(1, steps + 1):
            try:
                simulation.run_until(begin_ns + (end_ns - begin_ns) * step // steps)
            except RobotError:
                break  # the comparison shows whether the recorded run failed too
            if progress:
                progress(step / steps)
        recorder.close()
        again = _of_simulation(Recording(Path(stream.name)))
        difference = compare(
            _of_simulation(recording), itertools.islice(again, count) if cut else again
        )
    missing, planned_s = recording.missing, built.scenario.duration_s
    if cut and planned_s is not None and planned_s > end_ns / 1e9:
        missing += f"; {planned_s - end_ns / 1e9:g} s of the {planned_s:g} s of the scenario"
    return Verification(count, end_ns, cut, difference, other_version(recording), missing)


def _of_simulation(recording: Recording) -> Iterator[Record]:
    """Yield all records but the events of the host, which depend on the machine."""
    return (record for record in recording if record.topic != HOST_EVENTS)


def other_version(recording: Recording) -> str:
    """Return a note if another version, which may behave differently, made the recording."""
    made = recording.metadata.get("rigless", "?")
    return (
        ""
        if made == version("rigless")
        else f"recorded with rigless {made}, this is {version('rigless')}"
    )
