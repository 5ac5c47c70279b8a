"""`rigless check`: run scenarios headless, as fast as possible, and check their expectations."""

import time
from collections.abc import Iterable
from pathlib import Path

from rigless.cli import reports
from rigless.cli.results import Result
from rigless.console import print_note, progress, write_text
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.rate import to_ns
from rigless.kernel.simulation import RobotError
from rigless.scenario.build import Built
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target

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
) -> int:
    """Check each target and return the exit code. Bad input is reported before anything runs."""
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
    results = [_check(*each) for each in ready]
    for result in results:
        show(result)
    _write(results, junit, html, json)
    failed = sum(not result.passed for result in results)
    print_note(
        f"{len(results) - failed} passed, {failed} failed", "bold red" if failed else "bold green"
    )
    return 1 if failed else 0


def _check(target: str, built: Built, monitor: ExpectationMonitor) -> Result:
    sim, scenario = built.simulation, built.scenario
    duration_s = scenario.duration_s or DEFAULT_DURATION_S
    result = Result(scenario.name, target, sim.seed, duration_s)
    begin, end_ns = time.monotonic(), to_ns(duration_s)
    with progress(scenario.name) as bar:
        try:
            for step in range(1, STEPS + 1):
                sim.run_until(end_ns * step // STEPS)
                bar.update(bar.task_ids[0], completed=step / STEPS)
        except RobotError as error:
            result.failure = str(error)
    result.wall_s = time.monotonic() - begin
    result.verdicts = monitor.verdicts()
    result.events = [
        event for event in sim.events if event.severity in ("warning", "error", "critical")
    ]
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
        print_note(
            f"  {'ok  ' if verdict.passed else 'FAIL'} {verdict.text}: {verdict.detail}",
            "" if verdict.passed else "red",
        )


def _write(results: list[Result], junit: Path | None, html: Path | None, json: Path | None) -> None:
    for path, make in ((junit, reports.junit), (html, reports.html), (json, reports.json)):
        if path is not None:
            write_text(path, make(results))
