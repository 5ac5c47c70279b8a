"""Rows for tests, made without running anything."""

from typing import Any

from rigless.sweeps.row import Row

SHORT = {"p": "pass", "f": "fail", "i": "invalid", "e": "error"}


def row(verdict: str = "pass", seed: int = 0, **fields: Any) -> Row:
    settings = fields.pop("settings", {})
    names = {"key": f"{seed}-{sorted(settings.items())}", "scenario": "room.toml"}
    return Row(settings=settings, seed=seed, verdict=SHORT.get(verdict, verdict), **names | fields)


def rows(letters: str, **fields: Any) -> list[Row]:
    """Return a row for each letter: p passes, f fails, i is invalid, e is an error."""
    return [row(letter, seed, **fields) for seed, letter in enumerate(letters)]
