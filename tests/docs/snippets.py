"""Run the commands and programs of a page, and compare what they print with what the page says.

`python tests/docs/snippets.py PAGE [--pictures FOLDER]` runs one page. The blocks of a page are
run in order, in a new folder and in a private network, so that robots have their real ports:

- a block of `sh` is run by bash; one of `python` is run by Python;
- the block without a language, or of `text`, after it is what it must print. `…` in a line stands
  for any text, a line that is only `…` for any lines;
- a comment before a block changes that: `<!-- file: NAME -->` writes it to a file,
  `<!-- run: exit 1 -->` expects this exit code, `<!-- run: background -->` goes on when it has
  printed the lines of the text, among others; `<!-- run: not, REASON -->` leaves it out;
- `<!-- run: each -->` runs the lines of a block one by one, and ends a `rigless run` with Ctrl-C
  before the next; `<!-- run: each background -->` lets the last one go on;
- `<!-- patch: NAME -->` before a block of `diff` changes a file;
- `<!-- stop -->` ends what runs in the background, as Ctrl-C does;
- `<!-- picture: WHAT -->` before a picture of docs/pictures says of what it is: a file that the
  page has made (`report.html`, `paths.png`), or a route of the panel in the background
  (`panel robot/vacuum`). With `--pictures FOLDER` the picture is taken and written there.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(
    r"(?ms)^(?:<!-- (?P<key>file|patch|run): (?P<value>[^\n]*?) -->\n+)?"
    r"^(?P<fence>`{3,})(?P<language>\w*)\n(?P<text>.*?)^(?P=fence)$"
    r"|^<!-- (?P<stop>stop) -->$"
    r"|^<!-- picture: (?P<seen>[^\n]*?) -->\n+!\[[^\]]*\]\([^)\n]*?(?P<picture>[\w-]+\.png)\)"
)
RUN = ("sh", "python")
COMPILING = re.compile(r"(?m)^compiling for this machine; .*\n")  # at the first run only
TOO_SLOW = re.compile(r"(?m)^ *invalid: machine too slow")
TRIES = 5  # of a block with an invalid run
LONGEST_S = 1500  # of a block, on a busy machine
START_S = 400  # of a block in the background, which may compile
SCREENS = {"html": (1100, 900), "panel": (1280, 800)}  # sizes of pictures
SETTLE_MS = {"html": 1000, "panel": 7000}  # until there is something to see


@dataclass
class Step:
    """A block of a page that does something, with its line and what it must print."""

    line: int
    kind: str  # sh, python, file, patch, stop, picture
    text: str = ""  # of a picture: what it shows
    option: str = ""  # exit N, each, background, or the name of a file
    prints: str | None = None


class WrongOutputError(AssertionError):
    """A block printed something else, or ended in another way."""


def steps(page: str) -> list[Step]:
    """Return what a page does. A block that nothing runs, writes or prints is an error."""
    found: list[Step] = []
    for block in BLOCK.finditer(page):
        line = page.count("\n", 0, block.start("fence") if block["fence"] else block.start()) + 1
        language, option = block["language"], block["value"] or ""
        if block["stop"]:
            found.append(Step(line, "stop"))
        elif block["picture"]:
            found.append(Step(line, "picture", block["seen"], block["picture"]))
        elif block["key"] in ("file", "patch"):
            found.append(Step(line, block["key"], block["text"], option))
        elif option.startswith("not, "):
            continue
        elif language in RUN:
            found.append(Step(line, language, block["text"], option))
        elif language in ("", "text") and found and found[-1].kind in RUN and not found[-1].prints:
            found[-1].prints = block["text"]
        else:
            raise ValueError(f"line {line}: nothing says what this block is for")
    return found


def matches(expected: str, printed: str) -> bool:
    """Return True if a text is what a page says."""
    lines = expected.strip("\n").split("\n")
    parts = [
        r"(?:.*\n)*?"
        if line.strip() == "…"
        else ".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r" *\n"
        for line in lines
    ]
    printed = COMPILING.sub("", printed).strip("\n") + "\n"
    return re.fullmatch("".join(parts), printed) is not None


def patched(text: str, changes: str) -> str:
    """Return a text with the changes of a diff, whose parts are divided by lines with @@."""
    for part in re.split(r"(?m)^@@.*\n", changes):
        lines = part.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] != "+")
        if text.count(old) != 1:
            raise WrongOutputError(f"the file has these lines {text.count(old)} times:\n{old}")
        text = text.replace(old, "".join(line[1:] for line in lines if line[0] != "-"))
    return text


class Page:
    """Runs the steps of a page in a folder."""

    def __init__(self, folder: Path, pictures: Path | None = None):
        self.folder = folder
        self.pictures = pictures  # where pictures are written
        self.url = ""  # of the panel in the background
        self.shown = {  # folders as a picture shows them
            str(folder / ".tools" / "state"): "~/.local/state/rigless",
            str(folder): "~/project",
            sys.prefix: "~/project/.venv",
        }
        self.running: list[subprocess.Popen[bytes]] = []
        tools = folder / ".tools"
        tools.mkdir()
        (tools / "pip").write_text(f"#!{sys.executable}\n{PIP}")
        (tools / "pip").chmod(0o755)
        paths = [str(tools), str(Path(sys.executable).parent), os.environ["PATH"]]
        self.environment = os.environ | {
            "PATH": os.pathsep.join(paths),
            "RIGLESS_STATE": str(tools / "state"),
            "XDG_RUNTIME_DIR": str(tools),
            "HOME": str(folder),
            "NO_COLOR": "1",
            "COLUMNS": "160",
            "PYPROJECT": str(ROOT / "pyproject.toml"),
        }

    def run(self, step: Step) -> None:
        """Do one step."""
        if step.kind == "stop":
            self.stop()
        elif step.kind == "file":
            path = self.folder / step.option
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, "utf-8")
        elif step.kind == "patch":
            path = self.folder / step.option
            path.write_text(patched(path.read_text("utf-8"), step.text), "utf-8")
        elif step.kind == "picture":
            self._picture(step)
        elif step.option.startswith("each"):
            self._each(step)
        elif step.option == "background":
            self._start(step)
        else:
            self._command(step)

    def _each(self, step: Step) -> None:
        """Run the lines of a block one by one. What a robot prints is compared with the text."""
        lines = [line for line in step.text.splitlines() if line.split("#")[0].strip()]
        for place, line in enumerate(lines):
            if not line.startswith("rigless run ") or "--fast" in line:
                self._command(Step(step.line, "sh", line))
                continue
            last = not any(one.startswith("rigless run ") for one in lines[place + 1 :])
            wanted = step.prints if last and step.prints else "ready\n"
            self._start(Step(step.line + place + 1, "sh", line, "background", wanted))
            if not (last and step.option == "each background"):
                self.stop()

    def _words(self, step: Step) -> list[str]:
        return ["bash", "-ec", step.text] if step.kind == "sh" else ["python", "-c", step.text]

    def _command(self, step: Step) -> None:
        for _ in range(TRIES):  # a run on a busy machine may say nothing about the program
            done = subprocess.run(
                self._words(step),
                cwd=self.folder,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=LONGEST_S,
                check=False,
            )
            if not TOO_SLOW.search(done.stdout):
                break
        wanted = int(step.option.removeprefix("exit ") or 0)
        if done.returncode != wanted:
            raise WrongOutputError(f"exit code {done.returncode}, not {wanted}:\n{done.stdout}")
        if step.prints is not None and not matches(step.prints, done.stdout):
            raise WrongOutputError(f"it printed:\n{done.stdout}\nbut the page says:\n{step.prints}")

    def _start(self, step: Step) -> None:
        log = self.folder / ".tools" / f"{step.line}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                self._words(step),
                cwd=self.folder,
                env=self.environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.running.append(process)
        lines = (step.prints or "").splitlines()
        wanted = "\n".join(["…", *(f"{line}\n…" for line in lines)])  # other lines are between
        end = time.monotonic() + START_S
        while not matches(wanted, log.read_text("utf-8")):
            if time.monotonic() > end or process.poll() is not None:
                raise WrongOutputError(
                    f"it printed:\n{log.read_text('utf-8')}\nnot:\n{step.prints}"
                )
            time.sleep(0.1)
        urls = re.findall(r"(?m)^panel (\S+)$", log.read_text("utf-8"))
        self.url = urls[-1] if urls else ""

    def _picture(self, step: Step) -> None:
        """Take a picture, or only check that what it shows is there."""
        what, _, route = step.text.partition(" ")
        path = self.folder / what
        if not (self.url if what == "panel" else path.is_file()):
            raise WrongOutputError(f"there is no {what} to be seen in {step.option}")
        if self.pictures is None:
            return
        target = self.pictures / step.option
        if path.suffix == ".png":
            target.write_bytes(path.read_bytes())
        elif what == "panel":
            photograph(self.url, target, "panel", route, self.shown)
        else:
            photograph(path.as_uri(), target, "html", "", self.shown)

    def stop(self) -> None:
        """End what runs in the background, with all that it has started."""
        for process in self.running:
            for what in (signal.SIGINT, signal.SIGKILL):
                if process.poll() is None:
                    os.killpg(process.pid, what)
                    try:
                        process.wait(30)
                    except subprocess.TimeoutExpired:
                        continue
        self.running.clear()
        self.url = ""


RENAME = """shown => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
        for (const [folder, name] of Object.entries(shown))
            if (texts.currentNode.data.includes(folder))
                texts.currentNode.data = texts.currentNode.data.replaceAll(folder, name);
}"""


def photograph(url: str, target: Path, kind: str, route: str, shown: dict[str, str]) -> None:
    """Take a picture of a page in a browser, with 256 colours and with other names of folders."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    width, height = SCREENS[kind]
    browsers = ("chromium", "chromium-browser", "google-chrome")
    path = next((found for name in browsers if (found := shutil.which(name))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(url)
        if route:
            page.wait_for_timeout(2000)
            page.goto(f"{url.partition('?')[0]}#/{route}")
        page.mouse.move(3, 3)
        page.wait_for_timeout(SETTLE_MS[kind])
        page.evaluate(RENAME, shown)
        page.screenshot(path=target)
        browser.close()
    with Image.open(target) as picture:
        reduced = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    reduced.save(target, optimize=True)


PIP = """
import os, re, sys, tomllib
known = tomllib.load(open(os.environ["PYPROJECT"], "rb"))["project"]["optional-dependencies"]
for word in sys.argv[2:]:
    name, _, extras = word.rstrip("]").partition("[")
    missing = [one for one in extras.split(",") if one and one not in known]
    if name == "rigless" and missing:
        sys.exit(f"pyproject.toml has no extra {missing}")
"""


def run_page(path: Path, pictures: Path | None = None) -> None:
    """Run a page. The line of the step that fails is in the error."""
    with tempfile.TemporaryDirectory() as name:
        page = Page(Path(name), pictures)
        try:
            for step in steps(path.read_text("utf-8")):
                begun = time.monotonic()
                try:
                    page.run(step)
                except (WrongOutputError, subprocess.TimeoutExpired) as error:
                    raise SystemExit(f"{path}:{step.line}: {error}") from None
                print(f"{path.name}:{step.line}: ok, {time.monotonic() - begun:.1f} s", flush=True)
        finally:
            page.stop()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    from rigless.programs import namespace

    namespace.enter()
    taken = Path(sys.argv[3]).resolve() if sys.argv[2:3] == ["--pictures"] else None
    run_page(Path(sys.argv[1]).resolve(), taken)
