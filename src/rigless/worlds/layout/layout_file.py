"""Read a layout file: TOML or JSON with the keys of model.py, or a LIF file."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigless.kernel.documents import Document, parse_json, parse_toml
from rigless.kernel.documents.validation import examine
from rigless.kernel.problems import InputError, Problem
from rigless.worlds.grid import Grid
from rigless.worlds.layout.checks import check_layout, check_on_map
from rigless.worlds.layout.lif import Paths, is_lif, layout_of_lif
from rigless.worlds.layout.model import Layout
from rigless.worlds.text_file import read_text

MAX_BYTES = 20_000_000
_FIX = "a layout has nodes and edges; docs/reference/layouts.md has an example"


@dataclass(frozen=True)
class LayoutFile:
    """A layout that was read, and warnings about it."""

    layout: Layout
    warnings: tuple[Problem, ...] = ()


def read_layout(path: str | Path, grid: Grid | None = None) -> LayoutFile:
    """Read a layout, and check it against the walls of a map if there is one.

    Raises InputError with all problems, each with its line.
    """
    path = Path(path)
    text = read_text(path, MAX_BYTES, "give a smaller layout")
    is_toml = path.suffix in (".toml", ".tml")
    data = _quickly(text, is_toml)
    if data is not None:
        layout, found, _ = _layout_in(data)
        if (
            layout is not None
            and not found
            and not (grid is not None and check_on_map(layout, grid))
        ):
            return LayoutFile(layout)
    document = (parse_toml if is_toml else parse_json)(text, str(path))
    return _with_lines(document, grid)


def _quickly(text: str, is_toml: bool) -> Any:
    """Parse without the lines of keys, which is many times as fast; None if anything is odd."""
    try:
        if is_toml:
            return tomllib.loads(text)
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _layout_in(data: Any) -> tuple[Layout | None, list[Problem], Paths]:
    """Return the layout in the data of a file, or None, problems and warnings, and LIF's paths."""
    if not isinstance(data, dict):
        return None, [Problem("", "is not a layout", _FIX)], {}
    paths: Paths = {}
    if is_lif(data):
        layout, found, paths = layout_of_lif(data)
    else:
        layout, found = examine(Layout, data)
    if layout is not None:
        found = [*found, *(_in_file(problem, paths) for problem in check_layout(layout))]
    return layout, found, paths


def _in_file(problem: Problem, paths: Paths) -> Problem:
    """Return a problem of a layout with its path in the LIF file that the layout is from."""
    if not paths:
        return problem
    key, *index = problem.path
    path = paths[str(key)][int(index[0])] if index else ("layouts", 0, str(key))
    return Problem.at(path, problem.what, problem.fix, severity=problem.severity)


def _with_lines(document: Document, grid: Grid | None) -> LayoutFile:
    """Check the document again, to report its problems with their lines."""
    if document.problems:
        raise InputError(document.problems)
    layout, found, paths = _layout_in(document.data)
    if layout is not None and grid is not None:
        found = [*found, *(_in_file(problem, paths) for problem in check_on_map(layout, grid))]
    located = [problem.located(document.file, document.lines) for problem in found]
    errors = [problem for problem in located if problem.severity == "error"]
    if layout is None or errors:
        raise InputError(errors)
    return LayoutFile(layout, tuple(located))
