"""Which drivers are installed: entry points of Python packages, one group for each kind of part, named by the type of driver in the config.

[project.entry-points."rigless.agv.motors"]
PLC = "my_package:MyMotor"
"""

from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

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
PLACES = {
    "motor": "motors",
    "input": "io.digitalInputs",
    "output": "io.digitalOutputs",
    "device": "io.devices",
}
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


class Need(NamedTuple):
    """A part that needs a driver."""

    kind: str
    id: str
    type: str  # of driver

    @property
    def key(self) -> Key:
        return GROUPS[self.kind], self.type


class Lack(NamedTuple):
    """A type of driver that nobody has installed, or several have, in words; `need` is the first that is about it."""

    need: Need
    code: str
    what: str
    fix: str


def lacks(needs: Sequence[Need]) -> list[Lack]:
    """All that stands against making the drivers that are needed."""
    there = installed_drivers()
    absent: dict[str, list[Need]] = {}  # by type
    offered: dict[Key, Need] = {}
    found = []
    for need in needs:
        if need.key in there:
            offered.setdefault(need.key, need)
        else:
            absent.setdefault(need.type, []).append(need)
    for kind, users in absent.items():
        groups = " and ".join(dict.fromkeys(need.key[0] for need in users))
        what = f"{', '.join(need.id for need in users)} {'needs' if len(users) == 1 else 'need'} it"
        fix = f"pip install a package with the entry point {kind} in {groups}, or run without hardware: --set runtime.mode=MOCK"
        found.append(Lack(users[0], "NO_DRIVER", f"no driver installed for {kind}: {what}", fix))
    for (group, kind), need in offered.items():
        packages = sorted(_package(entry) for entry in there[group, kind])
        if len(packages) > 1:
            what = (
                f"{len(packages)} packages have a driver {kind} in {group}: {', '.join(packages)}"
            )
            found.append(Lack(need, "DRIVER_TWICE", what, "uninstall all but one"))
    return found


def make_drivers(parts: Sequence[Part]) -> list[Driver]:
    """A driver for each part, not opened yet. Raises InputError with all that is missing, broken or configured wrong."""
    problems = [
        Problem(
            f"{PLACES[lack.need.kind]}.{lack.need.id}.driver.type",
            lack.what,
            lack.fix,
            code=lack.code,
        )
        for lack in lacks([Need(part.kind, part.id, part.type) for part in parts])
    ]
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
                problems += [
                    found.at(below=below) for found in findings_of(error, dict(part.config))
                ]
            except Exception as error:  # somebody else's code
                what = (
                    str(error)
                    if isinstance(error, ValueError)
                    else f"{type(error).__name__}: {error}"
                )
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
        problems.append(
            Problem(
                where, f"{entry.value} is no subclass of rigless.hardware.{BASES[group].__name__}"
            )
        )
        return None
    return found


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module
