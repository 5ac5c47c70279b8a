"""Build a simulation from a scenario: robots, world, addresses, timeline and faults."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any

from rigless.kernel import inputs as inp
from rigless.kernel.documents import Document
from rigless.kernel.fleet import fleet_rules
from rigless.kernel.inputs import LOCAL, AnyInput
from rigless.kernel.key_path import KeyPath, dotted, line_of
from rigless.kernel.plain import to_json
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.rate import to_ns
from rigless.kernel.robot import Defaults, Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import Obstacle, World
from rigless.scenario import extras
from rigless.scenario.kinds import default_name, is_folder, robot_class
from rigless.scenario.model import FaultEntry, RobotEntry, Scenario, TimelineEntry, WorldEntry
from rigless.scenario.requirements import check_with_environment
from rigless.transports.capabilities import capabilities


@dataclass
class Built:
    """A simulation ready to run, with the addresses of its ports."""

    simulation: Simulation
    scenario: Scenario
    addresses: dict[tuple[str, str], str]
    source: "Source"
    speed: float | str = 1.0  # the pace asked for
    notes: tuple[str, ...] = ()  # shown before it runs
    collects: bool = True  # whether emitted messages are kept for Simulation.take()


@dataclass
class Source:
    """The origin of a scenario, to locate errors and to resolve the files it names."""

    file: str = ""
    folder: Path = Path()
    lines: dict[KeyPath, int] | None = None
    natives: dict[KeyPath, Document] = field(
        default_factory=dict
    )  # configs that stand in files of their own

    def problem(self, path: KeyPath, what: str, fix: str = "") -> Problem:
        return self.found(path, Problem.at((), what, fix))

    def found(self, path: KeyPath, problem: Problem) -> Problem:
        """Return a finding as a problem, located in the part of the scenario at that path."""
        native = self.natives.get(path)
        return (
            problem.located(native.file, native.lines)
            if native
            else problem.located(self.file, self.lines, path)
        )

    def place(self, path: KeyPath, error: InputError) -> list[Problem]:
        """Return the problems of an error, located in this file."""
        placed = []
        for problem in error.problems:
            where = f"{dotted(path)}: {problem.where}" if problem.where else dotted(path)
            line = problem.line or line_of(self.lines or {}, path)
            placed.append(
                Problem(
                    where, problem.what, problem.fix, problem.file or self.file, line, problem.code
                )
            )
        return placed


@dataclass
class Fleet:
    """The robots of one entry and their config."""

    config: Any = None
    robots: list[Robot] = field(default_factory=list)


def build(
    scenario: Scenario,
    source: Source | None = None,
    seed: int | None = None,
    collect: bool = True,
    environment: bool = True,
) -> Built:
    """Build the simulation of a scenario. All problems are reported at once.

    Without `environment` the requirements on this machine (drivers, credentials) are not checked,
    so that a recording made on another machine can be opened.
    """
    source = source or Source()
    problems: list[Problem] = []
    notes: list[Problem] = []
    fleets: list[Fleet] = []
    addresses: dict[tuple[str, str], str] = {}
    for index, entry in enumerate(scenario.robots):
        before = Counter(type(robot) for fleet in fleets for robot in fleet.robots)
        fleets.append(_fleet(index, entry, source, environment, before, problems, notes))
        for number, robot in enumerate(fleets[-1].robots):
            for port in robot.ports:
                address = _address(port, entry.ports.get(port.name), number)
                addresses[robot.name, port.name] = address
                if not _is_address(address):
                    fix = "a fleet counts up from its first port; start lower"
                    problems.append(
                        source.problem(
                            ("robots", index, "ports"), f"{address!r} is not an address", fix
                        )
                    )
    robots = [robot for fleet in fleets for robot in fleet.robots]
    names = Counter(robot.name for robot in robots)
    problems += [
        source.problem(("robots",), f"two robots are called {name!r}", "give each its own name")
        for name, count in names.items()
        if count > 1
    ]
    known = Counter(fleet_rules(type(robot)).wire_name(robot.config) for robot in robots)
    problems += [
        source.problem(
            ("robots",),
            f"two robots have the name {name!r} on the wire",
            "give each its own name in its config",
        )
        for name, count in known.items()
        if name is not None and count > 1
    ]
    defaults = _defaults(fleets, source, problems)
    all_defaults = list(defaults.values())
    try:
        world = _world(scenario.world, all_defaults, source, problems)
    except ModuleNotFoundError as error:  # a map needs packages of an extra
        lacking = source.found(("world",), extras.missing_package(error.name or ""))
        raise InputError(problems or [lacking]) from None
    worlds = _own_worlds(defaults) if scenario.world.map is None else {}
    if problems:
        raise InputError(problems)
    origin = {"scenario": to_json(_resolved(scenario, fleets, source)).decode()}
    try:
        simulation = Simulation(
            robots, world, _seed(scenario, all_defaults, seed), collect, origin, worlds
        )
    except InputError as error:
        raise InputError(_located(error, fleets, source)) from None
    for index, given in enumerate(scenario.timeline):
        _plan(
            simulation,
            ("timeline", index),
            given.at_s,
            lambda given=given: _timeline(simulation, given),
            source,
            problems,
        )
    for index, fault in enumerate(scenario.faults):
        _plan(
            simulation,
            ("faults", index),
            fault.at_s,
            lambda fault=fault: _fault(simulation, fault),
            source,
            problems,
        )
    for index, expectation in enumerate(scenario.expect):
        if expectation.robot is not None and not matching_robots(expectation.robot, names):
            problems.append(
                source.problem(
                    ("expect", index, "robot"),
                    f"unknown robot {expectation.robot!r}",
                    did_you_mean(expectation.robot, names),
                )
            )
    if problems:
        raise InputError(problems)
    texts = tuple(dict.fromkeys(str(note) for note in notes))
    return Built(
        simulation, scenario, addresses, source, _speed(scenario, all_defaults), texts, collect
    )


def _located(error: InputError, fleets: list[Fleet], source: Source) -> list[Problem]:
    """Return the problems of robots that could not start, located at their entries."""
    entries = {robot.name: index for index, fleet in enumerate(fleets) for robot in fleet.robots}
    return [
        replace(problem, file=source.file, line=line_of(source.lines or {}, ("robots", entry)))
        if not problem.file and (entry := entries.get(problem.where)) is not None
        else problem
        for problem in error.problems
    ]


def rebuild_with(built: Built, configs: Mapping[str, Any], notes: Iterable[str] = ()) -> Built:
    """Build again with other configs for some robots, each of which becomes an entry of its own.

    Requirements on this machine are not checked again.
    """
    before = built.simulation
    data = json.loads(before.core.origin["scenario"])
    robots, entries = iter(before.robots.values()), []
    for entry in data["robots"]:
        fleet = list(islice(robots, entry.get("count", 1)))
        if any(robot.name in configs for robot in fleet):
            entries += [
                _single(entry, robot.name, configs.get(robot.name, robot.config)) for robot in fleet
            ]
        else:
            entries.append(entry)
    data["robots"] = entries
    source = Source(built.source.file, built.source.folder)
    again = build(
        Scenario.model_validate(data), source, before.seed, built.collects, environment=False
    )
    for robot in before.robots.values():
        for port in robot.ports:
            key = robot.name, port.name
            if key in again.addresses and built.addresses[key] != port.address:  # set by the user
                again.addresses[key] = built.addresses[key]
    return replace(again, scenario=built.scenario, speed=built.speed, notes=(*built.notes, *notes))


def _single(entry: dict[str, Any], name: str, config: Any) -> dict[str, Any]:
    kept = {key: value for key, value in entry.items() if key != "count"}
    return {**kept, "name": name, "config": config.model_dump(mode="json")}


def _resolved(scenario: Scenario, fleets: list[Fleet], source: Source) -> dict[str, Any]:
    """Return the scenario with every default filled in and every path absolute."""
    data = scenario.model_dump(mode="json", exclude_defaults=True)
    for entry, robot_entry, fleet in zip(data["robots"], scenario.robots, fleets, strict=True):
        entry["config"] = fleet.config.model_dump(mode="json")
        if is_folder(robot_entry.kind):
            entry["kind"] = str((source.folder / robot_entry.kind).resolve())
    if scenario.world.map is not None:
        beside = source.folder / scenario.world.map
        data["world"]["map"] = str(beside.resolve()) if beside.is_file() else scenario.world.map
    return data


def _fleet(
    index: int,
    entry: RobotEntry,
    source: Source,
    environment: bool,
    before: Mapping[type[Robot], int],
    problems: list[Problem],
    notes: list[Problem],
) -> Fleet:
    at: KeyPath = ("robots", index)
    try:
        kind = robot_class(entry.kind, source.folder)
    except InputError as error:
        problems += source.place((*at, "kind"), error)
        return Fleet()
    known = len(problems)
    rules = fleet_rules(kind)
    given = rules.with_name(entry.config, entry.name) if entry.name else entry.config
    config, findings = (
        check_with_environment(kind, given) if environment else kind.check_config(given)
    )
    native = source.natives.get((*at, "config"))
    hints = [hint for hint in native.problems if hint.severity == "warning"] if native else []
    notes += [hint for hint in hints if not _has(given, hint.path)]
    for finding in findings:
        (problems if finding.severity == "error" else notes).append(
            source.found((*at, "config"), finding)
        )
    start = (entry.start.x, entry.start.y, entry.start.theta) if entry.start else None
    made: list[Robot] = []
    if config is not None and len(problems) == known:
        name = entry.name or rules.wire_name(config) or default_name(entry.kind, source.folder)
        try:
            many = entry.count > 1
            for n in range(1, entry.count + 1):
                member = rules.offset_from(
                    rules.fleet_member(config, n) if many else config, before.get(kind, 0) + n - 1
                )
                made.append(kind(f"{name}-{n}" if many else name, member, start))
        except InputError as error:
            problems += source.place(at, error)
    declared = made[0].ports if made else kind.ports
    if isinstance(declared, tuple):  # a property that needs a good config is looked at next time
        ports = [port.name for port in declared]
        for port, address in entry.ports.items():
            if port not in ports:
                problems.append(
                    source.problem(
                        (*at, "ports", port), f"unknown port {port!r}", did_you_mean(port, ports)
                    )
                )
            elif not _is_address(address):
                fix = "[HOST:]PORT, 0 for any free port"
                problems.append(
                    source.problem((*at, "ports", port), f"{address!r} is not an address", fix)
                )
    return Fleet(config, made) if len(problems) == known else Fleet()


def _has(data: Any, path: KeyPath) -> bool:
    """Return True if nested data has a key: a hint of its file about the key is then obsolete."""
    for part in path:
        if not isinstance(data, dict) or part not in data:
            return False
        data = data[part]
    return True


def _is_address(address: str | int) -> bool:
    port = str(address).rpartition(":")[2]
    return "/" in str(address) or (
        port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 65536
    )


def _address(port: Port, given: str | int | None, number: int) -> str:
    """Return the configured address of a port, or else the robot's default.

    Each robot of a fleet gets the next port number, unless robots share the address.
    """
    can = capabilities(port.transport)
    if not can.host_and_port:
        return port.address if given is None else str(given)
    if can.shared_address:
        number = 0
    host, _, first = port.address.rpartition(":")
    if given is not None:
        new_host, _, first = str(given).rpartition(":")
        host = new_host or host
    if not first.isdigit():
        return str(given) if given is not None else port.address
    return f"{host}:{int(first) + number if first != '0' else 0}"


def _defaults(fleets: list[Fleet], source: Source, problems: list[Problem]) -> dict[str, Defaults]:
    """Return each robot's defaults. Robots of one config share them: a map is slow to load."""
    by_config: dict[tuple[type[Robot], str], Defaults] = {}
    defaults: dict[str, Defaults] = {}
    for fleet in fleets:
        if not fleet.robots:
            continue
        first = fleet.robots[0]
        key = (type(first), fleet.config.model_dump_json())
        if key not in by_config:
            try:
                by_config[key] = first.defaults()
            except InputError as error:
                problems += source.place(("robots",), error)
                by_config[key] = Defaults()
        defaults |= {robot.name: by_config[key] for robot in fleet.robots}
    return defaults


def _own_worlds(defaults: dict[str, Defaults]) -> dict[str, World]:
    """Return the worlds of robots that need another than the first; equal names share one."""
    main = next((each for each in defaults.values() if each.world is not None), Defaults())
    shared: dict[str, World] = {}
    worlds = {}
    for robot, each in defaults.items():
        if (
            each.world is not None
            and each.world_name
            and main.world_name
            and each.world_name != main.world_name
        ):
            worlds[robot] = shared.setdefault(each.world_name, each.world)
    return worlds


def _speed(scenario: Scenario, defaults: list[Defaults]) -> float | str:
    default = next((each.speed for each in defaults if each.speed is not None), None)
    return scenario.speed if "speed" in scenario.model_fields_set or default is None else default


def _seed(scenario: Scenario, defaults: list[Defaults], given: int | None) -> int:
    """Return the seed given, else the scenario's, else a robot's default; 0 there means any."""
    if given is not None:
        return given
    default = next((each.seed for each in defaults if each.seed is not None), None)
    if "seed" in scenario.model_fields_set or default is None:
        return scenario.seed
    return default or int.from_bytes(os.urandom(4), "big") + 1


def _world(
    entry: WorldEntry, defaults: list[Defaults], source: Source, problems: list[Problem]
) -> World:
    obstacles = {}
    for o in entry.obstacles:
        pose = (o.x, o.y, o.theta)
        obstacles[o.name] = Obstacle(
            radius_m=o.radius_m or 0.0, size_m=o.size_m, begin=pose, end=pose
        )
    if entry.map is not None:
        from rigless.worlds.bundled import find_map
        from rigless.worlds.grid_world import (
            GridWorld,
        )  # numba takes its time; only for those who have a map
        from rigless.worlds.maps import load_map

        try:
            return GridWorld(load_map(find_map(entry.map, source.folder)), obstacles)
        except InputError as error:
            problems += source.place(("world", "map"), error)
    world = next((each.world for each in defaults if each.world is not None), None) or World()
    world.place(obstacles)
    return world


def _plan(
    simulation: Simulation,
    at: KeyPath,
    at_s: float,
    make: Any,
    source: Source,
    problems: list[Problem],
) -> None:
    try:
        for given in make():
            simulation.core.check(given, now=at_s == 0)
            simulation.core.plan(to_ns(at_s), given)
    except InputError as error:
        problems += source.place(at, error)


def matching_robots(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that match: the one that is equal, or with `*` in it all that fit."""
    return [
        name for name in names if name == pattern or ("*" in pattern and fnmatchcase(name, pattern))
    ]


def _robots(simulation: Simulation, name: str | None) -> list[str]:
    names = list(simulation.robots)
    if name is not None:
        return matching_robots(name, names) or [
            name
        ]  # an unknown name is reported when the input is checked
    if len(names) > 1:
        fix = f"one of: {', '.join(names[:8])}{' …' if len(names) > 8 else ''}; or * for all"
        raise InputError(
            Problem("robot", "this key is required when there are several robots", fix)
        )
    return names


def _timeline(simulation: Simulation, entry: TimelineEntry) -> list[AnyInput]:
    if entry.obstacle is not None:
        return [
            inp.MoveObstacle(
                entry.obstacle, entry.x or 0.0, entry.y or 0.0, entry.theta, entry.over_s
            )
        ]
    return [
        given for robot in _robots(simulation, entry.robot) for given in _inputs_of(entry, robot)
    ]


def _inputs_of(entry: TimelineEntry, robot: str) -> list[AnyInput]:
    """Return the inputs of a timeline entry for one robot."""
    if entry.set is not None:
        return [inp.SetInput(robot, name, value) for name, value in entry.set.items()]
    if entry.clear is not None:
        return [inp.Clear(robot, entry.clear)]
    assert entry.port is not None
    if entry.message is not None:
        fields = dict(entry.message)
        return [inp.Send(robot, entry.port, str(fields.pop("type")), fields)]
    try:
        data = (
            bytes.fromhex(entry.wire_hex)
            if entry.wire_hex is not None
            else (entry.wire or "").encode()
        )
    except ValueError:
        raise InputError(Problem("wire_hex", f"{entry.wire_hex!r} is not hexadecimal")) from None
    return [
        inp.Connect(robot, entry.port, LOCAL, "scenario", "scenario"),
        inp.Arrive(robot, entry.port, LOCAL, data),
    ]


def _fault(simulation: Simulation, entry: FaultEntry) -> list[AnyInput]:
    if entry.until_s is not None and entry.until_s <= entry.at_s:
        raise InputError(
            Problem("until_s", f"{entry.until_s:g} is not after at_s ({entry.at_s:g})")
        )
    until_ns = None if entry.until_s is None else to_ns(entry.until_s)
    return [
        inp.Inject(robot, entry.target, entry.kind, dict(entry.model_extra or {}), until_ns)
        for robot in _robots(simulation, entry.robot)
    ]
