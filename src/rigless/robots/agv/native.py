"""Read a robot_config.json with the line of each key. The checks are in checks/."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from rigless.kernel.documents import Document, parse_json
from rigless.kernel.problems import InputError, Problem

LARGEST = 4 * 1024 * 1024  # a robot with a thousand motors takes half of it
NAME = "robot_config"
SIGNS = (b'"schemaVersion"', b'"identity"', b'"motors"')
PATHS = (("nats", "credsFilePath"), ("runtime", "simulationProfile", "map"))  # keys that name files


def read_native(path: Path) -> Document | None:
    """Return the config in the file, or None if it is not a robot's.

    Raises InputError if it is not JSON.
    """
    if path.suffix != ".json":
        return None
    try:
        with path.open("rb") as stream:
            head = stream.read(LARGEST)
    except OSError:
        return None
    versioned, *parts = (sign in head for sign in SIGNS)
    by_name = path.stem.startswith(NAME)  # even if the file is nearly empty
    if not versioned and not all(parts) and not by_name:
        return None
    native, problems = read_config(path)
    if problems or native is None:
        raise InputError(problems)
    ours = (
        by_name
        or native.data["schemaVersion"] is not None
        or {"identity", "motors"} <= native.data.keys()
    )
    return native if ours else None


def read_config(path: Path) -> tuple[Document | None, list[Problem]]:
    """Return the config of a robot's file as far as it can be read, and the syntax problems."""
    file = str(path)
    try:
        document = parse_json(_text(path), file)
    except InputError as error:
        return None, list(error.problems)
    problems = [
        replace(problem, what=f"column {problem.column}: {problem.what}", code="NOT_JSON")
        for problem in document.problems
    ]
    config = document.data
    if isinstance(config, dict):
        config.setdefault(
            "schemaVersion", None
        )  # a file is complete: no defaults of the bundled robot
        for keys in PATHS:
            _resolve(config, keys, path.parent)
        return document, problems
    if not problems:
        what, fix = "is not an object", "a robot_config.json begins with {"
        problems.append(Problem("", what, fix, file, 1, "NOT_AN_OBJECT"))
    return None, problems


def _text(path: Path) -> str:
    file = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        what, fix = (
            f"cannot be read: {error.strerror}",
            "name a robot_config.json; rigless agv new FILE makes one",
        )
        raise InputError(Problem("", what, fix, file, code="UNREADABLE")) from None
    except ValueError:
        raise InputError(
            Problem("", "is not a file name", "name a robot_config.json", file, code="UNREADABLE")
        ) from None
    if len(data) > LARGEST:
        what = f"is larger than {LARGEST // 1024**2} MiB"
        raise InputError(Problem("", what, "is it a robot_config.json?", file, code="TOO_LARGE"))
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = error.start - (before.rfind(b"\n") + 1) + 1
        what = f"is not UTF-8 text: column {column}: {error.reason}"
        fix = "save it as UTF-8"
        raise InputError(
            Problem("", what, fix, file, before.count(b"\n") + 1, "NOT_UTF8")
        ) from None


def _resolve(config: dict[str, Any], keys: tuple[str, ...], folder: Path) -> None:
    table: Any = config
    for key in keys[:-1]:
        table = table.get(key) if isinstance(table, dict) else None
    name = table.get(keys[-1]) if isinstance(table, dict) else None
    if not isinstance(name, str) or not name:
        return
    try:
        beside = folder / name
        if beside.is_file():
            table[keys[-1]] = str(beside.resolve())
    except (OSError, ValueError):  # not a valid file name: reported by the checks
        return
