"""`make pictures`: make the pictures of the documentation from the real product.

Without names it makes all of them, which takes some fifteen minutes: demo (those of the panel, by
`scripts/draw-demo`), fleet, recordings, examples (what they print), pacbot-window, gpu-batch,
learning-curve, tutorial, and tutorials/NAME. Each is made in a process and a private network of
its own.
"""

import math
import os
import re
import runpy
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from building import terminal
from building.browser import page_of
from building.places import DOCS, PICTURES, ROOT
from rigless.programs import namespace

RIGLESS = (sys.executable, "-m", "rigless")
LARGEST = 1_000_000  # bytes
LONGEST_S = 900  # of one of DRAWN, on a busy machine
MEASUREMENT = DOCS / "measurements" / "2026-11-19-h200-third.txt"
FIGURE = re.compile(r"(?m)^FIGURE (\w+) advance n=(\d+) new .*?: ([\d.]+) M ticks/s")


def draw(*names: str) -> int:
    """Make the pictures of these names, or all, one after the other."""
    unknown = [name for name in names if name not in DRAWN]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; choose from {', '.join(DRAWN)}", file=sys.stderr)
        return 2
    failed = [name for name in names or DRAWN if not made(name)]
    large = [path.name for path in PICTURES.iterdir() if path.stat().st_size > LARGEST]
    for name in large:
        print(f"{name} is larger than 1 MB", file=sys.stderr)
    if failed:
        print(f"again: make pictures NAMES={shlex.quote(' '.join(failed))}", file=sys.stderr)
    return int(bool(large or failed))


def made(name: str) -> bool:
    """Make one picture in a process of its own. A failure is printed; others are still made."""
    begun = time.monotonic()
    command = [sys.executable, str(DOCS / "build.py"), "picture", name]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            printed, _ = process.communicate(timeout=LONGEST_S)
            code = process.returncode
            problem = f"exit code {code}:\n{printed}" if code else ""
        except subprocess.TimeoutExpired:
            problem = f"not ready after {LONGEST_S} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # browsers and robots, if any are left
    took = f"{time.monotonic() - begun:.0f} s"
    print(f"FAILED {name}: {problem}" if problem else f"made {name}, {took}", file=sys.stderr)
    return not problem


def make_one(name: str) -> int:
    """Make one picture in this process, in a private network: robots have their real ports."""
    with suppress(OSError):
        namespace.enter()
    DRAWN[name]()
    return 0


def tutorial(page: Path) -> None:
    """The pictures of a tutorial, taken while its steps are run."""
    script = ROOT / "tests" / "docs" / "snippets.py"
    command = [sys.executable, str(script), str(page), "--pictures", str(PICTURES)]
    subprocess.run(command, check=True)


def demo() -> None:
    """The pictures of the panel."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "draw-demo")], check=True)


def pacbot_window() -> None:
    """The native window of the Pacbot after half a minute of the example's match."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    import pygame
    from PIL import Image

    from rigless.robots.pacbot.window.capture import picture_of, scene_of
    from rigless.robots.pacbot.window.overlays import Overlays
    from rigless.robots.pacbot.window.painter import Painter

    match = ROOT / "examples" / "09_pacbot_match.py"
    text = match.read_text("utf-8").replace("24 * 90 + 1", "24 * 31 + 1")  # 31 s of the 90
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder, match.name)
        part.write_text(text, "utf-8")
        sim = runpy.run_path(str(part))["sim"]
    pygame.init()
    surface = pygame.Surface((840, 1000))
    overlays = Overlays(boundary=True)
    Painter().paint(surface, scene_of(sim, "pacbot", 1), picture_of(sim, "pacbot", 1), overlays, 60)
    pixels = pygame.image.tobytes(surface, "RGB")
    picture = Image.frombytes("RGB", surface.get_size(), pixels)
    reduced = picture.quantize(256, dither=Image.Dither.NONE)
    reduced.save(PICTURES / "pacbot-window.png", optimize=True)


@contextmanager
def running(*words: str) -> Iterator[str]:
    """Run rigless, and yield the URL of its panel when it is ready."""
    with tempfile.TemporaryDirectory() as state:
        command = [*RIGLESS, "run", *words, "--panel", "127.0.0.1:0", "--state", state, "--quiet"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            lines = iter(process.stdout.readline, "ready\n")
            (url,) = [line.split()[1] for line in lines if line.startswith("panel ")]
            yield url
        finally:
            process.terminate()
            process.wait(30)


def fleet() -> None:
    """The page of a fleet in the panel."""
    words = ("agv", "--count", "80", "--embedded-nats")
    with running(*words) as url, page_of(url, 1440, 900) as page:
        page.wait_for_timeout(8000)
        page.screenshot(path=PICTURES / "fleet.png")


def recordings() -> None:
    """The player of a recording, and two recordings side by side."""
    with tempfile.TemporaryDirectory() as folder:
        for name, theta in (("before", 0.04), ("after", 0.0)):  # it meets a leg, or not
            words = ["run", "vacuum_table_leg", "--fast", "--no-panel", "--quiet"]
            words += ["--set", f"vacuum.start.theta={theta}", "--record", f"{folder}/{name}.mcap"]
            subprocess.run([*RIGLESS, *words], cwd=ROOT, check=True)
        with (
            running("vacuum", "--recordings", folder) as url,
            page_of(url, 1440, 900, "dark") as page,
        ):
            base = url.partition("?")[0]
            page.goto(f"{base}#/recordings")
            page.get_by_role("button", name="Compare", exact=True).click()
            page.wait_for_url("**/compare")
            photograph_at(page, 0.5, "panel-compare.png")
            page.goto(f"{base}#/recordings")
            page.get_by_role("button", name="Open before.mcap", exact=True).click()
            photograph_at(page, 0.5, "panel-player.png")


def photograph_at(page: Any, part: float, name: str) -> None:
    """Go to a place of the shown recording, by its timeline, and take a picture."""
    timeline = page.locator(".timeline-canvas")
    timeline.wait_for()
    page.wait_for_timeout(4000)
    box = timeline.bounding_box()
    page.mouse.click(box["x"] + part * box["width"], box["y"] + box["height"] / 2)
    page.mouse.move(3, 3)
    page.wait_for_timeout(6000)
    page.screenshot(path=PICTURES / name)


def examples() -> None:
    """The output of each example."""
    terminal.draw()


def gpu_batch() -> None:
    """Steps of batches on a graphics processor, from the measurement in docs/measurements."""
    found = FIGURE.findall(MEASUREMENT.read_text("utf-8"))
    rows = [
        {"what": what, "n": int(n), "ticks_per_s": float(millions) * 1e6}
        for what, n, millions in found
    ]
    (PICTURES / "gpu-batch.svg").write_text(bars(rows), "utf-8")


def bars(rows: list[dict[str, Any]]) -> str:
    """Return a chart of ticks a second by kind and number of robots, as SVG."""
    most = max(row["ticks_per_s"] for row in rows)
    parts = []
    for line, row in enumerate(rows):
        y = 46 + 26 * line + 14 * (line // 4)
        width = 430 * row["ticks_per_s"] / most
        text = f"{row['ticks_per_s'] / 1e6:,.0f} million robot ticks/s"
        parts.append(
            f'<text x="8" y="{y + 14}">{row["what"]} × {row["n"]:,}</text>'
            f'<rect x="170" y="{y}" width="{max(2, width):.0f}" height="18" rx="3"/>'
            f'<text x="{176 + width:.0f}" y="{y + 14}">{text}</text>'
        )
    height = 60 + 26 * len(rows) + 14 * (len(rows) // 4)
    head = "Batches on one NVIDIA H200: each robot has the bits of its simulation on the CPU"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {height}" width="800">'
        "<style>text{font:13px system-ui,sans-serif;fill:#151a1f}rect{fill:#2d74b8}"
        ".page{fill:#fff}.head{font-weight:600}</style>"
        f'<rect class="page" width="800" height="{height}"/>'
        f'<text class="head" x="8" y="26">{head}</text>{"".join(parts)}</svg>\n'
    )


def learning_curve() -> None:
    """The learning curve of the example that searches for a policy."""
    example = runpy.run_path(str(ROOT / "examples" / "13_train_a_policy.py"))
    (PICTURES / "learning-curve.svg").write_text(line(example["main"](12)), "utf-8")


def line(rewards: list[float]) -> str:
    """Return a chart of the mean reward by generation, as SVG."""
    low, high = math.floor(min(0.0, *rewards)), math.ceil(max(rewards))

    def y(reward: float) -> float:
        return 44 + 196 * (high - reward) / (high - low)

    def x(generation: int) -> float:
        return 60 + 520 * generation / (len(rewards) - 1)

    places = [(x(i), y(reward)) for i, reward in enumerate(rewards)]
    parts = [
        f'<path class="grid" d="M60 {y(level):.0f}H580"/>'
        f'<text x="50" y="{y(level) + 4:.0f}" text-anchor="end">{level}</text>'
        for level in range(low, high + 1)
    ]
    parts += [
        f'<text x="{x(i):.0f}" y="262" text-anchor="middle">{i + 1}</text>'
        for i in range(len(rewards))
    ]
    joined = "L".join(f"{at:.1f} {up:.1f}" for at, up in places)
    parts.append(f'<path class="curve" d="M{joined}"/>')
    parts += [f'<circle cx="{at:.1f}" cy="{up:.1f}" r="3.5"/>' for at, up in places]
    head = "Mean reward of 160 episodes in each generation of the search"
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 290" width="600">'
        "<style>text{font:13px system-ui,sans-serif;fill:#151a1f}.page{fill:#fff}"
        ".head{font-weight:600}.grid{stroke:#d5dbe1}.curve{fill:none;stroke:#2d74b8;"
        "stroke-width:2}circle{fill:#2d74b8}</style>"
        '<rect class="page" width="600" height="290"/>'
        f'<text class="head" x="8" y="24">{head}</text>{"".join(parts)}'
        '<text x="320" y="282" text-anchor="middle">generation</text></svg>\n'
    )


DRAWN: dict[str, Callable[[], None]] = {
    "demo": demo,
    "fleet": fleet,
    "recordings": recordings,
    "examples": examples,
    "pacbot-window": pacbot_window,
    "gpu-batch": gpu_batch,
    "learning-curve": learning_curve,
    "tutorial": partial(tutorial, DOCS / "tutorial.md"),
    **{
        f"tutorials/{path.stem}": partial(tutorial, path)
        for path in sorted((DOCS / "tutorials").glob("*.md"))
    },
}
