"""Dotted keys of a configuration, such as `motors.gripper.limits.maxSpeed.value`.

Entries of lists are named by their ids.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

NAMES = ("motorId", "ioId", "deviceId")
DEEPEST = 8


def leaves(value: Any, path: str = "") -> Iterator[str]:
    """Yield the dotted keys of all values that are not tables."""
    found = False
    for key, item in _entries(value):
        found = True
        yield from leaves(item, f"{path}.{key}" if path else key)
    if not found:
        yield path


def flat(
    given: Mapping[str, Any], known: set[str], path: str = "", depth: int = DEEPEST
) -> dict[str, Any]:
    """Return settings by dotted key, from dotted keys or nested tables."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        full = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping) and value and full not in known and depth:
            found |= flat(value, known, full, depth - 1)
        else:
            found[full] = value
    return found


def get(config: Mapping[str, Any], key: str) -> Any:
    return get_all(config, [key])[key]


def get_all(config: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Return the values of these keys. Each list is indexed by its ids only once."""
    found: dict[str, Any] = {}
    index: dict[int, dict[str, Any]] = {}
    for key in keys:
        value: Any = config
        for part in key.split("."):
            if isinstance(value, list):
                if id(value) not in index:
                    index[id(value)] = dict(_entries(value))
                value = index[id(value)].get(part)
            else:
                value = value.get(part) if isinstance(value, Mapping) else None
        found[key] = value
    return found


def fits(config: Mapping[str, Any], key: str) -> bool:
    """Return True if the configuration has the table of this key."""
    return isinstance(get(config, key.rpartition(".")[0]) if "." in key else config, Mapping)


def with_values(config: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a configuration with these keys set."""
    copied: dict[str, Any] = json.loads(json.dumps(config))
    for key, value in settings.items():
        *parents, last = key.split(".")
        table: Any = copied
        for part in parents:
            table = dict(_entries(table))[part]
        table[last] = value
    return copied


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a table, or of a list whose entries have ids."""
    if isinstance(value, Mapping):
        yield from value.items()
    for entry in value if isinstance(value, list) else ():
        name = (
            next((entry[name] for name in NAMES if name in entry), None)
            if isinstance(entry, Mapping)
            else None
        )
        if name is not None:
            yield name, entry
