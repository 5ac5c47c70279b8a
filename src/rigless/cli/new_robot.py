"""`rigless new robot`: make a folder with a small complete robot and its test."""

import keyword
import re
import sys
from pathlib import Path

from rigless.console import print_note
from rigless.kernel.problems import InputError, Problem
from rigless.scenario import kinds
from rigless.testing import template_robot

TEMPLATE = Path(template_robot.__file__).parent
PACKAGE, CLASS = "template_robot", "TemplateRobot"  # the names to replace in the template


def make_robot(name: str, into: Path) -> Path:
    """Copy the template robot to `into/name` under its new name and return the folder."""
    _check_name(name)
    folder = into / name
    if folder.exists():
        raise InputError(Problem(str(folder), "exists already", "choose another name or --into"))
    class_name = "".join(part.capitalize() for part in name.split("_"))
    try:
        for path in sorted(TEMPLATE.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                target = folder / str(path.relative_to(TEMPLATE)).replace(PACKAGE, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                text = path.read_text("utf-8").replace(PACKAGE, name).replace(CLASS, class_name)
                target.write_text(text, encoding="utf-8")
    except OSError as error:
        problem = f"cannot be written: {error.strerror}"
        raise InputError(Problem(str(folder), problem, "choose another folder")) from None
    return folder


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name) or keyword.iskeyword(name):
        fix = "use at most 64 lower-case letters, digits and _, for example: my_robot"
        raise InputError(Problem("NAME", f"{name!r} is not a name for a robot", fix))
    if name in kinds.installed() or name in sys.stdlib_module_names or name == "rigless":
        raise InputError(Problem("NAME", f"{name!r} is taken", "choose another name"))


def show_next_steps(folder: Path) -> None:
    """Print what to do with a new robot."""
    print_note(f"made {folder}; next:")
    for command in ("rigless run", "pytest"):
        print_note(f"  {command} {folder}")
    print_note(f"  rigless check {folder / 'turn.toml'}")
