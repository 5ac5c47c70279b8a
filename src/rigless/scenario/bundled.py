"""Files that come with rigless: in `data/` of the wheel, or next to `src/` in a checkout."""

import json
import re
import tomllib
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


def describe_file(path: Path) -> str:
    """Return what a scenario or world is, in a sentence; empty if the file does not say it.

    It is the `description` of a TOML or JSON file, else the comment at the beginning of the file.
    """
    try:
        text = path.read_text("utf-8")
        parse = {".toml": tomllib.loads, ".json": json.loads}.get(path.suffix)
        data = parse(text) if parse else None
    except (OSError, ValueError):  # reported when the file is opened
        return ""
    given = data.get("description") if isinstance(data, dict) else None
    if not isinstance(given, str) or not given:
        comment = re.match(r"(?:#.*\n?)+", text)
        given = " ".join(re.findall(r"(?m)^#+ ?(.*)$", comment.group())) if comment else ""
    sentence = re.split(r"(?<=[.!?])\s", given.strip(), maxsplit=1)[0]
    return " ".join(sentence.split()).removesuffix(".")
