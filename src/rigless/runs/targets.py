"""Open the targets of runs: in virtual time, or on real ports if the scenario has programs."""

from collections.abc import Iterable
from typing import Any

from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.scenario.build import Built
from rigless.scenario.load import open_target


def open_for_run(target: str, settings: Iterable[str] = (), seed: int | None = None) -> Built:
    """Open a target. Raises InputError with all problems.

    If the scenario has programs, a package that its ports need but that is not installed is named
    before anything is compiled.
    """
    built = open_target(
        target, settings, seed, collect=False, load_transport=_load, for_programs=True
    )
    if any(program.lockstep for program in built.scenario.programs):
        control_server()
    return built


def control_server() -> Any:
    """Return the class that serves the control API, for programs that step time themselves."""
    try:
        from rigless.panel.server import ControlServer
    except ModuleNotFoundError as error:
        fix = "pip install 'rigless[panel]'"
        raise InputError(Problem("lockstep", f"needs {error.name!r}", fix)) from None
    return ControlServer


def _load(port: Port) -> None:
    from rigless.host.environment import Environment  # runs in virtual time do not need it

    Environment().load_transport(port)
