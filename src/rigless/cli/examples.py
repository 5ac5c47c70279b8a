"""`rigless examples`: list the bundled examples, show one, or copy them to a folder."""

import ast
import re
import shutil
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rigless.console import print_line, print_note
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.scenario.bundled import folder

IGNORED = ("__pycache__", "*.pyc", "*.egg-info")
GALLERY = Path(__file__).with_name("examples.toml")
CODE = {".py", ".toml", ".nc", ".json", ".ts"}


@dataclass(frozen=True)
class Example:
    """A script, or a folder with a robot, configs or programs."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def summary(self) -> str:
        """The first line of the docstring, or the first sentence of the README."""
        source = self.path / "__init__.py" if self.path.is_dir() else self.path
        if source.is_file():
            text = ast.get_docstring(ast.parse(source.read_text("utf-8"))) or ""
            return text.split("\n")[0]
        paragraph = (self.path / "README.md").read_text("utf-8").split("\n\n")[1]
        text = re.sub(r"\s*\(\[.*", "", paragraph.replace("\n", " "))
        return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # the text of a link

    @property
    def lines(self) -> int:
        """The number of lines of its code that are not empty."""
        files = [self.path] if self.path.is_file() else self.path.rglob("*")
        texts = [path.read_text("utf-8") for path in files if path.suffix in CODE]
        return sum(1 for text in texts for line in text.splitlines() if line.strip())

    @property
    def size(self) -> str:
        """The number of lines of its code as text. Rounding hides small edits."""
        return f"about {max(10, round(self.lines, -1))} lines"

    @property
    def duration(self) -> str:
        """The time that it takes, in words."""
        return str(gallery()[self.name]["takes"])

    @property
    def picture(self) -> str:
        """The name of its picture in docs/pictures."""
        return str(gallery()[self.name]["picture"])

    def commands(self, at: Path) -> list[str]:
        """Return commands that use the example if it is at `at`."""
        if at.suffix == ".py":
            return [f"python {at}"]
        if (at / "__init__.py").is_file():
            scenarios = [f"rigless check {path}" for path in _files(at) if path.suffix == ".toml"]
            return [f"rigless run {at}", *scenarios]
        programs = {".nc": "rigless welder validate", ".json": "rigless run"}
        files = [f"{programs[p.suffix]} {p}" for p in _files(at) if p.suffix in programs]
        inner = sorted({path.parent for path in at.glob("*/*.toml")})
        return files + [f"rigless check {each}/*.toml" for each in inner]


@cache
def gallery() -> dict[str, Any]:
    """Return what the gallery says about each example, by its name."""
    return tomllib.loads(GALLERY.read_text("utf-8"))


def examples() -> list[Example]:
    """Return all bundled examples: first folders, then scripts in their order."""
    place = folder("examples")
    paths = [path for path in place.iterdir() if path.name != "__pycache__"] if place else []
    return [Example(path) for path in sorted(paths, key=lambda path: (path.is_file(), path.name))]


def show_examples(name: str | None, copy: Path | None, force: bool) -> None:
    """List the examples, show where one is and how to use it, or copy one or all."""
    chosen = examples() if name is None else [find_example(name)]
    if copy is not None:
        copy_examples(chosen, copy, force)
    elif name is None:
        for example in chosen:
            size = f"{example.size}, {example.duration}"
            print_line(f"  {example.name:<26} {size:<32} {example.summary}")
        print_note("copy them to a folder: rigless examples [NAME] --copy DIR", "dim")
    else:
        print_line(str(chosen[0].path))
        print_note(chosen[0].summary)
        _print_next(chosen[0].commands(chosen[0].path))


def find_example(name: str) -> Example:
    """Return the example of a name, with or without its number and suffix."""
    known = {example.name: example for example in examples()}
    short = {key.lstrip("0123456789_"): example for key, example in known.items()}
    wanted = name.rstrip("/").removeprefix("examples/").removesuffix(".py")
    found = known.get(wanted) or short.get(wanted)
    if found is None:
        raise unknown("example", name, known)
    return found


def copy_examples(chosen: list[Example], into: Path, force: bool) -> None:
    """Copy examples into a folder. Existing files are replaced only with `force`."""
    targets = {example: into / example.path.name for example in chosen}
    taken = [str(path) for path in targets.values() if path.exists()]
    if taken and not force:
        fix = "choose another folder, or replace them with --force"
        raise InputError([Problem(path, "exists already", fix) for path in taken])
    try:
        into.mkdir(parents=True, exist_ok=True)
        for example, target in targets.items():
            if example.path.is_dir():
                ignored = shutil.ignore_patterns(*IGNORED)
                shutil.copytree(example.path, target, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copyfile(example.path, target)
            print_line(str(target))
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise InputError(Problem(str(into), reason, "choose another folder")) from None
    if len(targets) == 1:
        ((example, target),) = targets.items()
        _print_next(example.commands(target))


def _print_next(commands: list[str]) -> None:
    if commands:
        print_note("next:")
    for command in commands:
        print_note(f"  {command}")


def _files(place: Path) -> list[Path]:
    return sorted(path for path in place.iterdir() if path.is_file())
