"""Pictures of what the numbered examples print, as a terminal shows it."""

import html
import subprocess
import sys
import tempfile
from pathlib import Path
from textwrap import wrap

from building.browser import page_of
from building.places import PICTURES, ROOT

SIZE = (800, 500)
LINES, COLUMNS = 17, 62  # more lines are cut at the top, longer lines are wrapped
LARGEST, SPACING, ADVANCE, MARGIN = 24.0, 1.35, 0.61, 24  # pixels, and parts of the size of letters
PAGE = """<body style="margin:0;background:#14181d"><div style="padding:{margin}px;color:#d7dde3;
font:{size}px/{spacing} 'DejaVu Sans Mono','Liberation Mono',monospace;white-space:pre"><span
style="color:#f08a4b">$</span> <b style="color:#fff">python {name}</b>
{text}</div></body>"""


def draw() -> None:
    """Run each example, and write docs/pictures/example-NN.png with what it prints."""
    from PIL import Image

    with page_of("about:blank", *SIZE) as page:
        for path in sorted((ROOT / "examples").glob("[0-9][0-9]_*.py")):
            target = PICTURES / f"example-{path.name[:2]}.png"
            page.set_content(shown(path.name, printed(path)))
            page.screenshot(path=target)
            with Image.open(target) as picture:
                reduced = picture.convert("RGB").quantize(32, dither=Image.Dither.NONE)
            reduced.save(target, optimize=True)


def printed(path: Path) -> str:
    """Run an example and return what it prints."""
    command = [sys.executable, str(path)]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return run.stdout


def shown(name: str, text: str) -> str:
    """Return the page of a terminal with a text, in letters that fill it."""
    lines = text.rstrip().splitlines()
    drawing = text.count("#") > len("".join(text.split())) / 2
    if not drawing:
        parts = (wrap(line, COLUMNS, subsequent_indent="    ") or [""] for line in lines)
        lines = [part for line in parts for part in line]
        lines = lines if len(lines) <= LINES else ["…", *lines[-LINES + 1 :]]
    width, height = SIZE[0] - 2 * MARGIN, SIZE[1] - 2 * MARGIN
    widest = max(len(line) for line in lines)
    size = min(LARGEST, width / (ADVANCE * widest), height / (SPACING * (len(lines) + 1)))
    written = html.escape("\n".join(lines))
    return PAGE.format(margin=MARGIN, size=f"{size:.1f}", spacing=SPACING, name=name, text=written)
