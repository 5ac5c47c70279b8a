"""Write a shrunk scenario: an ordinary file, verified by loading and running it again."""

import os
from pathlib import Path

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.shrink.draft import Data, Draft, moved, ordered, read_draft
from rigless.sweeps.shrink.failure import Failure
from rigless.sweeps.shrink.trials import Trials
from rigless.sweeps.toml_writer import to_toml


def check_out(out: Path, force: bool) -> None:
    """Raise InputError if the file cannot be written."""
    if out.suffix != ".toml":
        what = f"{str(out)!r} does not end in .toml"
        raise InputError(Problem("--out", what, f"for example {out.with_suffix('.toml').name}"))
    if out.exists() and not force:
        raise InputError(Problem("--out", f"{out} exists", "choose another file, or --force"))
    if not out.parent.is_dir():
        what = f"there is no folder {str(out.parent)!r}"
        raise InputError(Problem("--out", what, "make it, or choose another"))


def text_of(draft: Draft, data: Data, comment: list[str], folder: Path) -> str:
    """Return the file of a scenario, with paths that are right in this folder."""
    lines = "".join(f"# {line}".rstrip() + "\n" for line in comment)
    return lines + to_toml(ordered(moved(data, draft.folder, folder)))


def write_verified(out: Path, text: str, failure: Failure, trials: Trials) -> None:
    """Write a scenario whose file, loaded and run again, shows the failure.

    It gets its name only then. Raises InputError if it does not fail.
    """
    part = out.with_name(f".{out.stem}.part.toml")
    try:
        try:
            part.write_text(text, "utf-8")
            draft = read_draft(str(part))
            again = Trials(draft, trials.times, trials.run, 1, trials.enough, trials.times)
            shown = again.fails(failure, draft.data)
            trials.runs += again.runs
            if shown is None:
                what = "the written scenario does not fail again, so it was not kept"
                fix = "if programs make it uncertain, use --fails, such as --fails 2/5"
                raise InputError(Problem("--out", what, fix))
            os.replace(part, out)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        what = f"cannot write {out}: {error.strerror}"
        raise InputError(Problem("--out", what, "choose another file")) from None
