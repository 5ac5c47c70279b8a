"""`rigless check`: run scenarios headless, as fast as possible, and check their expectations."""

import shlex
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from rigless.cli import reports
from rigless.console import print_note, progress, write_text
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.rate import to_ns
from rigless.kernel.recording import Recorder
from rigless.kernel.simulation import RobotError, Simulation
from rigless.runs.result import Result
from rigless.scenario.build import Built
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target
from rigless.scenario.verdict import Verdict

DEFAULT_DURATION_S = 10.0
STEPS = 200


def check_all(
    targets: list[str],
    settings: Iterable[str] = (),
    seed: int | None = None,
    *,
    junit: Path | None = None,
    html: Path | None = None,
    json: Path | None = None,
    record_failures: Path | None = None,
) -> int:
    """Check each target and return the exit code. Bad input is reported before anything runs.

    With `record_failures`, every run is recorded, and the recordings of failed ones are kept there.
    """
    settings = list(settings)
    problems: list[Problem] = []
    ready: list[tuple[str, Built, ExpectationMonitor]] = []
    for target in targets:
        try:
            built = open_target(target, settings, seed, collect=False)
            duration_s = built.scenario.duration_s or DEFAULT_DURATION_S
            ready.append((target, built, ExpectationMonitor(built, duration_s)))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    results: list[Result] = []
    for target, built, monitor in ready:
        words = ["rigless", "check", target, "--seed", str(built.simulation.seed)]
        words += [word for setting in settings for word in ("--set", setting)]
        file = None
        if record_failures is not None:
            file = _new_file(record_failures, built, results)
        results.append(replace(_check(target, built, monitor, file), repeat=shlex.join(words)))
    for result in results:
        show(result)
    _write(results, junit, html, json)
    failed = sum(not result.passed for result in results)
    print_note(
        f"{len(results) - failed} passed, {failed} failed", "bold red" if failed else "bold green"
    )
    return 1 if failed else 0


def _new_file(folder: Path, built: Built, results: list[Result]) -> Path:
    """Return the file for the recording of a run: SCENARIO-seedN.mcap, with -2 if it is taken."""
    stem = f"{built.scenario.name}-seed{built.simulation.seed}"
    taken = {result.recording for result in results}
    names = chain([f"{stem}.mcap"], (f"{stem}-{n}.mcap" for n in count(2)))
    return next(folder / name for name in names if str(folder / name) not in taken)


@contextmanager
def _recorded(sim: Simulation, file: Path | None) -> Iterator[None]:
    if file is None:
        yield
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("wb")
    except OSError as error:
        what = f"cannot write {file}: {error.strerror}"
        raise InputError(Problem("--record-failures", what, "choose another folder")) from None
    with stream:
        recorder = Recorder(sim, stream)
        try:
            yield
        finally:
            recorder.close()
    if recorder.failed:
        print_note(f"error: the recording to {file} is incomplete: {recorder.failed}", "bold red")


def _check(
    target: str, built: Built, monitor: ExpectationMonitor, file: Path | None = None
) -> Result:
    sim, scenario = built.simulation, built.scenario
    duration_s = scenario.duration_s or DEFAULT_DURATION_S
    result = Result(scenario.name, target, sim.seed, duration_s)
    begin, end_ns = time.monotonic(), to_ns(duration_s)
    with progress(scenario.name) as bar, _recorded(sim, file):
        try:
            for step in range(1, STEPS + 1):
                sim.run_until(end_ns * step // STEPS)
                bar.update(bar.task_ids[0], completed=step / STEPS)
        except RobotError as error:
            result.failure = str(error)
    result.wall_s = time.monotonic() - begin
    result.verdicts, result.faults = monitor.verdicts(), monitor.faults
    result.events = [
        event for event in sim.events if event.severity in ("warning", "error", "critical")
    ]
    if file is not None and result.passed:
        file.unlink(missing_ok=True)
    elif file is not None:
        result.recording = str(file)
    return result


def show(result: Result) -> None:
    speed = result.duration_s / result.wall_s if result.wall_s > 0 else 0.0
    mark, style = ("PASS", "bold green") if result.passed else ("FAIL", "bold red")
    simulated = f"{result.duration_s:g} s simulated in {result.wall_s:.2f} s ({speed:.0f}×)"
    print_note(f"{mark} {result.name}  {simulated}, seed {result.seed}", style)
    if result.failure:
        print_note(f"  error: {result.failure}", "red")
    if not result.verdicts:
        print_note("  no expectations: it ran to the end, nothing else was checked", "yellow")
    for verdict in result.verdicts:
        _show_verdict(verdict)
    if result.passed:
        return
    for fault in result.faults:
        print_note(f"  fault {fault}", "yellow")
    print_note(f"  repeat it: {result.repeat}", "dim")
    if result.recording:
        print_note(f"  recorded: rigless replay {shlex.quote(result.recording)}", "dim")


def _show_verdict(verdict: Verdict) -> None:
    named = verdict.text != verdict.expected
    if verdict.passed:
        bound = f" ({verdict.expected})" if named else ""
        print_note(f"  ok   {verdict.text}: {verdict.detail}{bound}")
        return
    print_note(f"  FAIL {verdict.text}: {verdict.detail}", "red")
    if named:
        print_note(f"       expected: {verdict.expected}", "red")
    if verdict.place:
        print_note(f"       see {verdict.place}", "dim")


def _write(results: list[Result], junit: Path | None, html: Path | None, json: Path | None) -> None:
    for path, make in ((junit, reports.junit), (html, reports.html), (json, reports.json)):
        if path is not None:
            write_text(path, make(results))
