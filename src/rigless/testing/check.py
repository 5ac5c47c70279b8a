"""The conformance suite as a list of checks, and a runner for it."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rigless.testing import declared, determinism, page, wire
from rigless.testing.subject import Subject

GROUPS = {"declared": declared, "determinism": determinism, "wire": wire, "page": page}


@dataclass(frozen=True)
class Check:
    """One check of one robot; call it to run it. It raises AssertionError if it fails.

    Whatever it checks, the robot must emit only events and messages that it declares.
    """

    name: str
    function: Callable[[Subject], None]
    subject: Subject

    def __call__(self) -> None:
        self.function(self.subject)
        self.subject.emissions.check()

    def __str__(self) -> str:
        return self.name


def checks_of(subject: Subject, group: str = "") -> list[Check]:
    """Return all checks for a robot, or those of one group."""
    modules = [GROUPS[group]] if group else list(GROUPS.values())
    return [
        Check(function.__name__, function, subject)
        for module in modules
        for function in module.CHECKS
    ]


def run_checks(checks: Iterable[Check], only: str = "") -> list[str]:
    """Run the checks whose name contains `only` and return their names; raise all failures."""
    selected = [check for check in checks if only in check.name]
    failures: list[Exception] = []
    for check in selected:
        with _collected(failures, check):
            check()
    if failures:
        what = f"{len(failures)} of {len(selected)} checks of {selected[0].subject.name} failed"
        raise ExceptionGroup(what, failures)
    return [check.name for check in selected]


@contextlib.contextmanager
def _collected(failures: list[Exception], check: Check) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(f"in the check {check.name} of {check.subject.name}")
        failures.append(error)
