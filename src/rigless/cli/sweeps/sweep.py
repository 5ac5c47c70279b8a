"""The work of `rigless sweep SCENARIO`: check the options, run, show progress and the verdict."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rigless.cli.parsing.program_commands import parse_commands
from rigless.cli.sweeps.progress import Progress
from rigless.console import print_line, print_note, print_problems
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.runs.targets import open_for_run
from rigless.sweeps.again import check_command
from rigless.sweeps.engines.choose import make_engine
from rigless.sweeps.engines.engine import EngineLostError
from rigless.sweeps.pick import badness
from rigless.sweeps.preparation import Prepared, Question, prepare
from rigless.sweeps.row import Row
from rigless.sweeps.search import Failure as DistinctFailure
from rigless.sweeps.search import Search
from rigless.sweeps.statistics.decision import Decision, cells
from rigless.sweeps.statistics.goal import Goal
from rigless.sweeps.sweep import Sweep
from rigless.sweeps.table import Store
from rigless.sweeps.task import rigless_version
from rigless.sweeps.vary.parse import parse_seeds
from rigless.sweeps.vary.plan import Plan, Sample, choose_settings, count_grid

if TYPE_CHECKING:
    from rigless.sweeps.page import LiveSweep

MANY = 100_000  # runs that need --yes
SEARCHED = 200  # runs of a search by default
SHOWN, FOUND_SHOWN = 5, 20  # failures on the screen: of a sweep, and of a search
LOST = 2  # exit code


@dataclass
class Wish:
    """The options of the command."""

    target: str
    vary: list[str]
    seeds: str | None
    samples: int | None
    sampling: str
    pairwise: bool
    repeat: int
    settings: list[str]
    programs: list[str]
    engine: str
    address: str | None
    workers: int | None
    want: float | None
    until: str | None
    alpha: float
    beta: float
    bad: float | None
    search: bool
    limit: float | None
    out: Path | None
    runs: Path | None
    retry: bool
    isolate: bool
    yes: bool
    quiet: bool
    panel: str | None


def run_sweep(wish: Wish) -> int:
    """Carry out a sweep and return its exit code. Raises InputError before anything runs."""
    goal = _goal(wish)
    prepared = _prepare(wish)
    work = _search(wish, prepared) if wish.search else _plan(wish, prepared)
    if not wish.quiet:
        for note in [*prepared.built.notes, *prepared.notes]:
            print_note(f"note: {note}", "yellow")
    with ExitStack() as stack:
        store = None
        if wish.out is not None:
            store = Store(wish.out, prepared.digests.of, rigless_version(), goal.text)
            stack.enter_context(store)
        engine = make_engine(wish.engine, prepared, wish.address, wish.workers, print_note)
        stack.callback(engine.close)
        folder = wish.runs and wish.runs.resolve()
        sweep = Sweep(prepared, engine, store, goal, folder, wish.retry)
        total = len(work) if isinstance(work, Plan) else _searched(wish, prepared)
        bounded = wish.until is not None
        progress = Progress(prepared.built.scenario.name, total, wish.quiet, bounded)
        progress.known = lambda: sweep.skipped
        stack.enter_context(progress)
        live = None
        if wish.panel is not None:
            live = _serve(stack, wish, goal, prepared.built.scenario.name, total, progress)
        rows = sweep.run(work) if isinstance(work, Plan) else sweep.search(work)
        stopped_by, lost = 0, None
        try:
            stopped_by = _follow(rows, progress)
        except EngineLostError as error:
            lost = error
        if stopped_by or lost:
            progress.close()
            engine.close()
        if live is not None:
            live.finish(sweep.decision())
        if store is not None:
            store.finish(sweep.order)
    if lost is not None:
        print_problems(lost)
    if stopped_by or lost:
        _say_stopped(len(sweep.results()), total, wish.out)
        return 128 + stopped_by if stopped_by else LOST
    decision = sweep.decision()
    if not wish.quiet:
        _show(sweep, wish, decision, work.failures() if isinstance(work, Search) else None)
    print_line(decision.line)
    return decision.exit_code


def _serve(
    stack: ExitStack, wish: Wish, goal: Goal, name: str, total: int, progress: Progress
) -> "LiveSweep":
    """Serve the page of the sweep, which follows its progress."""
    from rigless.sweeps.page import LiveSweep, serve_page

    live = LiveSweep(name, total, goal, str(wish.out) if wish.out is not None else "")
    live.known = progress.known
    progress.watch = live.add
    print_line(f"panel {stack.enter_context(serve_page(live, wish.panel))}")
    return live


def _say_stopped(done: int, total: int, out: Path | None) -> None:
    """Say how to go on with a sweep that was stopped."""
    if not done:
        print_note(f"stopped before a run of {total} ended; the same command begins again")
        return
    kept = f"{out} has them; the same command goes on" if out else "they are lost"
    hint = "" if out else ": add --out F.parquet"
    print_note(f"stopped after {done} of {total} runs; {kept}{hint}", "yellow")


def _goal(wish: Wish) -> Goal:
    problems = []
    if wish.want is not None and not 0 < wish.want <= 1:
        problems.append(Problem("--want", f"{wish.want:g} is no share", "0.99 for 99 %"))
    if wish.until not in (None, "decided"):
        what = f"unknown end {wish.until!r}"
        problems.append(Problem("--until", what, did_you_mean(str(wish.until), ["decided"])))
    if wish.until is not None and wish.want is None:
        problems.append(Problem("--until", "decides about a wanted rate", "add --want 0.99"))
    if wish.search and wish.until is not None:
        what = "a search looks for failures, so its pass rate says nothing"
        problems.append(Problem("--search", what, "leave out --until"))
    if wish.search and wish.pairwise:
        problems.append(Problem("--search", "chooses its own points", "leave out --pairwise"))
    if wish.retry and wish.out is None:
        problems.append(Problem("--retry", "repeats runs of a table", "add --out"))
    if wish.pairwise and wish.samples is not None:
        what = "--samples and --pairwise exclude each other"
        problems.append(Problem("--pairwise", what, "choose one"))
    if wish.sampling not in ("sobol", "random"):
        fix = did_you_mean(wish.sampling, ["sobol", "random"])
        problems.append(Problem("--sampling", f"unknown method {wish.sampling!r}", fix))
    if problems:
        raise InputError(problems)
    until = wish.until is not None
    goal = Goal(wish.want, until, wish.alpha, wish.beta, wish.bad, wish.search)
    goal.sequential()  # raises InputError
    return goal


def _prepare(wish: Wish) -> Prepared:
    seeds = parse_seeds(wish.seeds) if wish.seeds is not None else None
    commands: dict[str, list[str]] = {}
    if wish.programs:
        scenario = open_for_run(wish.target, wish.settings).scenario
        commands = parse_commands(wish.programs, scenario)
    return prepare(
        Question(
            wish.target,
            wish.vary,
            seeds,
            wish.settings,
            commands,
            wish.repeat,
            wish.limit,
            wish.isolate,
        )
    )


def _plan(wish: Wish, prepared: Prepared) -> Plan:
    """Return the runs. Raises InputError if there are too many."""
    per_setting = len(prepared.seeds) * wish.repeat
    if wish.samples is None and not wish.pairwise:
        _check_size(count_grid(prepared.axes) * per_setting, wish)
    elif wish.samples is not None:
        _check_size(wish.samples * per_setting, wish)
    sample = Sample(wish.samples, "random" if wish.sampling == "random" else "sobol", wish.pairwise)
    plan = Plan(choose_settings(prepared.axes, sample), prepared.seeds, wish.repeat)
    _check_size(len(plan), wish)
    return plan


def _check_size(runs: int, wish: Wish) -> None:
    if runs > MANY and not wish.yes:
        what = f"these are {runs:,} runs"
        fix = "add --yes; or --samples N, --pairwise, --until decided"
        raise InputError(Problem("sweep", what, fix))


def _searched(wish: Wish, prepared: Prepared) -> int:
    """Return the largest number of runs of a search."""
    return (wish.samples or SEARCHED) * len(prepared.seeds)


def _search(wish: Wish, prepared: Prepared) -> Search:
    _check_size(_searched(wish, prepared), wish)
    if not prepared.axes:
        what = "a search needs axes"
        raise InputError(Problem("--search", what, "for example --vary vacuum.start=free_space"))
    return Search(prepared.axes, 0, wish.samples or SEARCHED)


def _follow(rows: Iterator[Row], progress: Progress) -> int:
    """Show rows as they end. Return the signal that stopped it, or 0.

    Ctrl-C and SIGTERM, which a batch system sends at the end of a job, have no effect from then on.
    Python drops a KeyboardInterrupt that is raised in a finalizer, so the signal is noted too.
    """
    stopped_by = 0

    def interrupt(number: int, frame: object) -> None:
        nonlocal stopped_by
        stopped_by = number
        for each in before:
            signal.signal(each, signal.SIG_IGN)  # the table is written now
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, interrupt)
    try:
        for row in rows:
            progress.add(row)
            if stopped_by:
                return stopped_by
    except KeyboardInterrupt:
        return stopped_by or signal.SIGINT
    finally:
        if not stopped_by:
            for number, handler in before.items():
                signal.signal(number, handler)
    return 0


def _show(
    sweep: Sweep, wish: Wish, decision: Decision, found: list[DistinctFailure] | None
) -> None:
    """Print the result for people on stderr. `found` are the distinct failures of a search."""
    results = sweep.results()
    if sweep.skipped:
        print_note(f"{sweep.skipped} of {len(results)} runs were in {wish.out} already", "dim")
    groups = cells(results)
    if 1 < len(groups) <= 40 and len(results) > len(groups):
        print_note("settings                                      passed  pass rate (95 %)")
        for cell in groups:
            text = ", ".join(f"{key}={value}" for key, value in cell.settings.items())
            rate = f"{cell.low:.3f} to {cell.high:.3f}" if cell.total else "no verdict"
            print_note(f"{_within(text, 45):<45} {cell.passed:>3}/{cell.total:<4} {rate}")
    bad = sorted((row for row in results if row.verdict != "pass"), key=badness)
    if found is not None:
        _show_found(found, bad, len(results))
    else:
        for row in _distinct(bad)[:SHOWN]:
            _show_failure(row)
        if len(bad) > SHOWN:
            where = f"; all are in {wish.out}" if wish.out is not None else ""
            print_note(f"… and {len(bad) - SHOWN} more{where}", "dim")
    style = {"PASS": "bold green", "FAIL": "bold red"}.get(decision.word, "bold yellow")
    print_note(decision.sentence, style)
    if wish.out is not None:
        if decision.unjudged:
            print_note("the same command with --retry runs those without a verdict again", "dim")
        print_note(f"table: {wish.out}; rigless sweep report {wish.out} --html report.html", "dim")


def _within(text: str, width: int) -> str:
    """Return a text without its middle if it is too long: its end differs most."""
    return text if len(text) <= width else f"{text[: width // 3]}…{text[1 + width // 3 - width :]}"


def _show_found(found: list[DistinctFailure], bad: list[Row], total: int) -> None:
    """Print the distinct failures of a search, and the first run without a verdict."""
    for failure in found[:FOUND_SHOWN]:
        _show_failure(failure.row)
        if failure.count > 1:
            print_note(f"      {failure.count - 1} more near it fail in the same way", "dim")
    if len(found) > FOUND_SHOWN:
        print_note(f"… and {len(found) - FOUND_SHOWN} more distinct failures", "dim")
    unjudged = [row for row in bad if row.verdict != "fail"]
    if unjudged:
        _show_failure(unjudged[0])
    count = f"{len(found)} distinct failure{'s' * (len(found) != 1)}"
    text = f"{count}, {len(bad) - len(unjudged)} of {total} runs failed"
    print_note(f"searched: {text}; the points were chosen to fail", "dim")


def _distinct(rows: list[Row]) -> list[Row]:
    """Return the worst row of each reason first, then the others."""
    seen: set[tuple[str, str]] = set()
    first: list[Row] = []
    others: list[Row] = []
    for row in rows:
        reason = row.verdict, row.failed or row.note
        (others if reason in seen else first).append(row)
        seen.add(reason)
    return first + others


def _show_failure(row: Row) -> None:
    margin = "" if row.margin is None else f", margin {row.margin:.4g}"
    name = f"{row.failed}: " if row.failed else ""
    print_note(f"{row.verdict.upper():<5} {row.key[:8]} seed {row.seed}{margin}  {name}{row.note}",
               "red")  # fmt: skip
    print_note(f"      repeat it: {check_command(row)}", "dim")
