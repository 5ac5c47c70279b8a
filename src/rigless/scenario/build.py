"""Build a simulation from a scenario: robots, world, addresses, timeline and faults."""

import itertools
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from pydantic_core import PydanticSerializationError

from rigless.kernel.fleet import fleet_rules
from rigless.kernel.fleet.shard import Shard
from rigless.kernel.key_path import KeyPath, line_of
from rigless.kernel.plain import to_json
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.robot import Defaults, Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import Obstacle, World
from rigless.scenario import extras
from rigless.scenario.doors import site_of
from rigless.scenario.kinds import default_name, is_folder, robot_class
from rigless.scenario.model import RobotEntry, Scenario, WorldEntry
from rigless.scenario.noise import noise_problems
from rigless.scenario.planned_inputs import matching_robots, plan_inputs, program_problems
from rigless.scenario.requirements import check_with_environment
from rigless.scenario.source import Source
from rigless.transports.capabilities import capabilities

OPEN_PLANE = "open"  # the name of a world without a map


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
    load_transport: Callable[[Port], object] | None = None,
) -> Built:
    """Build the simulation of a scenario. All problems are reported at once.

    Without `environment` the requirements on this machine (drivers, credentials) are not checked,
    so that a recording made on another machine can be opened. `load_transport` loads the transport
    of each port first: a missing package is an error before anything is compiled.
    """
    source = source or Source()
    problems: list[Problem] = []
    notes: list[Problem] = []
    fleets: list[Fleet] = []
    addresses: dict[tuple[str, str], str] = {}
    sizes = _fleet_sizes(scenario)
    for index, entry in enumerate(scenario.robots):
        before = Counter(type(robot) for fleet in fleets for robot in fleet.robots)
        size = sizes.get(entry.kind, 1)
        fleets.append(_fleet(index, entry, source, environment, before, size, problems, notes))
        if load_transport is not None and fleets[-1].robots:
            extras.check_transports(entry.kind, fleets[-1].robots[0].ports, load_transport)
        step = _port_step(entry, fleets[-1].robots)
        for number, robot in enumerate(fleets[-1].robots):
            for port in robot.ports:
                address = _address(port, entry.ports.get(port.name), number * step)
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
        world = _world(scenario.world, all_defaults, source, problems, notes)
    except ModuleNotFoundError as error:  # a map needs packages of an extra
        lacking = source.found(("world",), extras.missing_package(error.name or ""))
        raise InputError(problems or [lacking]) from None
    if scenario.world.doors and not problems:
        try:
            site_of(world).use_doors()
        except InputError as error:
            problems += source.place(("world", "doors"), error)
    elif scenario.world.doors is None and not problems and max(sizes.values(), default=1) > 1:
        _use_own_doors(world, defaults)
    shard = None
    if scenario.shard is not None:
        try:
            shard = Shard.parse(scenario.shard)
        except InputError as error:
            problems += source.place(("shard",), error)
    own = scenario.world.map is None and scenario.world.layout is None
    worlds = _own_worlds(defaults) if own else {}
    if problems:
        raise InputError(problems)
    try:
        origin = {"scenario": to_json(_resolved(scenario, fleets, source)).decode()}
    except UnicodeEncodeError as error:
        text = str(error.object).encode("utf-8", "replace").decode()
        what, fix = f"{text!r} is not valid UTF-8", "give the file or folder another name"
        raise InputError(source.problem((), what, fix)) from None
    try:
        simulation = Simulation(
            robots,
            world,
            _seed(scenario, all_defaults, seed),
            collect,
            origin,
            worlds,
            scenario.noise,
            shard,
        )
    except InputError as error:
        raise InputError(_located(error, fleets, source)) from None
    plan_inputs(simulation, scenario, source, problems)
    for index, expectation in enumerate(scenario.expect):
        if expectation.robot is not None and not matching_robots(expectation.robot, names):
            problems.append(
                source.problem(
                    ("expect", index, "robot"),
                    f"unknown robot {expectation.robot!r}",
                    did_you_mean(expectation.robot, names),
                )
            )
    problems += program_problems(scenario, source)
    problems += noise_problems(scenario, simulation, source)
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


def rebuild_with(
    built: Built,
    configs: Mapping[str, Any],
    notes: Iterable[str] = (),
    starts: Mapping[str, tuple[float, float, float]] | None = None,
) -> Built:
    """Build again with other configs or starts for some robots.

    Each of these robots becomes an entry of its own.

    Requirements on this machine are not checked again.
    """
    before, starts = built.simulation, starts or {}
    data = json.loads(before.core.origin["scenario"])
    robots, entries = iter(before.robots.values()), []
    for entry in data["robots"]:
        fleet = list(islice(robots, entry.get("count", 1)))
        if any(robot.name in configs or robot.name in starts for robot in fleet):
            entries += [
                _single(entry, robot, configs.get(robot.name, robot.config), starts)
                for robot in fleet
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


def _single(
    entry: dict[str, Any],
    robot: Robot,
    config: Any,
    starts: Mapping[str, tuple[float, float, float]],
) -> dict[str, Any]:
    """Return an entry for one robot of an entry."""
    kept = {key: value for key, value in entry.items() if key != "count"}
    if robot.name in starts:
        kept["start"] = dict(zip(("x", "y", "theta"), starts[robot.name], strict=True))
    return {**kept, "name": robot.name, "config": config.model_dump(mode="json")}


def _resolved(scenario: Scenario, fleets: list[Fleet], source: Source) -> dict[str, Any]:
    """Return the scenario with every default filled in and every path absolute."""
    data = scenario.model_dump(mode="json", exclude_defaults=True)
    for entry, robot_entry, fleet in zip(data["robots"], scenario.robots, fleets, strict=True):
        entry["config"] = fleet.config.model_dump(mode="json")
        if is_folder(robot_entry.kind):
            entry["kind"] = str((source.folder / robot_entry.kind).resolve())
    for key, name in (("map", scenario.world.map), ("layout", scenario.world.layout)):
        if name is not None:
            beside = source.folder / name
            data["world"][key] = str(beside.resolve()) if beside.is_file() else name
    return data


def _fleet_sizes(scenario: Scenario) -> dict[str, int]:
    """Return the number of robots of each kind of which there is a fleet.

    Kinds are left out if the scenario has a world, or if an entry has a start.
    """
    entries: dict[str, list[RobotEntry]] = {}
    for entry in scenario.robots:
        entries.setdefault(entry.kind, []).append(entry)
    placed = scenario.world.map is not None or scenario.world.layout is not None
    return {
        kind: sum(entry.count for entry in some)
        for kind, some in entries.items()
        if not placed
        and any(entry.count > 1 for entry in some)
        and not any(entry.start for entry in some)
    }


def _fleet(
    index: int,
    entry: RobotEntry,
    source: Source,
    environment: bool,
    before: Mapping[type[Robot], int],
    size: int,
    problems: list[Problem],
    notes: list[Problem],
) -> Fleet:
    """Make the robots of an entry. `size` is that of their fleet if nothing says where they are."""
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
    if config is not None and not _is_writable(config):
        what = "a text has half of a character (a lone surrogate)"
        problems.append(source.problem((*at, "config"), what, "replace the character"))
    made: list[Robot] = []
    if config is not None and len(problems) == known:
        name = entry.name or rules.wire_name(config) or default_name(entry.kind, source.folder)
        config = rules.fleet_config(config, size) if size > 1 else config
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


def _is_writable(config: Any) -> bool:
    """Return False if a text of a config cannot be encoded: JSON and YAML may escape anything."""
    try:
        config.model_dump_json()
    except PydanticSerializationError:
        return False
    return True


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


def _port_step(entry: RobotEntry, robots: Sequence[Robot]) -> int:
    """Return the least step from one robot of a fleet to the next that gives no number twice."""
    first = set()
    for port in robots[0].ports if robots else ():
        can = capabilities(port.transport)
        number = _address(port, entry.ports.get(port.name), 0).rpartition(":")[2]
        if can.host_and_port and not can.shared_address and number.isdigit() and number != "0":
            first.add((can.datagrams, int(number)))
    gaps = {b - a for (kind, a), (other, b) in itertools.permutations(first, 2) if kind == other}
    reach = range(1, len(robots))
    return next(step for step in itertools.count(1) if not any(step * n in gaps for n in reach))


def _address(port: Port, given: str | int | None, offset: int) -> str:
    """Return the configured address of a port, or else the robot's default.

    `offset` is added to the port number, unless robots share the address.
    """
    can = capabilities(port.transport)
    if not can.host_and_port:
        return port.address if given is None else str(given)
    if can.shared_address:
        offset = 0
    host, _, first = port.address.rpartition(":")
    if given is not None:
        new_host, _, first = str(given).rpartition(":")
        host = new_host or host
    if not first.isdigit():
        return str(given) if given is not None else port.address
    return f"{host}:{int(first) + offset if first != '0' else 0}"


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


def _use_own_doors(world: World, defaults: dict[str, Defaults]) -> None:
    """Put its doors into the warehouse that a fleet has brought."""
    if any(each.world is world for each in defaults.values()) and not world.is_plane:
        from rigless.worlds.layout.site_world import SiteWorld  # numba takes its time

        if isinstance(world, SiteWorld):
            world.use_doors()


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
    entry: WorldEntry,
    defaults: list[Defaults],
    source: Source,
    problems: list[Problem],
    notes: list[Problem],
) -> World:
    obstacles = {}
    for o in entry.obstacles:
        pose = (o.x, o.y, o.theta)
        obstacles[o.name] = Obstacle(
            radius_m=o.radius_m or 0.0, size_m=o.size_m, begin=pose, end=pose
        )
    if entry.map == OPEN_PLANE and entry.layout is None:
        return World(obstacles)
    if entry.map is not None or entry.layout is not None:
        from rigless.worlds.bundled import find_layout, find_map
        from rigless.worlds.layout.world_files import (
            load_world,
        )  # numba takes its time; only for those who have a map

        named = entry.map is not None and entry.map != OPEN_PLANE
        key = "map" if named else "layout"
        try:
            map_path = find_map(entry.map, source.folder) if named and entry.map else None
            key = "layout" if entry.layout is not None else key
            layout = find_layout(entry.layout, source.folder) if entry.layout is not None else None
            world, warnings = load_world(map_path, layout, obstacles)
            notes += warnings
            return world
        except InputError as error:
            problems += source.place(("world", key), error)
    found = next((each.world for each in defaults if each.world is not None), None) or World()
    found.place(obstacles)
    return found
