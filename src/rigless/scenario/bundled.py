"""Files that come with rigless: in `data/` of the wheel, or next to `src/` in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def folder(name: str) -> Path | None:
    """Return the bundled folder of that name (`scenarios`, `benchmarks`), or None."""
    for place in (_PACKAGE / "data" / name, _PACKAGE.parent.parent / name):
        if place.is_dir():
            return place
    return None


def bundled_scenarios() -> dict[str, Path]:
    """Return the files of all bundled scenarios by name."""
    place = folder("scenarios")
    return {path.stem: path for path in sorted(place.glob("*.toml"))} if place else {}


def find_scenario(name: str) -> Path | None:
    return bundled_scenarios().get(name.removesuffix(".toml"))
