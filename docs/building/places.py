"""The places of the documentation in the repository, and of what is built from it."""

from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MENU = DOCS / "building" / "menu.toml"
THEME = DOCS / "building" / "theme"
BUILT = ROOT / "build" / "docs"
SOURCE = BUILT / "source"
SITE = BUILT / "site"
GENERATED = DOCS / "reference" / "generated"
PICTURES = DOCS / "pictures"
PROJECT = ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY", "CODE_OF_CONDUCT")


def docname(path: Path) -> str | None:
    """Return the name of the site's page for a Markdown file, or None if the site has none.

    `path` is relative to the repository. The README of the repository is not on the site: its front
    page is docs/README.md.
    """
    parts = path.with_suffix("").parts
    if path.suffix != ".md":
        return None
    if parts[0] == "docs":
        inner = parts[1:]
        if inner[-1] == "README":
            inner = (*inner[:-1], "index")
        return "/".join(inner)
    if parts == ("README",):
        return "index"
    if len(parts) == 1 and parts[0] in PROJECT:
        return "project/" + parts[0].lower().replace("_", "-")
    if parts[:3] == ("src", "rigless", "robots") and parts[-1] == "README" and len(parts) == 5:
        return f"robots/{parts[3]}"
    if parts[0] == "examples" and parts[-1] == "README":
        return "/".join(parts[:-1])
    return None


@cache
def pages() -> dict[str, Path]:
    """Return the Markdown files of the site by the names of their pages."""
    found = [
        *DOCS.rglob("*.md"),
        *(ROOT / f"{name}.md" for name in PROJECT if (ROOT / f"{name}.md").is_file()),
        *ROOT.glob("src/rigless/robots/*/README.md"),
        *ROOT.glob("examples/*/README.md"),
    ]
    return {
        name: path
        for path in sorted(found)
        if (name := docname(path.relative_to(ROOT))) is not None
    }
