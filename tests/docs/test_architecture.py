"""ARCHITECTURE.md and CONTRIBUTING.md name files and packages that exist, and all packages."""

import re

import pytest

from building.places import ROOT

PACKAGE = ROOT / "src" / "rigless"
PATH = re.compile(
    r"(?<!`)`((?:[\w<>-]+/)+(?:[\w<>-]+(?:\.\w+)?)?|[\w<>-]+\.(?:py|toml|js|html))`(?!`)"
)
PLACES = (
    ROOT,
    PACKAGE,
    *(path.parent for path in PACKAGE.glob("robots/*/robot.py")),  # files of all robots
    PACKAGE / "panel" / "web",
    ROOT / "examples" / "thermostat",
)
MADE = ("build/", "vendor/")  # not in the repository


def missing(text: str) -> list[str]:
    """Return the paths of a page that exist neither in the repository nor in the package.

    `<name>` and NAME stand for any robot. The files that robots share are those of a robot.
    """
    found = []
    for name in PATH.findall(text):
        pattern = re.sub(r"<\w+>|\bNAME\b", "*", name.rstrip("/"))
        if not any(next(place.glob(pattern), None) for place in PLACES):
            found.append(name)
    return [name for name in found if not name.startswith(MADE)]


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_the_files_that_a_page_names_exist(page):
    text = (ROOT / page).read_text("utf-8")
    assert len(PATH.findall(text)) > 10
    assert missing(text) == []


def test_a_file_that_does_not_exist_is_found():
    text = "`kernel/simulation.py` `kernel/lost.py` `robots/<name>/` `robots/<name>/lost.py` `a`"
    assert missing(text) == ["kernel/lost.py", "robots/<name>/lost.py"]


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "docs/layers.svg"])
def test_every_package_is_in_the_architecture(page):
    text = (ROOT / page).read_text("utf-8")
    names = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", text)] == []
