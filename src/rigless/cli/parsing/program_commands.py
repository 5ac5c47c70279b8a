"""The option --program NAME=COMMAND, which replaces commands of a scenario."""

import shlex
from collections.abc import Iterable

from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.scenario.model import Scenario


def parse_commands(given: Iterable[str], *scenarios: Scenario) -> dict[str, list[str]]:
    """Return the commands by the names of programs, which a scenario must have."""
    known = [entry.name for scenario in scenarios for entry in scenario.programs]
    commands: dict[str, list[str]] = {}
    problems = []
    for text in given:
        name, equals, command = text.partition("=")
        name = name.strip()
        try:
            words = shlex.split(command)
        except ValueError as error:
            problems.append(Problem(f"--program {name}", f"cannot be split into words: {error}"))
            continue
        if not equals or not name or not words:
            fix = "for example: --program nav='./build/nav --fast'"
            problems.append(Problem(f"--program {text}", "is not NAME=COMMAND", fix))
        elif name not in known:
            fix = did_you_mean(name, known)
            problems.append(Problem(f"--program {name}", "the scenario has no such program", fix))
        commands[name] = words
    if problems:
        raise InputError(problems)
    return commands
