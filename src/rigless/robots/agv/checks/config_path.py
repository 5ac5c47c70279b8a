"""A place in a config that may have errors elsewhere."""

import math
from collections.abc import Iterator
from typing import Any

from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import Problem


class ConfigPath:
    """A value in a config and its key path.

    A key that does not exist leads to an empty place, so that a check needs to test only its own
    values.
    """

    def __init__(self, value: Any, path: KeyPath = ()):
        self.value = value
        self.path = path

    def __getitem__(self, key: str) -> "ConfigPath":
        return ConfigPath(
            self.value.get(key) if isinstance(self.value, dict) else None, (*self.path, key)
        )

    def __iter__(self) -> Iterator["ConfigPath"]:
        """Yield the elements of a list."""
        for index, value in enumerate(self.value if isinstance(self.value, list | tuple) else ()):
            yield ConfigPath(value, (*self.path, index))

    def items(self) -> Iterator[tuple[str, "ConfigPath"]]:
        """Yield the keys of a table with their places."""
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
