"""The pages of the site: each link, anchor and picture exists, and the menu reaches each page."""

import re

import pytest

from building import menu
from building.links import BrokenLinkError, Links, lines, targets
from building.places import ROOT, docname, pages
from building.staging import adapted

PAGES = pages()
LARGEST_PICTURE = 1_000_000  # bytes


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as code hosts and the site make them."""
    found: list[str] = []
    for line, fenced in lines(text):
        if not fenced and (heading := re.match(r"#{1,4} (.*)", line)):
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "")
            slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
            found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return set(found)


def problems(text, path):
    """Return the links of a page that lead nowhere."""
    links, found = Links(), []
    for target in targets(text):
        try:
            links.rewritten(f"[x]({target})", path, "index")
        except BrokenLinkError as error:
            found.append(str(error))
            continue
        link, _, anchor = target.partition("#")
        other = (path.parent / link).resolve() if link else path
        if anchor and other.suffix == ".md" and docname(other.relative_to(ROOT)):
            known = anchors(text if other == path else other.read_text("utf-8"))
            found += [] if anchor in known else [f"{target}: there is no such heading"]
    return found


def test_links_anchors_and_pictures_of_all_pages_exist():
    found = [one for path in PAGES.values() for one in problems(path.read_text("utf-8"), path)]
    assert found == []


@pytest.mark.parametrize(
    "text", ["[a](missing.md)", "![a](missing.png)", '<img src="no.png">', "[a](#none)"]
)
def test_a_broken_link_is_found(text):
    assert len(problems(text, PAGES["tutorial"])) == 1
    assert problems(f"`{text}`\n```\n{text}\n```\n", PAGES["tutorial"]) == []


def test_the_menu_reaches_every_page_once():
    assert menu.problems() == []


def test_a_page_without_a_menu_entry_is_found(monkeypatch):
    monkeypatch.setattr(menu, "pages", lambda: {**PAGES, "how-to/new": ROOT / "new.md"})
    assert menu.problems() == ["how-to/new: no menu reaches this page (add it to menu.toml)"]


def test_pictures_are_small_and_used():
    links = Links()
    for name, path in PAGES.items():
        links.rewritten(path.read_text("utf-8"), path, name)
    readme = (ROOT / "README.md").read_text("utf-8")
    shown = {
        *links.pictures,
        *(path for path in (ROOT / "docs").glob("*.svg") if path.name in readme),
    }
    large = [str(path) for path in shown if (ROOT / path).stat().st_size > LARGEST_PICTURE]
    assert large == []
    there = {path.relative_to(ROOT) for path in (ROOT / "docs" / "pictures").iterdir()}
    unused = {path for path in there - links.pictures if path.name not in readme}
    assert unused == set()


def test_alerts_and_classes_of_a_page_are_adapted_outside_of_code():
    text = "> [!NOTE]\n> one\n> two\n\n<!-- class: cards -->\n- a\n\n```\n> [!NOTE]\n```\n"
    assert adapted(text) == (":::{note}\none\ntwo\n:::\n\n{.cards}\n- a\n\n```\n> [!NOTE]\n```\n")
