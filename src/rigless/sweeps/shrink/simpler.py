"""Simpler values for the keys of a scenario: the default, zero, and round numbers."""

import copy
import math
from collections.abc import Iterator
from typing import Any

from rigless.kernel.key_path import KeyPath
from rigless.sweeps.shrink.draft import Data
from rigless.sweeps.shrink.failure import Failure
from rigless.sweeps.shrink.items import Item

COUNTS_TRIED = 4  # robots of a fleet
PLACES = ("x", "y", "theta")
OBSTACLE_DIGITS = 2  # of coordinates: moved by more than a centimetre, it is another scene
DIGITS = (-3, -2, -1, 0, 1, 2, 3, 4)  # after the decimal point of round numbers
# Keys whose value says what an entry is about: never dropped, and their numbers are kept.
SUBJECTS = {
    "faults": {"at_s", "robot", "target", "program", "kind"},
    "timeline": {
        *("at_s", "robot", "port", "message", "wire", "wire_hex", "set", "clear", "obstacle"),
        *("x", "y"),
    },
    "obstacles": {"name", "radius_m", "size_m", "x", "y"},
    "programs": {"name", "command", "cwd", "env", "wait_for", "isolate", "lockstep", "home"},
}
TIMED = ("timeline", "faults")
IRRELEVANT = ("description", "speed", "late_max_ms", "settle_s")  # to a run in virtual time


def options(value: float, key: str | int = "", least_digits: int = 1) -> list[float]:
    """Return numbers that are simpler than a number, the simplest first.

    Coordinates are only rounded, and keep `least_digits` after the decimal point: elsewhere, a
    robot or an obstacle would be another case.
    """
    if isinstance(value, bool) or not math.isfinite(value) or value == 0:
        return []
    if key == "count":
        return list(range(1, min(int(value), COUNTS_TRIED + 1)))
    found: list[float] = [] if key in PLACES else [0 if isinstance(value, int) else 0.0]
    for digits in [each for each in DIGITS if each >= least_digits or key not in PLACES]:
        rounded = round(value, digits) or type(value)(0)  # no -0.0
        if rounded not in found and rounded != value and _length(rounded) < _length(value):
            found.append(rounded)
    return found


def _length(value: float) -> int:
    text = repr(abs(value))
    return len(text.removesuffix(".0").rstrip("0") if "." not in text else text.removesuffix(".0"))


def keys_to_drop(data: Data, failure: Failure) -> list[KeyPath]:
    """Return the keys that have a default and may matter, those of robot configs included."""
    found: list[KeyPath] = []
    for path, entry in _entries(data, failure):
        found += [(*path, key) for key in entry if key not in SUBJECTS[str(path[-2])]]
    if not failure.keeps_commands:
        for index, entry in enumerate(data["robots"]):
            if isinstance(entry.get("config"), dict):
                found += _leaves(entry["config"], ("robots", index, "config"))
    return found


def irrelevant_keys(data: Data) -> list[KeyPath]:
    """Return the keys without an effect on a run in virtual time."""
    if data.get("programs"):
        return [("description",)] if "description" in data else []
    ports: list[KeyPath] = [
        ("robots", index, "ports") for index, entry in enumerate(data["robots"]) if "ports" in entry
    ]
    return [(key,) for key in IRRELEVANT if key in data] + ports


def numbers(data: Data, failure: Failure) -> list[KeyPath]:
    """Return the places of all numbers that can be simplified."""
    obstacles: list[KeyPath] = []
    found: list[KeyPath] = []
    for path, entry in _entries(data, failure):
        group = obstacles if is_obstacle(path) else found
        group += [at for at, value in _numbers(entry, path) if options_at(at, value)]
    for index, entry in enumerate(data["robots"]):
        parts = ("count",) if failure.keeps_commands else ("count", "start", "config")
        for key in parts:
            if not isinstance(entry.get(key), str):
                found += [
                    at
                    for at, value in _numbers(entry.get(key), ("robots", index, key))
                    if options_at(at, value)
                ]
    return found + obstacles  # at last: they are the scene, and where a robot starts is the case


def options_at(path: KeyPath, value: float) -> list[float]:
    """Return the simpler numbers for a place in a scenario."""
    return options(value, path[-1], OBSTACLE_DIGITS if is_obstacle(path) else 1)


def is_obstacle(path: KeyPath) -> bool:
    return path[:2] == ("world", "obstacles")


def value_at(data: Data, path: KeyPath) -> Any:
    """Return the value at a path."""
    value: Any = data
    for part in path:
        value = value[part]
    return value


def with_value(data: Data, path: KeyPath, value: Any) -> Data:
    """Return a copy with another value at a path."""
    made = copy.deepcopy(data)
    value_at(made, path[:-1])[path[-1]] = value
    return made


def shortened(data: Data, duration_s: float) -> Data:
    """Return a scenario that ends earlier, without the faults and actions after its end."""
    late = after_end(data, duration_s)
    early: Data = {
        kind: [entry for n, entry in enumerate(data[kind]) if (kind, n) not in late]
        for kind in TIMED
        if kind in data
    }
    return {**data, **early, "duration_s": duration_s}


def after_end(data: Data, duration_s: float) -> list[Item]:
    """Return the faults and actions that a run of this duration does not reach."""
    return [
        (kind, n)
        for kind in TIMED
        for n, entry in enumerate(data.get(kind, []))
        if entry.get("at_s", 0.0) >= duration_s
    ]


def without_keys(data: Data, paths: list[KeyPath]) -> Data:
    """Return a copy without some keys, and without the tables that are then empty."""
    made = copy.deepcopy(data)
    for path in paths:
        del value_at(made, path[:-1])[path[-1]]
        for end in range(len(path) - 1, 2, -1):
            if value_at(made, path[:end]) == {}:
                del value_at(made, path[: end - 1])[path[end - 1]]
    return made


def _entries(data: Data, failure: Failure) -> Iterator[tuple[KeyPath, Data]]:
    """Yield the entries of all lists whose keys can be changed, with their paths."""
    kinds = ("faults",) if failure.keeps_commands else ("faults", "timeline", "programs")
    for kind in kinds:
        for index, entry in enumerate(data.get(kind, [])):
            yield (kind, index), entry
    for index, entry in enumerate(data.get("world", {}).get("obstacles", [])):
        yield ("world", "obstacles", index), entry


def _leaves(table: Data, path: KeyPath) -> Iterator[KeyPath]:
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key)


def _numbers(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _numbers(inner, (*path, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value
