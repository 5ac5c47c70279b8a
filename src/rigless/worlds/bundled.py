"""Bundled worlds: maps, layouts, mazes and weld cells, found by name or path.

scripts/draw-maps and scripts/draw-mazes draw them.
"""

from collections.abc import Mapping
from pathlib import Path

from rigless.kernel.problems import InputError, Problem, did_you_mean

_HERE = Path(__file__).resolve().parent


def bundled_maps() -> dict[str, Path]:
    """Return map name → YAML file."""
    return {path.stem: path for path in sorted((_HERE / "data").glob("*.yaml"))}


def bundled_mazes() -> dict[str, Path]:
    """Return maze name → JSON file."""
    return {path.stem: path for path in sorted((_HERE / "mazes").glob("*.json"))}


def bundled_cells() -> dict[str, Path]:
    """Return weld cell name → YAML file."""
    return {path.stem: path for path in sorted((_HERE / "cells").glob("*.yaml"))}


def find_map(name_or_path: str | Path, near: Path | None = None) -> Path:
    """Return a map's file, given by path or by the name of a bundled map.

    A path is relative to `near` (a folder, or a file in it) or to the current folder.
    """
    return _find("map", name_or_path, near, bundled_maps(), ("", ".yaml", ".yml"))


def bundled_layouts() -> dict[str, Path]:
    """Return layout name → JSON file."""
    return {path.stem: path for path in sorted((_HERE / "data").glob("*.json"))}


def find_layout(name_or_path: str | Path, near: Path | None = None) -> Path:
    """Return a layout's file; see `find_map`."""
    return _find("layout", name_or_path, near, bundled_layouts(), ("", ".json"))


def find_maze(name_or_path: str | Path, near: Path | None = None) -> Path:
    """Return a maze's file; see `find_map`."""
    return _find("maze", name_or_path, near, bundled_mazes(), ("", ".json"))


def find_cell(name_or_path: str | Path, near: Path | None = None) -> Path:
    """Return a weld cell's file; see `find_map`."""
    return _find("cell", name_or_path, near, bundled_cells(), ("", ".yaml", ".yml"))


def _find(
    what: str,
    name: str | Path,
    near: Path | None,
    bundled: Mapping[str, Path],
    suffixes: tuple[str, ...],
) -> Path:
    path = Path(name)
    try:
        folder = near.parent if near is not None and near.is_file() else near
        for place in (folder, Path()):
            if place is not None and (place / path).is_file():
                return place / path
    except (OSError, ValueError):  # no valid file name
        pass
    if path.suffix in suffixes and path.stem in bundled:
        return bundled[path.stem]
    text = f"there is no {what} file {str(path)!r}, and no bundled {what} of that name"
    raise InputError(Problem(what, text, did_you_mean(path.stem, bundled)))
