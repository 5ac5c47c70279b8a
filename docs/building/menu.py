"""The menu of the site: sections, their pages, and pages below other pages."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from building.places import MENU, pages


@dataclass(frozen=True)
class Entry:
    """A page of the menu with the pages below it."""

    page: str
    below: tuple["Entry", ...] = ()

    def all_pages(self) -> Iterator[str]:
        yield self.page
        for entry in self.below:
            yield from entry.all_pages()


@dataclass(frozen=True)
class Section:
    """A part of the menu with a title."""

    title: str
    entries: tuple[Entry, ...]


def menu() -> list[Section]:
    """Read the menu. A pattern such as `decisions/*` stands for all pages that it matches."""
    known = sorted(pages())
    text = tomllib.loads(MENU.read_text("utf-8"))
    return [Section(one["title"], _entries(one["pages"], known)) for one in text["section"]]


def _entries(given: list[Any], known: list[str]) -> tuple[Entry, ...]:
    found: list[Entry] = []
    for one in given:
        if isinstance(one, dict):
            found.append(Entry(one["page"], _entries(one["below"], known)))
        elif "*" in one:
            names = (name for name in known if fnmatch(name, one))
            found += [Entry(name) for name in names if not name.endswith("/index")]
        else:
            found.append(Entry(one))
    return tuple(found)


def problems() -> list[str]:
    """Return a sentence for each page that the menu does not reach, or reaches twice."""
    known = {*pages()} - {"index"}
    folders = {f"{name.rpartition('/')[0]}/index" for name in known if "/" in name}
    listed = [name for part in menu() for entry in part.entries for name in entry.all_pages()]
    return [
        *(
            f"{name}: no menu reaches this page (add it to {MENU.name})"
            for name in known - {*listed}
        ),
        *(
            f"{name}: the menu names a page that does not exist"
            for name in {*listed} - known - folders
        ),
        *(f"{name}: the menu names it twice" for name in {*listed} if listed.count(name) > 1),
    ]
