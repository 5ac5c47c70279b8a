"""The command line in the test's own process.

This is fast, and an exception that a user would see as a traceback fails the test.
"""

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from rigless.cli import main


class CliResult(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run_cli(monkeypatch, capfd, environment) -> Callable[..., CliResult]:
    """Return a function that runs `rigless` with these words: exit code and output."""
    for name in ("RIGLESS_URL", "RIGLESS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_RUNTIME_DIR", "NO_COLOR", "TERM", "COLUMNS"):
        monkeypatch.setenv(name, environment[name])

    def run(*words: object) -> CliResult:
        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["rigless", *map(str, words)])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        return CliResult(code, *capfd.readouterr())

    return run
