"""Check what a config requires of this computer: files, variables, drivers and maps."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rigless.hardware.discovery import DriverRequest, make_drivers, unavailable_drivers
from rigless.kernel.documents import requirements as r
from rigless.kernel.problems import InputError, Problem, Severity
from rigless.kernel.robot import Robot
from rigless.worlds.bundled import find_map

STAGE = "environment"
SEED = re.compile(r"BEGIN USER NKEY SEED|\ASU[A-Z2-7]{56}\s*\Z")  # in a .creds file, or alone


def check_with_environment(robot: type[Robot], given: Any) -> tuple[Any, list[Problem]]:
    """Return the config or None, and all findings, also those about this computer."""
    config, findings = robot.check_config(given)
    good = config if not any(finding.severity == "error" for finding in findings) else None
    return config, [*findings, *missing(robot.requirements(given, good))]


def missing(requirements: Iterable[r.Requirement]) -> list[Problem]:
    """Return a finding for each requirement that this computer does not meet."""
    required = list(requirements)
    found = [finding for requirement in required for finding in _check(requirement)]
    drivers = [requirement for requirement in required if isinstance(requirement, r.Driver)]
    lacking = list(_drivers(drivers))
    found += lacking
    if not lacking:
        configs = [one for one in required if isinstance(one, r.DriverConfigs)]
        found += [finding for one in configs for finding in _driver_configs(one)]
    return [replace(finding, stage=STAGE) for finding in found]


def _check(requirement: r.Requirement) -> Iterator[Problem]:
    match requirement:
        case Problem():
            yield requirement
        case r.Credentials():
            yield from _credentials(requirement)
        case r.VariableFile(path, variable):
            file = os.environ.get(variable, "")
            if file and not os.access(file, os.R_OK):
                what = f"{variable} names {file!r}, which cannot be read"
                yield Problem.at(path, what, "correct the variable", "TLS_FILE_MISSING")
        case r.VariablePair(path, variable, other):
            if os.environ.get(variable) and not os.environ.get(other):
                what = f"{variable} is set without {other}"
                yield Problem.at(path, what, "set both or none of them", "TLS_CERT_MISSING")
        case r.MapFile(path, name):
            try:
                find_map(name)
            except InputError as error:
                problem = error.problems[0]
                yield Problem.at(path, problem.what, problem.fix, "MAP_MISSING")


def _credentials(required: r.Credentials) -> Iterator[Problem]:
    def finding(code: str, what: str, fix: str) -> Problem:
        return Problem.at(required.path, what, fix, code, required.severity)

    strict: Severity = "error"
    name, path = required.file, Path(required.file)
    try:
        path = path.expanduser()
        mode = path.stat().st_mode
        text = path.read_text("utf-8", errors="replace")[:100_000] if stat.S_ISREG(mode) else ""
    except (FileNotFoundError, NotADirectoryError):
        fix = (
            "put the file there"
            if required.severity == strict
            else 'put the file there, or use "" for a server without authentication'
        )
        yield finding("CREDS_MISSING", f"there is no file {name!r}", fix)
        return
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        fix = "make it readable for the robot's user"
        yield finding("CREDS_UNREADABLE", f"{name!r} cannot be read: {why}", fix)
        return
    if SEED.search(text) is None:
        what = f"{name!r} is not a .creds file: it has no user seed"
        yield finding("CREDS_MALFORMED", what, "create it again: nsc generate creds")
    if mode & (stat.S_IROTH | stat.S_IWOTH):
        what = f"every user of this computer can read {name!r}"
        yield finding("CREDS_EXPOSED", what, f"chmod 600 {name}")


def _drivers(required: list[r.Driver]) -> Iterator[Problem]:
    """Drivers are found by their entry points: group, and the driver's type as the name."""
    paths = {DriverRequest(one.kind, one.id, one.type): one.path for one in reversed(required)}
    needs = dict.fromkeys(DriverRequest(one.kind, one.id, one.type) for one in required)
    for request, problem in unavailable_drivers(list(needs)):
        yield Problem.at(paths[request], problem.what, problem.fix, problem.code)


def _driver_configs(required: r.DriverConfigs) -> Iterator[Problem]:
    """Create the drivers without opening them, and return their complaints."""
    try:
        make_drivers(list(required.parts))
    except InputError as error:
        for problem in error.problems:
            for prefix, path in required.places:
                if problem.where.startswith(prefix):
                    keys = tuple(problem.where.removeprefix(prefix).split("."))
                    yield Problem.at(
                        (*path, *keys), problem.what, problem.fix, "DRIVER_CONFIG_WRONG"
                    )
                    break
            else:
                what = f"{problem.where}: {problem.what}"
                yield Problem.at(required.path, what, problem.fix, "DRIVER_BROKEN")
