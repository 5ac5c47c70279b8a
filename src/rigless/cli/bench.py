"""`rigless bench`: run the files of `benchmarks/`, each of which has `run() -> dict` of figures.

Files that start with an underscore are parts of the others. A group of figures is a dictionary;
the end of a name is its unit.
"""

import importlib
import json as json_module
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

from rigless.console import print_line, print_note
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.scenario.bundled import folder

PACKAGE = "rigless_benchmarks"
UNITS = {
    "_per_s": "/s",
    "_us": "µs",
    "_ms": "ms",
    "_ns": "ns",
    "_s": "s",
    "_m": "m",
    "_bytes": "B",
    "_mib": "MiB",
}


def run_benchmarks(names: list[str], json: bool) -> None:
    place = folder("benchmarks")
    paths = sorted(place.glob("[!_]*.py")) if place else []
    found = {path.stem: path for path in paths}
    for name in names:
        if name not in found:
            raise unknown("benchmark", name, found)
    results: dict[str, Any] = {}
    for name in names or found:
        print_note(f"measuring {name} …", "dim")
        results[name] = _load(found[name])()
    if json:
        print_line(json_module.dumps(results[names[0]] if len(names) == 1 else results, indent=2))
        return
    for name, figures in results.items():
        print_line(name)
        for row in table(figures):
            print_line(f"  {row}".rstrip())


def _load(path: Path) -> Callable[[], dict[str, Any]]:
    package = ModuleType(PACKAGE)  # so that a benchmark can import its parts
    package.__path__ = [str(path.parent)]
    sys.modules[PACKAGE] = package
    try:
        module = importlib.import_module(f"{PACKAGE}.{path.stem}")
    except ModuleNotFoundError as error:
        raise InputError(
            Problem(
                path.stem,
                f"this benchmark needs {error.name!r}",
                "pip install 'rigless[all,bench]'",
            )
        ) from None
    run: Callable[[], dict[str, Any]] = module.run
    return run


def table(figures: Mapping[str, Any]) -> Iterator[str]:
    """Return figures as aligned lines; adjacent groups with the same names share a table."""
    groups: dict[str, dict[str, Any]] = {
        "": {key: value for key, value in figures.items() if not _is_group(value)}
    }
    groups |= {key: _flat(value) for key, value in figures.items() if _is_group(value)}
    for names, alike in groupby(groups, lambda group: list(groups[group])):
        columns = list(alike)
        texts = {
            group: {name: _text(name, groups[group][name]) for name in names} for group in columns
        }
        widths = {
            group: max(len(text) for text in (group, *texts[group].values())) for group in columns
        }
        if not names:
            continue
        first = max(len(name) for name in names)
        if columns != [""]:
            yield " " * first + "".join(f"  {group:>{widths[group]}}" for group in columns)
        for name in names:
            yield f"{name:<{first}}" + "".join(
                f"  {texts[group][name]:>{widths[group]}}" for group in columns
            )
        yield ""


def _is_group(value: Any) -> bool:
    return isinstance(value, Mapping)


def _flat(group: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in group.items():
        flat |= (
            _flat(value, f"{before}{key}.")
            if isinstance(value, Mapping)
            else {f"{before}{key}": value}
        )
    return flat


def _text(name: str, value: Any) -> str:
    """Return a number to four digits with its unit."""
    unit = next((unit for end, unit in UNITS.items() if name.endswith(end)), "")
    width = max(map(len, UNITS.values()))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    number = f"{value:,.0f}" if abs(value) >= 1000 or isinstance(value, int) else f"{value:.4g}"
    return f"{number} {unit:<{width}}"
