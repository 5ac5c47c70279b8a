"""The requirements of a config on the computer that runs it, as data.

A robot only declares it (`Robot.requirements`). `rigless.scenario.requirements` looks at files,
environment variables and installed packages, and returns a finding for each that is missing.
"""

from dataclasses import dataclass
from typing import Any

from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import Problem, Severity


@dataclass(frozen=True)
class Credentials:
    """A .creds file that exists, is readable and is private."""

    path: KeyPath
    file: str
    severity: Severity  # of what is wrong with it


@dataclass(frozen=True)
class VariableFile:
    """An environment variable that must name a readable file, if it is set."""

    path: KeyPath
    variable: str


@dataclass(frozen=True)
class VariablePair:
    """An environment variable that needs another one, if it is set."""

    path: KeyPath
    variable: str
    other: str


@dataclass(frozen=True)
class Driver:
    """An installed driver for a part: its kind (motor, input, …), its id and its driver's type."""

    path: KeyPath
    kind: str
    id: str
    type: str


@dataclass(frozen=True)
class DriverConfigs:
    """Driver configs that the drivers accept.

    `parts` are those of `rigless.hardware.drivers`, `places` their paths by the beginning of the
    keys in a driver's errors. `path` is for errors that belong to no part.
    """

    path: KeyPath
    parts: tuple[Any, ...]
    places: tuple[tuple[str, KeyPath], ...]


@dataclass(frozen=True)
class MapFile:
    """A map that comes with rigless, or a map file."""

    path: KeyPath
    name: str


# A finding states a problem that needs no look at the computer.
Requirement = Credentials | VariableFile | VariablePair | Driver | DriverConfigs | MapFile | Problem
