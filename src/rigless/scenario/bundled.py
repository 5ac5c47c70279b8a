"""Where the files that come with rigless are: inside the wheel, or beside `src` in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def folder(name: str) -> Path | None:
    """The shipped folder of that name (`scenarios`, `benchmarks`), if it is there."""
    for place in (_PACKAGE / "data" / name, _PACKAGE.parent.parent / name):
        if place.is_dir():
            return place
    return None


def bundled_scenarios() -> dict[str, Path]:
    """Scenario name → file, for all that come with rigless."""
    place = folder("scenarios")
    return {path.stem: path for path in sorted(place.glob("*.toml"))} if place else {}


def find_scenario(name: str) -> Path | None:
    return bundled_scenarios().get(name.removesuffix(".toml"))
