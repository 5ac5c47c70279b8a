"""The origin of a shrink: a scenario, or a row of a sweep's table."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.pick import pick, scenario_of
from rigless.sweeps.row import Row
from rigless.sweeps.settings import PROGRAM, to_texts
from rigless.sweeps.shrink.draft import Draft, read_draft
from rigless.sweeps.table import read_table
from rigless.sweeps.toml_writer import inline

TABLES = (".parquet", ".csv", ".jsonl")
CHANGED = "the scenario has changed since the sweep, or the seed is another"


@dataclass
class Origin:
    """A scenario to shrink, the name of its failed expectation if known, and words about it."""

    draft: Draft
    words: str
    expected: str = ""
    changed: str = ""  # a hint if it does not fail any more


def find_origin(
    target: str, row: str | None, seed: int | None, settings: Iterable[str] = ()
) -> Origin:
    """Return the origin that a user names. Raises InputError."""
    settings = list(settings)
    path = Path(target)
    if path.suffix.lower() not in TABLES:
        if row is not None:
            fix = "a row belongs to a table that ends in " + ", ".join(TABLES)
            raise InputError(Problem("ROW", f"{target!r} is no table of a sweep", fix))
        draft = read_draft(target, settings, seed)
        words = shlex.join([target, *(word for text in settings for word in ("--set", text))])
        expected = changed = ""
    else:
        found = pick(read_table(path), row or "worst", target)
        if found.verdict != "fail" and seed is None:
            what = f"the run of row {found.key} did not fail: its verdict is {found.verdict!r}"
            raise InputError(Problem("ROW", what, "choose a row that failed", target))
        seed = found.seed if seed is None else seed
        draft = read_draft(scenario_of(found, path), [*to_texts(found.settings), *settings], seed)
        _set_commands(draft, found)
        varied = "".join(f", {key} = {inline(value)}" for key, value in found.settings.items())
        words = f"row {found.key} of {target}: {found.scenario}{varied}"
        expected, changed = found.failed, CHANGED
    words += f", seed {draft.data['seed']}" if "seed" in draft.data else ""
    return Origin(draft, words, expected, changed)


def _set_commands(draft: Draft, row: Row) -> None:
    """Set the commands of programs that a sweep varied; they run in the current folder."""
    for key, command in row.settings.items():
        for entry in draft.data.get("programs", []) if key.startswith(PROGRAM) else []:
            if entry.get("name") == key.removeprefix(PROGRAM):
                entry["command"] = command
                entry.setdefault("cwd", str(Path.cwd()))
