"""Links of the pages, rewritten from the repository's files to the pages of the site.

On a code host a link leads to a file of the repository. On the site it leads to the page of this
file: a Markdown page, a folder's README, or a page that shows the source.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from building.places import ROOT, docname

PICTURES = {".png", ".svg", ".gif", ".jpg", ".webp"}
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
LINK = re.compile(r'(\]\()([^)\s]+)((?:\s+"[^"]*")?\))')  # the text may be on several lines
ATTRIBUTE = re.compile(r'((?:src|href)=")([^"]+)(")')
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


class BrokenLinkError(Exception):
    """A link leads to no file of the repository."""


@dataclass
class Links:
    """Rewrites the links of pages and remembers the files that they lead to."""

    sources: set[Path] = field(default_factory=set)  # need a page that shows them
    folders: set[Path] = field(default_factory=set)  # need a page that lists them
    pictures: set[Path] = field(default_factory=set)  # to be copied

    def rewritten(self, text: str, page: Path, name: str) -> str:
        """Return a page's text with links for the site. `page` is its file."""

        def change(target: str) -> str:
            return self._target(target, page, name)

        return "".join(line if fenced else _changed(line, change) for line, fenced in lines(text))

    def _target(self, target: str, page: Path, name: str) -> str:
        if re.match(r"[a-z]+:|#", target):
            return target
        link, mark, anchor = target.partition("#")
        path = Path(os.path.normpath(page.parent / link))
        if not path.exists() or ROOT not in (path, *path.parents):
            raise BrokenLinkError(f"{page.relative_to(ROOT)}: {target} does not exist")
        return relative(self.page_of(path), name) + mark + anchor

    def page_of(self, path: Path) -> str:
        """Return the file of the site that shows a file or a folder of the repository."""
        inner = path.relative_to(ROOT)
        if path.suffix in PICTURES:
            self.pictures.add(inner)
            return f"_repository/{inner}"
        if path.is_dir() and (path / "README.md").is_file():
            return self.page_of(path / "README.md")
        if any(path.glob("*.md")) and docname(inner / "README.md"):
            return f"{docname(inner / 'README.md')}.md"  # made while building, as of decisions
        if path.is_dir():
            self.folders.add(inner)
            return f"repository/{inner}/files.md"
        if (shown := docname(inner)) is not None:
            return f"{shown}.md"
        self.sources.add(inner)
        return f"repository/{inner}.md"


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line of a Markdown text, and True if it belongs to a block of code."""
    fence = ""
    for line in text.splitlines(keepends=True):
        found = FENCE.match(line)
        if fence:
            yield line, True
            if found and found[1].startswith(fence) and not line.strip(" `~\n"):
                fence = ""
        else:
            fence = found[1] if found else ""
            yield line, bool(found)


def targets(text: str) -> Iterator[str]:
    """Yield the targets of the links and pictures of a page."""
    found: list[str] = []

    def keep(target: str) -> str:
        found.append(target)
        return target

    for line, fenced in lines(text):
        if not fenced:
            _changed(line, keep)
    yield from found


def relative(target: str, name: str) -> str:
    """Return the way from the page `name` to a file of the site."""
    return os.path.relpath(target, os.path.dirname(name) or ".")


def _changed(line: str, change: Callable[[str], str]) -> str:
    """Change the links of a line, not those within code."""
    kept: list[str] = []

    def hide(code: re.Match[str]) -> str:
        kept.append(code[0])
        return f"\0{len(kept) - 1}\0"

    changed = _linked(CODE.sub(hide, line), change)
    return re.sub(r"\0(\d+)\0", lambda found: kept[int(found[1])], changed)


def _linked(text: str, change: Callable[[str], str]) -> str:
    def new(found: re.Match[str]) -> str:
        return found[1] + change(found[2]) + found[3]

    return ATTRIBUTE.sub(new, LINK.sub(new, text))
