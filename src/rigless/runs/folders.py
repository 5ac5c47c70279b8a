"""Folders of runs with programs: logs, state, recording and report."""

import os
import re
import shutil
import time
from itertools import chain, count
from pathlib import Path

from rigless.host.environment import state_folder
from rigless.kernel.problems import InputError, Problem

MARK = ".rigless-run"  # only folders with this file are ever removed
KEPT = 50  # folders of failed runs in the default place


def new_folder(base: Path | None, name: str, seed: int) -> Path:
    """Make a folder for a run, in `base` or in the state folder."""
    parent = base or state_folder() / "runs"
    stem = re.sub(r"[^\w.-]+", "-", name) + f"-seed{seed}"
    if base is None:
        stem += f"-{time.strftime('%Y%m%d-%H%M%S')}"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for candidate in chain([stem], (f"{stem}-{n}" for n in count(2))):
            folder = parent / candidate
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            (folder / MARK).write_text(f"{os.getpid()}\n")
            return folder.resolve()
    except OSError as error:
        what = f"cannot make a folder in {parent}: {error.strerror}"
        raise InputError(Problem("--runs", what, "choose another folder")) from None
    raise AssertionError("unreachable")


def remove_folder(folder: Path) -> None:
    """Remove the folder of a run, if it is one."""
    if (folder / MARK).is_file():
        shutil.rmtree(folder, ignore_errors=True)


def remove_unused_folder(folder: Path) -> None:
    """Remove the folder of a run that never began."""
    if [each.name for each in folder.iterdir()] == [MARK]:
        remove_folder(folder)


def remove_old_folders(parent: Path | None = None) -> None:
    """Keep only the newest folders of runs in the default place."""
    parent = parent or state_folder() / "runs"
    marks = sorted(parent.glob(f"*/{MARK}"), key=lambda mark: mark.stat().st_mtime)
    for mark in marks[:-KEPT]:
        remove_folder(mark.parent)
