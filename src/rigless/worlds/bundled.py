"""The worlds that come with rigless (maps drawn by scripts/draw-maps, mazes by scripts/draw-mazes, weld cells), and finding one by path or name."""

from collections.abc import Mapping
from pathlib import Path

from rigless.kernel.problems import InputError, Problem, did_you_mean

_HERE = Path(__file__).resolve().parent


def bundled_maps() -> dict[str, Path]:
    """Map name → YAML file."""
    return {path.stem: path for path in sorted((_HERE / "data").glob("*.yaml"))}


def bundled_mazes() -> dict[str, Path]:
    """Maze name → JSON file."""
    return {path.stem: path for path in sorted((_HERE / "mazes").glob("*.json"))}


def bundled_cells() -> dict[str, Path]:
    """Weld cell name → YAML file."""
    return {path.stem: path for path in sorted((_HERE / "cells").glob("*.yaml"))}


def find_map(name_or_path: str | Path, beside: Path | None = None) -> Path:
    """A file relative to `beside` (a folder, or a file in it) or to where we are; else the shipped map of that name."""
    return _find("map", name_or_path, beside, bundled_maps(), ("", ".yaml", ".yml"))


def find_maze(name_or_path: str | Path, beside: Path | None = None) -> Path:
    """A maze's file, found as maps are."""
    return _find("maze", name_or_path, beside, bundled_mazes(), ("", ".json"))


def find_cell(name_or_path: str | Path, beside: Path | None = None) -> Path:
    """A weld cell's file, found as maps are."""
    return _find("cell", name_or_path, beside, bundled_cells(), ("", ".yaml", ".yml"))


def _find(
    what: str,
    name: str | Path,
    beside: Path | None,
    shipped: Mapping[str, Path],
    suffixes: tuple[str, ...],
) -> Path:
    path = Path(name)
    try:
        folder = beside.parent if beside is not None and beside.is_file() else beside
        for place in (folder, Path()):
            if place is not None and (place / path).is_file():
                return place / path
    except (OSError, ValueError):  # a name too long for any file, or with a byte that none can have
        pass
    if path.suffix in suffixes and path.stem in shipped:
        return shipped[path.stem]
    text = f"there is no {what} file {str(path)!r}, and no shipped {what} of that name"
    raise InputError(Problem(what, text, did_you_mean(path.stem, shipped)))
