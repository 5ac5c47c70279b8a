"""The `[noise]` of a scenario: single random streams with a seed of their own, or off."""

from collections.abc import Iterator

from rigless.kernel.problems import Problem, did_you_mean
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.streams import matches_stream
from rigless.scenario.model import Scenario
from rigless.scenario.source import Source


def stream_names(simulation: Simulation) -> list[str]:
    """Return the names of all random streams that are known: used so far, declared, of faults.

    A declared name may be a pattern with *.
    """
    known = dict.fromkeys(simulation.core.streams.names)
    for robot in simulation.robots.values():
        known |= dict.fromkeys(declared_streams(robot))
    return list(known)


def noise_problems(scenario: Scenario, simulation: Simulation, source: Source) -> Iterator[Problem]:
    """Yield the keys of `[noise]` that no random stream matches.

    A stream of a robot that does not declare its streams may have any name.
    """
    if not scenario.noise:
        return
    known = stream_names(simulation)
    open_ended = [
        f"{robot.name}/*" for robot in simulation.robots.values() if robot.random_streams is None
    ]
    for key in scenario.noise:
        if any(_overlap(key, name) for name in [*known, *open_ended]):
            continue
        used = [name for name in known if "/fault/" not in name]
        yield source.problem(
            ("noise", key), f"unknown random stream {key!r}", did_you_mean(key, used)
        )


def declared_streams(robot: Robot) -> list[str]:
    """Return the names and patterns of the streams that a robot declares, and those of faults."""
    faults = [f"fault/{target}" for target in robot.fault_targets.seams]
    return [f"{robot.name}/{stream}" for stream in (*(robot.random_streams or ()), *faults)]


def _overlap(key: str, name: str) -> bool:
    """Return True if a key fits a stream; both may be patterns."""
    return matches_stream(key, name) or matches_stream(name, key)
