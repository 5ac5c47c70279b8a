"""The search index of the site: a script, so that search also works from the file system."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

SKIPPED = {"script", "style", "button", "nav", "aside"}
HEADINGS = {"h1", "h2", "h3", "h4"}
LONGEST = 1200  # characters of a section that are kept as they are; of the rest, each word once


class Sections(HTMLParser):
    """Divides the article of a page into sections by its headings."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self._ids: list[str] = []
        self._skip = self._article = 0
        self._heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "article":
            self._article += 1
        if not self._article:
            return
        self._skip += tag in SKIPPED
        if tag == "section":
            self._ids.append(given.get("id") or "")
        if tag in HEADINGS:
            self._heading = True
            self.found.append({"id": self._ids[-1] if self._ids else "", "title": "", "text": ""})
        elif tag in ("p", "li", "td", "th", "pre", "tr", "dt", "dd") and self.found:
            self.found[-1]["text"] += " "

    def handle_endtag(self, tag: str) -> None:
        self._article -= tag == "article"
        self._skip -= tag in SKIPPED and self._skip > 0
        if tag in HEADINGS:
            self._heading = False
        if tag == "section" and self._ids:
            self._ids.pop()

    def handle_data(self, data: str) -> None:
        if self._article and not self._skip and self.found:
            self.found[-1]["title" if self._heading else "text"] += data


def sections(page: str) -> list[dict[str, str]]:
    """Return the sections of a page's HTML with their titles and texts."""
    parser = Sections()
    parser.feed(page)
    for section in parser.found:
        section["title"] = section["title"].replace("¶", "").replace("#", "").strip()
        section["text"] = shortened(re.sub(r"\s+", " ", section["text"]).strip())
    return parser.found


def shortened(text: str) -> str:
    """Return the beginning of a text, and the words of the rest that it has not yet.

    So the keys at the end of a long table are found too.
    """
    if len(text) <= LONGEST:
        return text
    head = text[:LONGEST].rpartition(" ")[0]
    known = set(re.findall(r"\w[\w.-]*", head))
    rest = dict.fromkeys(re.findall(r"\w[\w.-]*", text[len(head) :]))
    return " ".join([head, *(word for word in rest if word not in known and len(word) > 2)])


def write_index(site: Path) -> None:
    """Write search-data.js: a row for each section with page, id, page title, title and text."""
    rows = []
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if name.startswith(("repository/", "search.html", "404.html", "genindex", "_")):
            continue
        found = sections(path.read_text("utf-8"))
        first = found[0]["title"] if found else name
        rows += [[name, one["id"], first, one["title"], one["text"]] for one in found]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    (site / "_static" / "search-data.js").write_text(f"window.SEARCH_DATA={text};\n", "utf-8")
