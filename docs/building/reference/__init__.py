"""The reference pages that are generated from the code: `make docs-reference` writes them."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module

from building.places import GENERATED, ROOT

NOTE = (
    "\n\n---\n\n*This page is generated from the code by `make reference`: a test compares them.*\n"
)
PARTS = ("robots", "scenario", "commands", "http_api", "agv_messages", "python_api")


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every generated page."""
    for part in PARTS:
        made: Callable[[], Iterator[tuple[str, str]]] = import_module(
            f"building.reference.{part}"
        ).pages
        for name, text in made():
            yield name, text.rstrip() + NOTE


def write() -> int:
    """Write all pages, and remove those that are no longer made."""
    made = dict(pages())
    for path in GENERATED.rglob("*.md"):
        if path.relative_to(GENERATED).with_suffix("").as_posix() not in made:
            path.unlink()
    for name, text in made.items():
        path = GENERATED / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    print(f"{len(made)} pages are in {GENERATED.relative_to(ROOT)}", file=sys.stderr)
    return 0
