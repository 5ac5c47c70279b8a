"""The sources of the site: the repository's pages, with links and menus for the site."""

import re
import shutil
from pathlib import Path

from building.links import Links, lines, relative
from building.menu import Entry, menu
from building.places import DOCS, ROOT, SOURCE, pages

LANGUAGES = {
    ".py": "python", ".toml": "toml", ".json": "json", ".yaml": "yaml", ".yml": "yaml",
    ".js": "javascript", ".ts": "typescript", ".proto": "protobuf", ".nc": "text", ".sh": "sh",
    ".urdf": "xml", ".xml": "xml",
}  # fmt: skip
LONGEST_SOURCE = 200_000  # characters
ALERT = re.compile(r"^> \[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*$")
CLASS = re.compile(r"^<!-- class: ([\w -]+) -->$")
UNSEARCHED = "---\norphan: true\nnosearch: true\n---\n"


def stage() -> None:
    """Write the sources of the site to `SOURCE`, afresh. A broken link raises BrokenLinkError."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    links = Links()
    toctrees = below()
    for name, path in pages().items():
        text = adapted(links.rewritten(path.read_text("utf-8"), path, name))
        _write(name, text + toctrees.pop(name, ""))
    for name, toctree in toctrees.items():  # a folder without a README
        _write(name, f"# {name.split('/')[-2].capitalize()}\n\n{_list(name)}{toctree}")
    done: set[Path] = set()
    while waiting := (links.sources | links.folders) - done:
        for path in sorted(waiting):
            _write(*_file(path) if path in links.sources else _folder(path, links))
        done |= waiting
    for path in links.pictures:
        target = SOURCE / "_repository" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)


def below() -> dict[str, str]:
    """Return the menus to add to pages, by the names of the pages."""
    found = {"index": ""}

    def add(entry: Entry) -> None:
        if entry.below:
            found[entry.page] = toctree([one.page for one in entry.below], "", entry.page)
            for one in entry.below:
                add(one)

    for section in menu():
        found["index"] += toctree([one.page for one in section.entries], section.title, "index")
        for entry in section.entries:
            add(entry)
    return found


def toctree(names: list[str], caption: str, page: str) -> str:
    """Return a hidden menu for Sphinx."""
    title = f":caption: {caption}\n" if caption else ""
    listed = "\n".join(entry(name) for name in names)
    return f"\n```{{toctree}}\n:hidden:\n{title}\n{listed}\n```\n"


def entry(name: str) -> str:
    """Return a line of the menu. In the section of how-to guides, titles do not repeat it."""
    path = pages().get(name)
    text = title(path) if path else ""
    if text.startswith("How to "):
        return f"{text[7:8].upper()}{text[8:]} </{name}>"
    return f"/{name}"


def adapted(text: str) -> str:
    """Turn a code host's alerts, and the classes in comments, into MyST's."""
    result: list[str] = []
    inside = False
    for line, fenced in lines(text):
        if inside and not line.startswith(">"):
            result.append(":::\n")
            inside = False
        if fenced:
            result.append(line)
        elif found := ALERT.match(line):
            result.append(f":::{{{found[1].lower()}}}\n")
            inside = True
        elif found := CLASS.match(line.rstrip()):
            result.append("{." + found[1].replace(" ", " .") + "}\n")
        else:
            result.append(re.sub("^> ?", "", line) if inside else line)
    return "".join(result) + (":::\n" if inside else "")


def _list(name: str) -> str:
    folder = DOCS / name.rsplit("/", 1)[0]
    rows = (f"- [{title(path)}]({path.name})\n" for path in sorted(folder.glob("*.md")))
    return "".join(rows)


def title(path: Path) -> str:
    """Return the title of a Markdown file."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return path.stem


def _write(name: str, text: str) -> None:
    path = SOURCE / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _file(path: Path) -> tuple[str, str]:
    """Return the page that shows a source file."""
    text = (ROOT / path).read_text("utf-8", errors="replace")[:LONGEST_SOURCE]
    longest = max((len(run) for run in re.findall("`+", text)), default=2)
    fence = "`" * max(3, longest + 1)
    language = LANGUAGES.get(path.suffix, "text")
    code = f"{fence}{language}\n{text.rstrip()}\n{fence}\n"
    return f"repository/{path}", f"{UNSEARCHED}\n# {path.name}\n\n`{path}`\n\n{code}"


def _folder(path: Path, links: Links) -> tuple[str, str]:
    """Return the page that lists the files of a folder."""
    name = f"repository/{path}/files"
    inner = sorted(one for one in (ROOT / path).iterdir() if one.is_file())
    rows = [
        f"- [{one.name}]({relative(links.page_of(one), name)})\n"
        for one in inner
        if one.suffix in LANGUAGES or one.suffix == ".md"
    ]
    return name, f"{UNSEARCHED}\n# {path}\n\n{''.join(rows)}"
