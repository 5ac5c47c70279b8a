"""The maps that come with rigless (drawn by scripts/draw-maps), and finding a map by path or by name."""

from pathlib import Path

from rigless.kernel.problems import InputError, Problem, did_you_mean

_FOLDER = Path(__file__).resolve().parent / "data"


def shipped_maps() -> dict[str, Path]:
    """Map name → YAML file."""
    return {path.stem: path for path in sorted(_FOLDER.glob("*.yaml"))}


def find_map(name_or_path: str | Path, beside: Path | None = None) -> Path:
    """A file relative to `beside` (a folder, or a file in it) or to where we are; else the shipped map of that name."""
    path, maps = Path(name_or_path), shipped_maps()
    try:
        folder = beside.parent if beside is not None and beside.is_file() else beside
        for place in (folder, Path()):
            if place is not None and (place / path).is_file():
                return place / path
    except OSError:  # a name too long for any file
        pass
    if path.suffix in ("", ".yaml", ".yml") and path.stem in maps:
        return maps[path.stem]
    what = f"there is no map file {str(path)!r}, and no shipped map of that name"
    raise InputError(Problem("map", what, did_you_mean(path.stem, maps)))
