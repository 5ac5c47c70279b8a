"""pytest fixtures: simulations in virtual time and hosts on real sockets."""

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rigless.host.serve import ServedHost
    from rigless.kernel.simulation import Simulation
    from rigless.testing.program import RunningProgram
    from rigless.testing.recorded_host import RecordedHost

RUNS = pytest.StashKey[dict[int, "RecordedHost"]]()  # of a test, by the identity of the host


@pytest.fixture
def rigless_sim() -> "Callable[..., Simulation]":
    """Return a function that loads a target: `rigless_sim("vacuum", seed=7)`."""
    from rigless.scenario.load import open_target

    def load(target: str, seed: int | None = None, settings: tuple[str, ...] = ()) -> "Simulation":
        return open_target(target, settings, seed).simulation

    return load


@pytest.fixture
def rigless_host() -> "Iterator[Callable[..., ServedHost]]":
    """Yield a function that serves a target on free ports: `rigless_host("vacuum", speed=2.0)`."""
    from rigless.host.serve import serve

    with contextlib.ExitStack() as stack:

        def start(target: str, **options: Any) -> "ServedHost":
            return stack.enter_context(serve(target, **options))

        yield start


@pytest.fixture
def rigless_program(
    request: pytest.FixtureRequest, tmp_path: "Path", rigless_host: object
) -> "Iterator[Callable[..., RunningProgram]]":
    """Yield a function that runs a command against a host.

    `rigless_program("./nav --port {vacuum.commands.port}", host)`. The host is recorded from then
    on. If the test fails, its report names the recording, a page that explains it, and the logs.
    """
    from rigless.kernel.problems import InputError, Problem
    from rigless.testing.program import RunningProgram
    from rigless.testing.recorded_host import RecordedHost

    runs: dict[int, RecordedHost] = request.node.stash.setdefault(RUNS, {})

    def start(command: "str | Sequence[str]", host: "ServedHost", **options: Any) -> Any:
        if not hasattr(host, "start_recording"):
            what = f"needs the host of rigless_host(…) after the command, not {host!r}"
            raise InputError(Problem("rigless_program", what, "rigless_program(command, host)"))
        if id(host) not in runs:
            runs[id(host)] = RecordedHost(host, tmp_path, len(runs) + 1, request.node.name)
        number = 1 + sum(len(run.programs) for run in runs.values())
        options.setdefault("name", f"program-{number}")
        folder = tmp_path / options["name"]
        folder.mkdir()
        program = RunningProgram(command, host, folder, **options)
        runs[id(host)].programs.append(program)
        return program

    try:
        yield start
    finally:
        for run in runs.values():
            run.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> "Generator[None, Any, None]":
    """Add the files of runs with programs to the report of a failed test."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed and (runs := item.stash.get(RUNS, None)):
        failure = str(report.longreprtext).strip().splitlines()[-1:]
        lines = [line for run in runs.values() for line in run.explain("".join(failure))]
        report.sections.append(("rigless", "\n".join(lines)))
