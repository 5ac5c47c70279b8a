"""A run as data, so that it can be done in this process, in another, or in a private network."""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from rigless.kernel.problems import InputError, Problem
from rigless.runs.ports import use_free_ports
from rigless.runs.result import Result
from rigless.runs.session import Options
from rigless.runs.virtual_time import run_in_virtual_time
from rigless.scenario.build import Built
from rigless.scenario.load import open_target


@dataclass
class Request:
    """A run as data: its target, the changes to it, and the folder of its files."""

    target: str
    settings: list[str] = field(default_factory=list)
    seed: int | None = None
    commands: dict[str, list[str]] = field(default_factory=dict)
    folder: str = ""
    record: str = ""
    given_from: str = ""
    trace: bool = False
    isolate: bool = False

    def options(self) -> Options:
        return Options(
            self.commands,
            Path(self.folder) if self.folder else None,
            Path(self.record) if self.record else None,
            Path(self.given_from) if self.given_from else None,
            self.trace,
        )


@dataclass
class Answer:
    """The result of a request, or the problems that prevented it."""

    result: Result | None = None
    problems: list[Problem] = field(default_factory=list)


def run_here(
    request: Request, built: Built | None = None, options: Options | None = None
) -> Result:
    """Run in this process. With programs, ports that the scenario does not set are free ones."""
    built = built or open_target(request.target, request.settings, request.seed, collect=False)
    options = options or request.options()
    if not built.scenario.programs:
        return run_in_virtual_time(request.target, built, options)
    from rigless.runs.hosted import run_hosted

    if not request.isolate:
        use_free_ports(built)
    return asyncio.run(run_hosted(request.target, built, options))


def answer(question: str, reply: str) -> None:
    """Do the run that a file asks for, and write the result to another one."""
    request = msgspec.msgpack.decode(Path(question).read_bytes(), type=Request)
    try:
        found = Answer(run_here(request))
    except InputError as error:
        found = Answer(problems=list(error.problems))
    temporary = Path(reply + ".part")
    temporary.write_bytes(msgspec.msgpack.encode(found))
    os.replace(temporary, reply)
