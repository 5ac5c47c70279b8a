"""Load targets: a robot kind, a scenario file, a robot's native file, or a robot folder."""

import copy
import json
import os
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rigless.kernel.documents import Document, parse_toml
from rigless.kernel.documents.validation import validate
from rigless.kernel.fleet import fleet_rules
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.simulation import Simulation
from rigless.scenario import extras, kinds
from rigless.scenario.build import Built, build
from rigless.scenario.bundled import bundled_scenarios, find_scenario, folder
from rigless.scenario.expect.names import check_all_names
from rigless.scenario.model import Scenario
from rigless.scenario.planned_inputs import matching_robots
from rigless.scenario.source import Source
from rigless.transports.capabilities import capabilities

RAW = dict[str, Any]
FILES = (".toml", ".tml", ".json", ".yaml", ".yml", ".mcap")  # suffixes of file names


def load(target: str | Path, seed: int | None = None, settings: Iterable[str] = ()) -> Simulation:
    """Return a simulation to be run in virtual time.

    The target is a robot kind, a scenario, a robot's native file or a robot folder. `settings` are
    texts such as "report_hz=5". Raises InputError with everything that is wrong.

        sim = rigless.load("vacuum", seed=7)
        sim.run(seconds=2.0)
    """
    return open_target(target, settings, seed).simulation


def open_target(
    target: str | Path,
    settings: Iterable[str] = (),
    seed: int | None = None,
    collect: bool = True,
    load_transport: Callable[[Port], object] | None = None,
    for_programs: bool = False,
) -> Built:
    """Resolve a target, apply `key=value` settings, validate, build.

    Raises InputError with all problems. `load_transport`, for ports that will be opened, raises
    the problem of a missing package before anything is compiled. With `for_programs`, ports will be
    opened only if the scenario has programs.
    """
    raw, source, single = _read(str(target))
    problems: list[Problem] = []
    apply_settings(raw, settings, problems, single, source.folder)
    for (_, index, _), native in source.natives.items():
        problems += native.check(raw["robots"][index].get("config"))
    return build_raw(raw, source, problems, seed, collect, load_transport, for_programs)


def build_raw(
    raw: RAW,
    source: Source,
    problems: Iterable[Problem] = (),
    seed: int | None = None,
    collect: bool = True,
    load_transport: Callable[[Port], object] | None = None,
    for_programs: bool = False,
) -> Built:
    """Validate and build a scenario as data. `problems` are those found before.

    Raises InputError with all problems.
    """
    problems = list(problems)
    scenario = validate(Scenario, raw, problems, source.file, source.lines)
    if scenario is None or problems:
        raise InputError(problems)
    if for_programs and not scenario.programs:
        load_transport = None
    built = build(scenario, source, seed, collect, load_transport=load_transport)
    check_all_names(built)
    return built


def demo(extra: Iterable[str] = (), settings: Iterable[str] = ()) -> Built:
    """Build the demo: every installed robot at work, and every further target.

    Robots whose packages are missing are left out with their programs, and named in the notes.
    """
    lacking = {kind: found for kind in kinds.installed() if (found := extras.missing(kind))}
    raw, source = _demo_scenario()
    shown = {entry["kind"] for entry in raw["robots"]}
    usable = [kind for kind in kinds.installed() if kind not in lacking]
    raw["robots"] = [entry for entry in raw["robots"] if entry["kind"] in usable]
    raw["robots"] += [{"kind": kind} for kind in usable if kind not in shown]
    names = [robot_name(entry, source.folder) for entry in raw["robots"]]
    raw["programs"] = [
        program
        for program in raw["programs"]
        if matching_robots(program["yields"]["robots"], names)
    ]
    for target in extra:
        further = open_target(target).simulation
        raw["robots"] += json.loads(further.core.origin["scenario"])["robots"]
    if not raw["robots"]:
        raise InputError(
            Problem(
                "demo",
                "no robot is installed with the packages that it needs",
                "pip install 'rigless[all]'; or name a robot folder: rigless demo ./my_robot",
            )
        )
    problems: list[Problem] = []
    apply_settings(raw, settings, problems)
    scenario = validate(Scenario, raw, problems)
    if scenario is None or problems:
        raise InputError(problems)
    built = build(scenario, source, collect=False)
    _resolve_port_conflicts(built)
    built.notes += tuple(
        f"without {kind}: {', '.join(names)} not installed; {extras.install_command(kind)}"
        for kind, names in lacking.items()
    )
    return built


def _demo_scenario() -> tuple[RAW, Source]:
    """Return the scenario of the demo, without the lines of its file: entries may be left out."""
    place = folder("examples")
    if place is None:
        return {"name": "demo", "robots": [], "programs": []}, Source(folder=Path())
    raw, source = read_toml(place / "demo" / "demo.toml")
    return raw, Source(source.file, source.folder)


def _resolve_port_conflicts(built: Built) -> None:
    """Resolve port conflicts: the first robot keeps a port, the others get free ones."""
    taken: dict[tuple[bool, str], str] = {}
    notes = []
    for robot in built.simulation.robots.values():
        for port in robot.ports:
            address = built.addresses[robot.name, port.name]
            host, _, number = address.rpartition(":")
            can = capabilities(port.transport)
            if can.shared_address or not number.isdigit() or number == "0":
                continue
            owner = taken.setdefault((can.datagrams, number), robot.name)
            if owner != robot.name:
                built.addresses[robot.name, port.name] = f"{host}:0"
                notes.append(
                    f"{robot.name}/{port.name}: {owner} uses port {number}; it gets a free one"
                )
    built.notes += tuple(notes)


def _read(target: str) -> tuple[RAW, Source, bool]:
    """Return the raw scenario of a target, its source, and True if it is a single robot."""
    path = Path(target)
    if target in kinds.installed():
        return {"name": target, "robots": [{"kind": target}]}, Source(), True
    if _is(path.is_dir):
        folder = path.resolve()
        return {"name": folder.name, "robots": [{"kind": str(folder)}]}, Source(), True
    if not _is(path.is_file):
        shipped = find_scenario(target)
        if shipped is None:
            raise InputError(_unknown_target(target, path))
        path = shipped
    if path.suffix == ".toml":
        raw, source = read_toml(path)
        if "robots" in raw or not _native(path):
            _check_is_scenario(raw, target)
            return with_native_configs(raw, source), source, False
    native = _native(path)
    if native is None:
        raise InputError(
            Problem(
                "",
                f"no robot knows the file {target!r}",
                "give a scenario .toml or a robot's own native file",
            )
        )
    kind, config = native
    source = Source(str(path), path.parent)
    return (
        {"name": kind, "robots": [{"kind": kind, "config": _native_config(config, 0, source)}]},
        source,
        True,
    )


def _check_is_scenario(raw: RAW, target: str) -> None:
    """Raise one InputError for a file of another program, instead of one for each of its keys."""
    known = Scenario.model_fields.keys()
    tables = [key for key, value in raw.items() if isinstance(value, dict) and key not in known]
    misspelled = [key for key in tables if get_close_matches(key, known)]
    if len(tables) == len(raw) > 2 * len(misspelled):
        has = ", ".join(tables[:5]) + (", …" if len(tables) > 5 else "")
        what = f"no scenario and no robot's own file; it has {has}"
        fix = "give a scenario .toml, which has [[robots]], or a robot's own native file"
        raise InputError(Problem("", what, fix, file=target))


def _unknown_target(target: str, path: Path) -> Problem:
    """Return the problem of an unknown target: suggest files for a file name, else robots."""
    if path.parts[:1] == ("examples",) and not _is(Path("examples").exists):
        fix = "copy the bundled examples to this folder: rigless examples --copy examples"
        return Problem("", f"there is no {target!r} in {Path.cwd()}", fix)
    if path.suffix and (path.parent != Path() or path.suffix in FILES):
        names = _names(path.parent)
        if path.name in names:
            fix = "make a new link, or name the file itself"
            return Problem("", f"{target!r} is a link to a file that does not exist", fix)
        near = get_close_matches(path.name, names, n=1)
        fix = (
            f"did you mean {str(path.parent / near[0])!r}?"
            if near
            else f"this folder is {Path.cwd()}"
        )
        return Problem("", f"there is no file {target!r}", fix)
    options = [*kinds.installed(), *bundled_scenarios()]
    fix = (
        did_you_mean(target, options) + "; see: rigless list"
        if options
        else "name a scenario file or a robot folder"
    )
    return Problem("", f"there is no robot, scenario or file {target!r}", fix)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


def _native_config(config: Mapping[str, Any] | Document, index: int, source: Source) -> RAW:
    """Return the config of a native file; keep the lines of its keys in the source."""
    if isinstance(config, Document):
        source.natives["robots", index, "config"] = config
        return copy.deepcopy(config.data)
    return dict(config)


def read_toml(path: Path) -> tuple[RAW, Source]:
    """Return the data of a scenario file, as it stands there. Raises InputError."""
    try:
        document = parse_toml(path.read_text("utf-8-sig"), str(path))  # a BOM is allowed
    except UnicodeDecodeError as error:
        raise InputError(
            Problem("", f"is not UTF-8 text: {error.reason} at byte {error.start}", file=str(path))
        ) from None
    except OSError as error:
        raise InputError(Problem("", f"cannot be read: {error.strerror}", file=str(path))) from None
    if document.problems:
        raise InputError(document.problems)
    return document.data, Source(str(path), path.parent, document.lines)


def _native(path: Path) -> tuple[str, Mapping[str, Any] | Document] | None:
    first_error: InputError | None = None
    for kind in kinds.installed():
        try:
            config = kinds.robot_class(kind).read_file(path)
        except InputError as error:  # one robot's missing extra must not hide another robot's file
            first_error = first_error or error
            continue
        if config is not None:
            return kind, config
    if first_error is not None:
        raise first_error
    return None


def _is(test: Callable[[], bool]) -> bool:
    """Run a path test; return False for names that the file system rejects."""
    try:
        return test()
    except (OSError, ValueError):
        return False


def with_native_configs(raw: RAW, source: Source) -> RAW:
    """Replace `config = "file"` by the config in that file."""
    problems: list[Problem] = []
    robots = raw.get("robots")
    for index, entry in enumerate(robots if isinstance(robots, list) else []):
        if (
            not isinstance(entry, dict)
            or not isinstance(entry.get("config"), str)
            or not isinstance(entry.get("kind"), str)
        ):
            continue
        at = ("robots", index, "config")
        path = source.folder / entry["config"]
        try:
            if not _is(path.is_file):
                raise InputError(Problem("", f"there is no file {str(path)!r}"))
            config = kinds.robot_class(entry["kind"], source.folder).read_file(path)
            if config is None:
                raise InputError(
                    Problem(
                        "",
                        f"{entry['kind']} cannot read {str(path)!r}",
                        "give its own native file, or keys in [robots.config]",
                    )
                )
            entry["config"] = _native_config(config, index, source)
        except InputError as error:
            problems += source.place(at, error)
    if problems:
        raise InputError(problems)
    return raw


def apply_settings(
    raw: RAW,
    settings: Iterable[str],
    problems: list[Problem],
    single: bool = False,
    beside: Path | None = None,
) -> None:
    """Apply `--set key=value`: a robot's port, config key or count, or a key of the scenario."""
    for setting in settings:
        if _is_text(setting, problems):
            _apply_setting(raw, setting, problems, single, beside)


def apply_config_settings(config: RAW, settings: Iterable[str], problems: list[Problem]) -> None:
    """Apply `--set key=value` to the config of one robot."""
    for setting in settings:
        key, equals, text = setting.partition("=")
        parts = key.strip().split(".")
        if not _is_text(setting, problems):
            continue
        if not equals or not all(parts):
            problems.append(_no_setting(setting))
        else:
            _set(config, parts, _value(text), problems)


def _is_text(setting: str, problems: list[Problem]) -> bool:
    """Return False and note a problem if a setting has bytes that are not UTF-8."""
    try:
        setting.encode()
    except UnicodeEncodeError:
        problems.append(Problem(f"--set {setting}", "is not UTF-8", "use valid characters"))
        return False
    return True


def _no_setting(setting: str) -> Problem:
    return Problem(f"--set {setting}", "is not key=value", "for example: --set report_hz=5")


def _apply_setting(
    raw: RAW, setting: str, problems: list[Problem], single: bool, beside: Path | None
) -> None:
    key, equals, text = setting.partition("=")
    parts = key.strip().split(".")
    if not equals or not all(parts):
        problems.append(_no_setting(setting))
        return
    entries = raw.get("robots")
    robots = (
        [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    )
    names = {robot_name(entry, beside): entry for entry in robots}
    if parts[0] in names and len(parts) > 1:
        robot, parts = names[parts[0]], parts[1:]
    elif parts[0] in Scenario.model_fields and not (single and parts[0] == "robots"):
        robot = None
    elif len(robots) == 1:
        robot = robots[0]
    else:
        options = [*names, *Scenario.model_fields]
        problems.append(
            Problem(
                f"--set {key}",
                f"{parts[0]!r} is neither a robot nor a scenario key",
                did_you_mean(parts[0], options),
            )
        )
        return
    if robot is None:
        _set(raw, parts, _value(text), problems)
    elif parts[0] == "ports":
        _set(robot, parts, text, problems)
    elif parts == ["count"]:
        robot["count"] = _value(text)
    elif parts[0] == "start":
        _set(robot, parts, _value(text), problems)
    elif isinstance(robot.setdefault("config", {}), dict):
        _set(robot["config"], parts, _value(text), problems)


def robot_name(entry: RAW, beside: Path | None) -> str:
    """Return the name that the robot of an entry will have; the entry need not be valid."""
    kind, config = str(entry.get("kind")), entry.get("config", {})
    if entry.get("name"):
        return str(entry["name"])
    try:
        robot = kinds.robot_class(kind, beside)
        called = (
            fleet_rules(robot).wire_name(made)
            if (made := robot.check_config(config)[0]) is not None
            else None
        )
    except InputError:  # reported by the build
        called = None
    return called or kinds.default_name(kind, beside)


def _value(text: str) -> Any:
    """Parse a value as TOML; a bare word is text."""
    document = parse_toml(f"value = {text}")
    return text if document.problems else document.data["value"]


def _is_called(entry: Any, name: str) -> bool:
    return isinstance(entry, dict) and entry.get("name") == name


def _set(table: Any, parts: list[str], value: Any, problems: list[Problem]) -> None:
    """Set a key, or an element of a list by its number or name; create missing tables."""
    for depth, part in enumerate(parts):
        key: Any = part
        if isinstance(table, list):
            part = next((str(n) for n, entry in enumerate(table) if _is_called(entry, part)), part)
            if not (part.isascii() and part.isdigit() and len(part) < 9 and int(part) < len(table)):
                what = f"{'.'.join(parts[:depth])} has no element {part!r}"
                fix = f"0 to {len(table) - 1}" if table else "it is empty"
                problems.append(Problem(f"--set {'.'.join(parts)}", what, fix))
                return
            key = int(part)
        inner = table[key] if isinstance(table, list) else table.get(key)
        if depth == len(parts) - 1:
            table[key] = value
        elif not isinstance(inner, dict | list):
            table[key] = inner = {}
        table = inner
