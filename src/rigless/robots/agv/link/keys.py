"""Dotted keys of a configuration, as settings have them: `streams.stateHz`, `motors.gripper.limits.maxSpeed.value`. Entries of lists go by their ids."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

NAMES = ("motorId", "ioId", "deviceId")
DEEPEST = 8


def leaves(value: Any, path: str = "") -> Iterator[str]:
    """The keys of all that is no table."""
    found = False
    for key, item in _inside(value):
        found = True
        yield from leaves(item, f"{path}.{key}" if path else key)
    if not found:
        yield path


def flat(
    given: Mapping[str, Any], known: set[str], path: str = "", depth: int = DEEPEST
) -> dict[str, Any]:
    """Settings by dotted key; tables in tables are allowed too."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        full = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping) and value and full not in known and depth:
            found |= flat(value, known, full, depth - 1)
        else:
            found[full] = value
    return found


def get(config: Mapping[str, Any], key: str) -> Any:
    value: Any = config
    for part in key.split("."):
        value = dict(_inside(value)).get(part)
    return value


def fits(config: Mapping[str, Any], key: str) -> bool:
    """Whether there is a table for it."""
    return isinstance(get(config, key.rpartition(".")[0]) if "." in key else config, Mapping)


def laid(config: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a configuration with these keys set."""
    copied: dict[str, Any] = json.loads(json.dumps(config))
    for key, value in settings.items():
        *way, last = key.split(".")
        place: Any = copied
        for part in way:
            place = dict(_inside(place))[part]
        place[last] = value
    return copied


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a table, and of a list whose entries have names."""
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
