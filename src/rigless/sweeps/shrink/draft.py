"""A scenario as data that can be changed, run without a file, and written to another folder."""

import copy
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rigless.kernel.problems import InputError, Problem
from rigless.scenario.bundled import find_scenario
from rigless.scenario.kinds import installed, is_folder
from rigless.scenario.load import apply_settings, read_toml, with_native_configs
from rigless.scenario.source import Source

Data = dict[str, Any]
ORDER = (  # of the keys in a file
    *("name", "description", "seed", "duration_s", "speed", "late_max_ms", "settle_s"),
    *("world", "robots", "noise", "programs", "timeline", "faults", "expect"),
)


@dataclass
class Draft:
    """A scenario as data, and the folder that its files are relative to.

    `natives` holds the content of native configs by kind and name, so that a run reads no file. A
    robot whose config no setting has changed keeps the name of its file.
    """

    data: Data
    source: Source = field(default_factory=Source)
    natives: dict[tuple[str, str], Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.source.folder

    @property
    def file(self) -> str:
        return self.source.file

    def complete(self, data: Data) -> Data:
        """Return data of a candidate with the content of its native configs."""
        data = copy.deepcopy(data)
        for entry in data["robots"]:
            if isinstance(entry.get("config"), str):
                entry["config"] = copy.deepcopy(self.natives[entry["kind"], entry["config"]])
        return data


def read_draft(target: str, settings: Iterable[str] = (), seed: int | None = None) -> Draft:
    """Return the draft of a scenario with settings and seed. Raises InputError."""
    path = Path(target)
    if not path.is_file():
        path = find_scenario(target) or path
    if path.suffix != ".toml" or not path.is_file():
        fix = "give a scenario .toml with [[expect]] entries, or a table of a sweep and a row"
        what = f"there is no scenario {target!r}"
        if path.exists() or target in installed():
            what = f"{target!r} is no scenario, so it expects nothing"
        raise InputError(Problem("", what, fix))
    data, source = read_toml(path)
    named = [entry.get("config") for entry in _robots(data)]
    complete = with_native_configs(copy.deepcopy(data), source)
    before = [copy.deepcopy(entry.get("config")) for entry in _robots(complete)]
    problems: list[Problem] = []
    apply_settings(complete, settings, problems, beside=source.folder)
    if problems:
        raise InputError(problems)
    natives: dict[tuple[str, str], Any] = {}
    for entry, name, native in zip(_robots(complete), named, before, strict=True):
        if isinstance(name, str) and entry.get("config") == native:
            entry["config"], natives[entry["kind"], name] = name, native
    if seed is not None:
        complete["seed"] = seed
    complete.pop("vary", None)
    return Draft(complete, source, natives)


def _robots(data: Data) -> list[Data]:
    robots = data.get("robots")
    return [each for each in robots if isinstance(each, dict)] if isinstance(robots, list) else []


def ordered(data: Data) -> Data:
    """Return a scenario with its keys in the usual order, without empty tables."""
    known = {key: data[key] for key in (*ORDER, *data) if key in data}
    if "world" in known:
        known["world"] = {key: value for key, value in known["world"].items() if value != []}
    return {key: value for key, value in known.items() if value not in ({}, [])}


def moved(data: Data, folder: Path, to: Path) -> Data:
    """Return a scenario whose relative paths are right in another folder."""
    data = copy.deepcopy(data)

    def path(name: str) -> str:
        if Path(name).is_absolute():
            return name
        return os.path.relpath((folder / name).resolve(), to.resolve())

    world = data.get("world", {})
    if isinstance(world.get("map"), str) and (folder / world["map"]).is_file():
        world["map"] = path(world["map"])
    for entry in data["robots"]:
        if isinstance(entry.get("config"), str):
            entry["config"] = path(entry["config"])
        if is_folder(entry["kind"]):
            kind = path(entry["kind"])
            entry["kind"] = kind if is_folder(kind) else f"./{kind}"
    if folder.resolve() != to.resolve():
        for entry in data.get("programs", []):
            cwd = entry.get("cwd", ".")
            entry["cwd"] = cwd if cwd.startswith("{") else path(cwd)
    return data
