"""`rigless check`: run scenarios headless and check their expectations."""

import shlex
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from rigless.cli.parsing.program_commands import parse_commands
from rigless.console import print_note, progress, write_text
from rigless.kernel.problems import InputError, Problem
from rigless.programs import namespace
from rigless.programs.supervisor import check_programs
from rigless.runs import reports
from rigless.runs.children import CHILDREN, run_in_child
from rigless.runs.folders import new_folder, remove_folder, remove_old_folders, remove_unused_folder
from rigless.runs.reports.explanation import shortened, warnings
from rigless.runs.request import Request, run_here
from rigless.runs.result import ProgramResult, Result
from rigless.runs.session import duration_of
from rigless.runs.targets import open_for_run
from rigless.scenario.build import Built
from rigless.scenario.expect.margins import counted, moment
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.planned_inputs import late_problems
from rigless.scenario.verdict import Verdict

POLL_S = 0.02
REPORT = "report.html"  # in the folder of a run
MARKS = {
    "passed": ("PASS", "bold green"),
    "failed": ("FAIL", "bold red"),
    "invalid": ("INVALID", "bold yellow"),
}


@dataclass
class Reports:
    """The files that a check writes."""

    junit: Path | None = None
    html: Path | None = None
    json: Path | None = None
    markdown: Path | None = None


class Ready(NamedTuple):
    """A target that is loaded and has no mistakes."""

    target: str
    built: Built
    monitor: ExpectationMonitor


def check_all(
    targets: list[str],
    settings: Iterable[str] = (),
    seed: int | None = None,
    files: Reports | None = None,
    record_failures: Path | None = None,
    programs: Iterable[str] = (),
    runs: Path | None = None,
    jobs: int = 1,
    fail_fast: bool = False,
) -> int:
    """Check each target and return the exit code. Bad input is reported before anything runs.

    With `record_failures`, every run is recorded, and the recordings of failed ones are kept there.
    Each result is shown when its run ends. Ctrl-C or SIGTERM ends the check; reports then have the
    runs that ended before.
    """
    settings, programs = list(settings), list(programs)
    ready = _open(targets, settings, seed)
    commands = parse_commands(programs, *(each.built.scenario for each in ready))
    isolated = any(entry.isolate for each in ready for entry in each.built.scenario.programs)
    why_not = namespace.why_not() if isolated else ""
    if why_not:
        print_note(f"not isolated: {why_not}; ports that a scenario does not set are free ones")
    taken: set[str] = set()
    work: list[tuple[Request, Ready]] = []
    for each in ready:
        target, built, _ = each
        own = {entry.name for entry in built.scenario.programs}
        request = Request(
            target,
            settings,
            seed if seed is not None else built.simulation.seed,
            {name: words for name, words in commands.items() if name in own},
            given_from=str(Path.cwd()),
            isolate=not why_not and any(entry.isolate for entry in built.scenario.programs),
            trace=bool(own) or (files is not None and files.html is not None),
        )
        _choose_files(request, built, record_failures, runs, taken)
        work.append((request, each))
    ended: dict[int, Result] = {}
    with _noted_stop() as stop, closing(_run_all(work, jobs)) as running:
        for index, result in running:
            ended[index] = result
            result.repeat = _repeat(result, work[index][0], settings)
            _tidy(result, keep=runs is not None)
            _write_own_report(result)
            show(result)
            if fail_fast and not result.passed:
                break
    for index, (request, _) in enumerate(work):
        if index not in ended and request.folder:
            remove_unused_folder(Path(request.folder))
    remove_old_folders()
    results = [ended[index] for index in sorted(ended)]
    if results:
        _write(results, files or Reports())
    code = _summary(results, len(work) - len(results))
    return 128 + stop[0] if stop else code


@contextmanager
def _noted_stop() -> Iterator[list[int]]:
    """End the block at Ctrl-C and SIGTERM, and note the signal in the list."""
    stop: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        stop.append(number)
        signal.raise_signal(signal.SIGINT)  # an event loop ends its programs then

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield stop
    except KeyboardInterrupt:
        stop.append(signal.SIGINT)  # after SIGTERM it is the second one, which does not count
    finally:
        signal.signal(signal.SIGTERM, before)


def _repeat(result: Result, request: Request, settings: list[str]) -> str:
    """Return the command that runs a scenario again."""
    words = ["rigless", "check", result.target, "--seed", str(result.seed)]
    for name, command in request.commands.items():
        words += ["--program", f"{name}={shlex.join(command)}"]
    words += [word for setting in settings for word in ("--set", setting)]
    return shlex.join(words)


def _summary(results: list[Result], not_run: int) -> int:
    counts = {word: sum(result.status == word for result in results) for word in MARKS}
    text = f"{counts['passed']} passed, {counts['failed']} failed"
    text += f", {counts['invalid']} invalid" if counts["invalid"] else ""
    text += f", {not_run} not run" if not_run else ""
    good = counts["passed"] == len(results) and not not_run
    print_note(text, "bold green" if good else "bold red")
    return 0 if good else 1


def _open(targets: list[str], settings: list[str], seed: int | None) -> list[Ready]:
    """Load every target and check what it expects. Raises InputError with all problems."""
    problems: list[Problem] = []
    ready: list[Ready] = []
    for target in targets:
        try:
            built = open_for_run(target, settings, seed)
            check_programs(built)
            duration_s = duration_of(built)
            monitor = ExpectationMonitor(built, duration_s)
            problems += late_problems(built.scenario, built.source, duration_s)
            ready.append(Ready(target, built, monitor))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return ready


def _choose_files(
    request: Request, built: Built, failures: Path | None, runs: Path | None, taken: set[str]
) -> None:
    """Choose the folder and the recording of a run: SCENARIO-seedN, with -2 if it is taken."""
    name, seed = built.scenario.name, built.simulation.seed
    if built.scenario.programs:
        folder = new_folder(runs or failures, name, seed)
        request.folder, request.record = str(folder), str(folder / "run.mcap")
    if failures is not None:
        stem = f"{name}-seed{seed}"
        names = chain([f"{stem}.mcap"], (f"{stem}-{n}.mcap" for n in count(2)))
        request.record = next(path for each in names if (path := str(failures / each)) not in taken)
        taken.add(request.record)


def _run_all(
    work: list[tuple[Request, Ready]], jobs: int
) -> Generator[tuple[int, Result], None, None]:
    """Yield the index and the result of each run when it ends."""

    def one(request: Request, ready: Ready, report: Callable[[float], None]) -> Result:
        if request.isolate or jobs > 1:
            return run_in_child(request)
        options = request.options()
        options.progress = report
        if ready.built.scenario.programs:  # the run makes a monitor of its own, with the programs
            return run_here(request, None, options)
        options.monitor = ready.monitor
        return run_here(request, ready.built, options)

    with ExitStack() as stack:
        name = work[0][1].built.scenario.name if len(work) == 1 else f"{len(work)} scenarios"
        bar = stack.enter_context(progress(name))
        done = [0.0] * len(work)

        def report(index: int, part: float) -> None:
            done[index] = part
            bar.update(bar.task_ids[0], completed=sum(done) / len(done))

        def start(index: int) -> Result:
            result = one(*work[index], lambda part: report(index, part))
            report(index, 1.0)
            return result

        if jobs == 1:
            yield from ((index, start(index)) for index in range(len(work)))
            return
        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        index_of = {pool.submit(start, index): index for index in range(len(work))}
        try:
            yield from ((index_of[run], run.result()) for run in as_completed(index_of))
        except BaseException:  # only this process may have the signal, without its runs
            pool.shutdown(wait=False, cancel_futures=True)
            while wait(index_of, timeout=POLL_S).not_done:  # one may begin just now
                CHILDREN.close()
            raise


def _tidy(result: Result, keep: bool) -> None:
    """Remove the recording and the folder of a run that passed, unless the user chose the folder.

    A recording in the folder for failed runs goes in any case.
    """
    if not result.passed:
        return
    recording = Path(result.recording) if result.recording else None
    if recording is not None and not (keep and recording.parent == Path(result.folder)):
        recording.unlink(missing_ok=True)
        result.recording = ""
    if result.folder and not keep:
        remove_folder(Path(result.folder))
        result.folder = ""


def _write_own_report(result: Result) -> None:
    """Write the report of a run with programs to its folder, if the folder stays."""
    if result.folder:
        with suppress(InputError):  # a full disk was reported before
            write_text(Path(result.folder) / REPORT, reports.render_html([result]))


def show(result: Result) -> None:
    speed = result.duration_s / result.wall_s if result.wall_s > 0 else 0.0
    mark, style = MARKS[result.status]
    simulated = f"{moment(result.duration_s)} simulated in {result.wall_s:.2f} s ({speed:.3g}×)"
    print_note(f"{mark} {result.name}  {simulated}, seed {result.seed}", style)
    if result.invalid:
        print_note(f"  invalid: {result.invalid}", "yellow")
    if result.failure:
        print_note(f"  error: {result.failure}", "red")
    if not result.verdicts:
        print_note("  no expectations: it ran to the end, nothing else was checked", "yellow")
    for verdict in result.verdicts:
        _show_verdict(verdict)
    if result.passed:
        return
    for note in result.notes:
        print_note(f"  note: {note}", "yellow")
    for fault in result.faults:
        print_note(f"  fault {fault}", "yellow")
    for line in warnings(result):
        print_note(f"  {line}", "yellow")
    for program in result.programs:
        _show_program(program)
    print_note(f"  repeat it: {result.repeat}", "dim")
    if result.recording:
        print_note(f"  recorded: rigless replay {shlex.quote(result.recording)}", "dim")
    if result.folder:
        print_note(f"  report: {Path(result.folder) / REPORT}", "dim")


def _show_program(program: ProgramResult) -> None:
    used = f"{program.cpu_s:g} s of CPU, {program.memory_mb:.0f} MB"
    if not program.started:
        print_note(f"  program {program.name}: not started", "yellow")
        return
    stopped = "ended by a fault" if program.ended_by_fault else "stopped"
    end = program.signal or (f"exit {program.exit}" if program.exit is not None else stopped)
    restarts = f", {counted(program.restarts, 'restart')}" if program.restarts else ""
    print_note(f"  program {program.name}: {end}{restarts}, {used}", "yellow")
    for note in program.notes:
        print_note(f"    note: {note}", "yellow")
    for line in program.last_lines[-5:]:
        print_note(f"    | {shortened(line)}", "dim")


def _show_verdict(verdict: Verdict) -> None:
    named = verdict.text != verdict.expected
    if verdict.passed:
        bound = f" ({verdict.expected})" if named and verdict.expected else ""
        print_note(f"  ok   {verdict.text}: {verdict.detail}{bound}")
        return
    print_note(f"  FAIL {verdict.text}: {verdict.detail}", "red")
    if named and verdict.expected:
        print_note(f"       expected: {verdict.expected}", "red")
    if verdict.place:
        print_note(f"       see {verdict.place}", "dim")


def _write(results: list[Result], files: Reports) -> None:
    for path, make in (
        (files.junit, reports.render_junit),
        (files.html, reports.render_html),
        (files.json, reports.render_json),
        (files.markdown, reports.render_markdown),
    ):
        if path is not None:
            write_text(path, make(results))
