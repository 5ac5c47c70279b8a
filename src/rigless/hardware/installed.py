"""Which drivers are installed: entry points of Python packages, one group for each kind of part, named by the type of driver in the config.

[project.entry-points."rigless.agv.motors"]
PLC = "my_package:MyMotor"
"""

from collections.abc import Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pydantic import ValidationError

from rigless.hardware.drivers import DeviceDriver, Driver, IoDriver, MotorDriver, Part
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.validation import findings_of

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
PLACES = {"motor": "motors", "input": "io.digitalInputs", "output": "io.digitalOutputs", "device": "io.devices"}
Key = tuple[str, str]  # group, type of driver


def installed_drivers() -> dict[Key, list[EntryPoint]]:
    """Every driver that a package offers; more than one entry for a key is for people to sort out."""
    found: dict[Key, list[EntryPoint]] = {}
    for group in BASES:
        for entry in entry_points(group=group):
            offers = found.setdefault((group, entry.name), [])
            if _package(entry) not in map(_package, offers):
                offers.append(entry)
    return found


def missing_drivers(parts: Iterable[Part]) -> list[Problem]:
    """A sentence for each type of driver that parts need and nobody has installed, or two packages have."""
    there = installed_drivers()
    wanted: dict[str, dict[str, list[str]]] = {}  # type → group → parts
    for part in parts:
        wanted.setdefault(part.type, {}).setdefault(GROUPS[part.kind], []).append(part.id)
    problems = []
    for type_name, groups in wanted.items():
        absent = {group: ids for group, ids in groups.items() if (group, type_name) not in there}
        if absent:
            needed = ", ".join(f"{', '.join(ids)} ({group.rpartition('.')[2]})" for group, ids in absent.items())
            fix = f"install a package with an entry point {type_name} in {' and '.join(absent)}, or set runtime.mode to MOCK"
            problems.append(Problem("", f"no driver installed for {type_name}: needed by {needed}", fix))
        for group in groups:
            offers = there.get((group, type_name), [])
            if len(offers) > 1:
                names = ", ".join(sorted(_package(entry) for entry in offers))
                problems.append(Problem("", f"{len(offers)} drivers installed for {type_name} in {group}: {names}", "uninstall all but one"))  # fmt: skip
    return problems


def make_drivers(parts: Sequence[Part]) -> list[Driver]:
    """A driver for each part, not opened yet. Raises InputError with all that is missing, broken or configured wrong."""
    problems = missing_drivers(parts)
    if problems:
        raise InputError(problems)
    there = installed_drivers()
    classes: dict[Key, type[Driver] | None] = {}
    for key in dict.fromkeys((GROUPS[part.kind], part.type) for part in parts):
        classes[key] = _load(key, there[key][0], problems)
    shared: dict[Any, Any] = {}
    made = []
    for part in parts:
        kind = classes[GROUPS[part.kind], part.type]
        if kind is not None:
            try:
                made.append(kind(part, shared))
            except ValidationError as error:
                below = (PLACES[part.kind], part.id, "driver", "config")
                problems += [found.at(below=below) for found in findings_of(error, dict(part.config))]
            except Exception as error:  # somebody else's code
                what = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
                problems.append(Problem(f"{PLACES[part.kind]}.{part.id}.driver.config", what))
    if problems:
        raise InputError(problems)
    return made


def _load(key: Key, entry: EntryPoint, problems: list[Problem]) -> type[Driver] | None:
    group, type_name = key
    where = f"driver {type_name} of {_package(entry)}"
    try:
        found = entry.load()
    except Exception as error:  # somebody else's code
        problems.append(Problem(where, f"{entry.value} cannot be imported: {type(error).__name__}: {error}", "repair or reinstall the package"))  # fmt: skip
        return None
    if not (isinstance(found, type) and issubclass(found, BASES[group])):
        problems.append(Problem(where, f"{entry.value} is no subclass of rigless.hardware.{BASES[group].__name__}"))
        return None
    return found


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module
