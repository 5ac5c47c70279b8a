"""`make reference` also writes docs/gallery.md: the examples, as `rigless examples` lists them."""

from building.places import DOCS
from rigless.cli.examples import Example, examples

TEXT = """# Examples

Each of them runs as it stands, and the tests run it. `rigless examples` lists the same, and
`rigless examples NAME --copy DIR` copies one to a folder. Lines of code and times are rounded;
times are after `rigless compile`, and “until Ctrl-C” stands for robots that keep running.

<!-- class: cards gallery -->
"""


def text() -> str:
    """Return the page."""
    return TEXT + "".join(card(one) for one in examples())


def card(example: Example) -> str:
    """Return the card of one example."""
    place = f"../examples/{example.path.name}"
    picture = f"![{example.name}](pictures/{example.picture})"
    size = f"{example.size} · {example.duration}"
    return f"- {picture}\n\n  **[{example.name}]({place})**\n\n  {example.summary}\n\n  *{size}*\n"


def write() -> int:
    """Write the page."""
    (DOCS / "gallery.md").write_text(text(), "utf-8")
    return 0
