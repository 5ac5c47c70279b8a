"""A place in a config that may be wrong elsewhere: what stands there, if it is of the kind that was asked for."""

import math
from collections.abc import Iterator
from typing import Any

from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import Problem


class ConfigPath:
    """Going on from what is not there leads to places where nothing is, so that a check needs to ask only for what it is about."""

    def __init__(self, value: Any, path: KeyPath = ()):
        self.value = value
        self.path = path

    def __getitem__(self, key: str) -> "ConfigPath":
        return ConfigPath(
            self.value.get(key) if isinstance(self.value, dict) else None, (*self.path, key)
        )

    def __iter__(self) -> Iterator["ConfigPath"]:
        """The elements of a list."""
        for index, value in enumerate(self.value if isinstance(self.value, list | tuple) else ()):
            yield ConfigPath(value, (*self.path, index))

    def items(self) -> Iterator[tuple[str, "ConfigPath"]]:
        """The keys of a table."""
        for key in self.value if isinstance(self.value, dict) else ():
            yield key, self[key]

    @property
    def there(self) -> bool:
        return self.value is not None

    @property
    def text(self) -> str | None:
        return self.value if isinstance(self.value, str) else None

    @property
    def number(self) -> float | None:
        fits = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        return (
            float(self.value)
            if fits and abs(self.value) < 1e300 and math.isfinite(self.value)
            else None
        )

    @property
    def true(self) -> bool:
        return self.value is True

    def error(self, code: str, what: str, fix: str = "") -> Problem:
        return Problem.at(self.path, what, fix, code, "error")

    def warning(self, code: str, what: str, fix: str = "") -> Problem:
        return Problem.at(self.path, what, fix, code, "warning")
