"""The parts of a scenario that can be dropped, with everything that refers to them."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rigless.scenario.load import robot_name
from rigless.scenario.planned_inputs import matching_robots
from rigless.sweeps.shrink.draft import Data
from rigless.sweeps.shrink.failure import Failure

Item = tuple[str, int]  # a list of the scenario, and an index in it
WORDS = {
    "faults": ("fault", "faults"),
    "obstacles": ("obstacle", "obstacles"),
    "robots": ("robot", "robots"),
    "programs": ("program", "programs"),
    "timeline": ("timeline entry", "timeline entries"),
    "expect": ("expectation", "expectations"),
}


def list_of(data: Data, kind: str) -> list[Data]:
    """Return a list of a scenario by the kind of its items."""
    found: list[Data] = (data.get("world", {}) if kind == "obstacles" else data).get(kind, [])
    return found


def droppable(data: Data, failure: Failure, folder: Path) -> list[Item]:
    """Return the items that a shrink may drop.

    Of a failure that would also appear if the robots did nothing, the commands, the programs and
    the robots of the expectation are kept.
    """
    found = [(kind, n) for kind in WORDS for n in range(len(list_of(data, kind)))]
    found = [(kind, n) for kind, n in found if kind != "expect"]
    if not failure.keeps_commands:
        return found
    subject = (failure.entry or {}).get("robot")

    def disturbs(kind: str, index: int) -> bool:
        entry = list_of(data, kind)[index]
        if kind == "robots":
            name = robot_name(entry, folder)
            return subject is not None and not _names(name, subject)
        return kind in ("faults", "obstacles") or (kind == "timeline" and "obstacle" in entry)

    return [(kind, index) for kind, index in found if disturbs(kind, index)]


def without(data: Data, items: Iterable[Item], folder: Path) -> Data:
    """Return a scenario without some items and everything that refers to them."""
    gone = set(items)
    robots = [robot_name(e, folder) for n, e in enumerate(data["robots"]) if ("robots", n) in gone]
    obstacles = _dropped_names(data, "obstacles", gone)
    programs = _dropped_names(data, "programs", gone)

    def of_dropped(entry: Data) -> bool:
        robot = entry.get("robot")
        return (
            any(robot is not None and is_of(robot, name) for name in robots)
            or entry.get("obstacle") in obstacles
            or entry.get("program") in programs
        )

    made = {key: value for key, value in data.items() if key != "vary"}
    for kind in WORDS:
        if kind != "obstacles" and kind in data:
            entries = [e for n, e in enumerate(data[kind]) if (kind, n) not in gone]
            plain = kind in ("robots", "programs", "expect")
            made[kind] = [entry for entry in entries if plain or not of_dropped(entry)]
    if obstacles:
        kept = [e for e in list_of(data, "obstacles") if e.get("name") not in obstacles]
        made["world"] = {**data["world"], "obstacles": kept}
    if robots and "noise" in data:
        made["noise"] = {
            key: value
            for key, value in data["noise"].items()
            if not any(is_of(key.partition("/")[0], name) for name in robots)
        }
    if programs:
        made["programs"] = [_without_wait(entry, programs) for entry in made["programs"]]
    return made


def describe(data: Data, items: Sequence[Item]) -> str:
    """Return items in words, such as `2 faults (imu noise, wheels stall), 1 obstacle (cart)`."""
    texts = []
    for kind, (one, many) in WORDS.items():
        entries = [list_of(data, kind)[index] for of, index in items if of == kind]
        if entries:
            names = [name for name in map(_short, entries) if name]
            shown = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
            word = f"{len(entries)} {one if len(entries) == 1 else many}"
            texts.append(f"{word} ({shown})" if shown else word)
    return ", ".join(texts)


def _short(entry: Data) -> str:
    if "target" in entry or ("program" in entry and "kind" in entry):
        words = (entry.get("robot"), entry.get("program"), entry.get("target"), entry.get("kind"))
        return " ".join(str(word) for word in words if word)
    if "at_s" in entry and "name" not in entry:
        return f"at {entry['at_s']:g} s"
    return str(entry.get("name") or entry.get("kind") or "")


def _dropped_names(data: Data, kind: str, gone: set[Item]) -> set[Any]:
    return {e.get("name") for n, e in enumerate(list_of(data, kind)) if (kind, n) in gone}


def is_of(robot: str, name: str) -> bool:
    """Return True if a robot is the one of this entry, or one of its fleet."""
    return robot == name or re.fullmatch(re.escape(name) + r"-\d+", robot) is not None


def _names(name: str, pattern: str) -> bool:
    return bool(matching_robots(pattern, [name])) or is_of(pattern, name) or "*" in pattern


def _without_wait(entry: Data, programs: set[Any]) -> Data:
    wait = entry.get("wait_for")
    if isinstance(wait, dict) and wait.get("program") in programs:
        return {key: value for key, value in entry.items() if key != "wait_for"}
    return entry
