"""Configs for tests: the bundled robot, the seed's example, and changes by dotted keys."""

import copy
import json
from pathlib import Path
from typing import Any

from rigless.robots.agv.config import own

HERE = Path(__file__).parent
SEED_TEXT = HERE / "robot_config.seed.json"
GONE = object()  # the value of a key that is to be removed


def seed() -> dict[str, Any]:
    """Return the example of the seed."""
    return json.loads(SEED_TEXT.read_text("utf-8"))


def changed(changes: dict[str, Any], base: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a config with other values at some keys, as in `{"motors.0.role": "FUNCTIONAL"}`.

    A `+` as the last part appends to a list.
    """
    config = copy.deepcopy(own() if base is None else base)
    for key, value in changes.items():
        *way, last = key.split(".")
        table: Any = config
        for word in way:
            table = table[int(word)] if isinstance(table, list) else table.setdefault(word, {})
        if last == "+":
            table.append(value)
        elif value is GONE:
            del table[int(last) if isinstance(table, list) else last]
        else:
            table[int(last) if isinstance(table, list) else last] = value
    return config
