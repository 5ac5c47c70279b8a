"""The command line without a process of its own, for tables of words: quick, and any exception that would be a traceback
for a person fails the test."""

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from rigless.cli import main


class Said(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def said(monkeypatch, capfd, environment) -> Callable[..., Said]:
    """A function that gives what `rigless` says to these words, and its exit code."""
    for name in ("RIGLESS_URL", "RIGLESS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_RUNTIME_DIR", "NO_COLOR", "TERM", "COLUMNS"):
        monkeypatch.setenv(name, environment[name])

    def say(*words: object) -> Said:
        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["rigless", *map(str, words)])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        return Said(code, *capfd.readouterr())

    return say
