"""Scenarios with programs for tests, and small programs that talk to the thermostat."""

import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rigless.runs.hosted import Pacing
from rigless.runs.request import Request, run_here
from rigless.runs.result import Result
from rigless.scenario.verdict import Verdict

THERMOSTAT = str(Path(__file__).parents[2] / "examples" / "thermostat")
CLIENT = Path(__file__).parent / "thermostat_client.py"
TRIES = 5  # a busy machine may not hold the pace


def scenario(folder: Path, text: str, **keys: Any) -> str:
    """Write a scenario with a thermostat and return its file. `{client}` starts the client."""
    head = {"name": "room", "duration_s": 20, "speed": 10, "late_max_ms": 1000} | keys
    lines = [f"{key} = {value!r}" for key, value in head.items()]
    lines += ["[[robots]]", f"kind = {THERMOSTAT!r}"]
    path = folder / "room.toml"
    client = f"{sys.executable} -S {CLIENT}"
    path.write_text("\n".join(lines) + "\n" + text.replace("{client}", client))
    return str(path)


def run(folder: Path, text: str, **keys: Any) -> Result:
    """Run a scenario, whether or not the machine holds the pace."""
    files = folder / "files"
    files.mkdir()
    request = Request(scenario(folder, text, **keys), folder=str(files), trace=True)
    request.record = str(files / "run.mcap")
    with patch.object(Pacing, "why_invalid", lambda self: ""):
        return run_here(request)


def verdict(result: Result, part: str) -> Verdict:
    """Return the one verdict whose text contains a part."""
    (found,) = [each for each in result.verdicts if part in each.text]
    return found
