"""The timeline and the faults of a scenario as inputs of its simulation."""

from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from rigless.kernel import inputs as inp
from rigless.kernel.inputs import LOCAL, AnyInput
from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.simulation import Simulation
from rigless.kernel.timing.rate import to_ns
from rigless.scenario.doors import site_of
from rigless.scenario.model import FaultEntry, Scenario, TimelineEntry
from rigless.scenario.source import Source


def plan_inputs(
    simulation: Simulation, scenario: Scenario, source: Source, problems: list[Problem]
) -> None:
    """Make the timeline and the faults of robots a part of the simulation."""
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
        if fault.program is not None:  # the run injects it, not the simulation
            continue
        _plan(
            simulation,
            ("faults", index),
            fault.at_s,
            lambda fault=fault: _fault(simulation, fault),
            source,
            problems,
        )


def late_problems(scenario: Scenario, source: Source, duration_s: float) -> list[Problem]:
    """Return the problems with faults and actions that a run of this duration never reaches."""
    fix = "a longer duration_s, or an earlier time"
    entries = [("timeline", index, entry.at_s) for index, entry in enumerate(scenario.timeline)]
    entries += [("faults", index, entry.at_s) for index, entry in enumerate(scenario.faults)]
    return [
        source.problem(
            (table, index, "at_s"),
            f"{at_s:g} s is not before the end of the run, {duration_s:g} s: it never happens",
            fix,
        )
        for table, index, at_s in entries
        if at_s >= duration_s
    ]


def program_problems(scenario: Scenario, source: Source) -> list[Problem]:
    """Return the problems with names of programs: used twice, or unknown."""
    names = Counter(program.name for program in scenario.programs)
    problems = [
        source.problem(("programs",), f"two programs are called {name!r}", "give each its own name")
        for name, count in names.items()
        if count > 1
    ]
    used = [
        (("faults", index, "program"), fault.program) for index, fault in enumerate(scenario.faults)
    ] + [
        (("programs", index, "wait_for", "program"), program.wait_for.program)
        for index, program in enumerate(scenario.programs)
        if program.wait_for is not None
    ]
    return problems + [
        source.problem(place, f"unknown program {name!r}", did_you_mean(name, names))
        for place, name in used
        if name is not None and name not in names
    ]


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
    if entry.door is not None:
        return [site_of(simulation.core.world).door_move(entry.door, entry.open)]
    if (device := entry.lift or entry.conveyor) is not None:
        if entry.running is not None:
            return [inp.SetDevice(device, "running", entry.running)]
        return [inp.SetDevice(device, "floor", entry.floor or "")]
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
