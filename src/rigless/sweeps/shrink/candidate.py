"""One candidate of a shrink as plain data, and its run in this process."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rigless.kernel.problems import InputError
from rigless.programs import namespace
from rigless.runs.children import run_in_child
from rigless.runs.request import Request, run_here
from rigless.runs.result import Result
from rigless.runs.session import duration_of
from rigless.scenario.load import build_raw
from rigless.scenario.planned_inputs import late_problems
from rigless.scenario.source import Source
from rigless.sweeps.shrink.draft import moved
from rigless.sweeps.toml_writer import to_toml

REJECTED = "rejected: "  # begins the reason of a candidate that is no valid scenario


@dataclass
class Candidate:
    """A scenario as data, and the folder that its files are relative to."""

    data: dict[str, Any]
    folder: str
    streams: list[str] = field(default_factory=list)  # filled in by a run in this process

    @property
    def isolate(self) -> bool:
        return any(entry.get("isolate") for entry in self.data.get("programs", []))


def run_candidates(candidates: list[Candidate]) -> list[Result]:
    """Run candidates one after the other in this process."""
    return [run_candidate(candidate) for candidate in candidates]


def run_candidate(candidate: Candidate) -> Result:
    """Run a candidate. One that is no valid scenario gives an invalid result, without a run."""
    data = candidate.data
    name, seed = str(data.get("name", "scenario")), data.get("seed", 0)
    try:
        if not data.get("programs"):
            return _run(candidate, Request(name))
        with tempfile.TemporaryDirectory(prefix="rigless-shrink-") as folder:
            request = Request(name, folder=folder)
            if not candidate.isolate or namespace.why_not():
                return _run(candidate, request)
            file = Path(folder) / "candidate.toml"
            file.write_text(to_toml(moved(data, Path(candidate.folder), Path(folder))), "utf-8")
            request.target, request.isolate = str(file), True
            return run_in_child(request)
    except InputError as error:
        return Result(name, name, seed, 0.0, invalid=f"{REJECTED}{error}")


def _run(candidate: Candidate, request: Request) -> Result:
    built = build_raw(candidate.data, Source("", Path(candidate.folder)), collect=False)
    if late := late_problems(built.scenario, built.source, duration_of(built)):
        raise InputError(late)
    result = run_here(request, built)
    candidate.streams = list(built.simulation.core.streams.names)
    return result
