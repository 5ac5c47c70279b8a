"""A run as data, so that it can be done in this process, in another, or in a private network."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
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

STDERR_SHOWN = 2000


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


def run_in_child(request: Request) -> Result:
    """Run in a process of its own, in a private network if the request says so."""
    with tempfile.TemporaryDirectory(prefix="rigless-") as folder:
        question, reply = Path(folder) / "request", Path(folder) / "answer"
        question.write_bytes(msgspec.msgpack.encode(request))
        entry = ["rigless.programs.namespace"] if request.isolate else []
        words = [sys.executable, "-m", *entry, "rigless.runs.request"]
        words += [str(question), str(reply), str(os.getpid())]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if not reply.exists():
            how = done.stderr.decode(errors="replace")[-STDERR_SHOWN:].strip().splitlines()
            last = how[-1] if how else "no output"
            text = f"the process of the run ended with {done.returncode}: {last}"
            return Result(request.target, request.target, request.seed or 0, 0.0, failure=text)
        answer = msgspec.msgpack.decode(reply.read_bytes(), type=Answer)
    if answer.result is None:
        raise InputError(answer.problems)
    return answer.result


def _main(question: str, reply: str, owner: str) -> None:
    from rigless.programs.reaper import PR_SET_PDEATHSIG, prctl

    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(owner):  # it was killed before: no signal will come
        return
    request = msgspec.msgpack.decode(Path(question).read_bytes(), type=Request)
    try:
        answer = Answer(run_here(request))
    except InputError as error:
        answer = Answer(problems=list(error.problems))
    temporary = Path(reply + ".part")
    temporary.write_bytes(msgspec.msgpack.encode(answer))
    os.replace(temporary, reply)


if __name__ == "__main__":
    _main(*sys.argv[1:4])
