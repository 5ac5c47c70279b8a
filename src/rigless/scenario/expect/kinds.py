"""The kind of watch for each expectation of a scenario."""

from rigless.kernel.robot import Robot
from rigless.scenario.expect.counts import EventWatch, MessageWatch
from rigless.scenario.expect.coverage import CoverageWatch, SeenWatch
from rigless.scenario.expect.motion import PathLengthWatch, StandstillWatch, StopWatch
from rigless.scenario.expect.programs import (
    AliveWatch,
    AtMostWatch,
    ExitWatch,
    ImpliedExit,
    OutputWatch,
    Programs,
)
from rigless.scenario.expect.rates import RateWatch
from rigless.scenario.expect.reactions import ReactionWatch
from rigless.scenario.expect.safety import CollisionWatch, DistanceWatch, ReachWatch
from rigless.scenario.expect.values import ValueWatch
from rigless.scenario.expect.watch import Run, Watch
from rigless.scenario.model.expectation import Expectation
from rigless.scenario.model.program import ProgramEntry

OF_ROBOTS: dict[str, type[Watch]] = {
    "value": ValueWatch,
    "region": ValueWatch,
    "event": EventWatch,
    "port": MessageWatch,
    "reacts_within_ms": ReactionWatch,
    "no_collision": CollisionWatch,
    "keeps_distance_m": DistanceWatch,
    "stops_within_m": StopWatch,
    "reaches": ReachWatch,
    "coverage_min": CoverageWatch,
    "path_length_max_m": PathLengthWatch,
    "standstill_max_s": StandstillWatch,
}


def watch_for(
    e: Expectation,
    run: Run,
    robots: dict[str, Robot],
    programs: Programs | None,
    entries: list[ProgramEntry],
) -> Watch:
    """Return the watch of an expectation."""
    if e.subject == "program":
        kind: type[ExitWatch | AliveWatch | OutputWatch | AtMostWatch] = AtMostWatch
        for key, of_key in (("exit", ExitWatch), ("alive", AliveWatch), ("output", OutputWatch)):
            if getattr(e, key) is not None:
                kind = of_key
        return kind(e, run, {}, programs=programs, entries=entries)
    if e.subject == "port" and e.has_rate:
        return RateWatch(e, run, robots)
    if e.by == "lidar":
        return SeenWatch(e, run, robots)
    return OF_ROBOTS[e.subject](e, run, robots)


def implied_exits(
    expect: list[Expectation],
    run: Run,
    programs: Programs | None,
    entries: list[ProgramEntry],
) -> list[tuple[int, Watch]]:
    """Return a watch for each program whose exit is not expected, with the index of the program."""
    explicit = {e.program for e in expect if e.exit is not None}
    watches: list[tuple[int, Watch]] = []
    for index, entry in enumerate(entries):
        if entry.name not in explicit:
            e = Expectation(program=entry.name, alive=True)
            watch = ImpliedExit(e, run, {}, programs=programs, entries=entries, entry=entry)
            watches.append((index, watch))
    return watches
