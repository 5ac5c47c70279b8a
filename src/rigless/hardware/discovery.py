"""Discovery of installed drivers: entry points of Python packages.

There is one group for each kind of part. The name of the entry point is the type of driver in the
robot's config:

    [project.entry-points."rigless.agv.motors"]
    PLC = "my_package:MyMotor"
"""

from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from pydantic import ValidationError

from rigless.hardware.drivers import DeviceDriver, Driver, IoDriver, MotorDriver, Part
from rigless.kernel.documents.validation import problems_of
from rigless.kernel.problems import InputError, Problem

GROUPS = {
    "motor": "rigless.agv.motors",
    "input": "rigless.agv.io",
    "output": "rigless.agv.io",
    "device": "rigless.agv.devices",
}
BASES: dict[str, Any] = {
    "rigless.agv.motors": MotorDriver,
    "rigless.agv.io": IoDriver,
    "rigless.agv.devices": DeviceDriver,
}
CONFIG_KEYS = {
    "motor": "motors",
    "input": "io.digitalInputs",
    "output": "io.digitalOutputs",
    "device": "io.devices",
}
DriverKey = tuple[str, str]  # group of entry points, type of driver


def installed_drivers() -> dict[DriverKey, list[EntryPoint]]:
    """Return all installed drivers. Several packages may offer one of the same type."""
    found: dict[DriverKey, list[EntryPoint]] = {}
    for group in BASES:
        for entry in entry_points(group=group):
            offers = found.setdefault((group, entry.name), [])
            if _package(entry) not in map(_package, offers):
                offers.append(entry)
    return found


class DriverRequest(NamedTuple):
    """A part and the type of driver that it requires."""

    kind: str
    id: str
    type: str

    @property
    def key(self) -> DriverKey:
        return GROUPS[self.kind], self.type

    def problem(self, what: str, fix: str, code: str) -> Problem:
        return Problem(f"{CONFIG_KEYS[self.kind]}.{self.id}.driver.type", what, fix, code=code)


def unavailable_drivers(requests: Sequence[DriverRequest]) -> list[tuple[DriverRequest, Problem]]:
    """Return a problem for each type of driver that is not installed, or installed twice.

    Each comes with the first request for that type.
    """
    if not requests:
        return []  # the search of all installed packages takes long
    installed = installed_drivers()
    missing: dict[str, list[DriverRequest]] = {}  # by type
    available: dict[DriverKey, DriverRequest] = {}
    for request in requests:
        if request.key in installed:
            available.setdefault(request.key, request)
        else:
            missing.setdefault(request.type, []).append(request)
    found = []
    for kind, users in missing.items():
        groups = " and ".join(dict.fromkeys(request.key[0] for request in users))
        names = ", ".join(request.id for request in users)
        what = (
            f"no driver installed for {kind}: {names} {'needs' if len(users) == 1 else 'need'} it"
        )
        fix = (
            f"pip install a package with the entry point {kind} in {groups},"
            " or run without hardware: --set runtime.mode=MOCK"
        )
        found.append((users[0], users[0].problem(what, fix, "NO_DRIVER")))
    for (group, kind), request in available.items():
        packages = sorted(_package(entry) for entry in installed[group, kind])
        if len(packages) > 1:
            what = (
                f"{len(packages)} packages have a driver {kind} in {group}: {', '.join(packages)}"
            )
            fix = "uninstall all but one"
            found.append((request, request.problem(what, fix, "DRIVER_TWICE")))
    return found


def make_drivers(parts: Sequence[Part]) -> list[Driver]:
    """Return a driver for each part, not opened yet.

    Raises InputError with all drivers that are missing, broken or wrongly configured.
    """
    requests = [DriverRequest(part.kind, part.id, part.type) for part in parts]
    problems = [problem for _, problem in unavailable_drivers(requests)]
    if problems:
        raise InputError(problems)
    installed = installed_drivers()
    classes = {
        key: _load(key, installed[key][0], problems)
        for key in dict.fromkeys(request.key for request in requests)
    }
    shared: dict[Any, Any] = {}
    drivers = []
    for part in parts:
        driver_class = classes[GROUPS[part.kind], part.type]
        if driver_class is None:
            continue
        below = (CONFIG_KEYS[part.kind], part.id, "driver", "config")
        try:
            drivers.append(driver_class(part, shared))
        except ValidationError as error:
            problems += [
                problem.located("", below=below)
                for problem in problems_of(error, dict(part.config))
            ]
        except Exception as error:  # a driver may raise anything
            text = str(error)
            what = text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"
            problems.append(Problem.at(below, what))
    if problems:
        raise InputError(problems)
    return drivers


def _load(key: DriverKey, entry: EntryPoint, problems: list[Problem]) -> type[Driver] | None:
    group, type_name = key
    where = f"driver {type_name} of {_package(entry)}"
    try:
        found = entry.load()
    except Exception as error:  # a driver's module may raise anything
        what = f"{entry.value} cannot be imported: {type(error).__name__}: {error}"
        problems.append(Problem(where, what, "repair or reinstall the package"))
        return None
    base = BASES[group]
    if not (isinstance(found, type) and issubclass(found, base)):
        what = f"{entry.value} is not a subclass of rigless.hardware.{base.__name__}"
        problems.append(Problem(where, what, f"derive the driver from {base.__name__}"))
        return None
    return found


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module
