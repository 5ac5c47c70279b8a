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

FILES = pytest.StashKey[list[str]]()  # of a test, shown if it fails


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
    on. If the test fails, its report names the recording and the logs.
    """
    from rigless.testing.program import RunningProgram

    hosts: dict[int, ServedHost] = {}
    started: list[RunningProgram] = []
    files = request.node.stash.setdefault(FILES, [])

    def start(command: "str | Sequence[str]", host: "ServedHost", **options: Any) -> Any:
        number = len(started) + 1
        folder = tmp_path / f"program-{number}"
        folder.mkdir()
        if id(host) not in hosts:
            hosts[id(host)] = host
            recording = tmp_path / f"run-{len(hosts)}.mcap"
            host.start_recording(recording)
            files.append(f"recording: rigless open {recording}")
        options.setdefault("name", f"program-{number}")
        program = RunningProgram(command, host, folder, **options)
        files.append(f"output: {folder / options['name']}.log")
        started.append(program)
        return program

    try:
        yield start
    finally:
        for program in started:
            program.stop()
        for host in hosts.values():
            with contextlib.suppress(RuntimeError):  # the test has ended it
                host.stop_recording()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> "Generator[None, Any, None]":
    """Add the files of runs with programs to the report of a failed test."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed and (files := item.stash.get(FILES, None)):
        report.sections.append(("rigless", "\n".join(files)))
